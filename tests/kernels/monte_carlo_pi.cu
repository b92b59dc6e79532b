// Points in a square and how many lie in the quarter circle, drawn by Philox4x32-10 (Salmon, Moraes, Dror,
// Shaw 2011): ten rounds of two wide multiplications over a counter, so that every thread's numbers are its
// own.
struct Counter {
  unsigned word[4];
};

__device__ Counter philox(Counter counter, unsigned key0, unsigned key1) {
  for (int round = 0; round < 10; ++round) {
    const unsigned high0 = __umulhi(0xD2511F53u, counter.word[0]), low0 = 0xD2511F53u * counter.word[0];
    const unsigned high1 = __umulhi(0xCD9E8D57u, counter.word[2]), low1 = 0xCD9E8D57u * counter.word[2];
    counter = Counter{{high1 ^ counter.word[1] ^ key0, low1, high0 ^ counter.word[3] ^ key1, low0}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

extern "C" __global__ void monte_carlo_pi(unsigned key0, unsigned key1, unsigned draws,
                                          unsigned long long* inside, unsigned* last) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned hits = 0;
  Counter drawn = {{0, 0, 0, 0}};
  for (unsigned draw = 0; draw < draws; ++draw) {
    drawn = philox(Counter{{draw, 0, thread, 0}}, key0, key1);
    for (int pair = 0; pair < 4; pair += 2) {
      const float x = (float)(drawn.word[pair] >> 8) * (1.0f / 16777216.0f);
      const float y = (float)(drawn.word[pair + 1] >> 8) * (1.0f / 16777216.0f);
      if (x * x + y * y < 1.0f) ++hits;
    }
  }
  for (int i = 0; i < 4; ++i) last[thread * 4 + i] = drawn.word[i];
  atomicAdd(inside, (unsigned long long)hits);
}
