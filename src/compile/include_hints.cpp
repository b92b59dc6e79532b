// Finds the header's name in the log, then says where it lives or what replaces it.
#include "compile/include_hints.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tare::detail {
namespace fs = std::filesystem;
namespace {

/// Headers of the C and C++ standard libraries that libcu++ has under cuda/std.
constexpr std::array<std::string_view, 37> kStandard{
    "algorithm", "array",   "atomic",    "barrier", "bit",         "bitset",     "cassert",
    "cfloat",    "chrono",  "climits",   "cmath",   "complex",     "concepts",   "cstddef",
    "cstdint",   "cstdlib", "cstring",   "ctime",   "exception",   "functional", "initializer_list",
    "iterator",  "latch",   "limits",    "mdspan",  "memory",      "numeric",    "optional",
    "ranges",    "ratio",   "semaphore", "span",    "string_view", "tuple",      "type_traits",
    "utility",   "variant"};
struct Renamed {
  std::string_view header, instead;
};
constexpr std::array<Renamed, 7> kC{{{"stdint.h", "cuda/std/cstdint"},
                                     {"stddef.h", "cuda/std/cstddef"},
                                     {"math.h", "cuda/std/cmath"},
                                     {"limits.h", "cuda/std/climits"},
                                     {"float.h", "cuda/std/cfloat"},
                                     {"assert.h", "cuda/std/cassert"},
                                     {"string.h", "cuda/std/cstring"}}};
constexpr std::array<std::string_view, 16> kToolkit{"cuda_fp16.h",
                                                    "cuda_bf16.h",
                                                    "cuda_fp8.h",
                                                    "cuda_runtime.h",
                                                    "cooperative_groups",
                                                    "cuda_pipeline.h",
                                                    "cub/",
                                                    "thrust/",
                                                    "cuda/",
                                                    "nv/",
                                                    "mma.h",
                                                    "cuComplex.h",
                                                    "math_constants.h",
                                                    "curand",
                                                    "vector_types.h",
                                                    "device_launch_parameters.h"};

std::string replacement(std::string_view header) {
  if (std::find(kStandard.begin(), kStandard.end(), header) != kStandard.end())
    return "cuda/std/" + std::string(header);
  for (const Renamed& c : kC)
    if (c.header == header) return std::string(c.instead);
  return {};
}

}  // namespace

bool is_toolkit_header(std::string_view header) {
  return std::any_of(kToolkit.begin(), kToolkit.end(),
                     [&](auto prefix) { return header.starts_with(prefix); });
}

std::string missing_header(const std::string& log) {
  // NVRTC: could/cannot open source file "x"; gcc: x: No such file or directory; clang: 'x' file not found
  if (const std::size_t at = log.find("open source file \""); at != std::string::npos) {
    const std::size_t begin = log.find('"', at) + 1;
    return log.substr(begin, log.find('"', begin) - begin);
  }
  if (const std::size_t at = log.find(": No such file or directory"); at != std::string::npos) {
    constexpr std::string_view kFatal = "fatal error: ";
    const std::size_t fatal = log.rfind(kFatal, at);
    return fatal == std::string::npos ? "" : log.substr(fatal + kFatal.size(), at - fatal - kFatal.size());
  }
  if (const std::size_t at = log.find("' file not found"); at != std::string::npos && at > 0) {
    const std::size_t begin = log.rfind('\'', at - 1) + 1;
    return log.substr(begin, at - begin);
  }
  return {};
}

std::string include_hint(const std::string& log, const std::vector<fs::path>& toolkit_dirs) {
  const std::string header = missing_header(log);
  if (header.empty()) return {};
  std::error_code error;
  for (const fs::path& dir : toolkit_dirs)
    if (fs::exists(dir / header, error))
      return "<" + header + "> is in " + dir.string() + ": add that folder to include_dirs";
  if (const std::string instead = replacement(header); !instead.empty())
    return "<" + header + "> is a host-only header: use <" + instead + ">";
  if (is_toolkit_header(header))
    return "<" + header +
           "> belongs to the CUDA toolkit, whose headers were not found beside the compiler (install "
           "nvidia-cuda-runtime, nvidia-cuda-cccl and nvidia-cuda-crt, or set CUDA_PATH)";
  return {};
}

}  // namespace tare::detail
