#include "driver/cpu_query.hpp"

#include <gtest/gtest.h>

namespace {

using tare::detail::takes_ptx_only;

TEST(CpuQuery, CodePtxAloneMeansPtxOnly) {
  EXPECT_TRUE(takes_ptx_only(R"({"name":"tare CPU device","version":"0.1.0","code":["ptx"],"ptx":"9.0"})"));
}

TEST(CpuQuery, OtherCodeBesidePtxMeansNotPtxOnly) {
  EXPECT_FALSE(takes_ptx_only(R"({"code":["ptx","cubin"]})"));
}

TEST(CpuQuery, TextThatIsNoAnswerMeansNotPtxOnly) {
  for (const char* text : {"", "ptx", "[]", "{}", R"({"code":"ptx"})", R"({"code":[)"})
    EXPECT_FALSE(takes_ptx_only(text)) << text;
}

}  // namespace
