// Texts that are no PTX, or not the PTX that this device takes: the driver's code, a line in the log, and
// never a crash.
#include <fmt/format.h>

#include <random>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

using BadPtx = WithContext;

const char kGood[] = R"(.version 8.0
.target sm_80
.address_size 64
.global .u32 counter;
.func (.param .u32 r) twice(.param .u32 n)
{ .reg .u32 %a<3>; ld.param.u32 %a1, [n]; add.u32 %a2, %a1, %a1; st.param.u32 [r], %a2; ret; }
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 5;
  @%p1 bra DONE;
  { .param .u32 x; .param .u32 y; st.param.u32 [x], %r1; call (y), twice, (x); ld.param.u32 %r2, [y]; }
  shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;
  st.global.u32 [%rd1], %r3;
DONE:
  ret;
}
)";

struct Loaded {
  Result code;
  std::string log;
};

Loaded load_text(const std::string& text) {
  abi::Module module = nullptr;
  char log[2048] = "";
  abi::Enum options[] = {5, 6};  // CU_JIT_ERROR_LOG_BUFFER and its size
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  const Result code = call("cuModuleLoadDataEx", &module, static_cast<const void*>(text.c_str()), 2u,
                           static_cast<abi::Enum*>(options), static_cast<void**>(values));
  if (code == abi::kSuccess) call("cuModuleUnload", module);
  return {code, log};
}

/// The good text with its first `from` replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(BadPtx, HasItsCodeAndItsLineInTheLog) {
  struct Case {
    std::string text;
    Result code;
    const char* log;  // part of it
  };
  const Case cases[] = {
      {kGood, abi::kSuccess, ""},
      {"", abi::kInvalidImage, "not text"},
      {std::string("\x01\x02\x03garbage", 10), abi::kInvalidImage, "not text"},
      {"\x7f"
       "ELF\x02\x01\x01",
       abi::kNoBinaryForGpu, "machine code"},
      {"hello, world", abi::kInvalidPtx, "line 1; error   : "},
      {with(".version 8.0", ".version 99.0"), abi::kUnsupportedPtxVersion, "99.0"},
      {with(".version 8.0", ".version x"), abi::kInvalidPtx, "line 1; error   : "},
      {with(".version 8.0\n", ""), abi::kInvalidPtx, "line 1; error   : "},
      {with(".target sm_80", ".target sm_999"), abi::kNoBinaryForGpu, ""},
      {with(".target sm_80", ".target pc_80"), abi::kInvalidPtx, "line 2; error   : "},
      {with(".address_size 64", ".address_size 48"), abi::kInvalidPtx, "line 3; error   : "},
      {with("%r2, 0, 31", "%r99, 0, 31"), abi::kInvalidPtx, "line 15; error   : Unknown symbol '%r99'"},
      {with("bra DONE", "bra GONE"), abi::kInvalidPtx, "line 13; error   : Unknown symbol 'GONE'"},
      {with("setp.lt.u32 %p1, %r1, 5", "setp.lt.u32 %p1, %rd1, 5"), abi::kInvalidPtx,
       "line 12; error   : Arguments mismatch for instruction 'setp'"},
      {with("mov.u32 %r1", "mov.f32 %r1"), abi::kInvalidPtx, "line 11; error   : "},
      {with("call (y), twice", "call (y), thrice"), abi::kInvalidPtx, "line 14; error   : Unknown symbol"},
      {with("shfl.sync.idx", "shfl.idx"), abi::kInvalidPtx, "line 15; error   : "},
      {with("mov.u32 %r1, %tid.x;", "bar.sync 16;"), abi::kInvalidPtx,
       "line 11; error   : Barrier number '16' out of range, expected to be in range [0..15]"},
      {with("mov.u32 %r1, %tid.x;", "bar.sync 1, 33;"), abi::kInvalidPtx,
       "line 11; error   : Number of threads participating in barrier must be in multiple of warp size"},
      {with("mov.u32 %r1, %tid.x;", "frobnicate.u32 %r1;"), abi::kInvalidPtx,
       "line 11; error   : unknown opcode `frobnicate`"},
      {with("[%rd1], %r3", "[%rd1, %r3"), abi::kInvalidPtx, "line 16; error   : "},
      {with(".version 8.0", ".version 9.99999999999"), abi::kUnsupportedPtxVersion, "current version is"},
      {with("(.param .u64 out)", "(.param .u64 out) .maxntid 0"), abi::kInvalidPtx,
       "error   : Positive non-zero value expected for maxntid"},
      {with("(.param .u64 out)", "(.param .u64 out) .reqntid 32, 0"), abi::kInvalidPtx,
       "error   : Positive non-zero value expected for reqntid"},
      {with(".global .u32 counter;", ".const .u32 c[16384];"), abi::kSuccess, ""},
      {with(".global .u32 counter;", ".const .b8 c[65537];"), abi::kInvalidPtx,
       "ptxas error   : File uses too much global constant data (0x10001 bytes, 0x10000 max)"},
      {with("mov.u32 %r1, %tid.x;", "st.const.u32 [counter], 1;"), abi::kInvalidPtx,
       "line 11; error   : State space incorrect for instruction 'st'"},
      {with("DONE:", "\xc3\xa9:"), abi::kInvalidPtx, "Unexpected non-ASCII character encountered on line 17"},
      {with("DONE:", "DONE: // \xc3\xa9"), abi::kSuccess, ""},
      {with(".reg .pred %p<2>;", ".reg .pred %p<2>; .shared .b8 s[49152];"), abi::kSuccess, ""},
      {with(".reg .pred %p<2>;", ".reg .pred %p<2>; .shared .b8 s[49153];"), abi::kInvalidPtx,
       "ptxas error   : Entry function 'k' uses too much shared data (0xc001 bytes, 0xc000 max)"},
      {with(".reg .pred %p<2>;", ".reg .pred %p<2>; .shared .b8 s[1000000000000];"), abi::kInvalidPtx,
       "ptxas error   : Entry function 'k' uses too much shared data (0xe8d4a51000 bytes, 0xc000 max)"},
      {with("{ .reg .u32 %a<3>;", "{ .reg .u32 %a<3>; .shared .b8 s[49153];"), abi::kInvalidPtx,
       "ptxas error   : Entry function 'k' uses too much shared data (0xc001 bytes, 0xc000 max)"},
      // No kernel uses it.
      {with(".global .u32 counter;", ".global .u32 counter; .shared .b8 s[49153];"), abi::kSuccess, ""},
  };
  for (const Case& each : cases) {
    const Loaded loaded = load_text(each.text);
    EXPECT_EQ(name_of(loaded.code), name_of(each.code)) << each.text.substr(0, 60) << "\n" << loaded.log;
    EXPECT_NE(loaded.log.find(each.log), std::string::npos)
        << "wanted: " << each.log << "\nlog: " << loaded.log;
  }
}

