// Where clang without NVIDIA's headers and libraries ends: told from a mistake in the source by clang's log.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tare::detail {

/// One sentence that names what the source needs and this front end does not have, where that is all that
/// clang complains of: "clang runs without NVIDIA's headers and libraries here, and has no `expf` (k.cu:5)".
/// Empty where anything else is wrong too.
std::string limit_of_clang(const std::string& log);

/// Headers of the toolkit whose contents our own header provides, as far as it does: empty files by these
/// names let a source that NVRTC needs them in be compiled by clang as it is.
const std::vector<std::string>& stand_in_headers();

}  // namespace tare::detail
