// An integer finaliser over a counter: shifts, exclusive ors and multiplications modulo 2^32, no memory read.

// snippet: kernel
__global__ void mixBits(unsigned int* out, unsigned int seed, unsigned int n) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned int h = i ^ seed;
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  out[i] = h ^ (h >> 16);
}
// end snippet

// snippet: reference
void reference(unsigned int* out, unsigned int seed, unsigned int n) {
  for (unsigned int i = 0; i < n; ++i) {
    unsigned int h = i ^ seed;
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    out[i] = h;
  }
}
// end snippet
