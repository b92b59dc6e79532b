// `tare init`: what a kernel's signature becomes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "case_files.hpp"

namespace tare::compare::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FirstCase : public testing::Test {
 protected:
  std::string text(const std::string& cu, const std::string& kernel = {}) { return draft(cu, kernel).text; }
  DraftedCase draft(const std::string& cu, const std::string& kernel = {}) {
    files_.write("k.cu", cu);
    return first_case(files_.path("k.cu"), kernel);
  }
  /// The first case of the file, read back.
  Job job(const std::string& cu, const std::string& kernel = {}) { return files_.job(text(cu, kernel)); }
  std::string complaint(const std::string& cu, const std::string& kernel = {}) {
    try {
      text(cu, kernel);
    } catch (const CaseError& error) {
      std::string message = error.what();
      const std::string directory = files_.path("").string();
      if (const std::size_t at = message.find(directory); at != std::string::npos)
        message.erase(at, directory.size());
      return message;
    }
    return {};
  }
  CaseFiles files_;
};

TEST_F(FirstCase, GuessesInputsOutputsAndTheLength) {
  const Job guessed =
      job("__global__ void add(const float* a, const int* index, double* out, size_t n, float s) {}\n");
  EXPECT_EQ(guessed.kernel_name, "add");
  EXPECT_EQ(guessed.block[0], 256u);
  EXPECT_EQ(guessed.grid[0], 3907u);
  ASSERT_EQ(guessed.arguments.size(), 5u);
  EXPECT_EQ(guessed.arguments[0].fill.kind, Fill::Kind::sample);
  EXPECT_EQ(guessed.arguments[1].fill.kind, Fill::Kind::iota);  // could be indices
  EXPECT_TRUE(guessed.arguments[2].is_output());
  EXPECT_FALSE(guessed.arguments[2].is_in_out());
  EXPECT_EQ(guessed.arguments[2].check.kind, Check::Kind::bits);
  EXPECT_EQ(guessed.arguments[2].count, 1000003u);
  std::uint64_t n = 0;
  std::memcpy(&n, guessed.arguments[3].value.data(), 8);
  EXPECT_EQ(n, 1000003u);
  float s = 0;
  std::memcpy(&s, guessed.arguments[4].value.data(), 4);
  EXPECT_EQ(s, 1.0f);
}

TEST_F(FirstCase, WithoutInputsFillsWhatIsChanged) {
  const Job guessed = job("__global__ void scale(float* data, int howMany) {}\n");
  EXPECT_TRUE(guessed.arguments[0].is_in_out());
  int n = 0;
  std::memcpy(&n, guessed.arguments[1].value.data(), 4);
  EXPECT_EQ(n, 1000003);
}

TEST_F(FirstCase, OfWidthAndHeightHasTwoDimensions) {
  const Job guessed =
      job("__global__ void blur(const uchar4* in, uchar4* out, int width, int height, bool wrap) {}\n");
  EXPECT_EQ(guessed.block, (std::array<unsigned, 3>{16, 16, 1}));
  EXPECT_EQ(guessed.grid, (std::array<unsigned, 3>{65, 49, 1}));
  EXPECT_EQ(guessed.arguments[0].count, 1025u * 771u);
}

TEST_F(FirstCase, OfATemplateProposesAnInstance) {
  const Job guessed =
      job("template <typename T, int kN, bool kFlag = false>\n__global__ void k(const T* in, T* out, T s, "
          "int n) {}\n");
  EXPECT_EQ(guessed.kernel_name, "k<float, 4, false>");
  EXPECT_EQ(guessed.arguments[0].element.name, "float");
  EXPECT_EQ(guessed.arguments[2].element.size, 4u);
}

