// Real compiles with whichever of the three compilers this machine has: names, options, line numbers,
// and the words of each failure.
#include "tare/compile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string_view>

#include "compile/child_process.hpp"
#include "fixture.hpp"
#include "tare/error.hpp"

namespace tare {
namespace {

using fixtures::Folder;
using fixtures::ScopedEnvironment;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

constexpr const char* kTemplates = R"(
template <class T> __global__ void scale(T* p, T f, unsigned long n) {
  unsigned long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= f;
}
namespace ns {
template <int N, class T> __global__ void fill(T* p) { p[threadIdx.x] = N; }
__global__ void plain(int* p) { *p = 3; }
}
extern "C" __global__ void exact(int* p) { *p = 4; }
)";

using Compile =
    std::function<Compiled(const std::string&, const std::vector<std::string>&, const CompileOptions&)>;

struct Compiler {
  const char* name;
  bool (*present)();
  Search (*find)(const fs::path&);
  Compile ptx;
};

void PrintTo(const Compiler& compiler, std::ostream* out) {
  *out << compiler.name;
}

class EveryCompiler : public ::testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    if (!GetParam().present()) GTEST_SKIP() << GetParam().find({}).reason;
    options_.arch = "sm_90";
  }
  std::string ptx(const std::string& source, const std::vector<std::string>& names = {}) {
    const Compiled compiled = GetParam().ptx(source, names, options_);
    return {reinterpret_cast<const char*>(compiled.image.data()), compiled.image.size()};
  }
  CompileError error(const std::string& source) {
    try {
      GetParam().ptx(source, {}, options_);
    } catch (const CompileError& e) {
      return e;
    }
    ADD_FAILURE() << "it compiled";
    return CompileError("none", "");
  }
  CompileOptions options_;
};

TEST_P(EveryCompiler, LowersTheNamesOfInstancesNamespacesAndPlainKernels) {
  const std::vector<std::string> names{"scale<float>", "scale<double>", "ns::fill<3, double>", "ns::plain",
                                       "exact"};
  const Compiled compiled = GetParam().ptx(kTemplates, names, options_);
  EXPECT_EQ(compiled.lowered_names.at("scale<float>"), "_Z5scaleIfEvPT_S0_m");
  EXPECT_EQ(compiled.lowered_names.at("scale<double>"), "_Z5scaleIdEvPT_S0_m");
  EXPECT_EQ(compiled.lowered_names.at("ns::fill<3, double>"), "_ZN2ns4fillILi3EdEEvPT0_");
  EXPECT_EQ(compiled.lowered_names.at("ns::plain"), "_ZN2ns5plainEPi");
  EXPECT_EQ(compiled.lowered_names.at("exact"), "exact");
  const std::string text(reinterpret_cast<const char*>(compiled.image.data()), compiled.image.size());
  EXPECT_THAT(text, HasSubstr(".entry _Z5scaleIdEvPT_S0_m"));
  EXPECT_THAT(text, Not(HasSubstr("tare_name_of_kernel")));
}

TEST_P(EveryCompiler, ErrorsCarryTheFilesOwnNameAndLineNumbers) {
  options_.file_name = "my kernels.cu";
  options_.first_line = 41;
  const CompileError e = error("\n\nextern \"C\" __global__ void k(int* p) { *p = nothing; }\n");
  EXPECT_EQ(e.kind(), ErrorKind::compile);
  EXPECT_THAT(e.log(), ::testing::AnyOf(HasSubstr("my kernels.cu(43)"), HasSubstr("my kernels.cu:43:")));
  EXPECT_THAT(e.log(), HasSubstr("nothing"));
  EXPECT_THAT(e.what(), HasSubstr("my kernels.cu"));
}

TEST_P(EveryCompiler, AByteOrderMarkIsNoError) {
  EXPECT_THAT(ptx("\xEF\xBB\xBF"
                  "extern \"C\" __global__ void k() {}"),
              HasSubstr(".entry k"));
}

TEST_P(EveryCompiler, ContractionFollowsTheStrictContract) {
  const std::string source =
      "extern \"C\" __global__ void k(float* o, float a, float b, float c) { *o = a * b + c; }";
  EXPECT_THAT(ptx(source), HasSubstr("fma.rn.f32"));
  options_.set_strict_fp();
  const std::string strict = ptx(source);
  EXPECT_THAT(strict, Not(HasSubstr("fma")));
  EXPECT_THAT(strict, HasSubstr("mul.rn.f32"));
  EXPECT_THAT(strict, HasSubstr("add.rn.f32"));
}

