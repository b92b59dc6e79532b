// The library's version.
#pragma once

namespace tare {
/// "0.1.0"
const char* version() noexcept;
}  // namespace tare
