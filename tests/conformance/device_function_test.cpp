// What a device brings along for its kernels: printf, assert, malloc and free; and calls that need a stack.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

using DeviceFunctions = WithContext;

const char kHeader[] = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// What a call writes to one of this process's files (1: stdout, 2: stderr).
template <typename Body>
std::string written_to(int descriptor, const Body& body) {
  char name[] = "/tmp/tare-output-XXXXXX";
  const int file = mkstemp(name);
  std::fflush(nullptr);
  const int before = dup(descriptor);
  dup2(file, descriptor);
  body();
  std::fflush(nullptr);
  dup2(before, descriptor);
  close(before);
  close(file);
  std::ifstream in(name);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  std::filesystem::remove(name);
  return text;
}

/// A kernel that prints `format` with a buffer of arguments as vprintf takes it: 64-bit words.
std::string printing(const std::string& format, const std::vector<std::uint64_t>& arguments,
                     const std::string& string = "") {
  const auto bytes = [](const std::string& text) {
    std::string list;
    for (const char c : text) list += std::to_string(static_cast<int>(static_cast<unsigned char>(c))) + ", ";
    return list + "0";
  };
  std::string text = kHeader;
  text += ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n";
  text +=
      ".global .align 1 .b8 format[" + std::to_string(format.size() + 1) + "] = {" + bytes(format) + "};\n";
  text +=
      ".global .align 1 .b8 string[" + std::to_string(string.size() + 1) + "] = {" + bytes(string) + "};\n";
  text += R"(.visible .entry k(.param .u64 out)
{
  .local .align 8 .b8 buffer[256]; .reg .b64 %rd<8>; .reg .b32 %r<4>;
  ld.param.u64 %rd1, [out];
)";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    text += "  mov.u64 %rd2, " +
            (arguments[i] == ~std::uint64_t{0} ? "string" : std::to_string(arguments[i])) +
            "; st.local.u64 [buffer+" + std::to_string(8 * i) + "], %rd2;\n";
  }
  return text +
         R"(  mov.u64 %rd3, buffer; cvta.local.u64 %rd3, %rd3; mov.u64 %rd4, format; cvta.global.u64 %rd4, %rd4;
  { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd4; st.param.b64 [a], %rd3;
    call.uni (r), vprintf, (f, a); ld.param.b32 %r1, [r]; }
  st.global.u32 [%rd1], %r1;
  ret;
}
)";
}

std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

TEST_F(DeviceFunctions, PrintfWritesWhatTheHostsWouldAtTheNextSynchronisation) {
  struct Case {
    const char* format;
    std::vector<std::uint64_t> arguments;
    const char* expected;
    std::uint32_t returned;
  };
  const Case cases[] = {
      {"plain\n", {}, "plain\n", 0},
      {"%lld %llx\n", {0xfffffffffffffff6u, 255}, "-10 ff\n", 2},
      {"[%8.3f|%-10e|%g]\n",
       {bits_of(3.14159), bits_of(1e10), bits_of(0.5)},
       "[   3.142|1.000000e+10|0.5]\n",
       3},
      {"%s and %s\n", {~std::uint64_t{0}, 0}, "text and (null)\n", 2},
      {"100%% %ld\n", {7}, "100% 7\n", 1},
      {"%p %q %lu\n", {16, 5}, "0x10 %q 5\n", 2},
      {"%+05ld|%#lx|% ld\n", {42, 42, 42}, "+0042|0x2a| 42\n", 3},
  };
  for (const Case& each : cases) {
    const abi::Function function = function_of(load(printing(each.format, each.arguments, "text")), "k");
    DeviceArray<std::uint32_t> out(1);
    ASSERT_OK(launch(function, {}, {out.argument()}));
    EXPECT_EQ(written_to(1, [] { EXPECT_OK(call("cuCtxSynchronize")); }), each.expected) << each.format;
    EXPECT_EQ(out.read()[0], each.returned) << each.format;
  }
}

TEST_F(DeviceFunctions, PrintfPacksIntsAtFourBytes) {
  // Two ints share the first word.
  const abi::Function function = function_of(load(printing("%d %u %c\n", {0x00000005fffffffeu, 'x'})), "k");
  DeviceArray<std::uint32_t> out(1);
  ASSERT_OK(launch(function, {}, {out.argument()}));
  EXPECT_EQ(written_to(1, [] { EXPECT_OK(call("cuCtxSynchronize")); }), "-2 5 x\n");
}

