// Explicit compilation, run: NVRTC's and clang's programs give the sums that the processor gives.
#include "tare/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"

namespace tare {
namespace {

using fixtures::adds;
using fixtures::kVectorAdd;
using ::testing::HasSubstr;

class Explicit : public ::testing::Test {
 protected:
  bool adds_with(const Kernel& kernel) const {
    return adds(context_, [&](auto stream, const auto& shape, auto a, auto b, auto out, auto n) {
      kernel.launch(stream, shape, a, b, out, n);
    });
  }
  PrimaryContext context_;
};

TEST_F(Explicit, AProgramAddsWhicheverCodeWasAskedFor) {
  TARE_NEEDS(nvrtc);
  const Program program(context_, kVectorAdd);
  for (const Code code : {Code::cubin, Code::ptx}) {
    const LoadedProgram loaded = program.compile(code, {"vectorAdd"});
    EXPECT_TRUE(adds_with(loaded.kernel("vectorAdd")));
    EXPECT_EQ(loaded.compiled().code, driver_info().loads_ptx_only ? Code::ptx : code);
    EXPECT_GT(loaded.compiled().compile_ms, 0);
    EXPECT_GT(loaded.load_ms(), 0);
  }
}

TEST_F(Explicit, TheArchitectureComesFromTheDevice) {
  TARE_NEEDS(nvrtc);
  const LoadedProgram loaded = Program(context_, kVectorAdd).compile(Code::ptx, {});
  EXPECT_THAT(loaded.compiled().options,
              ::testing::Contains("--gpu-architecture=compute_" +
                                  std::to_string(context_.device().compute_capability())));
}

TEST_F(Explicit, TemplateInstancesAreFoundByTheNameThatAskedForThem) {
  TARE_NEEDS(nvrtc);
  const std::string source =
      "template <class T> __global__ void sum(const T* a, const T* b, T* out, size_t n) {\n"
      "  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = a[i] + b[i];\n}\n";
  const LoadedProgram loaded = Program(context_, source).compile(Code::cubin, {"sum<float>", "sum<double>"});
  EXPECT_TRUE(adds_with(loaded.kernel("sum<float>")));
  EXPECT_EQ(loaded.kernel("sum<double>").name(), "_Z3sumIdEvPKT_S2_PS0_m");
}

TEST_F(Explicit, AKernelThatIsNotThereIsNamed) {
  TARE_NEEDS(nvrtc);
  const LoadedProgram loaded = Program(context_, kVectorAdd).compile(Code::cubin, {});
  try {
    loaded.kernel("other");
    FAIL() << "it was found";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::not_found);
    EXPECT_THAT(e.what(), HasSubstr("other"));
  }
}

TEST_F(Explicit, ClangsProgramAddsWithoutNvidiasSoftware) {
  TARE_NEEDS(clang);
  const fixtures::ScopedEnvironment none(fixtures::ScopedEnvironment::Changes{
      {"TARE_NVRTC", "/nonexistent"}, {"TARE_NVCC", "/nonexistent"}, {"CUDA_PATH", "/nonexistent"}});
  const LoadedProgram loaded = ClangProgram(context_, kVectorAdd).compile({"vectorAdd"});
  EXPECT_TRUE(adds_with(loaded.kernel("vectorAdd")));
  EXPECT_EQ(loaded.compiled().code, Code::ptx);
  EXPECT_THAT(loaded.compiled().compiler, ::testing::StartsWith("clang "));
}

TEST_F(Explicit, PtxThatIsNewerThanTheDriverNamesItsMaker) {
  Compiled compiled;
  compiled.code = Code::ptx;
  compiled.compiler = "NVRTC 99.0";
  compiled.compiler_path = "/x/libnvrtc.so.99";
  for (const char c :
       std::string(".version 99.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"))
    compiled.image.push_back(static_cast<std::byte>(c));
  try {
    const LoadedProgram loaded(context_, compiled);
    FAIL() << "it loaded";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), 222);
    EXPECT_THAT(e.hint(), HasSubstr("the PTX was made by NVRTC 99.0 (/x/libnvrtc.so.99)"));
    EXPECT_THAT(e.hint(), HasSubstr(driver_info().path));
  }
}

}  // namespace
}  // namespace tare
