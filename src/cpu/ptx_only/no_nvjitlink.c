/* Loaded under nvJitLink's name, with none of its functions: a library that asks whether nvJitLink is there
   (numba-cuda, cuda.core) finds that it is not, and links through the driver. */
_Static_assert(sizeof(void *) == 8, "the CPU device is for 64-bit processes");
