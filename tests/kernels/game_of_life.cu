// Conway's game on a torus: a byte a cell with a shared halo, and 32 cells in a word, counted with full
// adders.
#define SIDE 16

extern "C" __global__ void life_bytes(const unsigned char* in, unsigned char* out, int width, int height) {
  __shared__ unsigned char tile[SIDE + 2][SIDE + 2];
  for (int i = threadIdx.y * SIDE + threadIdx.x; i < (SIDE + 2) * (SIDE + 2); i += SIDE * SIDE) {
    const int x = ((int)blockIdx.x * SIDE + i % (SIDE + 2) - 1 + width) % width;
    const int y = ((int)blockIdx.y * SIDE + i / (SIDE + 2) - 1 + height) % height;
    tile[i / (SIDE + 2)][i % (SIDE + 2)] = in[y * width + x];
  }
  __syncthreads();
  const int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
  if (x >= width || y >= height) return;
  int alive = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) alive += tile[threadIdx.y + dy][threadIdx.x + dx];
  const int self = tile[threadIdx.y + 1][threadIdx.x + 1];
  out[y * width + x] = alive == 3 || (alive == 4 && self) ? 1 : 0;
}

__device__ void add(unsigned bit, unsigned& ones, unsigned& twos, unsigned& fours) {
  const unsigned carry = ones & bit;
  ones ^= bit;
  fours |= twos & carry;
  twos ^= carry;
}

// `words` words a row; bit i of a word is the cell that many to the right.
extern "C" __global__ void life_words(const unsigned* in, unsigned* out, int words, int height) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= words * height) return;
  const int column = at % words, row = at / words;
  unsigned ones = 0, twos = 0, fours = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    const unsigned* line = in + (row + dy + height) % height * words;
    const unsigned here = line[column], left = line[(column + words - 1) % words],
                   right = line[(column + 1) % words];
    add(__funnelshift_l(left, here, 1), ones, twos, fours);
    add(__funnelshift_r(here, right, 1), ones, twos, fours);
    if (dy != 0) add(here, ones, twos, fours);
  }
  out[at] = twos & ~fours & (ones | in[at]);  // three, or two and alive
}