TEST_P(EveryCompiler, TheFourFloatingPointSwitchesAreSeparate) {
  const std::string source =
      "extern \"C\" __global__ void k(float* o, float a, float b) { o[0] = a / b; o[1] = sqrtf(a); }";
  std::string text = ptx(source);
  EXPECT_THAT(text, HasSubstr("div.rn.f32"));
  EXPECT_THAT(text, HasSubstr("sqrt.rn.f32"));
  options_.ftz = true;
  text = ptx(source);
  EXPECT_THAT(text, HasSubstr("div.rn.ftz.f32"));
  EXPECT_THAT(text, HasSubstr("sqrt.rn.ftz.f32"));
  options_.ftz = false;
  options_.prec_div = false;
  text = ptx(source);
  EXPECT_THAT(text, ::testing::AnyOf(HasSubstr("div.full.f32"), HasSubstr("div.approx.f32")));
  EXPECT_THAT(text, HasSubstr("sqrt.rn.f32"));
  options_.prec_div = true;
  options_.prec_sqrt = false;
  text = ptx(source);
  EXPECT_THAT(text, HasSubstr("div.rn.f32"));
  EXPECT_THAT(text, HasSubstr("sqrt.approx.f32"));
}

TEST_P(EveryCompiler, DefinesAndIncludeFoldersArePassedInOrder) {
  const Folder first, second;
  first.write("value.h", "#define VALUE 11\n");
  second.write("value.h", "#define VALUE 22\n");
  options_.include_dirs = {first.path(), second.path()};
  options_.defines = {"PLUS=100"};
  const std::string source =
      "#include <value.h>\nextern \"C\" __global__ void k(int* p) { *p = VALUE + PLUS; }";
  EXPECT_THAT(ptx(source), HasSubstr("111"));
  options_.include_dirs = {second.path(), first.path()};
  EXPECT_THAT(ptx(source), HasSubstr("122"));
}

TEST_P(EveryCompiler, QuotedIncludesAreFoundBesideTheNamedFile) {
  const Folder folder;
  folder.write("local.h", "#define VALUE 33\n");
  options_.file_name = (folder.path() / "kernel.cu").string();
  EXPECT_THAT(ptx("#include \"local.h\"\nextern \"C\" __global__ void k(int* p) { *p = VALUE; }"),
              HasSubstr("33"));
}

TEST_P(EveryCompiler, NothingIsLeftInTheTemporaryDirectory) {
  const Folder folder;
  const ScopedEnvironment environment(ScopedEnvironment::Changes{{"TMPDIR", folder.path().string()}});
  ptx("extern \"C\" __global__ void k() {}");
  error("broken");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST_P(EveryCompiler, ANulInTheSourceIsRefusedNotCutOff) {
  const std::string source("extern \"C\" __global__ void k() {}\0 broken", 42);
  try {
    ptx(source);
    FAIL() << "it compiled";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::argument);
  }
}

