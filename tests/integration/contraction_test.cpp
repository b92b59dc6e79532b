// One multiplication and one addition whose rounding tells whether they were contracted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "integration/support.hpp"

namespace tare::test {
namespace {

using ::testing::HasSubstr;

// a * b is 1 + 2^-11 + 2^-24, which rounds to 1 + 2^-11: nothing is left after c, or 2^-24 where it is fused.
TEST(Contraction, ShowsByItsExactBitsAndNotUnderTheStrictContract) {
  Scratch scratch;
  std::ofstream(scratch.path() / "k.cu")
      << "// snippet: kernel\n__global__ void k(float* o, float a, float b, float c) { o[0] = a * b + c; }\n"
         "// end snippet\n// snippet: reference\nvoid reference(float* o, float a, float b, float c) { o[0] "
         "= a * b "
         "+ c; }\n// end snippet\n";
  std::ofstream toml(scratch.path() / "k.toml");
  toml << "[kernel]\nfile = \"k.cu\"\nname = \"k\"\n[launch]\nblock = [1]\ngrid = [1]\n"
          "[[arguments]]\nname = \"o\"\ntype = \"float*\"\ncount = 1\ncheck = \"bits\"\n";
  for (const auto& [name, bits] :
       {std::pair("a", "0x3f800800"), std::pair("b", "0x3f800800"), std::pair("c", "0xbf801000")})
    toml << "[[arguments]]\nname = \"" << name << "\"\ntype = \"float\"\nbits = \"" << bits << "\"\n";
  toml.close();
  const std::vector<std::string> rows{scratch.path() / "k.toml", "--rows", "nvrtc,nvcc,clang", "--fp"};
  const auto with = [&](const char* fp) {
    std::vector<std::string> arguments = rows;
    arguments.emplace_back(fp);
    return compare(scratch, arguments);
  };
  const Ran contracted = with("default"), strict = with("strict");
  EXPECT_EQ(contracted.code, 1) << contracted.out << contracted.err;
  EXPECT_EQ(strict.code, 0) << strict.out << strict.err;
  EXPECT_EQ(row_of(strict.record, "cold", "clang")["status"], "ok");
  for (const json& row : contracted.record["passes"][1]["rows"]) {
    if (row["status"] == "skipped") continue;
    EXPECT_EQ(row["status"], "wrong") << row["row"];
    EXPECT_THAT(row["bits"]["got"].get<std::string>(), HasSubstr("0x33800000")) << row["row"];
    EXPECT_THAT(row["bits"]["want"].get<std::string>(), HasSubstr("0x00000000")) << row["row"];
  }
}

}  // namespace
}  // namespace tare::test
