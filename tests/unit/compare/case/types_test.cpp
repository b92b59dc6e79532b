// The types that a case can name, and structs laid out from them.
#include "compare/case/types.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "case_files.hpp"
#include "compare/case/complaint.hpp"

namespace tare::compare::test {
namespace {

using Kind = ElementType::Kind;

struct Sized {
  const char* name;
  std::size_t size, alignment, lanes;
  Kind kind;
};

// From the tables of CUDA's programming guide (built-in vector types) and the C++ ABI of 64-bit Linux.
const Sized kSizes[] = {
    {"bool", 1, 1, 1, Kind::boolean},
    {"char", 1, 1, 1, Kind::signed_integer},
    {"unsigned char", 1, 1, 1, Kind::unsigned_integer},
    {"short", 2, 2, 1, Kind::signed_integer},
    {"int", 4, 4, 1, Kind::signed_integer},
    {"long", 8, 8, 1, Kind::signed_integer},
    {"long long", 8, 8, 1, Kind::signed_integer},
    {"size_t", 8, 8, 1, Kind::unsigned_integer},
    {"float", 4, 4, 1, Kind::floating},
    {"double", 8, 8, 1, Kind::floating},
    {"__half", 2, 2, 1, Kind::half},
    {"__half2", 4, 4, 2, Kind::half},
    {"__nv_bfloat16", 2, 2, 1, Kind::bfloat16},
    {"uchar4", 4, 4, 4, Kind::unsigned_integer},
    {"char3", 3, 1, 3, Kind::signed_integer},
    {"short3", 6, 2, 3, Kind::signed_integer},
    {"int2", 8, 8, 2, Kind::signed_integer},
    {"int3", 12, 4, 3, Kind::signed_integer},
    {"float2", 8, 8, 2, Kind::floating},
    {"float3", 12, 4, 3, Kind::floating},
    {"float4", 16, 16, 4, Kind::floating},
    {"double2", 16, 16, 2, Kind::floating},
    {"double3", 24, 8, 3, Kind::floating},
    {"double4", 32, 16, 4, Kind::floating},
    {"double4_32a", 32, 32, 4, Kind::floating},
    {"longlong2", 16, 16, 2, Kind::signed_integer},
    {"dim3", 12, 4, 3, Kind::unsigned_integer},
};

TEST(Types, HaveTheDevicesSizesAndAlignments) {
  for (const Sized& each : kSizes) {
    const ElementType element = parse_type(each.name).element;
    EXPECT_EQ(element.size, each.size) << each.name;
    EXPECT_EQ(element.alignment, each.alignment) << each.name;
    EXPECT_EQ(element.lanes, each.lanes) << each.name;
    EXPECT_EQ(element.kind, each.kind) << each.name;
  }
}

TEST(Types, WordsOfAnIntegerTypeComeInAnyOrder) {
  EXPECT_EQ(parse_type("long unsigned int").element.name, "unsigned long");
  EXPECT_EQ(parse_type("int long long").element.name, "long long");
  EXPECT_EQ(parse_type("unsigned").element.name, "unsigned int");
  EXPECT_EQ(parse_type("signed").element.name, "int");
  EXPECT_EQ(parse_type("short signed int").element.name, "short");
  EXPECT_EQ(parse_type("char unsigned").element.name, "unsigned char");
  EXPECT_EQ(parse_type("std::uint32_t").element.name, "uint32_t");
  EXPECT_EQ(parse_type("half").element.name, "__half");
}

TEST(Types, PointersMayBeConstAndRestrictInEveryPlace) {
  for (const char* text : {"const float*", "float const *", "const float *__restrict__", "const float* const",
                           "const float* __restrict"}) {
    const TypeSpelling type = parse_type(text);
    EXPECT_TRUE(type.is_pointer && type.is_const) << text;
    EXPECT_EQ(type.element.name, "float") << text;
  }
  EXPECT_FALSE(parse_type("float* const").is_const);
  EXPECT_TRUE(parse_type("float* const").is_pointer);
  EXPECT_FALSE(parse_type("const int").is_pointer);
}

TEST(Types, ThatCannotBeGivenAreRefused) {
  for (const char* text : {"float**", "float&", "unsigned float", "long long long", "long char", "void*", "",
                           "*", "short long", "signed unsigned", "float* x", "__restrict__ float"}) {
    EXPECT_THROW(parse_type(text), Complaint) << text;
  }
}

/// The bytes of the one argument `x`.
std::vector<std::byte> bytes(const std::string& type, const std::string& value) {
  CaseFiles files;
  files.write("k.cu", kKernel);
  return files.job(with_scalar(type, value)).arguments.at(0).value;
}

template <class T>
T as(const std::vector<std::byte>& from, std::size_t offset = 0) {
  T value{};
  EXPECT_LE(offset + sizeof value, from.size());
  if (offset + sizeof value <= from.size()) std::memcpy(&value, from.data() + offset, sizeof value);
  return value;
}

TEST(Scalars, AreConvertedToTheParametersOwnType) {
  EXPECT_EQ(as<float>(bytes("float", "value = 2")), 2.0f);
  EXPECT_EQ(as<float>(bytes("float", "value = 0.1")), 0.1f);
  EXPECT_EQ(as<double>(bytes("double", "value = 0.1")), 0.1);
  EXPECT_EQ(as<std::int8_t>(bytes("char", "value = -128")), -128);
  EXPECT_EQ(as<std::uint16_t>(bytes("unsigned short", "value = 65535")), 65535);
  EXPECT_EQ(as<std::int64_t>(bytes("long long", "value = -9223372036854775808")), INT64_MIN);
  EXPECT_EQ(as<std::uint32_t>(bytes("unsigned", "value = \"n * 2\"")), 2000u);
  EXPECT_EQ(as<float>(bytes("float", "value = \"n / 4\"")), 250.0f);
  EXPECT_EQ(as<int>(bytes("int", "value = 3.0")), 3);
}

TEST(Scalars, OfSixteenBitsKeepTheirPattern) {
  EXPECT_EQ(as<std::uint16_t>(bytes("__half", "value = 1.5")), 0x3e00);
  EXPECT_EQ(as<std::uint16_t>(bytes("__half", "value = -0.0")), 0x8000);
  EXPECT_EQ(as<std::uint16_t>(bytes("__half", "value = 5.9604644775390625e-8")), 0x0001);
  EXPECT_EQ(as<std::uint16_t>(bytes("__half", "value = inf")), 0x7c00);
  EXPECT_EQ(as<std::uint16_t>(bytes("__half", "bits = \"0x7e01\"")), 0x7e01);
  EXPECT_EQ(as<std::uint16_t>(bytes("__half", "value = 65504.0")), 0x7bff);
  EXPECT_EQ(as<std::uint16_t>(bytes("__nv_bfloat16", "value = 1.5")), 0x3fc0);
  EXPECT_EQ(as<std::uint16_t>(bytes("__nv_bfloat16", "bits = \"0xffc1\"")), 0xffc1);
}

TEST(Scalars, BoolIsZeroOrOne) {
  EXPECT_EQ(bytes("bool", "value = true"), std::vector<std::byte>{std::byte{1}});
  EXPECT_EQ(bytes("bool", "value = 0"), std::vector<std::byte>{std::byte{0}});
  EXPECT_THROW(bytes("bool", "value = 2"), CaseError);
  EXPECT_THROW(bytes("bool", "bits = \"0x2\""), CaseError);
}

TEST(Scalars, ThatWouldChangeAreRefused) {
  EXPECT_THROW(bytes("unsigned", "value = -1"), CaseError);
  EXPECT_THROW(bytes("int", "value = 2147483648"), CaseError);
  EXPECT_THROW(bytes("int", "value = 0.1"), CaseError);
  EXPECT_THROW(bytes("float", "value = 1e39"), CaseError);
  EXPECT_THROW(bytes("float", "value = true"), CaseError);
  EXPECT_THROW(bytes("__half", "value = 65536.0"), CaseError);
  EXPECT_THROW(bytes("__half", "value = 2049"), CaseError);
  EXPECT_THROW(bytes("double", "value = 9007199254740993"), CaseError);
}

TEST(Scalars, VectorsTakeAValueForEachLane) {
  const auto v = bytes("float3", "value = [1.5, 2, { bits = \"0x40600000\" }]");
  EXPECT_EQ(v.size(), 12u);
  EXPECT_EQ(as<float>(v, 0), 1.5f);
  EXPECT_EQ(as<float>(v, 4), 2.0f);
  EXPECT_EQ(as<float>(v, 8), 3.5f);
  EXPECT_EQ(as<std::int16_t>(bytes("short4", "value = -2"), 6), -2);
  EXPECT_THROW(bytes("float3", "value = [1, 2]"), CaseError);
}

TEST(Structs, AreLaidOutByCsRules) {
  const Job job = Case::load(std::filesystem::path(TARE_SOURCE_DIR) / "tests/data/cases/structs.toml").job();
  EXPECT_EQ(job.kernel_name, "spread<double, 3>");
  const JobArgument &p = job.arguments[1], &q = job.arguments[2], &o = job.arguments[5];
  EXPECT_EQ(p.element.size, 24u);
  EXPECT_EQ(p.element.alignment, 8u);
  ASSERT_EQ(p.value.size(), 24u);
  EXPECT_EQ(as<char>(p.value, 0), 7);
  EXPECT_EQ(as<double>(p.value, 8), 0.1);
  EXPECT_EQ(as<short>(p.value, 16), -300);
  EXPECT_EQ(q.element.size, 16u);
  EXPECT_EQ(q.element.alignment, 16u);
  EXPECT_EQ(as<float>(q.value, 8), 3.5f);
  EXPECT_EQ(as<std::uint32_t>(q.value, 12), 0u);
  EXPECT_EQ(o.element.size, 32u);
  EXPECT_EQ(as<short>(o.value, 4), 3);
  EXPECT_EQ(as<double>(o.value, 16), -4.0);
  EXPECT_EQ(as<short>(o.value, 24), 1000);
}

TEST(Structs, OfOneKindWithoutPaddingAreLanes) {
  const std::string three =
      "fields = [{ name = \"x\", type = \"float\", value = 1.0 }, { name = \"y\", type = \"float\", count = "
      "2 }]";
  CaseFiles files;
  files.write("k.cu", kKernel);
  const ElementType packed = files.job(with_scalar("struct P", three)).arguments[0].element;
  EXPECT_EQ(packed.kind, Kind::floating);
  EXPECT_EQ(packed.lanes, 3u);
  const ElementType padded = files.job(with_scalar("struct P", three + "\nalign = 16")).arguments[0].element;
  EXPECT_EQ(padded.kind, Kind::aggregate);
  EXPECT_EQ(padded.size, 16u);
  EXPECT_EQ(padded.lanes, 1u);
}

TEST(Structs, MistakesInFieldsHaveTheFieldsLine) {
  CaseFiles files;
  files.write("k.cu", kKernel);
  EXPECT_EQ(files.complaint(with_scalar("struct P", "fields = [\n{ name = \"x\", type = \"flot\" }]")),
            "k.toml:13: unknown type `flot`; did you mean `float`?");
  EXPECT_EQ(
      files.complaint(with_scalar("struct P", "fields = [\n{ name = \"x\", type = \"char\", value = 300 }]")),
      "k.toml:13: 300 does not fit in `char`");
  EXPECT_EQ(files.complaint(with_scalar("struct P", "fields = [\n{ name = \"x\", type = \"float*\" }]")),
            "k.toml:13: field `x`: a pointer inside a struct cannot be given");
  EXPECT_EQ(files.complaint(with_scalar("struct P", "align = 16")),
            "k.toml:9: `fields` is missing in [[arguments]]: a struct is given by its fields");
  EXPECT_EQ(files.complaint(with_scalar("int", "value = 1\nalign = 16")),
            "k.toml:13: `align` is for structs; `x` is of type `int`");
}

}  // namespace
}  // namespace tare::compare::test
