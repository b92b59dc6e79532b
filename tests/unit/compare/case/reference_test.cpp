// Expected outputs, from each place that they can come from.
#include "compare/case/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "case_files.hpp"

namespace tare::compare::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<HostBuffer> inputs_of(const Job& job) {
  std::vector<HostBuffer> inputs;
  for (const JobArgument& argument : job.arguments) {
    inputs.push_back(argument.is_buffer ? fill_buffer(argument) : HostBuffer());
  }
  return inputs;
}

Reference reference_of(const Job& job) {
  return compute_reference(job, inputs_of(job));
}

template <class T>
T element(const Reference& reference, std::size_t argument, std::size_t index) {
  T value{};
  std::memcpy(&value, reference.outputs.at(argument).value().data() + index * sizeof value, sizeof value);
  return value;
}

Job example(const std::string& name) {
  return Case::load(std::filesystem::path(TARE_SOURCE_DIR) / "examples" / name / (name + ".toml")).job();
}

/// A case `k.toml` whose reference region is given; arguments: x (in-out, iota), s (float 2.5).
const char* const kToml =
    "[kernel]\nfile = \"k.cu\"\nname = \"k\"\n[values]\nn = 10\n[launch]\nblock = [32]\ncovers = [\"n\"]\n"
    "[[arguments]]\nname = \"x\"\ntype = \"float*\"\ncount = \"n\"\nfill = \"iota\"\ncheck = \"bits\"\n"
    "[[arguments]]\nname = \"s\"\ntype = \"float\"\nvalue = 2.5\n";

class ReferenceCase : public testing::Test {
 protected:
  // What the host's compiler refuses is tried on the device, in a process of the program's own.
  void SetUp() override { setenv("TARE_EXECUTABLE", TARE_BINARY_DIR "/bin/tare", 1); }
  Job job(const std::string& reference,
          const std::string& kernel = "__global__ void k(float* x, float s) {}\n") {
    files_.write("k.cu", "// snippet: kernel\n" + kernel + "// end snippet\n// snippet: reference\n" +
                             reference + "// end snippet\n");
    return files_.job(kToml);
  }
  std::string complaint(const Job& job) {
    try {
      reference_of(job);
    } catch (const CaseError& error) {
      return std::string(error.what()).substr(files_.path("").string().size());
    }
    return {};
  }
  CaseFiles files_;
};

TEST(Reference, OfTheBuiltinCaseIsTheSumOfItsSamples) {
  const Job job = Case::builtin().job({{{"n", 1000}}, std::nullopt});
  const std::vector<HostBuffer> inputs = inputs_of(job);
  const Reference reference = compute_reference(job, inputs);
  EXPECT_EQ(reference.kind, ReferenceKind::host_compiler);
  EXPECT_THAT(reference.how, StartsWith("reference() compiled by "));
  EXPECT_THAT(reference.how, HasSubstr(" -O2 -ffp-contract=off"));
  for (std::size_t i = 0; i < 1000; ++i) {
    float a = 0, b = 0;
    std::memcpy(&a, inputs[0].data() + 4 * i, 4);
    std::memcpy(&b, inputs[1].data() + 4 * i, 4);
    ASSERT_EQ(element<float>(reference, 2, i), a + b);
  }
  EXPECT_FALSE(reference.outputs[0].has_value());
}

TEST(Reference, OfTheContractionCaseRoundsTwice) {
  const Reference reference = reference_of(example("contraction"));
  EXPECT_EQ(element<std::uint32_t>(reference, 3, 0), 0u);
  EXPECT_EQ(element<std::uint32_t>(reference, 3, 100002), 0u);
}

TEST(Reference, OfTheHashCaseIsTheKnownFinaliser) {
  const Reference reference = reference_of(example("hash"));
  EXPECT_EQ(element<std::uint32_t>(reference, 0, 0), 0xebb6c228u);  // fmix32(0x9747b28c)
}

TEST(Reference, OfTheBlockSumFollowsTheBlock) {
  const Case block_sum =
      Case::load(std::filesystem::path(TARE_SOURCE_DIR) / "examples/block_sum/block_sum.toml");
  const Job job = block_sum.job({{{"n", 100}}, std::vector<unsigned>{64}});
  EXPECT_EQ(job.dynamic_shared_bytes, 256u);
  const Reference reference = reference_of(job);
  ASSERT_EQ(reference.outputs[1]->size(), 8u);
  const HostBuffer in = fill_buffer(job.arguments[0]);
  double sum = 0;
  for (std::size_t i = 64; i < 100; ++i) {
    float x = 0;
    std::memcpy(&x, in.data() + 4 * i, 4);
    sum += static_cast<double>(x);
  }
  EXPECT_NEAR(static_cast<double>(element<float>(reference, 1, 1)), sum, 1e-4);
}

TEST(Reference, OfTheStencilCopiesTheEdge) {
  const Job job = example("stencil");
  const std::vector<HostBuffer> inputs = inputs_of(job);
  const Reference reference = compute_reference(job, inputs);
  EXPECT_EQ(std::memcmp(reference.outputs[1]->data(), inputs[0].data(), 1025 * 4), 0);
}

