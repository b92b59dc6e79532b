// Kernels as people bring them: `tare init` writes the case, `tare compare` answers, and what goes wrong is
// explained.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "integration/support.hpp"

namespace tare::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FirstKernel : public ::testing::Test {
 protected:
  /// The case that `tare init` writes for the kernel, after `change`.
  std::string init(const std::string& kernel, const std::function<void(std::string&)>& change = {}) {
    const std::string cu = (scratch_.path() / "k.cu").string(), toml = (scratch_.path() / "k.toml").string();
    std::ofstream(cu) << kernel;
    const Ran ran = run_tare(scratch_, {"init", cu});
    EXPECT_EQ(ran.code, 0) << ran.err;
    std::ifstream in(toml);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (change) change(text);
    std::ofstream(toml) << text;
    return toml;
  }
  Ran compare_clang(const std::string& toml, const std::string& n = "5000") {
    return compare(scratch_, {toml, "--rows", "clang", "--n", n});
  }
  static const json& clang(const Ran& ran) { return row_of(ran.record, "cold", "clang"); }
  Scratch scratch_;
};

constexpr const char* kInOut =
    "__global__ void axpby(float a, const float* x, float b, float* y, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = a * x[i] + b * y[i];\n"
    "}\n";
constexpr const char* kHistogram =
    "__global__ void histogram(const unsigned* values, unsigned* bins, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) atomicAdd(&bins[values[i] % 16], 1u);\n"
    "}\n";

void without_fill_of_output(std::string& text) {
  const std::size_t at = text.rfind("fill = ");
  text.erase(at, text.find('\n', at) + 1 - at);
}

TEST_F(FirstKernel, ThatReadsItsOutputIsGivenAFillAndMatches) {
  const Ran ran = compare_clang(init(kInOut));
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_EQ(clang(ran)["bits"]["equal"], true);
}

TEST_F(FirstKernel, ThatReadsItsOutputWithoutAFillIsWrongAndToldSo) {
  const Ran ran = compare_clang(init(kInOut, without_fill_of_output));
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_EQ(clang(ran)["status"], "wrong");
  EXPECT_EQ(clang(ran)["bits"]["differing"], 5000);
  EXPECT_EQ(clang(ran)["bits"]["hint"],
            "every element is NaN, as `y` was before the launch: most likely the kernel reads it; give it a "
            "`fill`");
  EXPECT_THAT(ran.out, HasSubstr("want a number somewhere; 5000 of 5000 differ"));
  EXPECT_THAT(ran.out, HasSubstr("hint: every element is NaN, as `y` was before"));
}

TEST_F(FirstKernel, ThatAccumulatesIsGivenAZeroAndMatches) {
  const Ran ran = compare_clang(init(kHistogram));
  EXPECT_EQ(ran.code, 0) << ran.out;
}

TEST_F(FirstKernel, ThatAccumulatesWithoutAFillIsWrongAndToldSo) {
  const Ran ran = compare_clang(init(kHistogram, without_fill_of_output));
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_EQ(clang(ran)["bits"]["outputs"][0]["equal"], true);
  EXPECT_EQ(clang(ran)["bits"]["late_outputs"][0]["hint"],
            "one launch is right and many in a row are not: it accumulates in `bins`, so give that a `fill`");
  EXPECT_THAT(ran.out, HasSubstr("so give that a `fill`"));
}

TEST_F(FirstKernel, WhoseResultsChangeFromLaunchToLaunchIsToldSo) {
  const Ran ran =
      compare_clang(init("__device__ int launches;\n"
                         "__global__ void k(const int* in, int* out, int n) {\n"
                         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i == 0) ++launches;\n"
                         "  if (i < n) out[i] = in[i] + (i == 0 ? launches : 0);\n"
                         "}\n"));
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_EQ(clang(ran)["bits"]["late_outputs"][0]["hint"], "its results differ from launch to launch");
}

