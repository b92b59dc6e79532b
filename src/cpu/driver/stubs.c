/* One weak definition for every name that the library exports, answering CUDA_ERROR_NOT_SUPPORTED with a
   text. A real definition elsewhere in the library takes its place when the library is linked. */
#include "exports.h"

#define TARE_EXPORT(name, since)                                \
  int name(void);                                               \
  __attribute__((weak, visibility("default"))) int name(void) { \
    return tare_not_here(#name);                                \
  }
#include "exports.inc"
#undef TARE_EXPORT

#define TARE_EXPORT(name, since) {#name, since, name},
const struct tare_export tare_exports[] = {
#include "exports.inc"
};
const int tare_export_count = (int)(sizeof tare_exports / sizeof tare_exports[0]);
