// Our device header for clang: kernels over all of it, held against ptxas where there is one, and the
// instructions that single functions must become.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/child_process.hpp"
#include "compile/elf.hpp"
#include "fixture.hpp"
#include "tare/compile.hpp"

namespace tare {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kKernels = R"(
#define KERNEL extern "C" __global__ void
KERNEL add(const float* a, const float* b, float* o, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = a[i] + b[i];
}
KERNEL single(float* o, float a, float b, float c) {
  o[0] = __fadd_rz(a, b); o[1] = __fmul_ru(a, b); o[2] = __fmaf_rd(a, b, c); o[3] = __fdiv_rn(a, b);
  o[4] = __frcp_rn(a); o[5] = __fsqrt_rn(a); o[6] = fmaf(a, b, c); o[7] = __fdividef(a, b); o[8] = rsqrtf(a);
  o[9] = __expf(a) + __logf(b) + __powf(a, b) + __sinf(a) + __cosf(b);
  o[10] = fminf(a, b) + fmaxf(b, c) + floorf(a) + ceilf(a) + truncf(b) + rintf(c) + roundf(a) + copysignf(a, b);
  o[11] = isnan(a) + isinf(b) + isfinite(c) + signbit(a); o[12] = __saturatef(a) + fabsf(b) + abs(c) + sqrt(a);
}
KERNEL doubles(double* o, double a, double b, double c) {
  o[0] = __dadd_rz(a, b); o[1] = __dmul_ru(a, b); o[2] = __fma_rd(a, b, c); o[3] = __ddiv_rn(a, b);
  o[4] = __drcp_rn(a); o[5] = sqrt(a); o[6] = fma(a, b, c); o[7] = fmin(a, b) + fmax(b, c) + floor(a) + fabs(c);
  o[8] = __hiloint2double(1, 2) + __double2hiint(a) + __double2loint(b);
}
KERNEL integers(unsigned* o, unsigned a, unsigned b, int c, unsigned long long l) {
  o[0] = __popc(a) + __clz(c) + __ffs(c) + __brev(a) + __byte_perm(a, b, 0x3210); o[1] = __umulhi(a, b);
  o[2] = __mulhi(c, 3) + __mul24(c, 7); o[3] = __funnelshift_l(a, b, c) + __funnelshift_r(a, b, c);
  o[4] = min(a, b) + max(c, 3) + abs(c); o[5] = __popcll(l) + __clzll(l) + __ffsll(l);
  o[6] = (unsigned)__umul64hi(l, l); o[7] = __float2int_rn(1.5f * a) + __float2uint_rz(b * 0.1f);
}
KERNEL reduce(const float* in, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) v += in[i];
  s[t] = v;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, s[0]);
}
KERNEL warps(int* o, int v, float f, double d, unsigned long long l) {
  unsigned m = __activemask();
  o[0] = __shfl_sync(m, v, 3) + __shfl_up_sync(m, v, 1) + __shfl_down_sync(m, v, 1, 8) + __shfl_xor_sync(m, v, 4);
  o[1] = (int)(__shfl_xor_sync(m, f, 1) + __shfl_sync(m, d, 2)) + (int)__shfl_sync(m, l, 1);
  o[2] = __ballot_sync(m, v > 0) + __all_sync(m, v) + __any_sync(m, v) + __match_any_sync(m, v);
  __syncwarp();
  o[3] = __syncthreads_count(v) + __syncthreads_and(v) + __syncthreads_or(v);
}
KERNEL atomics(int* i, unsigned* u, float* f, double* d, unsigned long long* l, long long* s) {
  atomicAdd(i, 1); atomicAdd(u, 1u); atomicAdd(f, 1.f); atomicAdd(d, 1.); atomicAdd(l, 1ull); atomicSub(i, 2);
  atomicSub(u, 2u); atomicExch(i, 1); atomicExch(f, 2.f); atomicExch(l, 3ull); atomicMin(i, 3); atomicMax(u, 3u);
  atomicMin(l, 3ull); atomicMax(s, 3ll); atomicAnd(i, 1); atomicOr(u, 1u); atomicXor(l, 1ull); atomicCAS(i, 1, 2);
  atomicCAS(l, 1ull, 2ull); atomicInc(u, 9u); atomicDec(u, 9u); __threadfence(); __threadfence_block();
}
KERNEL vectors(float4* o, const float4* a, const float2* b, const int4* c, dim3 g, uint3 h) {
  float4 x = __ldg(a);
  float2 y = __ldg(b);
  dim3 q = blockDim;
  uint3 r = threadIdx;
  o[0] = make_float4(x.x + y.x, x.y, __ldg(c).w, g.x + h.y + q.z + r.x);
}
__constant__ int table[4] = {1, 2, 3, 4};
__device__ int counter;
KERNEL __launch_bounds__(256, 2) bounded(int* p) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = table[threadIdx.x & 3];
  __syncthreads();
  p[threadIdx.x] = dynamic[255 - threadIdx.x] + (int)clock64() + clock() + warpSize;
  atomicAdd(&counter, 1);
}
KERNEL halves(__half* o, const __half* a, __nv_bfloat16 b) {
  o[0] = __float2half(__half2float(a[0]) * 2.f + __bfloat162float(b));
}
KERNEL prints(int v) {
  printf("v=%d %f\n", v, 1.5);
  assert(v != 3);
  int* p = (int*)malloc(4);
  memset(p, 0, 4);
  free(p);
}
KERNEL bits(int* o, float f, double d) {
  o[0] = __float_as_int(f) + (int)__int_as_float(o[1]);
  o[2] = (int)__double_as_longlong(d);
}
)";

