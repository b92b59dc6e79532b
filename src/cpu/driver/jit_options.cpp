#include "cpu/driver/jit_options.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/driver/process.hpp"

namespace tare::cpu {

abi::Result JitOptions::read(unsigned count, const abi::Enum* options, void** values) {
  if (count != 0 && (options == nullptr || values == nullptr)) return fail(abi::kInvalidValue);
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] < 0 || options[i] >= abi::jit::count) return fail(abi::kInvalidValue);
    const auto size =
        static_cast<std::size_t>(static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values[i])));
    switch (options[i]) {
      case abi::jit::error_log_buffer:
        error_.buffer = static_cast<char*>(values[i]);
        break;
      case abi::jit::info_log_buffer:
        info_.buffer = static_cast<char*>(values[i]);
        break;
      case abi::jit::error_log_buffer_size_bytes:
        error_.bytes = size;
        error_.size_slot = &values[i];
        break;
      case abi::jit::info_log_buffer_size_bytes:
        info_.bytes = size;
        info_.size_slot = &values[i];
        break;
      case abi::jit::wall_time:
        wall_time_ = &values[i];
        break;
      default:
        break;
    }
  }
  return abi::kSuccess;
}

void JitOptions::fill(const Log& log, const std::string& text) {
  std::size_t written = 0;
  if (log.buffer != nullptr && log.bytes != 0) {
    const std::size_t kept = std::min(text.size(), log.bytes - 1);
    std::memcpy(log.buffer, text.data(), kept);
    log.buffer[kept] = '\0';
    written = text.empty() ? 0 : kept + 1;
  }
  if (log.size_slot != nullptr) *log.size_slot = reinterpret_cast<void*>(written);
}

void JitOptions::write(const std::string& error, const std::string& info, float wall_ms) const {
  fill(error_, error);
  fill(info_, info);
  if (wall_time_ != nullptr) {
    *wall_time_ = nullptr;
    std::memcpy(static_cast<void*>(wall_time_), &wall_ms, sizeof wall_ms);
  }
}

}  // namespace tare::cpu