TEST_F(DeviceFunctions, PrintfDropsTheOldestWhereItsBufferIsFull) {
  ASSERT_OK(call("cuCtxSetLimit", abi::Enum{1}, std::size_t{512} << 10));
  const abi::Function function = function_of(load(printing("0123456789abcde\n", {})), "k");
  DeviceArray<std::uint32_t> out(1);
  ASSERT_OK(launch(function, {{64, 1, 1}, {1000, 1, 1}}, {out.argument()}));
  EXPECT_EQ(written_to(1, [] { EXPECT_OK(call("cuCtxSynchronize")); }).size(), std::size_t{512} << 10);
}

TEST_F(DeviceFunctions, AFailedAssertionIsToldOnStderrAndInItsCode) {
  const std::string text = std::string(kHeader) + R"(
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.global .align 1 .b8 message[6] = {120, 32, 62, 32, 49, 0};
.global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};
.global .align 1 .b8 name[2] = {107, 0};
.visible .entry k()
{
  .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred %p;
  mov.u32 %r1, %tid.x; setp.ne.u32 %p, %r1, 2; @%p ret;
  mov.u64 %rd1, message; mov.u64 %rd2, file; mov.u64 %rd3, name;
  { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
    st.param.b64 [m], %rd1; st.param.b64 [f], %rd2; st.param.b32 [l], 12; st.param.b64 [n], %rd3; st.param.b64 [s], 1;
    call.uni __assertfail, (m, f, l, n, s); }
  ret;
}
)";
  const abi::Function function = function_of(load(text), "k");
  const std::string written = written_to(2, [&] {
    EXPECT_OK(launch(function, {{1, 1, 1}, {4, 1, 1}}, {}));
    EXPECT_RESULT(abi::kAssert, call("cuCtxSynchronize"));
  });
  EXPECT_EQ(written, "a.cu:12: k: block: [0,0,0], thread: [2,0,0] Assertion `x > 1` failed.\n");
  EXPECT_OK(call("cuDevicePrimaryCtxReset_v2", 0));
}

TEST_F(DeviceFunctions, AnAssertionWithoutTextsIsOneAllTheSame) {
  const std::string text = std::string(kHeader) + R"(
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.visible .entry k()
{
  { .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 s;
    st.param.b64 [m], 0; st.param.b64 [f], 0; st.param.b32 [l], 5; st.param.b64 [n], 0; st.param.b64 [s], 1;
    call.uni __assertfail, (m, f, l, n, s); }
  ret;
}
)";
  const abi::Function function = function_of(load(text), "k");
  const std::string written = written_to(2, [&] {
    EXPECT_OK(launch(function, {{1, 1, 1}, {1, 1, 1}}, {}));
    EXPECT_RESULT(abi::kAssert, call("cuCtxSynchronize"));
  });
  EXPECT_EQ(written, "(null):5: (null): block: [0,0,0], thread: [0,0,0] Assertion `(null)` failed.\n");
  EXPECT_OK(call("cuDevicePrimaryCtxReset_v2", 0));
}

const char kAllocating[] = R"(
.extern .func (.param .b64 p) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry k(.param .u64 out, .param .u64 bytes, .param .u32 keep)
{
  .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [bytes]; ld.param.u32 %r1, [keep]; mov.u32 %r2, %tid.x;
  { .param .b64 n; .param .b64 p; st.param.b64 [n], %rd2; call.uni (p), malloc, (n); ld.param.b64 %rd3, [p]; }
  mov.u32 %r4, 0; setp.eq.u64 %p1, %rd3, 0; @%p1 bra DONE;
  add.u32 %r3, %r2, 1000; st.u32 [%rd3], %r3; add.u64 %rd4, %rd3, %rd2; st.u32 [%rd4+-4], %r3; bar.warp.sync -1;
  ld.u32 %r4, [%rd3]; setp.ne.u32 %p2, %r1, 0; @%p2 bra DONE;
  { .param .b64 p; st.param.b64 [p], %rd3; call.uni free, (p); }
DONE:
  mul.wide.u32 %rd5, %r2, 4; add.u64 %rd6, %rd1, %rd5; st.global.u32 [%rd6], %r4;
  ret;
}
)";

