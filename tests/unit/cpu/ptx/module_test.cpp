// The head of a module, functions and their directives, parameters, and what debuggers read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/ptx/parse_helpers.hpp"

namespace tare::cpu::ptx {
namespace {

using testing::ElementsAre;

TEST(PtxHead, VersionTargetAndOptionsAreKept) {
  const Module module = parsed(".version 8.5\n.target sm_90a, debug\n.address_size 64\n");
  EXPECT_EQ(module.version_major, 8);
  EXPECT_EQ(module.version_minor, 5);
  EXPECT_EQ(module.target, "sm_90a");
  EXPECT_EQ(module.target_sm, 90);
  EXPECT_EQ(module.target_options, "debug");
  EXPECT_EQ(module.address_size, 64);
}

TEST(PtxHead, ANewerVersionIsUnsupported) {
  const auto result = parse(".version 9.9\n.target sm_90\n");
  const auto& error = std::get<ParseError>(result);
  EXPECT_EQ(error.code, ParseError::Code::unsupported_version);
  EXPECT_EQ(error.line, 1u);
  EXPECT_EQ(error.message, "Unsupported .version 9.9; current version is '9.0'");
}

TEST(PtxHead, ATargetAboveTheDeviceHasNoBinary) {
  const auto result = parse("\n.version 9.0\n.target sm_100\n.address_size 64\n");
  const auto& error = std::get<ParseError>(result);
  EXPECT_EQ(error.code, ParseError::Code::no_binary_for_gpu);
  EXPECT_EQ(error.line, 3u);
  EXPECT_EQ(error.message, "SM version specified by .target 'sm_100' is higher than the device's, sm_90");
}

TEST(PtxHead, AnArchitectureSpecificTargetRunsOnItsOwnDeviceAlone) {
  const std::string text = ".version 8.5\n.target sm_90a\n.address_size 64\n";
  EXPECT_EQ(refusal(text), "accepted");
  ParseOptions newer;
  newer.compute_capability = 100;
  EXPECT_EQ(refusal(text, newer),
            "2: PTX with .target 'sm_90a' cannot be compiled for architecture 'sm_100'");
}

TEST(PtxHead, EveryDefectHasItsMessage) {
  EXPECT_EQ(refusal(""), "1: Missing .version directive at start of file");
  EXPECT_EQ(refusal("\n\n.target sm_90"), "3: Missing .version directive at start of file");
  EXPECT_EQ(refusal(".version abc"), "1: Missing .version directive at start of file");
  EXPECT_EQ(refusal(".version 8"), "1: Missing .version directive at start of file");
  EXPECT_EQ(refusal(".version 8.0\n.entry k() { ret; }"), "2: Missing .target directive at start of file");
  EXPECT_EQ(refusal(".version 8.0\n.target debug"), "2: Target architecture not defined at start of file");
  EXPECT_EQ(refusal(".version 8.0\n.target sm_91"),
            "2: SM version specified by .target 'sm_91' is higher than the device's, sm_90");
  EXPECT_EQ(refusal(".version 8.0\n.target sm_81"), "2: Unsupported .target 'sm_81'");
  EXPECT_EQ(refusal(".version 8.0\n.target foo"), "2: Unsupported .target 'foo'");
  EXPECT_EQ(refusal(".version 6.0\n.target sm_90"), "2: PTX .version 6.0 does not support .target sm_90");
  EXPECT_EQ(refusal(".version 8.0\n.target sm_90\n.address_size 32"),
            "3: 32-Bit ABI (32-Bit addressing) is not supported");
  EXPECT_EQ(refusal(".version 8.0\n.target sm_90\n.address_size 16"),
            "3: Illegal value for .address_size directive (must be 32 or 64)");
  EXPECT_EQ(refusal(kHead + ".foo\n"), "4: Parsing error near '.foo': syntax error");
}

TEST(PtxHead, TrailingNulBytesAreTheEndOfTheText) {
  EXPECT_EQ(refusal(kHead + std::string(3, '\0')), "accepted");
  EXPECT_EQ(refusal(kHead + std::string(1, '\0') + ".global .u32 x;"),
            "4: Parsing error: unexpected byte 0x00");
}

TEST(PtxFunction, ParametersAreLaidOutAtTheirAlignment) {
  const Module module = parsed(kHead + R"(
.visible .entry k(
  .param .u8 a,
  .param .u64 .ptr .global .align 16 b,
  .param .align 4 .b8 c[6],
  .param .u16 d,
  .param .align 16 .b8 e[3],
  .param .v4 .f32 f
)
{ ret; })");
  ASSERT_EQ(module.functions.size(), 1u);
  const Function& k = module.functions[0];
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint64_t> sizes;
  for (const Variable& parameter : k.parameters) {
    offsets.push_back(parameter.offset);
    sizes.push_back(parameter.size);
  }
  EXPECT_THAT(offsets, ElementsAre(0, 8, 16, 22, 32, 48));
  EXPECT_THAT(sizes, ElementsAre(1, 8, 6, 2, 3, 16));
  EXPECT_EQ(k.parameter_bytes, 64u);
  EXPECT_TRUE(k.parameters[1].is_pointer);
  EXPECT_EQ(k.parameters[1].pointer_space, Space::global);
  EXPECT_EQ(k.parameters[1].pointer_alignment, 16u);
  EXPECT_TRUE(k.parameters[2].is_array);
  EXPECT_EQ(k.parameters[2].alignment, 4u);
  EXPECT_EQ(k.parameters[0].space, Space::param);
  EXPECT_EQ(k.parameters[0].type, Type::u8);
}

TEST(PtxFunction, PerformanceDirectivesAreKept) {
  const Module module = parsed(kHead + R"(
.visible .entry k() .maxntid 256, 2 .minnctapersm 3 .maxnreg 64 .reqnctapercluster 2, 1, 1 .pragma "nounroll";
{ ret; }
.weak .entry r() .reqntid 32 { ret; }
.func (.param .b32 v) f(.param .b64 x) .noreturn { ret; })");
  const Function& k = module.functions[0];
  EXPECT_THAT(k.maxntid, ElementsAre(256u, 2u, 1u));
  EXPECT_EQ(k.minnctapersm, 3u);
  EXPECT_EQ(k.maxnreg, 64u);
  EXPECT_THAT(k.reqnctapercluster, ElementsAre(2u, 1u, 1u));
  EXPECT_TRUE(k.is_entry && k.is_visible && !k.is_weak);
  EXPECT_THAT(module.functions[1].reqntid, ElementsAre(32u, 1u, 1u));
  EXPECT_TRUE(module.functions[1].is_weak);
  EXPECT_TRUE(module.functions[2].is_noreturn);
  EXPECT_EQ(module.functions[2].returns[0].name, "v");
  EXPECT_EQ(module.find_entry("r"), &module.functions[1]);
  EXPECT_EQ(module.find_entry("f"), nullptr);
}

TEST(PtxFunction, ADeclarationAndItsDefinitionAreOneFunction) {
  const Module module = parsed(kHead + R"(
.extern .func (.param .b32 r) f(.param .b64 a);
.func g() { .reg .b32 %x; .param .b64 a; .param .b32 r; call (r), f, (a); ret; }
.visible .func (.param .b32 r) f(.param .b64 a) { ret; }
.extern .func h();)");
  ASSERT_EQ(module.functions.size(), 3u);
  EXPECT_EQ(module.functions[0].name, "f");
  EXPECT_FALSE(module.functions[0].is_extern);
  EXPECT_EQ(module.functions[0].body.size(), 1u);
  EXPECT_TRUE(module.functions[0].is_visible);
  EXPECT_TRUE(module.functions[2].is_extern);
  EXPECT_EQ(module.functions[1].body[0].operands[1].symbol, 0u);
}

TEST(PtxFunction, RegisterParametersAreRegisters) {
  const Module module = parsed(kHead + ".func (.reg .u32 v) f(.reg .u32 a) { add.u32 v, a, 1; ret; }");
  const Function& f = module.functions[0];
  EXPECT_EQ(f.returns[0].reg, 0u);
  EXPECT_EQ(f.parameters[0].reg, 1u);
  EXPECT_EQ(f.parameters[0].space, Space::reg);
  EXPECT_EQ(f.body[0].operands[0].id, 0u);
  EXPECT_EQ(f.body[0].operands[1].id, 1u);
  EXPECT_EQ(f.registers[1].name, "a");
}

TEST(PtxFunction, AliasNamesAnotherFunction) {
  const Module module = parsed(kHead + ".func f() { ret; }\n.visible .func g();\n.alias g, f;");
  EXPECT_EQ(module.functions[1].alias_of, 0u);
  EXPECT_EQ(refusal(kHead + ".func f() { ret; }\n.alias g, f;"), "5: Unknown symbol 'g'");
}

TEST(PtxFunction, DefectsOfHeadsHaveTheirMessages) {
  EXPECT_EQ(refusal(kHead + ".entry k() { ret; }\n.entry k() { ret; }"),
            "5: Duplicate definition of function 'k'");
  EXPECT_EQ(refusal(kHead + ".entry k(.param .u32 a, .param .u32 a) { ret; }"),
            "4: Duplicate definition of variable 'a'");
  EXPECT_EQ(refusal(kHead + ".entry k(.param .u32 a) { .reg .b32 a; ret; }"),
            "4: Duplicate definition of variable 'a'");
  EXPECT_EQ(refusal(kHead + ".func f(.param .b32 a);\n.func f(.param .b64 a) { ret; }"),
            "5: Inconsistent prototypes of 'f', parameter types differ");
  EXPECT_EQ(refusal(kHead + ".entry k(.reg .u32 a) { ret; }"),
            "4: Entry parameter 'a' must have .param state space");
  EXPECT_EQ(refusal(kHead + ".entry k(.param .u32 a[]) { ret; }"),
            "4: Parameter to entry function cannot be an incomplete array.");
  EXPECT_EQ(refusal(kHead + ".entry k(.param .b8 a[32765]) { ret; }"),
            "4: Entry function 'k' uses too much parameter space (0x7ffd bytes, 0x7ffc max).");
  EXPECT_EQ(refusal(".version 8.0\n.target sm_90\n.entry k(.param .b8 a[4353]) { ret; }"),
            "3: Entry function 'k' uses too much parameter space (0x1101 bytes, 0x1100 max).");
  EXPECT_EQ(refusal(kHead + ".entry k() .maxntid 256 .reqntid 64 { ret; }"),
            "4: Conflicting directives: .maxntid and .reqntid cannot both be specified");
  EXPECT_EQ(refusal(kHead + ".entry k() .foo 1 { ret; }"), "4: Parsing error near '.foo': syntax error");
  EXPECT_EQ(refusal(kHead + ".entry k"), "4: Parsing error near '': syntax error");
  EXPECT_EQ(refusal(kHead + ".entry k() { ret;"), "4: Parsing error near '': syntax error");
  EXPECT_EQ(refusal(kHead + ".entry k() { ret; } }"), "4: Parsing error near '}': syntax error");
}

TEST(PtxDebug, LocationsReachTheInstructionsThatFollow) {
  const Module module = parsed(kHead + R"(
.entry k() {
  ret;
  .loc 7 42 3
  ret;
  .loc 2 5 1, function_name $L__info_string0, inlined_at 7 43 2
  ret;
}
.file 2 "b.h"
.file 7 "a.cu", 1234, 99
.section .debug_str { $L__info_string0: .b8 95,90,0 { .b32 .debug_line } }
.section .debug_loc { }
)");
  const std::vector<Instruction>& body = module.functions[0].body;
  EXPECT_EQ(body[0].source_line, 0u);
  EXPECT_EQ(body[0].source_file, kNoId);
  EXPECT_EQ(body[1].source_line, 42u);
  EXPECT_EQ(module.files[body[1].source_file], "a.cu");
  EXPECT_EQ(body[2].source_line, 5u);
  EXPECT_EQ(module.files[body[2].source_file], "b.h");
}

TEST(PtxDebug, PragmasAndCommentsSayNothing) {
  const Module module = parsed(
      "// first\n/* a\n comment */ .version 8.5\n.target sm_90 // here\n.pragma \"nounroll\";\n"
      ".entry k() { .pragma \"used_bytes_mask 0xff\", \"x\"; /* mid */ ret /* late */; }\n");
  ASSERT_EQ(module.functions[0].body.size(), 1u);
  EXPECT_EQ(module.functions[0].body[0].line, 6u);
}

}  // namespace
}  // namespace tare::cpu::ptx
