// A barrier across a cooperative grid, made of an atomic counter and a wait, between steps of a computation
// in which every block needs what all others did before.
__device__ void wait_for_all(unsigned* arrived, unsigned& generation) {
  __syncthreads();
  generation += gridDim.x;
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned*)arrived < generation) {
    }
    __threadfence();
  }
  __syncthreads();
}

// Each step mixes every element with one far away, in another block; two buffers take turns.
extern "C" __global__ void mix_steps(volatile unsigned* even, volatile unsigned* odd, unsigned n,
                                     unsigned steps, unsigned* arrived) {
  unsigned generation = 0;
  for (unsigned step = 0; step < steps; ++step) {
    volatile unsigned* from = step % 2 == 0 ? even : odd;
    volatile unsigned* to = step % 2 == 0 ? odd : even;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      to[i] = from[i] * 1664525u + (from[(i + n / 2 + step) % n] ^ from[n - 1 - i] >> 7);
    wait_for_all(arrived, generation);
  }
}
