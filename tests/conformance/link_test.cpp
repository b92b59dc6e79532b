// cuLink: several PTX texts to one, by their names.
#include <filesystem>
#include <fstream>

#include <array>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

class Linking : public WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    log_.assign(4096, '\0');
    const abi::Enum options[] = {abi::jit::error_log_buffer, abi::jit::error_log_buffer_size_bytes};
    values_ = {log_.data(), reinterpret_cast<void*>(log_.size())};
    ASSERT_OK(call("cuLinkCreate_v2", 2u, static_cast<const abi::Enum*>(options), values_.data(), &link_));
  }
  void TearDown() override {
    EXPECT_OK(call("cuLinkDestroy", link_));
    WithContext::TearDown();
  }
  Result add(const std::string& text, const char* name = "a text", abi::Enum type = abi::jit::input_ptx) {
    return call("cuLinkAddData_v2", link_, type, static_cast<const void*>(text.data()), text.size(), name, 0u,
                static_cast<const abi::Enum*>(nullptr), static_cast<void**>(nullptr));
  }
  Result complete() { return call("cuLinkComplete", link_, &image_, &bytes_); }
  std::string log() const { return log_.c_str(); }
  /// Links what was added, runs `kernel` with one u32 to write, and gives that.
  std::uint32_t result_of(const char* kernel, const Shape& shape = {}) {
    EXPECT_OK(complete()) << log();
    DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>{0xdeadbeef});
    const abi::Function function = function_of(load(static_cast<const char*>(image_)), kernel);
    EXPECT_OK(launch(function, shape, {out.argument()}));
    EXPECT_OK(call("cuCtxSynchronize"));
    return out.read()[0];
  }

  abi::LinkState link_ = nullptr;
  std::array<void*, 2> values_{};  // the driver writes the log's length there for as long as the link lives
  void* image_ = nullptr;
  std::size_t bytes_ = 0;

 private:
  std::string log_;
};

/// .func NAME gives VALUE, .func of `linkage`.
std::string giving(const std::string& linkage, const std::string& name, int value) {
  return linkage + " .func (.param .b32 r) " + name + "() { .reg .b32 %v; mov.u32 %v, " +
         std::to_string(value) + "; st.param.b32 [r], %v; ret; }\n";
}
std::string declared(const std::string& name) {
  return ".extern .func (.param .b32 r) " + name + "();\n";
}
/// A kernel that stores what the functions give together.
std::string sum_of(const std::string& kernel, const std::vector<std::string>& functions) {
  std::string text = ".visible .entry " + kernel +
                     "(.param .u64 out) {\n  .reg .u64 %o; .reg .b32 %s, %v; .param .b32 got;\n"
                     "  ld.param.u64 %o, [out]; mov.u32 %s, 0;\n";
  for (const std::string& each : functions)
    text += "  call.uni (got), " + each + ", (); ld.param.b32 %v, [got]; add.u32 %s, %s, %v;\n";
  return text + "  st.global.u32 [%o], %s; ret;\n}\n";
}

TEST_F(Linking, AFunctionIsFoundInATextAddedBeforeOrAfter) {
  ASSERT_OK(add(ptx(giving(".visible", "before", 3))));
  ASSERT_OK(add(ptx(declared("before") + declared("after") + sum_of("k", {"before", "after"}))));
  ASSERT_OK(add(ptx(declared("before") + giving(".visible", "after", 40))));
  EXPECT_EQ(result_of("k"), 43u);
}

TEST_F(Linking, WhatIsPrivateToATextStaysItsOwn) {
  // A function of an instruction's name, a variable, and an array of addresses, of the same names in both
  // texts.
  const auto text = [](int value, const std::string& public_name) {
    const std::string v = std::to_string(value);
    return ptx(".global .align 4 .u32 mine = " + v + ";\n" + giving("", "add", value) +
               ".global .align 8 .u64 table[2] = {mine, mine};\n.visible .func (.param .b32 r) " +
               public_name +
               "() {\n  .reg .b32 %v, %w; .reg .u64 %a; .param .b32 got;\n"
               "  call.uni (got), add, (); ld.param.b32 %v, [got];\n"
               "  ld.global.u64 %a, [table+8]; ld.global.u32 %w, [%a]; mad.lo.u32 %v, %w, 100, %v;\n"
               "  st.param.b32 [r], %v; ret; }\n");
  };
  ASSERT_OK(add(text(1, "one")));
  ASSERT_OK(add(text(2, "two")));
  ASSERT_OK(add(ptx(declared("one") + declared("two") + sum_of("k", {"one", "two"}))));
  EXPECT_EQ(result_of("k"), 101u + 202u);
}

