// The rows whose kernel is traced from C++: the same bits for every type, compiled once, found by the second
// process, and what they say of a case that they cannot run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "integration/support.hpp"

namespace tare::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

const std::string kProgram = TARE_BINARY_DIR "/tests/programs/jit_rows";

class JitRows : public ::testing::Test {
 protected:
  /// Writes k.cu and k.toml; `kernel` is what stands in [kernel] beside file and name, `arguments` TOML.
  std::string write_case(const std::string& name, const std::string& parameters, const std::string& body,
                         const std::string& kernel, const std::string& arguments) const {
    std::ofstream(scratch_.path() / "k.cu")
        << "// snippet: kernel\n__global__ void " << name << "(" << parameters << ") {\n"
        << "  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;\n  if (i < n) " << body
        << "\n}\n// end snippet\n"
        << "// snippet: reference\nvoid reference(" << parameters << ") { for (long i = 0; i < (long)n; ++i) "
        << body << " }\n// end snippet\n";
    std::ofstream(scratch_.path() / "k.toml") << "[kernel]\nfile = \"k.cu\"\nname = \"" << name << "\"\n"
                                              << kernel << "\n[values]\nn = 1003\n"
                                              << "[launch]\nblock = [64]\ncovers = [\"n\"]\n"
                                              << arguments;
    return scratch_.path() / "k.toml";
  }
  static std::string argument(const std::string& name, const std::string& type, const std::string& rest) {
    return "[[arguments]]\nname = \"" + name + "\"\ntype = \"" + type + "\"\n" + rest + "\n";
  }
  static std::string input(const std::string& name, const std::string& type) {
    return argument(name, "const " + type + "*",
                    "count = \"n\"\nfill = { uniform = { low = 0, high = 90, seed = 3 } }");
  }
  static std::string output(const std::string& name, const std::string& type) {
    return argument(name, type + "*", "count = \"n\"\ncheck = \"bits\"");
  }
  std::string vector_add_of(const std::string& type) const {
    return write_case(
        "add", "const " + type + "* a, const " + type + "* b, " + type + "* out, size_t n",
        "out[i] = a[i] + b[i];", "jit = \"vectorAdd\"",
        input("a", type) + input("b", type) + output("out", type) + argument("n", "size_t", "value = \"n\""));
  }
  /// The row was compiled once, in `first`, and gave the reference's bits.
  static void expect_right(const Ran& ran, const std::string& row, const std::string& compiled_for) {
    ASSERT_FALSE(ran.record.is_null()) << ran.out << ran.err;
    for (const char* const pass : {"cold", "warm"}) {
      const json& result = row_of(ran.record, pass, row);
      EXPECT_EQ(result["status"], "ok") << ran.out << ran.err;
      EXPECT_EQ(result["bits"]["equal"], true) << ran.out;
      EXPECT_EQ(result["bits"]["late_outputs"][0]["equal"], true) << ran.out;
      EXPECT_EQ(result["cache"]["details"]["compiled for"], compiled_for);
    }
    EXPECT_EQ(row_of(ran.record, "cold", row)["cache"]["compiles"], 1);
  }

  Scratch scratch_;
};

std::vector<std::string> events_of(const json& row) {
  std::vector<std::string> names;
  for (const json& event : row["events"]) names.push_back(event["what"]);
  return names;
}

TEST_F(JitRows, GiveTheOthersBitsForDoubleIntAndMixedTypes) {
  const std::vector<std::string> rest{"--rows", "clang,jit", "--rounds", "1"};
  const auto run = [&](const std::string& file) {
    std::vector<std::string> arguments{file};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return compare(scratch_, arguments);
  };
  expect_right(run(vector_add_of("double")), "jit",
               "vectorAdd(const double[], const double[], double[], uint64_t)");
  expect_right(run(vector_add_of("int")), "jit", "vectorAdd(const int[], const int[], int[], uint64_t)");
  const std::string mixed = write_case(
      "blend", "const float* x, const short* y, const unsigned char* z, double* out, float scale, long n",
      "out[i] = x[i] * scale + y[i] * 0.5 + z[i];", "jit = \"" + kProgram + ":blend\"",
      input("x", "float") + input("y", "short") + input("z", "unsigned char") + output("out", "double") +
          argument("scale", "float", "value = 1.25") + argument("n", "long", "value = \"n\""));
  expect_right(run(mixed), "jit",
               "blend(const float[], const int16_t[], const uint8_t[], double[], float, int64_t)");
}

