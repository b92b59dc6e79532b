// From a driver call's code to tare::Error: what failed, on what, and what to do next.
#pragma once

#include <string>

#include "driver/abi.hpp"

namespace tare::detail {

/// Throws what `result` means. `call` is the driver function; `about` names what it was called on and may be
/// empty; `hint` replaces the usual advice for this code; `tail` ends the message (a log, say).
[[noreturn]] void fail(cu::Result result, const char* call, const std::string& about = {},
                       const std::string& hint = {}, const std::string& tail = {});

/// Throws unless `result` is success.
inline void check(cu::Result result, const char* call, const char* about = "") {
  if (result != cu::Result::success) [[unlikely]]
    fail(result, call, about);
}

/// "CUDA_ERROR_INVALID_VALUE", or "CUDA error 12345" for a code that the driver does not know.
std::string code_name(cu::Result result);

/// "13.0" for 13000.
std::string version_text(int driver_version);

}  // namespace tare::detail
