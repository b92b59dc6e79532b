// A context's limits: what they are to begin with, what may be set, and what they mean for kernels.
#include <filesystem>
#include <fstream>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

constexpr abi::Enum kStack = abi::limit::stack_size, kPrint = abi::limit::printf_fifo_size,
                    kHeap = abi::limit::malloc_heap_size;

class Limits : public WithContext {
 protected:
  /// The primary context anew, as a process begins with it.
  void start_anew() {
    TearDown();
    SetUp();
  }
  static std::size_t get(abi::Enum which) {
    std::size_t value = 0;
    EXPECT_OK(call("cuCtxGetLimit", &value, which));
    return value;
  }
  static Result set(abi::Enum which, std::size_t value) { return call("cuCtxSetLimit", which, value); }
};

/// Thread t goes n + t calls deep, and each call keeps 16 words of its own across the next: the sum of
/// what all of them held.
const char kDeep[] = R"(
.func (.param .u32 r) deeper(.param .u32 n)
{
  .local .align 4 .b8 own[64]; .reg .u32 %a<8>; .reg .u64 %d<4>; .reg .pred %p;
  ld.param.u32 %a1, [n]; and.b32 %a4, %a1, 15; shl.b32 %a4, %a4, 2; cvt.u64.u32 %d1, %a4;
  mov.u64 %d2, own; add.u64 %d2, %d2, %d1; st.local.u32 [%d2], %a1;
  mov.u32 %a3, 0; setp.eq.u32 %p, %a1, 0; @%p bra DONE;
  sub.u32 %a2, %a1, 1;
  { .param .u32 x; .param .u32 y; st.param.u32 [x], %a2; call (y), deeper, (x); ld.param.u32 %a3, [y]; }
DONE:
  ld.local.u32 %a5, [%d2]; add.u32 %a3, %a3, %a5; st.param.u32 [r], %a3;
  ret;
}
.visible .entry deep(.param .u64 out, .param .u32 n)
{
  .reg .u32 %a<8>; .reg .u64 %d<4>;
  ld.param.u64 %d1, [out]; ld.param.u32 %a1, [n]; mov.u32 %a2, %tid.x; add.u32 %a1, %a1, %a2;
  { .param .u32 x; .param .u32 y; st.param.u32 [x], %a1; call (y), deeper, (x); ld.param.u32 %a3, [y]; }
  mul.wide.u32 %d2, %a2, 4; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %a3;
  ret;
}
)";

Result run_deep(std::uint32_t depth, std::vector<std::uint32_t>* sums = nullptr) {
  DeviceArray<std::uint32_t> out(40);
  EXPECT_OK(launch(function_of(load(ptx(kDeep)), "deep"), {{1, 1, 1}, {40, 1, 1}}, {out.argument(), &depth}));
  const Result result = call("cuCtxSynchronize");
  if (result == abi::kSuccess && sums != nullptr) *sums = out.read();
  return result;
}

TEST_F(Limits, WhatCannotBeAskedOrSetIsRefused) {
  EXPECT_RESULT(abi::kInvalidValue, call("cuCtxGetLimit", static_cast<std::size_t*>(nullptr), kStack));
  EXPECT_RESULT(abi::kInvalidValue, set(abi::limit::count, 1));
}

TEST_F(Limits, ADeeperRecursionFitsWhereTheStackIsLargerAndElseIsAnErrorThatNamesTheKernel) {
  constexpr std::uint32_t kDepth = 3000;
  std::vector<std::uint32_t> sums;
  ASSERT_OK(run_deep(7, &sums));
  for (std::uint32_t t = 0; t < 40; ++t) EXPECT_EQ(sums[t], (7 + t) * (8 + t) / 2);
  EXPECT_RESULT(abi::kIllegalAddress, run_deep(kDepth));
  EXPECT_NE(last_error().find(
                "kernel `deep` calls more deeply than its stack allows (CU_LIMIT_STACK_SIZE) in block"),
            std::string::npos)
      << last_error();
  start_anew();
  ASSERT_OK(set(kStack, std::size_t{256} << 10));
  EXPECT_EQ(get(kStack), std::size_t{256} << 10);
  ASSERT_OK(run_deep(kDepth, &sums));
  for (std::uint32_t t = 0; t < 40; ++t) EXPECT_EQ(sums[t], (kDepth + t) * (kDepth + t + 1) / 2);
  // A launch has the stack of its time; the next one another.
  ASSERT_OK(set(kStack, 1024));
  EXPECT_RESULT(abi::kIllegalAddress, run_deep(kDepth));
}

TEST_F(Limits, AnAllocationOnTheStackThatDoesNotFitIsItsOverflow) {
  const char text[] = R"(
.visible .entry allocates(.param .u64 out, .param .u64 bytes)
{
  .reg .u64 %d<8>; .reg .u32 %a<4>;
  ld.param.u64 %d1, [out]; ld.param.u64 %d2, [bytes];
  alloca.u64 %d3, %d2; mov.u32 %a1, %tid.x; st.local.u32 [%d3], %a1; ld.local.u32 %a2, [%d3];
  mul.wide.u32 %d4, %a1, 4; add.u64 %d1, %d1, %d4; st.global.u32 [%d1], %a2;
  ret;
}
)";
  // The last would wrap around to what there is.
  for (std::uint64_t bytes : {std::uint64_t{1000}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    SCOPED_TRACE(bytes);
    start_anew();
    DeviceArray<std::uint32_t> out(32);
    ASSERT_OK(
        launch(function_of(load(ptx(text)), "allocates"), {{1, 1, 1}, {32, 1, 1}}, {out.argument(), &bytes}));
    if (bytes == 1000) {
      ASSERT_OK(call("cuCtxSynchronize"));
      EXPECT_EQ(out.read()[31], 31u);
      continue;
    }
    EXPECT_RESULT(abi::kIllegalAddress, call("cuCtxSynchronize"));
    EXPECT_NE(last_error().find("`allocates` calls more deeply"), std::string::npos) << last_error();
  }
}

