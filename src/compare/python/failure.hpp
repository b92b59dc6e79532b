// What an installer printed before it failed, turned into what a person needs: the lines that matter, and
// what to do next.
#pragma once

#include <string>

namespace tare::compare {

/// The lines that name an error, at most the last ten, or else the last fifteen lines.
std::string essential_lines(const std::string& output);

/// The hint where no package index can be reached: then none of the other environments will be made either.
inline constexpr const char* kNoIndexHint =
    "no package index can be reached. On a machine with a network: tare rows download --dir DIR; then here: "
    "tare rows install --wheelhouse DIR --offline";

/// What to do about it; empty where nothing is known. `offline`: no index was asked.
std::string installation_hint(const std::string& output, bool offline);

}  // namespace tare::compare
