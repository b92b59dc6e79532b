// Heat in a plate with cold edges (double precision), and the largest of a 3x3 neighbourhood of bytes; both
// with a halo of one around the tile.
#define TILE_X 32
#define TILE_Y 8

extern "C" __global__ void heat(const double* in, double* out, int width, int height, double rate) {
  __shared__ double tile[TILE_Y + 2][TILE_X + 2];
  const int x = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const auto at = [&](int column, int row) {
    return column < 0 || row < 0 || column >= width || row >= height ? 0.0 : in[row * width + column];
  };
  tile[ty][tx] = at(x, y);
  if (threadIdx.x == 0) tile[ty][0] = at(x - 1, y);
  if (threadIdx.x == TILE_X - 1) tile[ty][TILE_X + 1] = at(x + 1, y);
  if (threadIdx.y == 0) tile[0][tx] = at(x, y - 1);
  if (threadIdx.y == TILE_Y - 1) tile[TILE_Y + 1][tx] = at(x, y + 1);
  __syncthreads();
  if (x >= width || y >= height) return;
  const double middle = tile[ty][tx];
  const double around = tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1];
  out[y * width + x] = middle + rate * (around - 4.0 * middle);
}

extern "C" __global__ void dilate(const unsigned char* in, unsigned char* out, int width, int height) {
  __shared__ unsigned char tile[TILE_Y + 2][TILE_X + 2];
  const int left = blockIdx.x * TILE_X - 1, top = blockIdx.y * TILE_Y - 1;
  for (int i = threadIdx.y * TILE_X + threadIdx.x; i < (TILE_X + 2) * (TILE_Y + 2); i += TILE_X * TILE_Y) {
    const int x = left + i % (TILE_X + 2), y = top + i / (TILE_X + 2);
    tile[i / (TILE_X + 2)][i % (TILE_X + 2)] =
        x < 0 || y < 0 || x >= width || y >= height ? 0 : in[y * width + x];
  }
  __syncthreads();
  const int x = left + 1 + threadIdx.x, y = top + 1 + threadIdx.y;
  if (x >= width || y >= height) return;
  unsigned char most = 0;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) {
      const unsigned char one = tile[threadIdx.y + dy][threadIdx.x + dx];
      if (one > most) most = one;
    }
  out[y * width + x] = most;
}
