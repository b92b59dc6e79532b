/* A program of the CUDA driver API that knows nothing of Tare: doubles 21 on the device and exits with the
   code that it is given, else 0. A second argument is an address that is doubled in its place, 0 for none; a
   third a file to load in place of its own text. Linked against libcuda.so.1, or (LIBRARY defined) opening it
   by that name.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long long Pointer;

static const char kPtx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry twice(.param .u64 p) {\n"
    "  .reg .u64 %a; .reg .u32 %v;\n"
    "  ld.param.u64 %a, [p]; ld.global.u32 %v, [%a]; add.u32 %v, %v, %v; st.global.u32 [%a], %v; ret;\n"
    "}\n";

#define FUNCTIONS(each)                                                                                      \
  each(cuInit, (unsigned)) each(cuDeviceGetCount, (int*)) each(cuDeviceGet, (int*, int))                     \
      each(cuDeviceGetAttribute, (int*, int, int)) each(cuDevicePrimaryCtxRetain, (void**, int))             \
          each(cuCtxSetCurrent, (void*)) each(cuModuleLoadData, (void**, const void*))                       \
              each(cuModuleGetFunction, (void**, void*, const char*))                                        \
                  each(cuMemAlloc_v2, (Pointer*, size_t))                                                    \
                      each(cuMemcpyHtoD_v2, (Pointer, const void*, size_t))                                  \
                          each(cuMemcpyDtoH_v2, (void*, Pointer, size_t))                                    \
                              each(cuLaunchKernel, (void*, unsigned, unsigned, unsigned, unsigned, unsigned, \
                                                    unsigned, unsigned, void*, void**, void**))

#ifdef LIBRARY
#define DECLARE(name, parameters) static int(*name) parameters;
FUNCTIONS(DECLARE)
static void open_library(void) {
  void* library = dlopen(LIBRARY, RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(100);
  }
#define FIND(name, parameters) *(void**)&name = dlsym(library, #name);
  FUNCTIONS(FIND)
}
#else
#define DECLARE(name, parameters) extern int name parameters;
FUNCTIONS(DECLARE)
static void open_library(void) {}
#endif

static const char* image(const char* path) {
  static char text[4096];
  FILE* const file = fopen(path, "rb");
  if (file == NULL || fread(text, 1, sizeof text - 1, file) == 0) exit(102);
  fclose(file);
  return text;
}

static void check(int code, const char* call) {
  if (code == 0) return;
  fprintf(stderr, "%s: %d\n", call, code);
  exit(101);
}
#define CHECK(call) check(call, #call)

int main(int argc, char** argv) {
  int count = 0, device = 0, major = 0, minor = 0;
  unsigned value = 21;
  void *context = NULL, *module = NULL, *function = NULL;
  Pointer memory = 0, doubled = 0;
  void* parameters[] = {&doubled};
  open_library();
  CHECK(cuInit(0));
  CHECK(cuDeviceGetCount(&count));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDeviceGetAttribute(&major, 75, device));
  CHECK(cuDeviceGetAttribute(&minor, 76, device));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  const char* const text = argc > 3 ? image(argv[3]) : kPtx;
  CHECK(cuModuleLoadData(&module, text));
  CHECK(cuModuleGetFunction(&function, module, "twice"));
  CHECK(cuMemAlloc_v2(&memory, sizeof value));
  CHECK(cuMemcpyHtoD_v2(memory, &value, sizeof value));
  doubled = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
  if (doubled == 0) doubled = memory;
  CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
  CHECK(cuMemcpyDtoH_v2(&value, memory, sizeof value));
  printf("%d devices of compute capability %d.%d, twice 21 is %u\n", count, major, minor, value);
  return argc > 1 ? atoi(argv[1]) : 0;
}
