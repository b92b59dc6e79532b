// Gravity among all bodies, their positions passing through shared memory a tile at a time; then one step
// forward.
extern "C" __global__ void n_body(const float4* bodies, float4* moved, float4* velocities, unsigned n,
                                  float step, float softening) {
  extern __shared__ float4 tile[];
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 mine = at < n ? bodies[at] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float3 pull = make_float3(0.0f, 0.0f, 0.0f);
  for (unsigned base = 0; base < n; base += blockDim.x) {
    if (base + threadIdx.x < n) tile[threadIdx.x] = bodies[base + threadIdx.x];
    __syncthreads();
    const unsigned count = min(blockDim.x, n - base);
    for (unsigned i = 0; i < count; ++i) {
      const float dx = tile[i].x - mine.x, dy = tile[i].y - mine.y, dz = tile[i].z - mine.z;
      const float square = dx * dx + dy * dy + dz * dz + softening;
      const float strength = tile[i].w / (square * sqrtf(square));
      pull.x += dx * strength;
      pull.y += dy * strength;
      pull.z += dz * strength;
    }
    __syncthreads();
  }
  if (at >= n) return;
  float4 velocity = velocities[at];
  velocity.x += pull.x * step;
  velocity.y += pull.y * step;
  velocity.z += pull.z * step;
  velocities[at] = velocity;
  moved[at] =
      make_float4(mine.x + velocity.x * step, mine.y + velocity.y * step, mine.z + velocity.z * step, mine.w);
}
