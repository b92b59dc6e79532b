// A pending cuLink: its options, which stay the caller's memory, and the one text that it has taken.
#pragma once

#include <string>

#include "cpu/driver/jit_options.hpp"

namespace tare::cpu {

struct LinkObject {
  JitOptions options;
  std::string ptx;
};

}  // namespace tare::cpu