CompileOptions for_arch(const std::string& arch) {
  CompileOptions options;
  options.arch = arch;
  return options;
}

std::string ptx_of(const std::string& source, const CompileOptions& options) {
  const Compiled compiled = compile_clang(source, {}, options);
  return {reinterpret_cast<const char*>(compiled.image.data()), compiled.image.size()};
}

TEST(DeviceHeader, PtxasTakesKernelsOverAllOfIt) {
  TARE_NEEDS(clang);
  const Search nvcc = find_nvcc();
  const auto ptxas = nvcc.tool ? nvcc.tool->path.parent_path() / "ptxas" : std::filesystem::path();
  if (!std::filesystem::exists(ptxas)) GTEST_SKIP() << "no ptxas beside nvcc: " << nvcc.reason;
  for (const char* arch : {"sm_75", "sm_90"}) {
    const fixtures::Folder folder;
    folder.write("kernels.ptx", ptx_of(kKernels, for_arch(arch)));
    const detail::ChildResult result = detail::run_child(
        {.argv = {ptxas.string(), "-arch=" + std::string(arch), "kernels.ptx", "-o", "cubin"},
         .directory = folder.path(),
         .environment = {}});
    EXPECT_TRUE(result.ok()) << result.errors << result.output;
    std::ifstream in(folder.path() / "cubin", std::ios::binary);
    const std::string cubin{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    EXPECT_EQ(detail::cubin_entries(std::as_bytes(std::span(cubin))).size(), 12u);
  }
}

TEST(DeviceHeader, VectorTypesHaveCudasSizesAndAlignments) {
  TARE_NEEDS(clang);
  const std::string source = R"(
#define SAME(type, size, align) static_assert(sizeof(type) == size && alignof(type) == align, #type);
SAME(char2, 2, 2) SAME(char3, 3, 1) SAME(uchar4, 4, 4) SAME(short2, 4, 4) SAME(ushort3, 6, 2) SAME(short4, 8, 8)
SAME(int2, 8, 8) SAME(int3, 12, 4) SAME(uint4, 16, 16) SAME(long2, 16, 16) SAME(ulong4, 32, 16)
SAME(longlong2, 16, 16) SAME(longlong3, 24, 8) SAME(float2, 8, 8) SAME(float3, 12, 4) SAME(float4, 16, 16)
SAME(double2, 16, 16) SAME(double3, 24, 8) SAME(double4, 32, 16) SAME(dim3, 12, 4) SAME(__half, 2, 2)
extern "C" __global__ void k() {})";
  EXPECT_THAT(ptx_of(source, for_arch("sm_90")), HasSubstr(".entry k"));
}

TEST(DeviceHeader, ExactFunctionsStayWhatTheyAreWhateverTheSwitches) {
  TARE_NEEDS(clang);
  CompileOptions options = for_arch("sm_90");
  const std::string source =
      "extern \"C\" __global__ void k(float* o, float a, float b, float c) { o[0] = __fadd_rn(__fmul_rn(a, "
      "b), c); }";
  std::string ptx = ptx_of(source, options);
  EXPECT_THAT(ptx, HasSubstr("mul.rn.f32"));
  EXPECT_THAT(ptx, HasSubstr("add.rn.f32"));
  EXPECT_THAT(ptx, Not(HasSubstr("fma")));
  options.ftz = true;
  ptx = ptx_of(source, options);
  EXPECT_THAT(ptx, HasSubstr("mul.rn.ftz.f32"));
  EXPECT_THAT(ptx, HasSubstr("add.rn.ftz.f32"));
}

TEST(DeviceHeader, IndicesBecomeSpecialRegistersAndLeaveNoSymbol) {
  TARE_NEEDS(clang);
  const std::string ptx = ptx_of(
      "extern \"C\" __global__ void k(unsigned* o) { o[0] = threadIdx.y + blockIdx.x + blockDim.z + "
      "gridDim.x; }",
      for_arch("sm_90"));
  for (const char* name : {"%tid.y", "%ctaid.x", "%ntid.z", "%nctaid.x"}) EXPECT_THAT(ptx, HasSubstr(name));
  EXPECT_THAT(ptx, Not(HasSubstr("threadIdx")));
}

}  // namespace
}  // namespace tare
