/* The table of exported names, shared by the C file that makes it and cuGetProcAddress. Plain C. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct tare_export {
  const char* symbol;   /* "cuMemAlloc_v2" */
  int since;            /* the CUDA version that introduced it: 3020 */
  int (*address)(void); /* to be called as the function it is */
};

extern const struct tare_export tare_exports[];
extern const int tare_export_count;

/* The answer of a name that is not implemented: CUDA_ERROR_NOT_SUPPORTED, with a text that has the name. */
int tare_not_here(const char* symbol);

#ifdef __cplusplus
}
#endif
