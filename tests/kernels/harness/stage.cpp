// The one thing that a host program here asks of the driver itself: libtare leaves a context's limits alone.
#include <dlfcn.h>

#include "complete.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"

namespace tare::kernels {

void Stage::stack_bytes(std::size_t bytes) const {
  constexpr int kStackSize = 0;  // CU_LIMIT_STACK_SIZE
  void* driver = dlopen(driver_info().path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  const auto set_limit = driver == nullptr
                             ? nullptr
                             : reinterpret_cast<int (*)(int, std::size_t)>(dlsym(driver, "cuCtxSetLimit"));
  if (set_limit == nullptr || set_limit(kStackSize, bytes) != 0)
    throw Error(ErrorKind::driver, "the stack of a thread cannot be set");
}

}  // namespace tare::kernels