TEST_F(DeviceFunctions, MallocGivesEachThreadItsOwnMemoryUpToTheHeapsLimit) {
  const abi::Function function = function_of(load(std::string(kHeader) + kAllocating), "k");
  const auto run_with = [&](std::uint64_t bytes, std::uint32_t keep) {
    DeviceArray<std::uint32_t> out(32);
    EXPECT_OK(launch(function, {{1, 1, 1}, {32, 1, 1}}, {out.argument(), &bytes, &keep}));
    EXPECT_OK(call("cuCtxSynchronize"));
    return out.read();
  };
  std::vector<std::uint32_t> expected(32);
  for (std::uint32_t i = 0; i < 32; ++i) expected[i] = 1000 + i;
  // More than the heap in all, were it not freed.
  for (int round = 0; round < 8; ++round) EXPECT_EQ(run_with(100'000, 0), expected);
  EXPECT_EQ(run_with(std::uint64_t{1} << 30, 0), std::vector<std::uint32_t>(32, 0u));
  const auto kept = run_with(1 << 20, 1);
  EXPECT_EQ(std::count(kept.begin(), kept.end(), 0u), 24) << "eight MiB hold eight blocks of one";
}

TEST_F(DeviceFunctions, StoresBesideABlockOfTheHeapHarmNobodyButItsNeighbours) {
  // Two blocks, all ones from the beginning of the first to far behind the second, both freed, two more.
  const std::string text = std::string(kHeader) + R"(
.extern .func (.param .b64 p) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry k(.param .u64 out, .param .u64 distance)
{
  .reg .b64 %rd<9>; .reg .b32 %r<8>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd8, [distance];
  { .param .b64 n; .param .b64 p; st.param.b64 [n], 64; call.uni (p), malloc, (n); ld.param.b64 %rd2, [p]; }
  { .param .b64 n; .param .b64 p; st.param.b64 [n], 64; call.uni (p), malloc, (n); ld.param.b64 %rd3, [p]; }
  add.u64 %rd4, %rd2, %rd8; mov.u32 %r1, 0;
NEXT:
  st.u64 [%rd4], -1; add.u64 %rd4, %rd4, 8; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 64; @%p1 bra NEXT;
  { .param .b64 p; st.param.b64 [p], %rd2; call.uni free, (p); }
  { .param .b64 p; st.param.b64 [p], %rd3; call.uni free, (p); }
  { .param .b64 n; .param .b64 p; st.param.b64 [n], 128; call.uni (p), malloc, (n); ld.param.b64 %rd5, [p]; }
  { .param .b64 n; .param .b64 p; st.param.b64 [n], 1000000; call.uni (p), malloc, (n); ld.param.b64 %rd6, [p]; }
  setp.ne.u64 %p1, %rd5, 0; setp.ne.and.u64 %p2, %rd6, 0, %p1; selp.u32 %r2, 1, 0, %p2;
  st.u32 [%rd5], %r2; ld.u32 %r3, [%rd5]; st.global.u32 [%rd1], %r3;
  { .param .b64 p; st.param.b64 [p], %rd5; call.uni free, (p); }
  { .param .b64 p; st.param.b64 [p], %rd6; call.uni free, (p); }
  ret;
}
)";
  DeviceArray<std::uint32_t> out(1);
  std::uint64_t distance = 0;
  const abi::Function function = function_of(load(text), "k");
  ASSERT_OK(launch(function, {}, {out.argument(), &distance}));
  ASSERT_OK(call("cuCtxSynchronize"));
  EXPECT_EQ(out.read(), std::vector<std::uint32_t>{1});
  // What lies before the heap is nobody's.
  distance = static_cast<std::uint64_t>(-512);
  ASSERT_OK(launch(function, {}, {out.argument(), &distance}));
  EXPECT_RESULT(abi::kIllegalAddress, call("cuCtxSynchronize"));
  EXPECT_OK(call("cuDevicePrimaryCtxReset_v2", 0));
}

TEST_F(DeviceFunctions, RecursionWithoutEndIsAnIllegalAddressThatSaysSo) {
  const std::string text = std::string(kHeader) + R"(
.func (.param .u32 r) deeper(.param .u32 n)
{
  .reg .u32 %a<4>;
  ld.param.u32 %a1, [n]; add.u32 %a2, %a1, 1;
  { .param .u32 x; .param .u32 y; st.param.u32 [x], %a2; call (y), deeper, (x); ld.param.u32 %a3, [y]; }
  add.u32 %a3, %a3, %a1; st.param.u32 [r], %a3;
  ret;
}
.visible .entry k()
{
  .reg .u32 %a<4>;
  { .param .u32 x; .param .u32 y; st.param.u32 [x], 0; call (y), deeper, (x); ld.param.u32 %a3, [y]; }
  ret;
}
)";
  ASSERT_OK(launch(function_of(load(text), "k"), {}, {}));
  EXPECT_RESULT(abi::kIllegalAddress, call("cuCtxSynchronize"));
  EXPECT_NE(last_error().find("calls more deeply than its stack allows"), std::string::npos) << last_error();
  EXPECT_OK(call("cuDevicePrimaryCtxReset_v2", 0));
}

}  // namespace
}  // namespace tare::conformance
