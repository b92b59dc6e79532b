// What clang lacks without NVIDIA's software is told from a mistake in the source.
#include "compile/clang_limits.hpp"

#include <gtest/gtest.h>

#include "compile/cuda_names.hpp"

namespace tare::detail {
namespace {

constexpr const char* kNone = "";

TEST(ClangLimits, AreFunctionsThatOnlyNvidiasLibraryHas) {
  EXPECT_EQ(
      limit_of_clang("k.cu:5:10: error: 'expf' is unavailable: it is in NVIDIA's device math library, which "
                     "clang is run without here\n    5 |   x[0] = expf(x[1]);\n      |          ^\n"
                     "./tare_cuda_math.cuh:121:1: note: 'expf' has been explicitly marked unavailable here\n"
                     "1 error generated when compiling for sm_90.\n"),
      "clang runs without NVIDIA's headers and libraries here, and has no `expf` (k.cu:5)");
  EXPECT_EQ(limit_of_clang("k.cu:3:10: error: call to 'exp' is ambiguous\n    3 |   x[1] = exp(q[0]);\n"),
            "clang runs without NVIDIA's headers and libraries here, and has no `exp` (k.cu:3)");
}

TEST(ClangLimits, AreFunctionsThatOurHeaderLacks) {
  EXPECT_EQ(limit_of_clang(
                "k.cu:4:10: error: use of undeclared identifier '__dp4a'\n    4 |   q = __dp4a(a, b, c);\n"
                "k.cu:5:3: error: use of undeclared identifier '__ldcs'; did you mean '__ldg'?\n"
                "    5 |   __ldcs(y);\n"
                "k.cu:9:3: error: use of undeclared identifier '__dp4a'\n    9 |   __dp4a(a, b, c);\n"),
            "clang runs without NVIDIA's headers and libraries here, and has no `__dp4a` (k.cu:4), `__ldcs` "
            "(k.cu:5)");
  EXPECT_EQ(
      limit_of_clang("k.cu:1:3: error: unknown type name 'cudaTextureObject_t'\n"),
      "clang runs without NVIDIA's headers and libraries here, and has no `cudaTextureObject_t` (k.cu:1)");
}

TEST(ClangLimits, AreHeadersOfTheToolkit) {
  EXPECT_EQ(
      limit_of_clang("k.cu:1:10: fatal error: 'cooperative_groups.h' file not found\n    1 | #include "
                     "<cooperative_groups.h>\n"),
      "clang runs without NVIDIA's headers and libraries here, and has no <cooperative_groups.h> (k.cu:1)");
  EXPECT_EQ(limit_of_clang("k.cu:1:10: fatal error: 'mine.h' file not found\n"), kNone);
  EXPECT_EQ(limit_of_clang("k.cu:1:10: fatal error: 'cstdoi' file not found\n"), kNone);
}

TEST(ClangLimits, CountTheNamesThatAreTooManyToTell) {
  std::string log;
  for (const char* name : {"__vadd2", "__vadd4", "__vmaxs2", "__vmaxs4", "__vmins2"})
    log += "k.cu:7:1: error: use of undeclared identifier '" + std::string(name) + "'\n";
  EXPECT_EQ(limit_of_clang(log + "fatal error: too many errors emitted, stopping now [-ferror-limit=]\n"),
            "clang runs without NVIDIA's headers and libraries here, and has no `__vadd2` (k.cu:7), "
            "`__vadd4` (k.cu:7), "
            "`__vmaxs2` (k.cu:7) and 2 more");
}

TEST(ClangLimits, AreNotWhatAnyCompilerRefuses) {
  const std::string limit =
      "k.cu:4:10: error: use of undeclared identifier '__dp4a'\n    4 |   __dp4a(a, b, c);\n";
  ASSERT_NE(limit_of_clang(limit), kNone);
  for (const char* mistake :
       {"k.cu:6:3: error: use of undeclared identifier 'indx'; did you mean 'index'?\n    6 |   x[indx] = "
        "1;\n",
        "k.cu:6:3: error: use of undeclared identifier '__syncthread'\n    6 |   __syncthread();\n",
        "k.cu:6:3: error: expected ';' after expression\n",
        "k.cu:6:3: error: use of undeclared identifier 'norm'\n    6 |   x[i] = norm;\n",
        "k.cu:6:3: error: 'old' is unavailable: use young\n    6 |   old();\n",
        "k.cu:6:3: error: call to 'helper' is ambiguous\n    6 |   helper(1);\n"}) {
    EXPECT_EQ(limit_of_clang(mistake), kNone) << mistake;
    EXPECT_EQ(limit_of_clang(limit + mistake), kNone) << mistake;
    EXPECT_EQ(limit_of_clang(mistake + limit), kNone) << mistake;
  }
  EXPECT_EQ(limit_of_clang(""), kNone);
  EXPECT_EQ(limit_of_clang("k.cu:1:1: warning: unused variable 'error: __dp4a'\n"), kNone);
}

TEST(CudaNames, AreNvidiasAndNobodyElses) {
  for (const char* name :
       {"__dp4a", "__ldcs", "sinpif", "__hfma2", "tex2D", "cudaTextureObject_t", "atomicAdd_block"})
    EXPECT_TRUE(is_cuda_name(name)) << name;
  for (const char* name : {"", "main", "n", "index", "__syncthread", "float", "helper"})
    EXPECT_FALSE(is_cuda_name(name)) << name;
}

}  // namespace
}  // namespace tare::detail