TEST_P(EveryCompiler, AnUnknownArchitectureIsRefusedByName) {
  for (const char* arch : {"sm_10", "native", ""}) {
    options_.arch = arch;
    try {
      ptx("extern \"C\" __global__ void k() {}");
      FAIL() << arch << " compiled";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::argument) << e.what();
      EXPECT_THAT(e.what(), HasSubstr(*arch != '\0' ? std::string(arch).substr(3) : "no architecture"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryCompiler,
                         ::testing::Values(Compiler{"nvrtc", fixtures::has_nvrtc, find_nvrtc,
                                                    [](const auto& s, const auto& n, const auto& o) {
                                                      return compile_nvrtc(s, Code::ptx, n, o);
                                                    }},
                                           Compiler{"nvcc", fixtures::has_nvcc, find_nvcc,
                                                    [](const auto& s, const auto& n, const auto& o) {
                                                      return compile_nvcc(s, Code::ptx, n, o);
                                                    }},
                                           Compiler{"clang", fixtures::has_clang, find_clang,
                                                    [](const auto& s, const auto& n, const auto& o) {
                                                      return compile_clang(s, n, o);
                                                    }}),
                         [](const auto& parameter) { return parameter.param.name; });

CompileOptions for_sm_90() {
  CompileOptions options;
  options.arch = "sm_90";
  return options;
}

TEST(CompileNvrtc, PassesWhatIsSetAndNothingElse) {
  TARE_NEEDS(nvrtc);
  CompileOptions options = for_sm_90();
  const Compiled plain = compile_nvrtc("extern \"C\" __global__ void k() {}", Code::cubin, {"k"}, options);
  ASSERT_GE(plain.options.size(), 2u);
  EXPECT_EQ(plain.options[0], "-std=c++17");
  EXPECT_EQ(plain.options[1], "--gpu-architecture=sm_90");
  for (std::size_t i = 2; i < plain.options.size(); ++i) EXPECT_THAT(plain.options[i], StartsWith("-I"));
  EXPECT_EQ(plain.code, Code::cubin);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(plain.image.data()), 4),
            "\x7f"
            "ELF");
  EXPECT_THAT(plain.compiler, StartsWith("NVRTC "));
  EXPECT_GT(plain.compile_ms, 0);
  options.set_strict_fp();
  options.max_registers = 32;
  const Compiled strict = compile_nvrtc("extern \"C\" __global__ void k() {}", Code::ptx, {}, options);
  EXPECT_THAT(strict.options,
              ::testing::IsSupersetOf({"--gpu-architecture=compute_90", "--fmad=false", "--ftz=false",
                                       "--prec-div=true", "--prec-sqrt=true", "--maxrregcount=32"}));
}

TEST(CompileNvrtc, AnArchitectureItDoesNotKnowIsAnsweredWithThoseItDoes) {
  TARE_NEEDS(nvrtc);
  CompileOptions options = for_sm_90();
  options.arch = "sm_999";
  try {
    compile_nvrtc("", Code::cubin, {}, options);
    FAIL() << "it compiled";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("does not know --gpu-architecture=sm_999; it knows sm_"));
    EXPECT_THAT(e.what(), HasSubstr("sm_90"));
    EXPECT_THAT(e.what(), HasSubstr("libnvrtc.so"));
    EXPECT_THAT(e.hint(), StartsWith("the nearest that it knows is sm_"));
  }
}

TEST(CompileNvrtc, TheToolkitsHeadersAreFoundWithoutAnyOption) {
  TARE_NEEDS(nvrtc);
  const Search search = find_nvrtc();
  const auto has = [&](const std::string& header) {
    for (const fs::path& dir : toolkit_include_dirs(*search.tool))
      if (fs::exists(dir / header)) return true;
    return false;
  };
  int found = 0;
  for (const char* header :
       {"cuda_fp16.h", "cuda_bf16.h", "cuda/std/cstdint", "cooperative_groups.h", "cub/version.cuh"}) {
    if (!has(header)) continue;  // not every installation has all parts
    ++found;
    EXPECT_NO_THROW(
        compile_nvrtc("#include <" + std::string(header) + ">\nextern \"C\" __global__ void k() {}",
                      Code::ptx, {}, for_sm_90()))
        << header;
  }
  if (found == 0) GTEST_SKIP() << "no headers beside " << search.tool->path;
}

TEST(CompileNvcc, TakesTheHostsHeadersThatNvrtcHasNot) {
  TARE_NEEDS(nvcc);
  EXPECT_NO_THROW(
      compile_nvcc("#include <cstdint>\n#include <stdint.h>\n#include <type_traits>\n#include <math.h>\n"
                   "extern \"C\" __global__ void k() {}",
                   Code::ptx, {}, for_sm_90()));
}

TEST(CompileNvrtc, AHostHeaderIsAnsweredWithItsReplacement) {
  TARE_NEEDS(nvrtc);
  for (const auto& [header, instead] :
       {std::pair("cstdint", "cuda/std/cstdint"), std::pair("type_traits", "cuda/std/type_traits"),
        std::pair("stdint.h", "cuda/std/cstdint"), std::pair("math.h", "cuda/std/cmath")}) {
    try {
      compile_nvrtc("#include <" + std::string(header) + ">\n", Code::ptx, {}, for_sm_90());
      ADD_FAILURE() << header << " compiled";
    } catch (const CompileError& e) {
      EXPECT_EQ(e.hint(), "<" + std::string(header) + "> is a host-only header: use <" + instead + ">");
      EXPECT_EQ(e.code_name(), "NVRTC_ERROR_COMPILATION");
    }
  }
}