TEST_F(FirstCase, IsFoundThroughRegionsAndByName) {
  const std::string two =
      "__global__ void first(float* x, int n) {}\n__global__ void second(double* x, int n) {}\n";
  EXPECT_EQ(complaint(two),
            "k.cu: several __global__ functions, name one of them with --kernel: first, second");
  EXPECT_EQ(job(two, "second").arguments[0].element.name, "double");
  EXPECT_EQ(complaint(two, "secnod"), "k.cu: unknown kernel `secnod`; did you mean `second`?");
  EXPECT_EQ(job("__global__ void a();\n// snippet: kernel\n__global__ void b(float* x) {}\n// end snippet\n")
                .kernel_name,
            "b");
}

TEST_F(FirstCase, SaysWhatItCannotGuess) {
  EXPECT_EQ(complaint("int main() {}\n"), "k.cu: no __global__ function");
  EXPECT_EQ(complaint("// snippet: other\n__global__ void k() {}\n// end snippet\n"),
            "no `kernel` snippet region in k.cu");
}

TEST_F(FirstCase, OfATypeItDoesNotKnowSaysWhatToFillIn) {
  const DraftedCase drafted =
      draft("struct Particle { float x, y; };\n__global__ void k(float* x, Particle p, int n) {}\n");
  EXPECT_THAT(drafted.to_do,
              ElementsAre("`p` of k is of type `Particle`: say what that is, at the line marked "
                          "FILL IN"));
  EXPECT_THAT(drafted.text, HasSubstr("name = \"p\"\n# FILL IN: what `Particle` is."));
  EXPECT_THAT(drafted.text, HasSubstr("type = \"Particle\"\n"));
  EXPECT_THAT(drafted.text, HasSubstr("name = \"n\"\ntype = \"int\"\nvalue = \"n\"\n"));
  // As it is, it says the same; a person's words make it a case.
  std::string text = drafted.text;
  EXPECT_EQ(files_.complaint(text),
            "k.toml:30: unknown type `Particle`; a struct is written \"struct Particle\" with its `fields`, "
            "another name for a type as that type");
  const std::string type = "type = \"Particle\"\n";
  text.replace(text.find(type), type.size(),
               "type = \"struct Particle\"\nfields = [ { name = \"x\", type = \"float\", count = 2, value = "
               "1.0 } ]\n");
  EXPECT_EQ(files_.job(text).arguments[1].value.size(), 8u);
}

TEST_F(FirstCase, SaysOfEveryUnknownParameterWhatToFillIn) {
  for (const char* type : {"real*", "const Vec<3>*", "float**", "T&", "REAL"}) {
    const DraftedCase drafted = draft("__global__ void k(float* x, " + std::string(type) + " p) {}\n");
    EXPECT_EQ(drafted.to_do.size(), 1u) << type;
    EXPECT_THAT(drafted.text, HasSubstr("# FILL IN: what `" + std::string(type) + "` is.")) << drafted.text;
  }
}

TEST_F(FirstCase, FollowsOtherNamesForTypes) {
  const std::string kernel = "__global__ void k(const real* in, real* out, index n) {}\n";
  for (const char* names :
       {"typedef float real;\ntypedef unsigned int index;\n",
        "using real = float;\nusing index = uint32_t;\n", "#define real float\n#define index unsigned int\n",
        "using real = basic;\nusing basic = float;\n#define index unsigned\n"}) {
    const Job guessed = job(names + kernel);
    EXPECT_EQ(guessed.arguments[0].element.name, "float") << names;
    EXPECT_EQ(guessed.arguments[1].element.size, 4u) << names;
    EXPECT_EQ(guessed.arguments[2].value.size(), 4u) << names;
  }
}

TEST_F(FirstCase, FillsWhatTheKernelReads) {
  const auto fill = [&](const std::string& statement) {
    const Job guessed =
        job("__global__ void k(const float* x, float* y, int n) {\n  int i = threadIdx.x;\n  " + statement +
            "\n}\n");
    return guessed.arguments[1].fill.kind;
  };
  EXPECT_EQ(fill("y[i] = 2 * x[i];"), Fill::Kind::none);
  EXPECT_EQ(fill("y[i] = 2 * x[i] + 3 * y[i];"), Fill::Kind::sample);
  EXPECT_EQ(fill("y[i] += x[i];"), Fill::Kind::sample);
  EXPECT_EQ(fill("atomicAdd(&y[i], x[i]);"), Fill::Kind::constant);
  EXPECT_EQ(fill("helper(y, i);"), Fill::Kind::sample);
}

