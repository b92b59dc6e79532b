// The case's types held against the kernel's: said only where both are certain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "case_files.hpp"

namespace tare::compare::test {
namespace {

using testing::HasSubstr;

class Signature : public testing::Test {
 protected:
  /// What is said of one argument of `type` for a kernel with this text and parameter.
  std::string said(const std::string& parameter, const std::string& type,
                   const std::string& before = "") const {
    return said_of(before + "__global__ void k(" + parameter + ") {}\n", type);
  }
  std::string said_of(const std::string& text, const std::string& type, const std::string& name = "k") const {
    files_.write("k.cu", "// snippet: kernel\n" + text + "// end snippet\n");
    const bool buffer = type.find('*') != std::string::npos;
    return files_.complaint("[kernel]\nfile = \"k.cu\"\nname = \"" + name +
                            "\"\n[values]\nn = 10\n[launch]\nblock = [32]\ncovers = [\"n\"]\n"
                            "[[arguments]]\nname = \"x\"\ntype = \"" +
                            type + "\"\n" +
                            (buffer ? "count = \"n\"\nfill = { constant = 1 }\n" : "value = 1\n"));
  }
  CaseFiles files_;
};

TEST_F(Signature, AnotherTypeIsRefusedWithBothAndTheirLines) {
  EXPECT_EQ(said("float* x", "double*"),
            "k.toml:11: `x` is of type `double*`, but `k` in k.cu:2 takes `float* x` as argument 0");
  EXPECT_EQ(said("float a", "int", "\n\n"),
            "k.toml:11: `x` is of type `int`, but `k` in k.cu:4 takes `float a` as argument 0");
}

TEST_F(Signature, EveryWrongKindOfTheRightSizeIsFound) {
  EXPECT_THAT(said("int x", "unsigned int"), HasSubstr("takes `int x`"));
  EXPECT_THAT(said("int x", "uint32_t"), HasSubstr("takes `int x`"));
  EXPECT_THAT(said("const unsigned char* __restrict__ x", "const bool*"),
              HasSubstr("takes `const unsigned char* __restrict__ x`"));
  EXPECT_THAT(said("__half* x", "nv_bfloat16*"), HasSubstr("takes `__half* x`"));
  EXPECT_THAT(said("size_t n", "const float*"), HasSubstr("takes `size_t n`"));
  EXPECT_THAT(said("const float* x", "size_t"), HasSubstr("takes `const float* x`"));
  EXPECT_THAT(said("float x[16]", "int*"), HasSubstr("takes `float* x`"));
  EXPECT_THAT(said("double x", "float2"), HasSubstr("takes `double x`"));
  EXPECT_THAT(said("long long x", "double"), HasSubstr("takes `long long x`"));
  EXPECT_THAT(said("float4* x", "const int*"), HasSubstr("takes `float4* x`"));
  EXPECT_THAT(said_of("namespace a { __global__ void k(float* x) {} }\n", "double*", "a::k"),
              HasSubstr("takes `float* x`"));
  EXPECT_THAT(said_of("template <class T> __global__ void k(int x) {}\n", "float", "k<char>"),
              HasSubstr("takes `int x`"));
  EXPECT_THAT(said_of("__global__ void k(float*);\n__global__ void k(float* x) {}\n", "double*"),
              HasSubstr("takes `float* x`"));
}

TEST_F(Signature, OtherSpellingsOfTheSameTypeAreTheSame) {
  for (const auto& [parameter, type] :
       std::vector<std::pair<std::string, std::string>>{{"float const* const __restrict__ x", "const float*"},
                                                        {"const float* x", "float*"},
                                                        {"float* x", "const float*"},
                                                        {"unsigned x", "unsigned int"},
                                                        {"long unsigned int x", "size_t"},
                                                        {"unsigned long long x", "size_t"},
                                                        {"std::uint32_t x", "unsigned"},
                                                        {"signed char* x", "char*"},
                                                        {"long long* x", "int64_t*"},
                                                        {"half* x", "__half*"},
                                                        {"float4* x", "float*"},
                                                        {"const float* x", "const float2*"},
                                                        {"volatile int* x", "int*"},
                                                        {"dim3 x", "uint3"}})
    EXPECT_EQ(said(parameter, type), "") << parameter << " and " << type;
}

TEST_F(Signature, WhatMayMeanSomethingElseIsNoMistake) {
  EXPECT_EQ(said("real* x", "double*", "typedef float real;\n"), "");
  EXPECT_EQ(said("half* x", "unsigned*", "typedef unsigned half;\n"), "");
  EXPECT_EQ(said("uint* x", "float*", "using uint = float;\n"), "");
  EXPECT_EQ(said("float* x", "double*", "#define float double\n"), "");
  EXPECT_EQ(said("float3 x", "float", "struct float3 { float v; };\n"), "");
  EXPECT_EQ(said("void* x", "double*"), "");
  EXPECT_EQ(said("ARGUMENTS", "double*", "#define ARGUMENTS float* x\n"), "");
  EXPECT_EQ(said("auto x", "double"), "");
  EXPECT_EQ(said("MyType* x", "double*"), "");
  EXPECT_EQ(said("\n#ifdef D\n double* x\n#else\n float* x\n#endif\n", "double*"), "");
  EXPECT_EQ(said_of("template <class T> __global__ void k(T* x) {}\n", "double*", "k<double>"), "");
  EXPECT_EQ(said_of("template <typename half> __global__ void k(half* x) {}\n", "double*", "k<double>"), "");
  EXPECT_EQ(
      said_of("#ifdef D\n__global__ void k(double* x) {}\n#else\n__global__ void k(float* x) {}\n#endif\n",
              "double*"),
      "");
  EXPECT_EQ(
      said_of("namespace a { __global__ void k(float* x) {} }\n__global__ void k(double* x) {}\n", "double*"),
      "");
}

}  // namespace
}  // namespace tare::compare::test
