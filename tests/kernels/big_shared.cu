// More shared memory than a kernel gets without asking: 100,000 bytes of it, in which a block shuffles a deck
// by a fixed permutation again and again, with a static array beside it.
extern __shared__ unsigned deck[];

extern "C" __global__ void big_shared(const unsigned* in, unsigned* out, unsigned cards, unsigned rounds,
                                      unsigned* checks) {
  __shared__ unsigned check[32];
  unsigned* other = deck + cards;
  for (unsigned i = threadIdx.x; i < cards; i += blockDim.x) deck[i] = in[blockIdx.x * cards + i];
  if (threadIdx.x < 32) check[threadIdx.x] = blockIdx.x;
  __syncthreads();
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned i = threadIdx.x; i < cards; i += blockDim.x)
      other[(i * 7919u + round) % cards] = deck[i] + round;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < cards; i += blockDim.x) deck[i] = other[cards - 1 - i];
    if (threadIdx.x < 32) check[threadIdx.x] = check[threadIdx.x] * 33 + other[threadIdx.x];
    __syncthreads();
  }
  for (unsigned i = threadIdx.x; i < cards; i += blockDim.x) out[blockIdx.x * cards + i] = deck[i];
  if (threadIdx.x < 32) checks[blockIdx.x * 32 + threadIdx.x] = check[threadIdx.x];
}
