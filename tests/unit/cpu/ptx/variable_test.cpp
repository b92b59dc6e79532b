// Variables of every space, their sizes, and initialisers down to the bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "unit/cpu/ptx/parse_helpers.hpp"

namespace tare::cpu::ptx {
namespace {

using testing::ElementsAre;

std::vector<int> bytes(const Variable& variable) {
  std::vector<int> made;
  for (const std::byte b : variable.initial) made.push_back(static_cast<int>(b));
  return made;
}

template <class T>
std::vector<T> values(const Variable& variable) {
  std::vector<T> made(variable.initial.size() / sizeof(T));
  std::memcpy(made.data(), variable.initial.data(), made.size() * sizeof(T));
  return made;
}

Variable only(const std::string& declaration) {
  Module module = parsed(kHead + declaration);
  return module.variables.empty() ? Variable{} : module.variables.back();
}

TEST(PtxVariable, SpaceTypeSizeAndAlignmentAreRead) {
  const Module module = parsed(kHead + R"(
.visible .global .align 16 .b8 a[10];
.const .f64 b;
.extern .shared .align 128 .b8 c[];
.weak .global .v4 .f32 d[2];
.common .global .u16 e, f[3][5];
.global .attribute(.managed) .u32 g;
.global .texref t;
.extern .global .u32 h[];)");
  const std::vector<Variable>& v = module.variables;
  ASSERT_EQ(v.size(), 9u);
  EXPECT_TRUE(v[0].is_visible && v[0].is_array);
  EXPECT_EQ(v[0].size, 10u);
  EXPECT_EQ(v[0].alignment, 16u);
  EXPECT_EQ(v[0].space, Space::global);
  EXPECT_EQ(v[1].space, Space::constant);
  EXPECT_EQ(v[1].size, 8u);
  EXPECT_EQ(v[1].alignment, 8u);
  EXPECT_TRUE(v[2].is_extern && v[2].is_array);
  EXPECT_EQ(v[2].size, 0u);
  EXPECT_EQ(v[2].alignment, 128u);
  EXPECT_TRUE(v[3].is_weak);
  EXPECT_EQ(v[3].size, 32u);
  EXPECT_EQ(v[3].alignment, 16u);
  EXPECT_TRUE(v[4].is_common);
  EXPECT_EQ(v[5].name, "f");
  EXPECT_EQ(v[5].size, 30u);
  EXPECT_TRUE(v[6].is_managed);
  EXPECT_EQ(v[7].type, Type::texref);
  EXPECT_EQ(v[8].line, 12u);
}

TEST(PtxVariable, IntegerInitialisersAreLittleEndianBytes) {
  EXPECT_THAT(bytes(only(".global .u16 x[4] = {1, 0x203, -2};")), ElementsAre(1, 0, 3, 2, 0xfe, 0xff));
  EXPECT_EQ(only(".global .u16 x[4] = {1};").size, 8u);
  EXPECT_THAT(values<std::uint32_t>(only(".const .b32 x = 0b1011;")), ElementsAre(11));
  EXPECT_THAT(values<std::uint64_t>(only(".global .u64 x = 0xffffffffffffffffU;")), ElementsAre(~0ull));
  EXPECT_THAT(values<std::int32_t>(only(".global .s32 x[2] = {(1 + 2) * 3 - 1, 017};")), ElementsAre(8, 15));
}

TEST(PtxVariable, RealInitialisersKeepTheirBits) {
  EXPECT_THAT(values<float>(only(".global .f32 x[3] = {1.5, 0f40490FDB, -2e3};")),
              ElementsAre(1.5f, 3.14159274f, -2000.0f));
  EXPECT_THAT(values<double>(only(".global .f64 x[2] = {0d3FF8000000000000, 0.1};")), ElementsAre(1.5, 0.1));
}

TEST(PtxVariable, NestedBracesFillRowsAndLeaveTheRestZero) {
  const Variable x = only(".global .b8 x[3][4] = {{1, 2}, {3}, {4, 5, 6, 7}};");
  EXPECT_THAT(bytes(x), ElementsAre(1, 2, 0, 0, 3, 0, 0, 0, 4, 5, 6, 7));
  EXPECT_THAT(values<float>(only(".global .v2 .f32 x[2] = {{1.0, 2.0}, {3.0, 4.0}};")),
              ElementsAre(1.f, 2.f, 3.f, 4.f));
}

TEST(PtxVariable, AnUnsizedArrayTakesItsSizeFromItsInitialiser) {
  const Variable x = only(".global .u32 x[] = {5, 6, 7};");
  EXPECT_EQ(x.size, 12u);
  EXPECT_TRUE(x.is_array);
}

TEST(PtxVariable, AddressesInInitialisersAreRelocations) {
  const Variable x = only(R"(
.func f() { ret; }
.global .u32 a[4];
.global .u64 x[4] = {a, generic(a)+8, f, a-4};)");
  ASSERT_EQ(x.relocations.size(), 4u);
  EXPECT_EQ(x.relocations[0].symbol, "a");
  EXPECT_EQ(x.relocations[0].size, 8u);
  EXPECT_FALSE(x.relocations[0].generic);
  EXPECT_EQ(x.relocations[1].offset, 8u);
  EXPECT_EQ(x.relocations[1].addend, 8);
  EXPECT_TRUE(x.relocations[1].generic);
  EXPECT_EQ(x.relocations[2].symbol, "f");
  EXPECT_EQ(x.relocations[3].addend, -4);
  EXPECT_EQ(x.initial.size(), 32u);
}

TEST(PtxVariable, AMaskPicksAByteOfAnAddress) {
  const Variable x =
      only(".global .u32 a;\n.global .u8 x[3] = {0xff(a), 0xff00(generic(a)), 0xFF000000(a)};");
  ASSERT_EQ(x.relocations.size(), 3u);
  EXPECT_EQ(x.relocations[0].shift, 0u);
  EXPECT_EQ(x.relocations[1].shift, 8u);
  EXPECT_TRUE(x.relocations[1].generic);
  EXPECT_EQ(x.relocations[2].shift, 24u);
  EXPECT_EQ(x.relocations[2].size, 1u);
  EXPECT_EQ(x.relocations[2].offset, 2u);
}

TEST(PtxVariable, AnExternDeclarationIsCompletedByADefinition) {
  const Module module = parsed(kHead + ".extern .global .u32 x[];\n.visible .global .u32 x[3] = {7};");
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_FALSE(module.variables[0].is_extern);
  EXPECT_EQ(module.variables[0].size, 12u);
}

TEST(PtxVariable, BodiesHoldSharedLocalAndParameterVariables) {
  const Function k =
      kernel_of(".shared .align 8 .b8 s[24]; .local .f32 l[4]; { .param .b64 a; .param .align 4 .b8 b[6]; }");
  ASSERT_EQ(k.variables.size(), 4u);
  EXPECT_EQ(k.variables[0].space, Space::shared);
  EXPECT_EQ(k.variables[0].size, 24u);
  EXPECT_EQ(k.variables[1].space, Space::local);
  EXPECT_EQ(k.variables[1].size, 16u);
  EXPECT_EQ(k.variables[3].space, Space::param);
  EXPECT_EQ(k.variables[3].alignment, 4u);
}

TEST(PtxVariable, DefectsHaveTheirMessages) {
  const auto of = [](const std::string& text) { return refusal(kHead + text); };
  EXPECT_EQ(of(".global .u32 x;\n.global .u32 x;"), "5: Duplicate definition of variable 'x'");
  EXPECT_EQ(of(".global .u32 x[2] = {1, 2, 3};"), "4: Greater number of elements in array initializer");
  EXPECT_EQ(of(".global .b8 x[2][2] = {1, 2, 3, 4};"), "4: Greater number of elements in array initializer");
  EXPECT_EQ(of(".global .f32 x = 1;"), "4: Initial value type mismatch");
  EXPECT_EQ(of(".global .u32 x = 1.0;"), "4: Initial value type mismatch");
  EXPECT_EQ(of(".global .u64 x = y;"), "4: Invalid initial value symbol 'y'");
  EXPECT_EQ(of(".global .u64 x = x;"), "4: Invalid initial value symbol 'x'");
  EXPECT_EQ(of(".shared .u32 x = 1;"), "4: No initial value is allowed for 'x' in this state space");
  EXPECT_EQ(of(".global .align 3 .u32 x;"), "4: Alignment must be a power of two");
  EXPECT_EQ(of(".shared .b8 x[];"), "4: Non-external variable 'x' has incomplete type");
  EXPECT_EQ(of(".reg .b32 x;"), "4: Module-scoped variables in .reg state space are not allowed with ABI");
  EXPECT_EQ(of(".extern .global .u32 x;\n.global .u32 x;"),
            "5: '.extern' variable 'x' cannot be resolved by a '.static'");
  EXPECT_EQ(of(".global .u32 x[4000000000][4000000000];"), "4: Array size is too large");
  EXPECT_EQ(of(".global .b8 x[2][4000000000] = {{1}, {2}};"), "4: Initializer is too large");
  EXPECT_EQ(of(".global .u32 x = 99999999999999999999;"), "4: Constant overflow");
  EXPECT_EQ(of(".global .u32 x = 1 / 0;"), "4: Division by zero in constant expression");
  EXPECT_EQ(of(".global .u8 x[1] = {0xf0(x)};"), "4: Invalid initial value symbol 'x'");
  EXPECT_EQ(of(".global .u32 x = " + std::string(100000, '(') + "1;"),
            "4: Constant expression is nested too deeply");
  EXPECT_EQ(of(".global .u32 x = " + std::string(100000, '-') + "1;"),
            "4: Constant expression is nested too deeply");
}

}  // namespace
}  // namespace tare::cpu::ptx
