// Reading case files: what they come to, and what each mistake is called.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "case_files.hpp"

namespace tare::compare::test {
namespace {

using ::testing::HasSubstr;

TEST(Case, TheBuiltinOneIsTheVectorAddOf4194915Elements) {
  const Case builtin = Case::builtin();
  const Job job = builtin.job();
  EXPECT_EQ(builtin.name(), "vector_add");
  EXPECT_EQ(job.kernel_name, "vectorAdd");
  EXPECT_EQ(job.values, (std::map<std::string, std::int64_t>{{"n", 4194915}}));
  EXPECT_EQ(job.block, (std::array<unsigned, 3>{256, 1, 1}));
  EXPECT_EQ(job.grid, (std::array<unsigned, 3>{16387, 1, 1}));
  EXPECT_EQ(job.moved_bytes, 3.0 * 4194915 * 4);
  ASSERT_EQ(job.arguments.size(), 4u);
  EXPECT_TRUE(job.arguments[0].is_const);
  EXPECT_EQ(job.arguments[1].fill.offset, 1);
  EXPECT_TRUE(job.arguments[2].is_output());
  EXPECT_FALSE(job.arguments[2].is_in_out());
  EXPECT_EQ(job.arguments[2].check.kind, Check::Kind::bits);
  EXPECT_EQ(job.arguments[2].bytes(), 4194915u * 4);
  ASSERT_EQ(job.arguments[3].value.size(), 8u);
  std::uint64_t n = 0;
  std::memcpy(&n, job.arguments[3].value.data(), 8);
  EXPECT_EQ(n, 4194915u);
  EXPECT_EQ(job.reference_name, "reference");
  EXPECT_EQ(job.python_function, "vector_add");
  EXPECT_EQ(builtin.claims().size(), 4u);
  EXPECT_EQ(builtin.claims()[3].only, (std::vector<std::string>{"raw", "jit-cached", "cupy", "cupy-array",
                                                                "cupy-array-out", "numba-cached"}));
  EXPECT_EQ(job.array, "a + b");
}

TEST(Case, TheBuiltinOneIsTheSameAsTheFileItIsMadeFrom) {
  const std::filesystem::path file =
      std::filesystem::path(TARE_SOURCE_DIR) / "examples/vector_add/vector_add.toml";
  const Job from_file = Case::load(file).job(), builtin = Case::builtin().job();
  EXPECT_EQ(from_file.source, builtin.source);
  EXPECT_EQ(from_file.source_first_line, builtin.source_first_line);
  EXPECT_EQ(from_file.reference_source, builtin.reference_source);
  EXPECT_EQ(from_file.values, builtin.values);
}

TEST(Case, AnArrayExpressionIsOverArgumentsAndGivesTheOnlyOutput) {
  const auto complaint = [](const std::string& array) -> std::string {
    CaseFiles files;
    files.write("k.cu", "__global__ void k(const float* a, const float* b, float* out) {}\n");
    const std::string arguments =
        "[[arguments]]\nname = \"a\"\ntype = \"const float*\"\ncount = 4\nfill = \"iota\"\n"
        "[[arguments]]\nname = \"b\"\ntype = \"const float*\"\ncount = 4\nfill = \"iota\"\n"
        "[[arguments]]\nname = \"out\"\ntype = \"float*\"\ncount = 4\ncheck = \"bits\"\n";
    try {
      return files
          .job("[kernel]\nfile = \"k.cu\"\nname = \"k\"\narray = \"" + array +
               "\"\n[launch]\nblock = [32]\ngrid = [1]\n" + arguments)
          .array;
    } catch (const CaseError& e) {
      return e.what();
    }
  };
  EXPECT_EQ(complaint("(a + b) * a"), "(a + b) * a");
  EXPECT_THAT(complaint("a + c"), HasSubstr(":4: unknown argument `c`"));
  EXPECT_THAT(complaint("sin[a]"), HasSubstr(":4: unknown argument `sin`"));
  EXPECT_THAT(complaint("a[b]"),
              HasSubstr(":4: `array` in [kernel] is + - * / and parentheses over arguments: `a[b]`"));
  EXPECT_THAT(complaint("()"), HasSubstr(":4: `array` in [kernel] names no argument"));
}

TEST(Case, TheKernelRegionGetsCLinkageOnItsOwnLine) {
  CaseFiles files;
  files.write(
      "k.cu",
      "#include <cstddef>\n// snippet: kernel\nstruct P { int x; };\ntemplate <class T> __device__ T f(T x) "
      "{ return x; }\n__global__ void k(float* out, int n) { out[n] = f(1.f); }\n// end snippet\n");
  const Job job = files.job(kHead);
  EXPECT_EQ(job.source,
            "struct P { int x; };\ntemplate <class T> __device__ T f(T x) { return x; }\n"
            "extern \"C\" __global__ void k(float* out, int n) { out[n] = f(1.f); }\n");
  EXPECT_EQ(job.source_first_line, 3);
}

TEST(Case, ATemplateInstanceKeepsItsOwnLinkage) {
  CaseFiles files;
  const std::string source = "template <class T> __global__ void scale(T* x) { *x *= 2; }\n";
  files.write("k.cu", source);
  std::string toml = kHead;
  toml.replace(toml.find("\"k\""), 3, "\"scale<float>\"");
  EXPECT_EQ(files.job(toml).source, source);
  EXPECT_EQ(files.job(toml).kernel_name, "scale<float>");
}

TEST(Case, AFileWithoutMarkersIsTakenWhole) {
  CaseFiles files;
  files.write("k.cu", std::string("// a file\n") + kKernel);
  EXPECT_EQ(files.job(kHead).source, std::string("// a file\nextern \"C\" ") + kKernel);
  EXPECT_EQ(files.job(kHead).source_first_line, 1);
}

TEST(Case, OtherMarkersWithoutAKernelRegionAreAnError) {
  CaseFiles files;
  files.write("k.cu", std::string("// snippet: kernal\n") + kKernel + "// end snippet\n");
  EXPECT_EQ(files.complaint(kHead), "no `kernel` snippet region in k.cu");
  files.write("k.cu", std::string(kKernel) + "// end snippet\n");
  EXPECT_EQ(files.complaint(kHead), "no `kernel` snippet region in k.cu");
}

TEST(Case, ARegionThatTheCaseNamesMustBeThere) {
  CaseFiles files;
  files.write("k.cu", kKernel);
  std::string toml = kHead;
  toml.insert(toml.find("[values]"), "snippet = \"fast\"\n");
  EXPECT_EQ(files.complaint(toml), "no `fast` snippet region in k.cu");
}

TEST(Case, TwoKernelRegionsAreAnError) {
  CaseFiles files;
  const std::string region = std::string("// snippet: kernel\n") + kKernel + "// end snippet\n";
  files.write("k.cu", region + region);
  EXPECT_EQ(files.complaint(kHead), "k.cu:4: a second `kernel` snippet region; the first is at line 1");
}

TEST(Case, AnUnterminatedRegionIsAnError) {
  CaseFiles files;
  files.write("k.cu", std::string("\n// snippet: kernel\n") + kKernel);
  EXPECT_EQ(files.complaint(kHead), "k.cu:2: the `kernel` snippet region has no `// end snippet`");
  files.write("k.cu",
              std::string("// snippet: kernel\n") + kKernel + "// snippet: reference\n// end snippet\n");
  EXPECT_EQ(files.complaint(kHead), "k.cu:1: the `kernel` snippet region has no `// end snippet`");
}

TEST(Case, AnUnknownKernelNamesTheNearest) {
  CaseFiles files;
  files.write("k.cu", "__global__ void vectorAdd() {}\n");
  std::string toml = kHead;
  toml.replace(toml.find("\"k\""), 3, "\"vectoradd\"");
  EXPECT_EQ(files.complaint(toml), "k.toml:3: unknown kernel `vectoradd`; did you mean `vectorAdd`?");
}

struct Mistake {
  std::string toml, message;
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.message;
}

class CaseMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(CaseMistakes, IsNamedWithItsLine) {
  CaseFiles files;
  files.write("k.cu", kKernel);
  EXPECT_EQ(files.complaint(GetParam().toml), GetParam().message);
}

const std::string kOut = "[[arguments]]\nname = \"out\"\ntype = \"float*\"\n";
const std::string kIn = "[[arguments]]\nname = \"a\"\ntype = \"const float*\"\n";

INSTANTIATE_TEST_SUITE_P(
    All, CaseMistakes,
    testing::Values(
        Mistake{"[kernel]\nfile = \"k.cu\"\nnam = \"k\"\n",
                "k.toml:3: unknown key `nam` in [kernel]; did you mean `name`?"},
        Mistake{"[kernal]\n", "k.toml:1: unknown key `kernal` in the case; did you mean `kernel`?"},
        Mistake{std::string(kHead) + "blokc = 3\n",
                "k.toml:9: unknown key `blokc` in [launch]; did you mean `block`?"},
        Mistake{std::string(kHead) + kOut + "count = \"n\"\nchck = \"bits\"\n",
                "k.toml:13: unknown key `chck` in [[arguments]]; did you mean `check`?"},
        Mistake{std::string(kHead) + "[[arguments]]\nname = \"a\"\ntype = \"const flaot*\"\n",
                "k.toml:11: unknown type `flaot`; did you mean `float`?"},
        Mistake{std::string(kHead) + "[[arguments]]\nname = \"a\"\ntype = \"float**\"\n",
                "k.toml:11: type `float**`: a pointer to a pointer cannot be given; a buffer's elements are "
                "values"},
        Mistake{"[kernel]\nfile = \"k.cu\"\nname = \"k\"\n", "k.toml: `launch` is missing in the case"},
        Mistake{"[kernel]\nfile = 3\nname = \"k\"\n",
                "k.toml:2: `file` in [kernel] must be a string, not an integer"},
        Mistake{"[kernel\n", "k.toml:1: Error while parsing table header: expected ']', saw '\\n'"},
        Mistake{std::string(kHead) + kOut, "k.toml:9: `count` is missing in [[arguments]]"},
        Mistake{std::string(kHead) + kIn + "count = 4\n",
                "k.toml:9: `fill` is missing in [[arguments]]: `a` is an input"},
        Mistake{std::string(kHead) + kIn + "count = 4\nfill = \"iota\"\ncheck = \"bits\"\n",
                "k.toml:14: `check` is for outputs; `a` is const"},
        Mistake{std::string(kHead) + kIn + "count = 4\nfill = { sampel = {} }\n",
                "k.toml:13: unknown key `sampel` in `fill`; did you mean `sample`?"},
        Mistake{std::string(kHead) + kOut + "count = 4\ncheck = \"bit\"\n",
                "k.toml:13: unknown check `bit`; did you mean `bits`?"},
        Mistake{std::string(kHead) + kOut + "count = \"m\"\n",
                "k.toml:12: expression `m`: unknown value `m`; did you mean `n`?"},
        Mistake{std::string(kHead) + kOut + "count = \"0 - n\"\n",
                "k.toml:12: `count` of `out` is -1000, below 0"},
        Mistake{with_scalar("int", "value = 2.5"),
                "k.toml:12: argument `x`: 2.5 is not a whole number that fits in `int`"},
        Mistake{with_scalar("char", "value = 128"), "k.toml:12: argument `x`: 128 does not fit in `char`"},
        Mistake{with_scalar("float", "value = 16777217"),
                "k.toml:12: argument `x`: the whole number 16777217 is not exact in `float`; write it with a "
                "decimal "
                "point to have it rounded"},
        Mistake{with_scalar("int", "count = 3"),
                "k.toml:12: `count` is for buffers; `x` of type `int` is passed by value"},
        Mistake{with_scalar("int", ""),
                "k.toml:9: `value` is missing in [[arguments]]: `x` is passed by value"},
        Mistake{with_scalar("__half", "bits = \"0x13e00\""),
                "k.toml:12: argument `x`: bits `0x13e00` do not fit in the 2 bytes of `__half`"}));

std::string with_launch(const std::string& launch) {
  return "[kernel]\nfile = \"k.cu\"\nname = \"k\"\n[values]\nn = 0\n[launch]\n" + launch;
}

INSTANTIATE_TEST_SUITE_P(
    Launch, CaseMistakes,
    testing::Values(Mistake{with_launch("block = [256]\n"),
                            "k.toml:6: [launch] needs either `covers` or `grid`"},
                    Mistake{with_launch("block = [256]\ngrid = [\"n\"]\n"),
                            "k.toml:8: grid.x is 0; a grid needs at least one block per axis"},
                    Mistake{with_launch("block = [2048]\ngrid = [1]\n"),
                            "k.toml:7: block.x is 2048; it must be 1 to 1024"},
                    Mistake{with_launch("block = [64, 32]\ngrid = [1]\n"),
                            "k.toml:7: the block has 2048 threads; at most 1024"},
                    Mistake{with_launch("block = [1]\ncovers = [1, 70000]\n"),
                            "k.toml:8: the grid needs 70000 blocks along y; at most 65535"},
                    Mistake{with_launch("block = [1, 1, 1, 1]\ngrid = [1]\n"),
                            "k.toml:7: `block` in [launch] must have one to three entries"}));

TEST(Case, CoveringNothingIsAStatedNoOp) {
  CaseFiles files;
  files.write("k.cu", kKernel);
  EXPECT_TRUE(files.job(with_launch("block = [256]\ncovers = [\"n\"]\n")).empty);
  EXPECT_FALSE(files.job(with_launch("block = [256]\ncovers = [1]\n")).empty);
}

TEST(Case, AGridCoversEveryElementAlongEachAxis) {
  CaseFiles files;
  files.write("k.cu", kKernel);
  for (const auto& [n, blocks] : {std::pair{1, 1u}, {255, 1u}, {256, 1u}, {257, 2u}, {512, 2u}, {513, 3u}}) {
    EXPECT_EQ(files.job(kHead, {{{"n", n}}, std::nullopt}).grid[0], blocks) << n;
  }
  const Job job = files.job(with_launch("block = [16, 8, 4]\ncovers = [100, 100, 100]\n"));
  EXPECT_EQ(job.grid, (std::array<unsigned, 3>{7, 13, 25}));
}

TEST(Case, OverridesChangeValuesAndTheBlock) {
  CaseFiles files;
  files.write("k.cu", kKernel);
  const std::string toml =
      std::string(kHead) + "dynamic_shared_bytes = \"4 * block_x\"\n" + kOut + "count = \"2 * n\"\n";
  const Job job = files.job(toml, {{{"n", 77}}, std::vector<unsigned>{32}});
  EXPECT_EQ(job.arguments[0].count, 154u);
  EXPECT_EQ(job.block[0], 32u);
  EXPECT_EQ(job.grid[0], 3u);
  EXPECT_EQ(job.dynamic_shared_bytes, 128u);
  EXPECT_EQ(files.complaint(toml, {{{"m", 1}}, std::nullopt}),
            "k.toml: the case has no value `m`; did you mean `n`?");
}

TEST(Case, ValuesMayBuildOnOneAnotherButNotOnThemselves) {
  CaseFiles files;
  files.write("k.cu", kKernel);
  const std::string head =
      "[kernel]\nfile = \"k.cu\"\nname = \"k\"\n[launch]\nblock = [1]\ngrid = [1]\n[values]\n";
  const Job job = files.job(head + "a = \"b + 1\"\nb = \"c * 2\"\nc = 5\n");
  EXPECT_EQ(job.values, (std::map<std::string, std::int64_t>{{"a", 11}, {"b", 10}, {"c", 5}}));
  EXPECT_EQ(files.job(head + "a = \"b + 1\"\nb = 1\n", {{{"b", 6}}, std::nullopt}).values.at("a"), 7);
  EXPECT_EQ(files.complaint(head + "a = \"b\"\nb = \"a\"\n"), "k.toml:8: the value `a` is defined by itself");
}

TEST(Case, MovedBytesDefaultToInputsReadOnceAndOutputsWrittenOnce) {
  CaseFiles files;
  files.write("k.cu", kKernel);
  const Job job =
      files.job(std::string(kHead) + kIn + "count = 10\nfill = \"iota\"\n" + kOut + "count = 3\n" +
                "[[arguments]]\nname = \"x\"\ntype = \"double*\"\ncount = 2\nfill = \"sample\"\n");
  EXPECT_EQ(job.moved_bytes, 40.0 + 12.0 + 2 * 16.0);
}

TEST(Case, ACaseOrKernelThatIsNotThereIsNamed) {
  CaseFiles files;
  EXPECT_EQ(files.complaint(kHead), "cannot read k.cu: No such file or directory");
  EXPECT_THROW(Case::load(files.path("other.toml")), CaseError);
}

TEST(Case, AClaimThatDoesNotParseIsAnErrorOfTheCase) {
  CaseFiles files;
  files.write("k.cu", kKernel);
  EXPECT_THAT(files.complaint(std::string(kHead) + "[[claim]]\ntext = \"t\"\nholds = \"mean_ms <\"\n"),
              testing::StartsWith("k.toml:11: "));
}

}  // namespace
}  // namespace tare::compare::test
