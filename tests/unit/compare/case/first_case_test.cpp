// `tare init`: what a kernel's signature becomes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "case_files.hpp"

namespace tare::compare::test {
namespace {

using testing::HasSubstr;

class FirstCase : public testing::Test {
 protected:
  std::string text(const std::string& cu, const std::string& kernel = {}) {
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
  EXPECT_EQ(complaint(two), "k.cu: several __global__ functions, name one of them: first, second");
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
  EXPECT_THAT(complaint("\n__global__ void k(float* x, Particle p) {}\n"),
              HasSubstr("k.cu:2: parameter `p` of k: unknown type `Particle`"));
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
    files_.write("guess.toml", first_case(files_.path(std::string(name) + ".cu")));
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