TEST(Reference, SeesTheKernelRegionsStructsWhereItNeedsThem) {
  const Job job = Case::load(std::filesystem::path(TARE_SOURCE_DIR) / "tests/data/cases/structs.toml").job();
  const Reference reference = reference_of(job);
  const double expected[] = {21, 0.1 * 3, -900, 10.5, 9.75, 2997, 9, -12};
  for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(element<double>(reference, 0, i), expected[i % 8]);
}

TEST_F(ReferenceCase, ReadsAndWritesInOutBuffers) {
  const Reference reference = reference_of(
      job("void reference(float* x, float s) { for (int i = 0; i < 10; ++i) x[i] = s * x[i]; }\n"));
  EXPECT_EQ(element<float>(reference, 0, 4), 10.0f);
}

TEST_F(ReferenceCase, KnowsCudasTypesAndSixteenBitFloats) {
  const Reference reference = reference_of(
      job("#include <cuda_fp16.h>\n"
          "__device__ float4 twice(float4 v) { return make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w); }\n"
          "void reference(float* x, float s) {\n"
          "  const __half h = __float2half(0.1f);\n"
          "  x[0] = __half2float(h + h);\n"
          "  x[1] = twice(make_float4(1, 2, 3, s)).w;\n"
          "  x[2] = max(3, 4.5f);\n"
          "  x[3] = float(__half_as_ushort(__half(0.0f))) + "
          "float(__half_as_ushort(__half(5.9604644775390625e-8)));\n"
          "  x[4] = float(__half_as_ushort(__half(65519.0f))) + float(__half_as_ushort(__half(1e9)));\n"
          "  x[5] = __bfloat162float(__float2bfloat16(1.005f));\n"
          "}\n"));
  EXPECT_EQ(element<float>(reference, 0, 0), 0.199951171875f);
  EXPECT_EQ(element<float>(reference, 0, 1), 5.0f);
  EXPECT_EQ(element<float>(reference, 0, 2), 4.5f);
  EXPECT_EQ(element<float>(reference, 0, 3), 1.0f);
  EXPECT_EQ(element<float>(reference, 0, 4), static_cast<float>(0x7bff + 0x7c00));
  EXPECT_EQ(element<float>(reference, 0, 5), 1.0078125f);
}

TEST_F(ReferenceCase, ThatCrashesIsNamedAndHurtsNobody) {
  EXPECT_THAT(complaint(job("void reference(float* x, float s) { *(volatile int*)8 = 1; }\n")),
              HasSubstr("k.cu:5: reference() was killed by signal 11"));
}

TEST_F(ReferenceCase, OfOtherArgumentsIsNamed) {
  EXPECT_EQ(complaint(job("void reference(float* x) {}\n")),
            "k.cu:5: reference() takes 1 arguments, the case has 2");
  EXPECT_EQ(complaint(job("void reference(float* x, double s) {}\n")),
            "k.cu:5: reference() takes a value as argument 1, the case has a value of another size");
  EXPECT_EQ(complaint(job("void reference(float* x, float* s) {}\n")),
            "k.cu:5: reference() takes a pointer as argument 1, the case has a value");
}

TEST_F(ReferenceCase, OfAnyNameIsTheLastFunctionOfItsRegion) {
  EXPECT_EQ(job("float f(float x) { return x; }\nvoid expected(float* x, float s) {}\n").reference_name,
            "expected");
  EXPECT_EQ(job("void reference(float* x, float s) {}\nvoid other() {}\n").reference_name, "reference");
  EXPECT_THROW(job("int x;\n"), CaseError);
}

TEST_F(ReferenceCase, FilesAreTheSecondChoiceAndAgreementTheLast) {
  files_.write("k.cu", "__global__ void k(float* x, float s) {}\n");
  const Reference agreement = reference_of(files_.job(kToml));
  EXPECT_EQ(agreement.kind, ReferenceKind::agreement);
  EXPECT_EQ(agreement.how, "the agreement of the rows with one another");
  EXPECT_FALSE(agreement.outputs.at(0).has_value());

  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (10,), }";
  header.resize(117, ' ');
  std::string file("\x93NUMPY\x01\x00\x76\x00", 10);
  file += header + "\n" + std::string(40, '\0');
  files_.write("x.npy", file);
  std::string toml = kToml;
  toml.insert(toml.find("check"), "reference = \"x.npy\"\n");
  const Reference from_file = reference_of(files_.job(toml));
  EXPECT_EQ(from_file.kind, ReferenceKind::npy);
  EXPECT_EQ(from_file.how, "x.npy");
  EXPECT_EQ(from_file.outputs.at(0), HostBuffer(40));
}

TEST(Reference, OfNothingLaunchedIsWhatWasThere) {
  const Job job = Case::builtin().job({{{"n", 0}}, std::nullopt});
  EXPECT_TRUE(job.empty);
  EXPECT_EQ(reference_of(job).outputs.at(2), HostBuffer());
}

TEST_F(ReferenceCase, CompilersThatRefuseItAreQuotedWithTheFilesOwnLines) {
  const std::string message =
      complaint(job("void reference(float* x, float s) {\n  x[0] = undeclared;\n}\n"));
  EXPECT_THAT(message, StartsWith("k.cu:5: reference() does not compile: "));
  EXPECT_THAT(message, HasSubstr("k.cu:6:"));
  EXPECT_THAT(message, HasSubstr("undeclared"));
}

}  // namespace
}  // namespace tare::compare::test