TEST_F(FirstCase, SaysWhyABufferHasAFillOrNone) {
  EXPECT_THAT(
      text("__global__ void k(float a, const float* x, float* y, int n) { y[0] = a * x[0] + y[0]; }\n"),
      HasSubstr("fill = \"sample\" # in and out: the kernel reads it\n"));
  EXPECT_THAT(text("__global__ void k(const float* x, float* y, int n) { y[0] = x[0]; }\n"),
              HasSubstr("# also read? give it a fill: fill = \"sample\"\n"));
  const std::string histogram =
      text("__global__ void k(const int* x, unsigned* bins, int n) { atomicAdd(bins + x[0], 1u); }\n");
  EXPECT_THAT(histogram,
              HasSubstr("fill = { constant = 0 } # in and out: the kernel adds to it with atomics\n"
                        "check = \"bits\"\n"));
  EXPECT_THAT(text("__global__ void k(const float* x, float* sum, int n) { atomicAdd(sum, x[0]); }\n"),
              HasSubstr("check = { rtol = 1e-5, atol = 1e-8 } # the order of atomic additions"));
}

TEST_F(FirstCase, TakesABufferThatIsOnlyReadForAnInput) {
  const Job guessed =
      job("__global__ void add(float* a, float* b, float* c, int n) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) c[i] = a[i] + b[i];\n}\n");
  EXPECT_EQ(guessed.arguments[0].fill.kind, Fill::Kind::sample);
  EXPECT_EQ(guessed.arguments[0].check.kind, Check::Kind::none);
  EXPECT_EQ(guessed.arguments[2].fill.kind, Fill::Kind::none);
  EXPECT_EQ(guessed.arguments[2].check.kind, Check::Kind::bits);
  EXPECT_EQ(guessed.moved_bytes, 3.0 * 4 * 1000003);
}

TEST_F(FirstCase, HasAsManyAxesAsTheKernelReads) {
  const Job flat =
      job("__global__ void k(const float* in, float* out, int rows, int cols) {\n"
          "  int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = in[i];\n}\n");
  EXPECT_EQ(flat.block, (std::array<unsigned, 3>{256, 1, 1}));
  EXPECT_EQ(flat.grid, (std::array<unsigned, 3>{3088, 1, 1}));
  EXPECT_EQ(flat.arguments[0].count, 1025u * 771u);
  const Job square =
      job("__global__ void k(const float* in, float* out, int N) {\n"
          "  out[threadIdx.y * N + threadIdx.x] = in[threadIdx.x * N + threadIdx.y];\n}\n");
  EXPECT_EQ(square.block, (std::array<unsigned, 3>{16, 16, 1}));
  EXPECT_EQ(square.grid, (std::array<unsigned, 3>{65, 65, 1}));
  EXPECT_EQ(square.arguments[0].count, 1025u * 1025u);
  const Job per_row =
      job("__global__ void k(float* out, int width, int height) {\n"
          "  out[blockIdx.y * width + threadIdx.x] = 1;\n}\n");
  EXPECT_EQ(per_row.block, (std::array<unsigned, 3>{256, 1, 1}));
  EXPECT_EQ(per_row.grid, (std::array<unsigned, 3>{5, 771, 1}));
}

