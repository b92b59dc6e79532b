// Finding functions in CUDA C++ and giving the kernel C linkage.
#include "compare/case/snippet.hpp"

#include <gtest/gtest.h>

namespace tare::compare {
namespace {

TEST(Functions, KernelsAreFoundThroughAttributesCommentsAndMacros) {
  const auto functions = find_functions(R"(
#define KERNEL(x) __global__ void x(int a) { \
  }
// __global__ void commented(int a) {}
/* __global__ void also() {} */
const char* text = "__global__ void quoted() {}";
__device__ float table[] = {1.0f, f(2)};
struct P { int x; __device__ int get() const { return x; } };
__device__ inline float helper(float x) { return x * (x + 1); }
__global__ void __launch_bounds__(256, 2)
    attributed(const float* __restrict__ a, /* why not */ float b[], unsigned long long n = 3, P = {}) {
  if (n > 2) { b[0] = a[0]; }
}
)");
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].name, "helper");
  EXPECT_FALSE(functions[0].is_kernel);
  const SourceFunction& kernel = functions[1];
  EXPECT_EQ(kernel.name, "attributed");
  EXPECT_TRUE(kernel.is_kernel);
  EXPECT_EQ(kernel.line, 10);
  ASSERT_EQ(kernel.parameters.size(), 4u);
  EXPECT_EQ(kernel.parameters[0].type, "const float* __restrict__");
  EXPECT_EQ(kernel.parameters[0].name, "a");
  EXPECT_EQ(kernel.parameters[1].type, "float*");
  EXPECT_EQ(kernel.parameters[1].name, "b");
  EXPECT_EQ(kernel.parameters[2].type, "unsigned long long");
  EXPECT_EQ(kernel.parameters[2].name, "n");
  EXPECT_EQ(kernel.parameters[3].type, "P");
  EXPECT_EQ(kernel.parameters[3].name, "");
}

TEST(Functions, TemplatesKeepTheirParameters) {
  const auto functions =
      find_functions("template <class T, int N = 4>\n__global__ void k(Vec<T, N>* v, T x) {}\n");
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0].template_parameters, "class T, int N = 4");
  ASSERT_EQ(functions[0].parameters.size(), 2u);
  EXPECT_EQ(functions[0].parameters[0].name, "v");
  EXPECT_EQ(functions[0].parameters[1].type, "T");
}

TEST(Functions, NamespacesAndLinkageBlocksAreLookedInto) {
  const auto functions = find_functions(
      "namespace a::b { inline namespace c { __global__ void k(void) {} } }\n"
      "extern \"C\" { __global__ void m() {} }\nextern \"C\" __global__ void o();\n");
  ASSERT_EQ(functions.size(), 3u);
  EXPECT_EQ(functions[0].name, "k");
  EXPECT_TRUE(functions[0].parameters.empty());
  EXPECT_FALSE(functions[0].has_c_linkage);
  EXPECT_TRUE(functions[1].has_c_linkage);
  EXPECT_TRUE(functions[2].has_c_linkage);
  EXPECT_FALSE(functions[2].is_definition);
}

TEST(Functions, UnfinishedTextIsSurvived) {
  for (const char* text : {"__global__ void k(", "/* ", "\"", "R\"x(", "template <", "{{{{", "}}}}",
                           "__global__ void k() {", "#define x \\", "= = (", ""}) {
    find_functions(text);
  }
  EXPECT_TRUE(find_functions("__global__ void k(").empty());
}

TEST(CLinkage, IsGivenToEveryDeclarationOfThatKernelAlone) {
  EXPECT_EQ(
      with_c_linkage("__global__ void k();\n__global__ void m() {}\n__global__ void k() {}\n", "k"),
      "extern \"C\" __global__ void k();\n__global__ void m() {}\nextern \"C\" __global__ void k() {}\n");
}

TEST(CLinkage, IsNotGivenTwice) {
  const std::string text = "extern \"C\" __global__ void k() {}\n";
  EXPECT_EQ(with_c_linkage(text, "k"), text);
}

TEST(CLinkage, DisplacesStatic) {
  EXPECT_EQ(with_c_linkage("static __global__ void k() {}\n", "k"), "extern \"C\"  __global__ void k() {}\n");
}

}  // namespace
}  // namespace tare::compare
