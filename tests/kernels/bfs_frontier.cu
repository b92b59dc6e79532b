// Breadth-first search from one vertex: every launch takes a frontier and leaves the next, a vertex entering
// it through the one thread that wins its compare-and-swap.
extern "C" __global__ void bfs_step(const unsigned* offsets, const unsigned* neighbours,
                                    const unsigned* frontier, unsigned size, int* levels, int level,
                                    unsigned* next, unsigned* next_size) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= size) return;
  const unsigned vertex = frontier[at];
  for (unsigned edge = offsets[vertex]; edge < offsets[vertex + 1]; ++edge) {
    const unsigned neighbour = neighbours[edge];
    if (atomicCAS(&levels[neighbour], -1, level) == -1) next[atomicAdd(next_size, 1u)] = neighbour;
  }
}