TEST(CompileNvrtc, AnArchitectureThatWasDroppedIsAnsweredWithTheNearest) {
  TARE_NEEDS(nvrtc);
  CompileOptions options = for_sm_90();
  options.arch = "sm_20";  // of every NVRTC that can be had
  try {
    compile_nvrtc("", Code::cubin, {}, options);
    FAIL() << "it compiled";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("NVRTC "));
    EXPECT_THAT(e.what(), HasSubstr("does not know --gpu-architecture=sm_20"));
    EXPECT_THAT(e.hint(), StartsWith("the nearest that it knows is sm_"));
  }
}

TEST(CompileNvrtc, FoldersWithSpacesAreIncludeFolders) {
  TARE_NEEDS(nvrtc);
  const Folder folder;
  fs::create_directories(folder.path() / "my headers");
  std::ofstream(folder.path() / "my headers/value.h") << "#define VALUE 4711\n";
  CompileOptions options = for_sm_90();
  options.include_dirs = {folder.path() / "my headers"};
  const Compiled compiled = compile_nvrtc(
      "#include <value.h>\nextern \"C\" __global__ void k(int* p) { *p = VALUE; }", Code::ptx, {}, options);
  EXPECT_THAT(std::string(reinterpret_cast<const char*>(compiled.image.data()), compiled.image.size()),
              HasSubstr("4711"));
}

TEST(CompileNvrtc, AnOptionItRefusesIsInTheLog) {
  TARE_NEEDS(nvrtc);
  CompileOptions options = for_sm_90();
  options.extra = {"-O3"};
  try {
    compile_nvrtc("", Code::ptx, {}, options);
    FAIL() << "it compiled";
  } catch (const CompileError& e) {
    EXPECT_THAT(e.log(), HasSubstr("unrecognized option -O3"));
    EXPECT_EQ(e.code_name(), "NVRTC_ERROR_INVALID_OPTION");
    EXPECT_THAT(e.what(), HasSubstr("libnvrtc-builtins.so."));
  }
}

TEST(CompileNvrtc, ALibraryThatIsCutOffIsRefusedAndEndsNoProcess) {
  const Folder folder;
  CompileOptions options = for_sm_90();
  options.compiler = folder.path() / "libnvrtc.so.13";
  folder.write("libnvrtc-builtins.so.13.0", "");
  fs::copy_file(TARE_BINARY_DIR "/lib/tare/cpu/libcuda.so.1", options.compiler);
  fs::resize_file(options.compiler, fs::file_size(options.compiler) / 2);
  try {
    compile_nvrtc("", Code::ptx, {}, options);
    FAIL() << "it compiled";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::not_found);
    EXPECT_THAT(e.what(), HasSubstr("cannot load " + options.compiler.string() + ": the file is cut off"));
  }
}

TEST(CompileNvrtc, WarningsAreKeptOnSuccess) {
  TARE_NEEDS(nvrtc);
  const Compiled compiled =
      compile_nvrtc("extern \"C\" __global__ void k() { int unused; }", Code::ptx, {}, for_sm_90());
  EXPECT_THAT(compiled.log, HasSubstr("unused"));
}

TEST(CompileNvcc, CubinsHaveTheirNamesToo) {
  TARE_NEEDS(nvcc);
  const Compiled compiled = compile_nvcc(kTemplates, Code::cubin, {"scale<float>", "ns::plain"}, for_sm_90());
  EXPECT_EQ(compiled.lowered_names.at("scale<float>"), "_Z5scaleIfEvPT_S0_m");
  EXPECT_EQ(compiled.lowered_names.at("ns::plain"), "_ZN2ns5plainEPi");
}

TEST(CompileNvcc, AMissingKernelIsAnsweredWithThoseThereAre) {
  TARE_NEEDS(nvcc);
  try {
    compile_nvcc("extern \"C\" __global__ void k() {}", Code::ptx, {"other"}, for_sm_90());
    FAIL() << "it was found";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::not_found);
    EXPECT_STREQ(e.what(), "no kernel other in the compiled code");
    EXPECT_EQ(e.hint(), "the kernels in it: k");
  }
}

