// A pending cuLink: its options, which stay the caller's memory, and the texts that it has taken.
#pragma once

#include <string>
#include <vector>

#include "cpu/driver/jit_options.hpp"
#include "cpu/ptx/link.hpp"

namespace tare::cpu {

struct LinkObject {
  JitOptions options;
  std::vector<ptx::LinkInput> inputs;
  std::string ptx;  // of cuLinkComplete, whose caller is given its address
};

}  // namespace tare::cpu