TEST_F(FirstKernel, ThatOnlyOneRowRunsIsNotSaidToMatch) {
  const Ran ran =
      compare_clang(init("__global__ void k(const float* in, float* out, int n) {\n"
                         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < n) out[i] = 2 * in[i];\n}\n"));
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_THAT(ran.out,
              HasSubstr("\nChecks: clang was only held against what it gave itself: there is no reference, "
                        "and no other row ran\n"));
}

TEST_F(FirstKernel, WithNothingToLaunchIsSaidToHaveLaunchedNothing) {
  const Ran ran = compare(scratch_, {"--rows", "clang", "--n", "0"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("\nChecks: nothing was launched, so nothing was checked\n"));
  for (const char* word : {"matches", "measured", "undecided"}) EXPECT_THAT(ran.out, Not(HasSubstr(word)));
}

TEST_F(FirstKernel, ThatNeedsNvidiasMathIsSkippedByClangAlone) {
  const Ran ran =
      compare_clang(init("__global__ void k(const float* in, float* out, int n) {\n"
                         "  const int i = threadIdx.x;\n"
                         "  if (i < n) out[i] = expf(in[i]);\n}\n"));
  EXPECT_EQ(ran.code, 3) << ran.out;
  EXPECT_EQ(clang(ran)["status"], "skipped");
  EXPECT_THAT(clang(ran)["reason"].get<std::string>(),
              HasSubstr("clang runs without NVIDIA's headers and libraries here, and has no `expf` ("));
  EXPECT_THAT(clang(ran)["reason"].get<std::string>(), HasSubstr("k.cu:3)"));
}

TEST_F(FirstKernel, ThatIncludesHalfsHeaderIsTakenByClangToo) {
  const Ran ran =
      compare_clang(init("#include <cuda_fp16.h>\n#include \"cuda_runtime.h\"\n"
                         "__global__ void k(const float* in, __half* out, int n) {\n"
                         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < n) out[i] = __float2half(in[i]);\n}\n"));
  EXPECT_EQ(ran.code, 0) << ran.out;
}

TEST_F(FirstKernel, BesideHostCodeIsToldHowToMarkIt) {
  const Ran ran =
      compare_clang(init("#include <nosuchheader>\n#include <cstdio>\n"
                         "__global__ void k(float* out, int n) { out[threadIdx.x] = n; }\n"
                         "int main() { return 0; }\n"));
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_THAT(clang(ran)["detail"].get<std::string>(),
              HasSubstr("it has code for the host in it (main(), <cstdio>)"));
  EXPECT_THAT(ran.out, HasSubstr("// snippet: kernel"));
}

TEST_F(FirstKernel, OutOfItsBoundsIsNotSentToTheDeviceItRunsOn) {
  const Ran ran =
      compare_clang(init("__global__ void k(float* out, int n) {\n"
                         "  out[(blockIdx.x * blockDim.x + threadIdx.x) * 100000000ll] = 1;\n}\n"));
  EXPECT_EQ(ran.code, 1) << ran.out;
  EXPECT_THAT(clang(ran)["detail"].get<std::string>(),
              HasSubstr("check its bounds and the sizes of its buffers"));
  EXPECT_THAT(ran.out, Not(HasSubstr("on the CPU device")));
}

TEST_F(FirstKernel, HasItsValuesInTheOrderOfItsFile) {
  const Ran ran = compare(scratch_, {init("__global__ void k(float* out, int w, int h) {\n"
                                          "  out[threadIdx.y * w + threadIdx.x] = 1;\n}\n"),
                                     "--rows", "clang", "--value", "w=40", "--value", "h=30"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("values     w = 40, h = 30\n"));
}

TEST_F(FirstKernel, OnTheCpuDeviceHasNoPeak) {
  const Ran ran = compare_clang(init(kInOut));
  EXPECT_TRUE(ran.record["machine"]["peak_bytes_per_second"].is_null());
  EXPECT_EQ(clang(ran)["gb_label"], "");
}

}  // namespace
}  // namespace tare::test
