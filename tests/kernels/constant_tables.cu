// SHA-256 of short messages, its constants in constant memory and read by an index that differs from lane to
// lane (each starts elsewhere), and tables of other types beside it.
__constant__ unsigned round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__constant__ unsigned initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
__constant__ double powers[5] = {1.0, 0.1, 1e10, 1e-300, 1e300};
__constant__ unsigned char letters[] = "constant memory";
struct Entry {
  short small;
  float single;
  const double* link;
};
__constant__ Entry entries[3] = {{-3, 0.5f, &powers[1]}, {7, 1.5f, &powers[2]}, {11, -2.25f, powers + 4}};

__device__ unsigned turn(unsigned x, int by) {
  return __funnelshift_r(x, x, by);
}

// Each message is `words` big-endian words, at most 13, already without padding.
extern "C" __global__ void sha256(const unsigned* messages, unsigned words, unsigned n, unsigned* digests) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  unsigned w[16];
  for (unsigned i = 0; i < 16; ++i) w[i] = i < words ? messages[at * words + i] : 0;
  w[words] = 0x80000000u;
  w[15] = words * 32;
  unsigned h[8];
  for (int i = 0; i < 8; ++i) h[i] = initial[i];
  for (int round = 0; round < 64; ++round) {
    if (round >= 16) {
      const unsigned before = w[(round + 1) & 15], after = w[(round + 14) & 15];
      w[round & 15] += (turn(before, 7) ^ turn(before, 18) ^ before >> 3) + w[(round + 9) & 15] +
                       (turn(after, 17) ^ turn(after, 19) ^ after >> 10);
    }
    const unsigned first = h[7] + (turn(h[4], 6) ^ turn(h[4], 11) ^ turn(h[4], 25)) +
                           ((h[4] & h[5]) ^ (~h[4] & h[6])) + round_constants[round] + w[round & 15];
    const unsigned second =
        (turn(h[0], 2) ^ turn(h[0], 13) ^ turn(h[0], 22)) + ((h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]));
    for (int i = 7; i > 0; --i) h[i] = h[i - 1];
    h[4] += first;
    h[0] = first + second;
  }
  for (int i = 0; i < 8; ++i) digests[at * 8 + i] = h[i] + initial[i];
}

extern "C" __global__ void tables(unsigned n, double* doubles, unsigned* words) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  const Entry entry = entries[at % 3];
  doubles[at] = *entry.link * powers[at % 5] + (double)entry.single;
  words[at] = letters[at % sizeof letters] * 65536u + (unsigned)(unsigned short)entry.small +
              round_constants[at * 7 % 64];
}
