// All shortest paths by tiles: the tile on the diagonal, then its row and column, then the rest, for every
// diagonal tile.
#define TILE 16

__device__ int shorter(int direct, int first, int second) {
  return min(direct, first + second);
}

extern "C" __global__ void diagonal(int* distance, int n, int k) {
  __shared__ int tile[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y, at = (k * TILE + y) * n + k * TILE + x;
  tile[y][x] = distance[at];
  __syncthreads();
  for (int via = 0; via < TILE; ++via) {
    const int better = shorter(tile[y][x], tile[y][via], tile[via][x]);
    __syncthreads();
    tile[y][x] = better;
    __syncthreads();
  }
  distance[at] = tile[y][x];
}

// blockIdx.y 0: the tiles in row k; 1: those in column k.
extern "C" __global__ void row_and_column(int* distance, int n, int k) {
  if (blockIdx.x == k) return;
  __shared__ int pivot[TILE][TILE], tile[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const bool in_row = blockIdx.y == 0;
  const int row = in_row ? k : blockIdx.x, column = in_row ? blockIdx.x : k;
  const int at = (row * TILE + y) * n + column * TILE + x;
  pivot[y][x] = distance[(k * TILE + y) * n + k * TILE + x];
  tile[y][x] = distance[at];
  __syncthreads();
  for (int via = 0; via < TILE; ++via) {
    const int better = in_row ? shorter(tile[y][x], pivot[y][via], tile[via][x])
                              : shorter(tile[y][x], tile[y][via], pivot[via][x]);
    __syncthreads();
    tile[y][x] = better;
    __syncthreads();
  }
  distance[at] = tile[y][x];
}

extern "C" __global__ void rest(int* distance, int n, int k) {
  if (blockIdx.x == k || blockIdx.y == k) return;
  __shared__ int in_row[TILE][TILE], in_column[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int at = (blockIdx.y * TILE + y) * n + blockIdx.x * TILE + x;
  in_row[y][x] = distance[(k * TILE + y) * n + blockIdx.x * TILE + x];
  in_column[y][x] = distance[(blockIdx.y * TILE + y) * n + k * TILE + x];
  __syncthreads();
  int best = distance[at];
  for (int via = 0; via < TILE; ++via) best = shorter(best, in_column[y][via], in_row[via][x]);
  distance[at] = best;
}
