/* Asks for nvJitLink as cuda-bindings does: is it loaded, and has it its functions? */
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
  const char* const names[] = {"libnvJitLink.so.12", "libnvJitLink.so.13"};
  for (int i = 0; i < 2; ++i) {
    void* const library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    printf("%s %s\n", names[i],
           library == NULL                                ? "not loaded"
           : dlsym(library, "__nvJitLinkVersion") == NULL ? "without functions"
                                                          : "with its functions");
  }
  return 0;
}