TEST_F(FirstCase, OfAMatrixProductKnowsItsExtents) {
  const Job guessed =
      job("__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {\n"
          "  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;\n"
          "  C[row * N + col] = A[row * K] * B[col];\n}\n");
  const std::int64_t m = guessed.values.at("m"), n = guessed.values.at("n"), k = guessed.values.at("k");
  EXPECT_GT(std::min({m, n, k}), 50);
  EXPECT_EQ(guessed.arguments[0].count, static_cast<std::uint64_t>(m * k));
  EXPECT_EQ(guessed.arguments[1].count, static_cast<std::uint64_t>(k * n));
  EXPECT_EQ(guessed.arguments[2].count, static_cast<std::uint64_t>(m * n));
  EXPECT_EQ(guessed.grid[0], static_cast<unsigned>((n + 15) / 16));
  EXPECT_EQ(guessed.grid[1], static_cast<unsigned>((m + 15) / 16));
  for (std::size_t i = 3; i < 6; ++i) {
    int value = 0;
    std::memcpy(&value, guessed.arguments[i].value.data(), 4);
    EXPECT_GT(value, 50);
  }
}

TEST_F(FirstCase, SaysHowTheKernelIsMarkedWhereTheFileHasHostCode) {
  const std::string whole =
      "#include <cstdio>\n__global__ void k(float* x, int n) {}\nint main() { k<<<1, 1>>>(nullptr, 0); }\n";
  const DraftedCase drafted = draft(whole);
  ASSERT_EQ(drafted.to_do.size(), 1u);
  EXPECT_EQ(
      drafted.to_do[0],
      "k.cu: it has code for the host in it (main(), a <<<...>>> launch, <cstdio>): put `// snippet: kernel` "
      "on a line before the kernel and what that needs, and `// end snippet` after it; only what stands "
      "between "
      "them is compiled by the rows");
  EXPECT_THAT(draft("#include <cstdio>\n// snippet: kernel\n__global__ void k(float* x) {}\n// end snippet\n"
                    "int main() {}\n")
                  .to_do,
              IsEmpty());
}

TEST_F(FirstCase, NamesTheKernelsFileAsSeenFromTheToml) {
  std::filesystem::create_directories(files_.path("cases/more"));
  files_.write("k.cu", "__global__ void k(float* x, int n) {}\n");
  const auto toml = files_.path("cases/more/other name.toml");
  const std::string drafted = first_case(files_.path("k.cu"), {}, toml).text;
  EXPECT_THAT(drafted, HasSubstr("\nfile = \"../../k.cu\"\n"));
  EXPECT_THAT(drafted, HasSubstr("\n#   tare compare '" + toml.string() + "'\n"));
  files_.write("cases/more/other name.toml", drafted);
  EXPECT_EQ(Case::load(toml).job().kernel_name, "k");
}

TEST_F(FirstCase, TellsHowToGetAnAnswerChecked) {
  EXPECT_THAT(text("__global__ void k(float* x) {}\n"), HasSubstr("// snippet: reference"));
  EXPECT_THAT(text("// snippet: kernel\n__global__ void k(float* x) {}\n// end snippet\n"
                   "// snippet: reference\nvoid reference(float* x) {}\n// end snippet\n"),
              testing::Not(HasSubstr("There is no reference")));
}

TEST_F(FirstCase, IsWrittenForEveryExample) {
  for (const char* name : {"vector_add", "saxpy", "contraction", "block_sum", "hash", "stencil"}) {
    const auto directory = std::filesystem::path(TARE_SOURCE_DIR) / "examples" / name;
    const Job example = Case::load(directory / (std::string(name) + ".toml")).job();
    std::filesystem::copy_file(directory / (std::string(name) + ".cu"),
                               files_.path(std::string(name) + ".cu"));
    files_.write("guess.toml", first_case(files_.path(std::string(name) + ".cu")).text);
    const Job guessed = Case::load(files_.path("guess.toml")).job();
    ASSERT_EQ(guessed.arguments.size(), example.arguments.size());
    for (std::size_t i = 0; i < guessed.arguments.size(); ++i) {
      EXPECT_EQ(guessed.arguments[i].name, example.arguments[i].name);
      EXPECT_EQ(guessed.arguments[i].element.size, example.arguments[i].element.size);
      EXPECT_EQ(guessed.arguments[i].is_const, example.arguments[i].is_const);
    }
  }
}

}  // namespace
}  // namespace tare::compare::test
