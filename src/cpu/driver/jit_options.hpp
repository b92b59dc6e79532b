// The options of cuModuleLoadDataEx and cuLinkCreate: log buffers are filled, the rest has no
// meaning here and is passed over.
#pragma once

#include <string>

#include "cpu/driver/abi.hpp"

namespace tare::cpu {

class JitOptions {
 public:
  /// kInvalidValue for an option that does not exist. The arrays are the caller's and stay in use.
  abi::Result read(unsigned count, const abi::Enum* options, void** values);
  bool wants_errors() const { return error_.buffer != nullptr && error_.bytes != 0; }
  /// Writes the logs, NUL-terminated and cut to the buffers' sizes, and the numbers that go back.
  void write(const std::string& error, const std::string& info, float wall_ms) const;

 private:
  struct Log {
    char* buffer = nullptr;
    std::size_t bytes = 0;
    void** size_slot = nullptr;  // gets the number of bytes written
  };
  static void fill(const Log& log, const std::string& text);
  Log error_, info_;
  void** wall_time_ = nullptr;
};

}  // namespace tare::cpu