TEST_F(Limits, AThreadsStackIsLocalMemory) {
  DeviceArray<std::uint32_t> out(32);
  run(ptx(R"(
.visible .entry k(.param .u64 out)
{
  .reg .u64 %d<8>; .reg .u32 %a<8>; .reg .pred %p<4>;
  ld.param.u64 %d1, [out]; alloca.u64 %d2, 16; alloca.u64 %d3, 4096;
  cvta.local.u64 %d2, %d2; cvta.local.u64 %d3, %d3; add.u64 %d3, %d3, 4095;
  isspacep.local %p1, %d2; isspacep.local %p2, %d3; isspacep.global %p3, %d3;
  selp.u32 %a1, 1, 0, %p1; selp.u32 %a2, 2, 0, %p2; selp.u32 %a3, 4, 0, %p3;
  add.u32 %a1, %a1, %a2; add.u32 %a1, %a1, %a3;
  mov.u32 %a4, %tid.x; mul.wide.u32 %d4, %a4, 4; add.u64 %d1, %d1, %d4; st.global.u32 [%d1], %a1;
  ret;
}
)"),
      "k", {{1, 1, 1}, {32, 1, 1}}, out.argument());
  EXPECT_EQ(out.read(), std::vector<std::uint32_t>(32, 3));
}

const char kUsing[] = R"(
.extern .func (.param .b64 p) malloc(.param .b64 n);
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 nothing[1] = {0};
.visible .entry allocates()
{
  .reg .b64 %d<4>;
  { .param .b64 n; .param .b64 p; st.param.b64 [n], 16; call.uni (p), malloc, (n); ld.param.b64 %d1, [p]; }
  ret;
}
.visible .entry prints()
{
  .reg .b64 %d<4>; .reg .b32 %a<4>;
  mov.u64 %d1, nothing; cvta.global.u64 %d1, %d1; mov.u64 %d2, 0;
  { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d1; st.param.b64 [a], %d2;
    call.uni (r), vprintf, (f, a); ld.param.b32 %a1, [r]; }
  ret;
}
)";

TEST_F(Limits, TheHeapAndThePrintBufferCannotBeChangedOnceAKernelUsesThem) {
  const abi::Module module = load(ptx(kUsing));
  EXPECT_OK(set(kHeap, std::size_t{5} << 20));
  EXPECT_OK(set(kPrint, std::size_t{1} << 20));
  ASSERT_OK(launch(function_of(module, "allocates"), {}, {}));
  EXPECT_RESULT(abi::kInvalidValue, set(kHeap, std::size_t{6} << 20));
  EXPECT_EQ(get(kHeap), std::size_t{5} << 20);
  EXPECT_OK(set(kPrint, std::size_t{2} << 20));
  ASSERT_OK(launch(function_of(module, "prints"), {}, {}));
  EXPECT_RESULT(abi::kInvalidValue, set(kPrint, std::size_t{3} << 20));
  EXPECT_EQ(get(kPrint), std::size_t{2} << 20);
  EXPECT_OK(call("cuCtxSynchronize"));
}

/// What an H200 said, line for line: gpu/limits.cpp made the record, and says what its lines mean.
TEST_F(Limits, BeginAreRoundedAndAreRefusedAsTheRecordOfAGpuSays) {
  const auto is_free = [](abi::Enum which) {
    // The device has no L2 cache that can be set aside, and refuses limits newer than that one.
    return which >= abi::limit::persisting_l2_cache_size;
  };
  std::ifstream record(std::filesystem::path(TARE_SOURCE_DIR) / "tests/conformance/gpu/limits.txt");
  int held = 0;
  for (std::string line; std::getline(record, line);) {
    SCOPED_TRACE(line);
    abi::Enum which = 0;
    std::size_t value = 0, expected = 0;
    int set_code = 0, get_code = 0;
    const bool sets = std::sscanf(line.c_str(), "set %d %zu: %d, then get %*d: %d %zu", &which, &value,
                                  &set_code, &get_code, &expected) == 5;
    if (line == "launch: 0") {
      const abi::Module module = load(ptx(kUsing));
      for (const char* kernel : {"allocates", "prints"})
        EXPECT_OK(launch(function_of(module, kernel), {}, {}));
    }
    if (!sets && std::sscanf(line.c_str(), "get %d: %d %zu", &which, &get_code, &expected) != 3) continue;
    if (is_free(which)) continue;
    if (sets) {
      EXPECT_EQ(name_of(set(which, value)), name_of(set_code));
    }
    std::size_t got = 0;
    EXPECT_EQ(name_of(call("cuCtxGetLimit", &got, which)), name_of(get_code));
    EXPECT_EQ(got, expected);
    ++held;
  }
  EXPECT_EQ(held, 32);
  EXPECT_OK(call("cuCtxSynchronize"));
}

}  // namespace
}  // namespace tare::conformance