/// A program in nvcc's place.
Error nvcc_failure(const std::string& script,
                   const std::string& source = "extern \"C\" __global__ void k() {}") {
  const Folder folder;
  CompileOptions options = for_sm_90();
  options.compiler = folder.write("nvcc", "#!/bin/sh\n" + script, true);
  try {
    compile_nvcc(source, Code::cubin, {}, options);
  } catch (const CompileError& e) {
    return Error(e.kind(), e.what() + std::string(" | ") + e.log(), e.hint());
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "it compiled";
  return Error(ErrorKind::io, "none");
}

TEST(CompileNvcc, OutputOnStdoutWithStatusOneIsASourceError) {
  const Error e = nvcc_failure("echo 'kernel.cu(1): error: on stdout'; exit 1");
  EXPECT_EQ(e.kind(), ErrorKind::compile);
  EXPECT_THAT(e.what(), HasSubstr("exited with status 1"));
  EXPECT_THAT(e.what(), HasSubstr("error: on stdout"));
}

TEST(CompileNvcc, ADeathBySignalIsNotASourceError) {
  const Error e = nvcc_failure("kill -KILL $$");
  EXPECT_EQ(e.kind(), ErrorKind::io);
  EXPECT_THAT(e.what(), HasSubstr("was killed by signal 9 (Killed) while compiling kernel.cu"));
}

TEST(CompileNvcc, AMissingHostCompilerIsToldFromASourceError) {
  const Error e = nvcc_failure(
      "echo 'sh: 1: gcc: not found' >&2; echo 'nvcc fatal   : Failed to preprocess host compiler "
      "properties.' >&2; "
      "exit 1");
  EXPECT_EQ(e.kind(), ErrorKind::unsupported);
  EXPECT_THAT(e.what(), HasSubstr("cannot use the host compiler: nvcc fatal"));
  EXPECT_THAT(e.hint(), HasSubstr("install g++"));
}

TEST(CompileNvcc, AHostCompilerThatIsTooNewIsToldFromASourceError) {
  TARE_NEEDS(nvcc);
  const Folder folder;
  folder.write("g++", "#!/bin/sh\nexec /usr/bin/g++ -U__GNUC__ -D__GNUC__=99 \"$@\"\n", true);
  CompileOptions options = for_sm_90();
  options.extra = {"-ccbin", (folder.path() / "g++").string()};
  try {
    compile_nvcc("extern \"C\" __global__ void k() {}", Code::cubin, {}, options);
    FAIL() << "it compiled";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    EXPECT_THAT(e.what(), HasSubstr("unsupported GNU version"));
  }
}

TEST(CompileNvcc, AnAbsentOneNamesThePlaces) {
  const ScopedEnvironment environment(ScopedEnvironment::Changes{{"TARE_NVCC", "/nonexistent/nvcc"}});
  try {
    compile_nvcc("", Code::cubin, {}, for_sm_90());
    FAIL() << "it compiled";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::not_found);
    EXPECT_STREQ(e.what(), "nvcc not found: looked in TARE_NVCC (no such file: /nonexistent/nvcc)");
  }
}

TEST(CompileClang, NewerArchitecturesAreCompiledForNinety) {
  TARE_NEEDS(clang);
  CompileOptions options = for_sm_90();
  options.arch = "sm_120";
  const Compiled compiled = compile_clang("extern \"C\" __global__ void k() {}", {"k"}, options);
  EXPECT_THAT(compiled.options, Contains("--cuda-gpu-arch=sm_90"));
  EXPECT_EQ(compiled.code, Code::ptx);
}

TEST(CompileClang, AFunctionOfNvidiasMathLibrarySaysWhyItIsNotThere) {
  TARE_NEEDS(clang);
  try {
    compile_clang("extern \"C\" __global__ void k(float* p) { *p = expf(*p); }", {}, for_sm_90());
    FAIL() << "it compiled";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
    EXPECT_THAT(e.what(),
                HasSubstr("without NVIDIA's headers and libraries here, and has no `expf` (kernel.cu:1)"));
  }
}

}  // namespace
}  // namespace tare
