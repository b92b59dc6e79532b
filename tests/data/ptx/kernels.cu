// What the .ptx files beside this one were compiled from; README.md has the commands.
struct Pair {
  double d;
  int i;
  char c[3];
};

__constant__ int table[5] = {1, 2, 3, 4, -5};
__constant__ float weights[4] = {0.5f, 1e-30f, -2.f, 3.25f};
__device__ double state[3] = {1.0, 2.5, 1e300};
__device__ int counter;

__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int mul(int a, int b) { return a * b; }
typedef int (*Operation)(int, int);
__device__ Operation operations[2] = {add, mul};

__device__ __noinline__ Pair make(Pair p, int k) {
  p.d *= k;
  p.i += k;
  p.c[1] = (char)k;
  return p;
}

extern "C" __global__ void vectorAdd(const float* a, const float* b, float* out, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

extern "C" __global__ void __launch_bounds__(256, 2) saxpy(int n, float a, const float* __restrict__ x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void reduce(const float* in, float* out, int n) {
  extern __shared__ float part[];
  __shared__ float fixed[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  part[threadIdx.x] = v;
  fixed[threadIdx.x & 31] = v;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, part[0] + fixed[3]);
}

extern "C" __global__ void mixed(Pair p, int* out, float* f, unsigned long long* u, int sel) {
  int t = threadIdx.x;
  int v = out[t];
  unsigned m = __ballot_sync(0xffffffffu, v > 0);
  v += __shfl_down_sync(0xffffffffu, v, 3) + __shfl_xor_sync(0xffffffffu, v, 5, 16);
  v ^= __popc(m) + __clz(v) + __ffs(v) + __brev(v) + __byte_perm(v, t, 0x1234);
  if (__any_sync(0xffffffffu, v == 3)) v += table[t % 5];
  v += __match_any_sync(0xffffffffu, v);
  atomicAdd(&counter, v);
  atomicCAS(out, 3, v);
  atomicMax(u, 5ull);
  f[t] = f[t] / f[t + 1] + weights[t & 3];
  state[0] += p.d / 3.0;
  p = make(p, v);
  v += p.i + p.c[1] + operations[sel & 1](v, 3);
  switch (sel) {
    case 0: v += 1; break;
    case 1: v *= 3; break;
    case 2: v -= 7; break;
    case 3: v ^= 9; break;
    case 4: v = ~v; break;
    case 5: v <<= 2; break;
    case 6: v = -v; break;
    case 7: v /= 3; break;
    default: v = v % 7;
  }
  u[t] = __umul64hi(u[t], 12345678901ull) + __funnelshift_l(v, t, 5) + clock64();
  int local[40];
  for (int i = 0; i < 40; i++) local[i] = out[i] * i;
  out[2] = local[v & 31];
  float4 q = ((float4*)f)[t];
  q.x += q.w;
  ((float4*)f)[t] = q;
  if (v == 999) __trap();
}
