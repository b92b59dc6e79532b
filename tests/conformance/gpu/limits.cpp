// What a context's limits are to begin with on whatever CUDA driver there is, and what they are after they
// were set: `get LIMIT: CODE VALUE`, and `set LIMIT VALUE: CODE, then get LIMIT: CODE VALUE`, the limits as
// CU_LIMIT_* counts them. limits_test.cpp holds the CPU device to limits.txt. Needs a driver and nothing
// else:
//   g++ -O1 -std=c++20 limits.cpp -ldl -o limits && ./limits > limits.txt
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace {

template <typename... Arguments>
int call(void* driver, const char* name, Arguments... arguments) {
  auto* function = reinterpret_cast<int (*)(Arguments...)>(dlsym(driver, name));
  return function == nullptr ? 500 : function(arguments...);
}

const char kKernels[] = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 p) malloc(.param .b64 n);
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 nothing[1] = {0};
.visible .entry uses()
{
  .reg .b64 %d<4>; .reg .b32 %a<4>;
  { .param .b64 n; .param .b64 p; st.param.b64 [n], 16; call.uni (p), malloc, (n); ld.param.b64 %d1, [p]; }
  mov.u64 %d1, nothing; cvta.global.u64 %d1, %d1; mov.u64 %d2, 0;
  { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d1; st.param.b64 [a], %d2;
    call.uni (r), vprintf, (f, a); ld.param.b32 %a1, [r]; }
  ret;
}
)";

}  // namespace

int main() {
  const char* chosen = std::getenv("TARE_DRIVER");
  void* driver = dlopen(chosen == nullptr ? "libcuda.so.1" : chosen, RTLD_NOW);
  if (driver == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  void *context = nullptr, *module = nullptr, *function = nullptr;
  char name[256] = "";
  if (call(driver, "cuInit", 0u) != 0 || call(driver, "cuDevicePrimaryCtxRetain", &context, 0) != 0 ||
      call(driver, "cuCtxSetCurrent", context) != 0)
    return 3;
  call(driver, "cuDeviceGetName", static_cast<char*>(name), 255, 0);
  std::printf("# %s\n", name);
  const auto get = [&](int limit) {
    std::size_t value = 0;
    const int code = call(driver, "cuCtxGetLimit", &value, limit);
    std::printf("get %d: %d %zu\n", limit, code, value);
  };
  const auto set = [&](int limit, std::size_t value) {
    const int code = call(driver, "cuCtxSetLimit", limit, value);
    std::printf("set %d %zu: %d, then ", limit, value, code);
    get(limit);
  };
  for (int limit = 0; limit < 8; ++limit) get(limit);
  for (const std::size_t bytes : {0, 1, 1000, 1025, 4096, 65536, 262144, 523712, 524288, 524304, 1 << 20})
    set(0, bytes);
  set(0, 1024);
  for (const std::size_t bytes : {0, 1000, 1 << 16, 1 << 20}) set(1, bytes);
  for (const std::size_t bytes : {0, 1000, 1 << 20, 8 << 20}) set(2, bytes);
  std::printf("load: %d\n", call(driver, "cuModuleLoadData", &module, static_cast<const void*>(kKernels)));
  std::printf("function: %d\n",
              call(driver, "cuModuleGetFunction", &function, module, static_cast<const char*>("uses")));
  std::printf("after a module that prints and allocates was loaded\n");
  set(1, 1 << 17);
  set(2, 16 << 20);
  std::printf("launch: %d\n",
              call(driver, "cuLaunchKernel", function, 1u, 1u, 1u, 1u, 1u, 1u, 0u,
                   static_cast<void*>(nullptr), static_cast<void**>(nullptr), static_cast<void**>(nullptr)));
  std::printf("synchronize: %d\n", call(driver, "cuCtxSynchronize"));
  std::printf("after it was launched\n");
  set(0, 2048);
  set(1, 1 << 18);
  set(2, 32 << 20);
  set(2, 16 << 20);
}
