// Turns a memory fault inside a kernel or a copy into a value. The handler belongs to the process,
// but acts only on threads that are inside run_guarded; every other fault goes where it went before.
#pragma once

#include <cstdint>

namespace tare::cpu {

struct MemoryFault {
  bool happened = false;
  bool has_address = false;  // false: to an address that no memory can have, which is not told
  std::uintptr_t address = 0;
};

/// Installs the handlers for SIGSEGV and SIGBUS, once.
void install_fault_handlers();

/// Calls body(argument) and says whether it touched memory that it may not. The body must own
/// nothing that needs a destructor: a fault leaves it without unwinding.
MemoryFault run_guarded(void (*body)(void*), void* argument);

}  // namespace tare::cpu