TEST_F(Linking, APrivateNameGivesWayToAPublicOneElsewhere) {
  ASSERT_OK(add(ptx(giving("", "f", 1) + giving(".visible", "g", 0) + sum_of("first", {"f"}))));
  ASSERT_OK(add(ptx(giving(".visible", "f", 5) + declared("g") + sum_of("second", {"f", "g"}))));
  EXPECT_EQ(result_of("first"), 1u);
  EXPECT_EQ(result_of("second"), 5u);
}

TEST_F(Linking, AWeakDefinitionGivesWayInEitherOrder) {
  ASSERT_OK(add(ptx(giving(".weak", "f", 1) + giving(".visible", "g", 20) +
                    ".weak .global .align 4 .u32 v = 7;\n" + sum_of("first", {"f", "g"}))));
  ASSERT_OK(add(ptx(giving(".visible", "f", 5) + giving(".weak", "g", 9) + sum_of("second", {"f", "g"}))));
  ASSERT_OK(
      add(ptx(".visible .global .align 4 .u32 v = 300;\n"
              ".visible .entry third(.param .u64 out) { .reg .u64 %o; .reg .b32 %v;\n"
              "  ld.param.u64 %o, [out]; ld.global.u32 %v, [v]; st.global.u32 [%o], %v; ret; }\n")));
  EXPECT_EQ(result_of("first"), 25u);
  EXPECT_EQ(result_of("second"), 25u);
  EXPECT_EQ(result_of("third"), 300u);
}

TEST_F(Linking, AVariableAndDynamicSharedMemoryAreSharedBetweenTexts) {
  ASSERT_OK(
      add(ptx(".visible .global .align 4 .u32 counter = 11;\n"
              ".extern .shared .align 4 .b8 dynamic[];\n"
              ".visible .func put() { .reg .b32 %v; ld.global.u32 %v, [counter];\n"
              "  st.shared.u32 [dynamic+4], %v; ret; }\n")));
  ASSERT_OK(
      add(ptx(".extern .global .align 4 .u32 counter;\n.extern .func put();\n"
              ".extern .shared .align 16 .b32 dynamic[];\n"
              ".visible .entry k(.param .u64 out) { .reg .u64 %o; .reg .b32 %v, %w;\n"
              "  ld.param.u64 %o, [out]; call.uni put, (); ld.shared.u32 %v, [dynamic+4];\n"
              "  ld.global.u32 %w, [counter]; add.u32 %v, %v, %w; st.global.u32 [%o], %v; ret; }\n")));
  EXPECT_EQ(result_of("k", {{1, 1, 1}, {1, 1, 1}, 8}), 22u);
}

TEST_F(Linking, TheNewestVersionAndTheHighestTargetCount) {
  ASSERT_OK(add(".version 8.7\n.target sm_75\n.address_size 64\n" + giving(".visible", "f", 1)));
  ASSERT_OK(
      add(".version 8.10\n.target sm_90a, debug\n.address_size 64\n" + declared("f") + sum_of("k", {"f"})));
  EXPECT_EQ(result_of("k"), 1u);
  const std::string text = static_cast<const char*>(image_);
  EXPECT_EQ(text.substr(0, text.find(".address_size")), ".version 8.10\n.target sm_90a\n");
}

TEST_F(Linking, SourceLinesStayThoseOfTheirFiles) {
  const auto text = [](const std::string& name) {
    return ptx(".visible .func " + name + "() {\n  .loc 1 7 0\n  trap;\n  ret; }\n.file 1 \"" + name +
               ".cu\"\n.section .debug_str { info: .b8 1 }\n");
  };
  ASSERT_OK(add(text("one")));
  ASSERT_OK(add(text("two")));
  ASSERT_OK(complete()) << log();
  const std::string linked = static_cast<const char*>(image_);
  EXPECT_NE(linked.find(".loc 1 7 0"), std::string::npos) << linked;
  EXPECT_NE(linked.find(".file 1 \"one.cu\""), std::string::npos) << linked;
  EXPECT_NE(linked.find(".loc 2 7 0"), std::string::npos) << linked;
  EXPECT_NE(linked.find(".file 2 \"two.cu\""), std::string::npos) << linked;
  EXPECT_EQ(linked.find(".section"), std::string::npos) << linked;
}