TEST_F(JitRows, KeepNothingOrCompileNothingTheSecondTimeAndSayWhereTheTimeWent) {
  const Ran ran =
      compare(scratch_, {"--n", "5000", "--rows", "jit,jit-cached", "--samples", "2", "--timeline"});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  const std::string signature = "vectorAdd(const float[], const float[], float[], uint64_t)";
  expect_right(ran, "jit", signature);
  expect_right(ran, "jit-cached", signature);
  const auto row = [&](const char* pass, const char* name) { return row_of(ran.record, pass, name); };
  EXPECT_EQ(row("warm", "jit")["cache"]["compiles"], 1);
  EXPECT_EQ(row("warm", "jit")["cache"]["result"], "none");
  EXPECT_EQ(row("cold", "jit-cached")["cache"]["result"], "miss");
  EXPECT_EQ(row("warm", "jit-cached")["cache"]["result"], "hit");
  EXPECT_EQ(row("warm", "jit-cached")["cache"]["compiles"], 0);
  for (const char* const name : {"jit", "jit-cached"}) {
    EXPECT_THAT(events_of(row("cold", name)),
                ElementsAre("imported", "opened", "build", "trace", "ir", "compiler", "load", "first"));
    EXPECT_THAT(row("cold", name)["detail"].get<std::string>(), HasSubstr("a reimplementation of the .cu"));
    for (const json& sample : row("cold", name)["samples"]) {
      const json& parts = sample["parts"];
      double sum = 0;
      for (const char* const part : {"trace_ms", "ir_ms", "compile_ms", "load_ms"}) {
        EXPECT_GT(parts[part].get<double>(), 0) << part;
        sum += parts[part].get<double>();
      }
      EXPECT_LE(sum, sample["first_ms"].get<double>()) << "they are parts of it";
    }
  }
  EXPECT_THAT(events_of(row("warm", "jit-cached")),
              ElementsAre("imported", "opened", "build", "trace", "ir", "load", "first"));
  EXPECT_EQ(row("warm", "jit-cached")["samples"][0]["parts"]["compile_ms"], 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("traced "), HasSubstr("T traced, N its NVVM IR written")));
}

TEST_F(JitRows, SayWhyACaseCannotRun) {
  const auto reason_of = [&](const std::string& kernel, const std::string& status) {
    const std::string file =
        write_case("twice", "float* x, int n", "x[i] += x[i];", kernel,
                   argument("x", "float*", "count = \"n\"\nfill = { iota = {} }\ncheck = \"bits\"") +
                       argument("n", "int", "value = \"n\""));
    fs::remove(scratch_.path() / "record.json");  // of the case before: a bad case writes none
    const Ran ran = compare(scratch_, {file, "--rows", "jit", "--rounds", "1"});
    if (ran.record.is_null()) return ran.err;
    const json& row = row_of(ran.record, "cold", "jit");
    EXPECT_EQ(row["status"], status) << kernel << row;
    return row["reason"].get<std::string>() + "\n" + row["detail"].get<std::string>();
  };
  EXPECT_THAT(reason_of("", "skipped"), HasSubstr("this case has no jit kernel\n"));
  EXPECT_THAT(
      reason_of("jit = \"saxpy\"", "skipped"),
      HasSubstr("the jit kernel `saxpy` is written for (int, float, const float[], float[]), (int, double, "
                "const double[], double[]), and this case's arguments are (float[], int)"));
  EXPECT_THAT(reason_of("jit = \"sapxy\"", "failed"),
              AllOf(HasSubstr("tare has no jit kernel `sapxy`"), HasSubstr("it has `vectorAdd`, `saxpy`,")));
  EXPECT_THAT(reason_of("jit = \"" + kProgram + ":thrice\"", "failed"),
              AllOf(HasSubstr("jit_rows has no jit kernel `thrice`"), HasSubstr("it has `blend`, `twice`")));
  EXPECT_THAT(reason_of("jit = \"./not_there:twice\"", "failed"),
              HasSubstr("program not found: " + scratch_.path().string() + "/not_there"));
  EXPECT_THAT(reason_of("jit = \"./x:\"", ""), HasSubstr("k.toml:4: `jit` in [kernel] must be"));
  EXPECT_THAT(reason_of("jit = \"" + kProgram + ":twice\"", "ok"), Not(HasSubstr("has no")));
}

}  // namespace
}  // namespace tare::test
