// What `tare --version` says.
#pragma once

#include <string>

namespace tare::cli {

/// Version, compiler, build type, and the shared libraries that this process has loaded; no final newline.
std::string version_text();

}  // namespace tare::cli