TEST_F(BadPtx, EveryTruncationIsRefusedOrLoadsAndNeverCrashes) {
  const std::string text = kGood;
  for (std::size_t length = 0; length < text.size(); ++length) {
    const Loaded loaded = load_text(text.substr(0, length));
    if (loaded.code == abi::kSuccess) continue;  // between two functions it is a shorter module
    EXPECT_TRUE(loaded.code == abi::kInvalidPtx || loaded.code == abi::kInvalidImage) << length;
    EXPECT_FALSE(loaded.log.empty()) << length;
  }
}

TEST_F(BadPtx, RandomBytesInTheTextNeverCrash) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    std::string text = kGood;
    for (int change = 0; change < 3; ++change)
      text[random() % text.size()] = static_cast<char>(random() % 255 + 1);
    const Loaded loaded = load_text(text);
    if (loaded.code == abi::kSuccess) continue;
    EXPECT_FALSE(loaded.log.empty()) << text;
  }
}

TEST_F(BadPtx, AVeryLargeTextLoadsAndAVeryLongLineIsRefusedWithItsNumber) {
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n";
  for (int i = 0; i < 100'000; ++i) text += "add.u32 %r1, %r1, %r2;\n";
  EXPECT_EQ(name_of(load_text(text + "ret;\n}\n// " + std::string(1 << 20, 'x') + "\n").code),
            name_of(abi::kSuccess));
  const Loaded loaded = load_text(text + std::string(1 << 20, 'y') + ";\n}\n");
  EXPECT_EQ(name_of(loaded.code), name_of(abi::kInvalidPtx));
  EXPECT_NE(loaded.log.find("line 100007"), std::string::npos) << loaded.log.substr(0, 200);
}

TEST_F(BadPtx, AValidInstructionThatIsNotSupportedIsNamedAtItsKernelsLaunch) {
  const std::string text = with("mov.u32 %r1, %tid.x;", "mov.u32 %r1, %tid.x; mov.u32 %r4, %pm0;");
  const abi::Function function = [&] {
    abi::Function found = nullptr;
    EXPECT_OK(call("cuModuleGetFunction", &found, load(text), "k"));
    return found;
  }();
  DeviceArray<std::uint32_t> out(1);
  EXPECT_RESULT(abi::kNotSupported, launch(function, {}, {out.argument()}));
  EXPECT_NE(last_error().find("mov.u32 with the special register %pm0 at line 11 of kernel `k`"),
            std::string::npos)
      << last_error();
}

// What is asked of each function of a chain must not go through the whole chain again: that took minutes.
TEST_F(BadPtx, AChainOfFiftyThousandFunctionsIsRefusedWithoutDelay) {
  constexpr int kFunctions = 50'000;
  std::string text = ".version 8.5\n.target sm_90\n.address_size 64\n.func f0() { ret; }\n";
  for (int i = 1; i < kFunctions; ++i)
    text += fmt::format(".func f{}() {{ call.uni f{}; ret; }}\n", i, i - 1);
  text += fmt::format(".visible .entry k() {{ call.uni f{}; ret; }}\n", kFunctions - 1);
  abi::Function function = nullptr;
  EXPECT_OK(call("cuModuleGetFunction", &function, load(text), "k"));
  EXPECT_RESULT(abi::kNotSupported, launch(function, {}, {}));
  EXPECT_NE(last_error().find("functions nested too deeply"), std::string::npos) << last_error();
}

}  // namespace
}  // namespace tare::conformance
