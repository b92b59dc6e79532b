#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

TEST(Errors, EveryCodeHasItsNameAndAText) {
  const std::vector<std::pair<Result, const char*>> expected = {
#define TARE_ERROR(constant, value, name, text) {value, #name},
#include "cpu/driver/errors.inc"
#undef TARE_ERROR
  };
  EXPECT_EQ(expected.size(), 101u);
  for (const auto& [code, name] : expected) {
    const char* found = nullptr;
    EXPECT_EQ(call("cuGetErrorName", code, &found), 0);
    EXPECT_STREQ(found, name);
    EXPECT_EQ(call("cuGetErrorString", code, &found), 0);
    EXPECT_NE(std::string(found), "");
  }
}

TEST(Errors, AnUnknownCodeIsInvalid) {
  const char* name = "untouched";
  EXPECT_EQ(call("cuGetErrorName", Result{12345}, &name), abi::kInvalidValue);
  EXPECT_EQ(name, nullptr);
  EXPECT_EQ(call("cuGetErrorString", Result{0}, static_cast<const char**>(nullptr)), abi::kInvalidValue);
}

}  // namespace
}  // namespace tare::conformance