TEST_F(Linking, TwoDefinitionsOfOneNameAreNamedWithTheirTexts) {
  ASSERT_OK(add(ptx(giving(".visible", "f", 1)), "one.ptx"));
  ASSERT_OK(add(ptx(giving(".visible", "f", 2)), "two.ptx"));
  EXPECT_RESULT(abi::kInvalidPtx, complete());
  EXPECT_NE(log().find("Multiple definition of 'f' in 'two.ptx', first defined in 'one.ptx'"),
            std::string::npos)
      << log();
}

TEST_F(Linking, TextsThatMeanAnotherFunctionByAName) {
  const std::string defined = giving(".visible", "f", 1);
  const std::string other_result = ".extern .func (.param .b64 r) f();\n";
  const std::string other_parameter = ".extern .func (.param .b32 r) f(.param .b64 x);\n";
  const std::string without = ".extern .func f();\n";
  const auto refused = [&](const std::string& one, const std::string& two) {
    abi::LinkState link = nullptr;
    std::string log(1024, '\0');
    const abi::Enum options[] = {abi::jit::error_log_buffer, abi::jit::error_log_buffer_size_bytes};
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
    EXPECT_OK(call("cuLinkCreate_v2", 2u, static_cast<const abi::Enum*>(options), static_cast<void**>(values),
                   &link));
    std::swap(link, link_);
    EXPECT_OK(add(ptx(one), "one.ptx"));
    EXPECT_OK(add(ptx(two), "two.ptx"));
    EXPECT_RESULT(abi::kInvalidPtx, complete());
    std::swap(link, link_);
    EXPECT_OK(call("cuLinkDestroy", link));
    EXPECT_NE(log.find("Prototype doesn't match for 'f' in 'two.ptx', first defined in 'one.ptx'"),
              std::string::npos)
        << log.c_str();
  };
  for (const std::string& declaration : {other_result, other_parameter, without}) {
    refused(defined, declaration);
    refused(declaration, defined);
    refused(declared("f"), declaration);
  }
  // What is private to a text may be called as it likes.
  ASSERT_OK(add(ptx(defined + sum_of("k", {"f"}))));
  ASSERT_OK(add(ptx(".func f(.param .b64 x) { ret; }\n.visible .func g() { ret; }\n")));
  EXPECT_EQ(result_of("k"), 1u);
}

TEST_F(Linking, WhatNoTextDefinesIsNamedAtTheEndAndNotBefore) {
  ASSERT_OK(add(ptx(declared("nowhere") + sum_of("k", {"nowhere"}))));
  ASSERT_OK(add(ptx(giving(".visible", "f", 2))));
  EXPECT_RESULT(abi::kInvalidPtx, complete());
  EXPECT_NE(log().find("Unresolved extern function 'nowhere'"), std::string::npos) << log();
}

TEST_F(Linking, MachineCodeIsRefusedByNameWhateverItIsPackedIn) {
  EXPECT_RESULT(abi::kNoBinaryForGpu, add("\x7f"
                                          "ELF machine code",
                                          "a", 3));
  EXPECT_RESULT(abi::kNoBinaryForGpu, add("!<arch>\nmy.o/ ", "liba.a", 4));
  EXPECT_NE(log().find("an archive"), std::string::npos) << log();
}

TEST_F(Linking, AnIndirectCallOfWhatNoFunctionCanBeTrapsOnlyWhereItIsReached) {
  const std::string text = ptx(R"(
.visible .entry k(.param .u64 out, .param .u64 function) {
  .reg .u64 %o, %f; .reg .pred %p;
  ld.param.u64 %o, [out]; ld.param.u64 %f, [function];
  setp.eq.u64 %p, %f, 0;
  @%p bra done;
  { .param .b64 p0; st.param.b64 [p0], %o;
    shape: .callprototype ()_ (.param .b64 _);
    call %f, (p0), shape; }
done:
  st.global.u32 [%o], 5;
  ret;
})");
  DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>{0});
  std::uint64_t function = 0;
  run(text, "k", {}, out.argument(), &function);
  EXPECT_EQ(out.read()[0], 5u);
  function = 8;
  const abi::Function kernel = function_of(load(text), "k");
  ASSERT_OK(launch(kernel, {}, {out.argument(), &function}));
  EXPECT_RESULT(abi::kLaunchFailed, call("cuCtxSynchronize"));
}

}  // namespace
}  // namespace tare::conformance
