// Launching: every shape and parameter list that the driver refuses, and what a fault leaves behind.
#include <cstdio>
#include <cstring>
#include <fstream>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

class Launches : public WithContext {
 protected:
  void SetUp() override {
    WithContext::SetUp();
    const abi::Module module = load(ptx(R"(
.visible .entry plain() { ret; }
.visible .entry one(.param .u64 out) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  st.global.u32 [%rd1], 7;
  ret;
}
.visible .entry bounded() .maxntid 96 { ret; }
.visible .entry fixed() .reqntid 32, 2, 1 { ret; }
.visible .entry clustered() .reqntid 32 .reqnctapercluster 2 { ret; }
.visible .entry trapping() { trap; ret; }
.visible .entry wild() {
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 64;
  st.global.u32 [%rd1], 1;
  ret;
}
)"));
    for (const char* name : {"plain", "one", "bounded", "fixed", "clustered", "trapping", "wild"})
      functions_.emplace_back(name, function_of(module, name));
  }
  abi::Function f(const std::string& name) const {
    for (const auto& [known, function] : functions_) {
      if (known == name) return function;
    }
    return nullptr;
  }
  std::vector<std::pair<std::string, abi::Function>> functions_;
};

TEST_F(Launches, ShapesBeyondTheLimitsAreInvalid) {
  const Shape bad[] = {
      {{0, 1, 1}, {1, 1, 1}},     {{1, 0, 1}, {1, 1, 1}},     {{1, 1, 1}, {1, 1, 0}},
      {{1, 1, 1}, {1025, 1, 1}},  {{1, 1, 1}, {1, 1, 65}},    {{1, 1, 1}, {512, 2, 2}},
      {{1, 65536, 1}, {1, 1, 1}}, {{1, 1, 65536}, {1, 1, 1}}, {{0x80000000u, 1, 1}, {1, 1, 1}},
  };
  for (const Shape& shape : bad) EXPECT_RESULT(abi::kInvalidValue, launch(f("plain"), shape, {}));
  EXPECT_OK(launch(f("plain"), {{65536, 1, 1}, {1024, 1, 1}}, {}));
  EXPECT_OK(launch(f("plain"), {{1, 2, 3}, {4, 4, 64}}, {}));
  EXPECT_OK(call("cuCtxSynchronize"));
}

TEST_F(Launches, ABlockOverMaxntidHasTooFewResourcesAndReqntidMustMatch) {
  EXPECT_OK(launch(f("bounded"), {{1, 1, 1}, {96, 1, 1}}, {}));
  EXPECT_RESULT(abi::kInvalidValue, launch(f("bounded"), {{1, 1, 1}, {97, 1, 1}}, {}));
  EXPECT_OK(launch(f("fixed"), {{1, 1, 1}, {32, 2, 1}}, {}));
  EXPECT_RESULT(abi::kInvalidValue, launch(f("fixed"), {{1, 1, 1}, {64, 1, 1}}, {}));
}

TEST_F(Launches, SharedMemoryOver48KiBNeedsTheOptIn) {
  const auto with_shared = [&](unsigned bytes) {
    return launch(f("plain"), {{1, 1, 1}, {1, 1, 1}, bytes}, {});
  };
  EXPECT_OK(with_shared(48 * 1024));
  EXPECT_RESULT(abi::kInvalidValue, with_shared(48 * 1024 + 1));
  EXPECT_OK(call("cuFuncSetAttribute", f("plain"), abi::function_attribute::max_dynamic_shared_size_bytes,
                 227 * 1024));
  EXPECT_OK(with_shared(227 * 1024));
  EXPECT_RESULT(abi::kInvalidValue, with_shared(227 * 1024 + 1));
}

TEST_F(Launches, ParametersMayBeAddressesOrABuffer) {
  DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>{0});
  const auto bare = [&](void** parameters, void** extra) {
    return call("cuLaunchKernel", f("one"), 1u, 1u, 1u, 1u, 1u, 1u, 0u, abi::Stream{}, parameters, extra);
  };
  EXPECT_RESULT(abi::kInvalidValue, bare(nullptr, nullptr));
  std::size_t bytes = 8;
  void* extra[] = {reinterpret_cast<void*>(abi::launch_param::buffer_pointer), out.argument(),
                   reinterpret_cast<void*>(abi::launch_param::buffer_size), &bytes, nullptr};
  void* parameters[] = {out.argument()};
  EXPECT_RESULT(abi::kInvalidValue, bare(parameters, extra)) << "both";
  EXPECT_OK(bare(nullptr, extra));
  EXPECT_EQ(out.read()[0], 7u);
  bytes = 4;
  EXPECT_RESULT(abi::kInvalidValue, bare(nullptr, extra)) << "too few bytes";
}

TEST_F(Launches, HandlesAreChecked) {
  EXPECT_RESULT(abi::kInvalidHandle, launch(nullptr, {}, {}));
  EXPECT_RESULT(abi::kInvalidHandle, launch(reinterpret_cast<abi::Function>(std::uintptr_t{0x5550}), {}, {}));
  Shape shape;
  shape.stream = reinterpret_cast<abi::Stream>(std::uintptr_t{0x5550});
  EXPECT_RESULT(abi::kInvalidHandle, launch(f("plain"), shape, {}));
  abi::Context other = nullptr;
  ASSERT_OK(call("cuCtxCreate_v2", &other, 0u, abi::Device{0}));
  EXPECT_RESULT(abi::kInvalidHandle, launch(f("plain"), {}, {})) << "a kernel of another context";
  EXPECT_OK(call("cuCtxDestroy_v2", other));
}

TEST_F(Launches, AttributesAreUnderstoodOrRefused) {
  abi::LaunchAttribute attribute{};
  abi::LaunchConfig config{{1, 1, 1}, {32, 1, 1}, 0, nullptr, &attribute, 1};
  const auto with = [&](abi::Enum id, unsigned first) {
    attribute = {};
    attribute.id = id;
    attribute.value.dimensions = {first, 1, 1};
    return call("cuLaunchKernelEx", static_cast<const abi::LaunchConfig*>(&config), f("plain"),
                static_cast<void**>(nullptr), static_cast<void**>(nullptr));
  };
  EXPECT_OK(with(abi::launch_attribute::ignore, 0));
  EXPECT_OK(with(abi::launch_attribute::priority, 1));
  EXPECT_OK(with(abi::launch_attribute::cluster_dimension, 1));
  EXPECT_RESULT(abi::kNotSupported, with(abi::launch_attribute::cluster_dimension, 2));
  EXPECT_OK(with(abi::launch_attribute::cooperative, 0));
  EXPECT_OK(with(abi::launch_attribute::cooperative, 1));
  EXPECT_RESULT(abi::kNotSupported, launch(f("clustered"), {{2, 1, 1}, {32, 1, 1}}, {}));
  EXPECT_OK(call("cuLaunchCooperativeKernel", f("plain"), 1u, 1u, 1u, 1u, 1u, 1u, 0u, abi::Stream{},
                 static_cast<void**>(nullptr)));
}

TEST_F(Launches, ParametersAreTakenAtTheCall) {
  Gate gate;
  abi::Stream stream = nullptr;
  ASSERT_OK(call("cuStreamCreate", &stream, 1u));
  DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>{0});
  gate.hold(stream);
  DevicePointer argument = out.pointer();
  Shape shape;
  shape.stream = stream;
  EXPECT_OK(launch(f("one"), shape, {&argument}));
  argument = 0;
  gate.open();
  EXPECT_OK(call("cuStreamSynchronize", stream));
  EXPECT_EQ(out.read()[0], 7u);
}

TEST_F(Launches, UnloadingAModuleLetsItsQueuedKernelsFinish) {
  DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>{0});
  abi::Module module = nullptr;
  ASSERT_OK(call("cuFuncGetModule", &module, f("one")));
  EXPECT_OK(launch(f("one"), {}, {out.argument()}));
  EXPECT_OK(call("cuModuleUnload", module));
  EXPECT_EQ(out.read()[0], 7u);
  EXPECT_RESULT(abi::kInvalidHandle, launch(f("one"), {}, {out.argument()}));
}

TEST_F(Launches, ATrapFailsTheContextForGoodAndSaysWhere) {
  EXPECT_OK(launch(f("trapping"), {{3, 1, 1}, {1, 1, 1}}, {}));
  EXPECT_RESULT(abi::kLaunchFailed, call("cuCtxSynchronize"));
  EXPECT_NE(last_error().find("kernel `trapping`"), std::string::npos) << last_error();
  EXPECT_NE(last_error().find("PTX line 15"), std::string::npos) << last_error();
  DevicePointer pointer = 0;
  EXPECT_RESULT(abi::kLaunchFailed, call("cuMemAlloc_v2", &pointer, std::size_t{16})) << "sticky";
  EXPECT_RESULT(abi::kLaunchFailed, launch(f("plain"), {}, {}));
  abi::Context fresh = nullptr;
  EXPECT_OK(call("cuCtxCreate_v2", &fresh, 0u, abi::Device{0})) << "other contexts are well";
  EXPECT_OK(call("cuMemAlloc_v2", &pointer, std::size_t{16}));
  EXPECT_OK(call("cuCtxDestroy_v2", fresh));
}

TEST_F(Launches, AWildStoreIsAnIllegalAddressAndNotTheEndOfTheProcess) {
  EXPECT_OK(launch(f("wild"), {}, {}));
  EXPECT_RESULT(abi::kIllegalAddress, call("cuCtxSynchronize"));
  EXPECT_NE(last_error().find("0x40"), std::string::npos) << last_error();
}

TEST_F(Launches, ALocalOrSharedAccessFarOutsideIsAnErrorAndReachesNobodyElsesMemory) {
  struct Case {
    const char* access;
    std::int64_t offset;
    Result expected = abi::kIllegalAddress;
  };
  std::vector<Case> cases;
  for (const std::int64_t offset : {5'000'000LL, 1'000'000'000LL, 2'147'483'647LL, 4'294'967'288LL}) {
    cases.push_back({"st.volatile.shared.u8 [%r1], 9;", offset, abi::kIllegalInstruction});
    cases.push_back({"ld.volatile.shared.u8 %r1, [%r1];", offset, abi::kIllegalInstruction});
  }
  for (const std::int64_t offset : {-1'000'000LL, 5'000'000LL, -(1LL << 31), 1LL << 32, -(1LL << 32),
                                    (1LL << 33) - 64, -(1LL << 33) + 64}) {
    cases.push_back({"st.local.u8 [%rd1], 9;", offset});
    cases.push_back({"cvta.local.u64 %rd1, %rd1; st.volatile.u8 [%rd1], 9;", offset});
  }
  for (const char* barrier : {"", "bar.sync 0;"}) {
    for (const Case& each : cases) {
      abi::Context own = nullptr;
      ASSERT_OK(call("cuCtxCreate_v2", &own, 0u, abi::Device{0}));
      const abi::Module module = load(ptx(std::string(R"(
.visible .entry k(.param .u64 offset) {
  .shared .align 4 .b8 s[64];
  .local .align 4 .b8 l[64];
  .reg .b64 %rd<3>; .reg .b32 %r<3>;
  ld.param.u64 %rd2, [offset];
  mov.u32 %r1, s;
  cvt.u32.u64 %r2, %rd2;
  add.u32 %r1, %r1, %r2;
  mov.u64 %rd1, l;
  add.u64 %rd1, %rd1, %rd2;
  )") + barrier + each.access + " ret; }"));
      std::int64_t offset = each.offset;
      EXPECT_OK(launch(function_of(module, "k"), {{4, 1, 1}, {32, 1, 1}}, {&offset}));
      EXPECT_RESULT(each.expected, call("cuCtxSynchronize")) << each.access << " at " << offset;
      if (each.expected == abi::kIllegalInstruction) {
        const bool before = offset > INT32_MAX;  // an index of 32 bits
        EXPECT_EQ(last_error(), std::string("kernel `k` accessed shared memory ") +
                                    (before ? "before its start" : "beyond its end") + ", at offset " +
                                    std::to_string(before ? offset - (1LL << 32) : offset));
      }
      call("cuCtxDestroy_v2", own);
    }
  }
}

TEST_F(Launches, NothingThatCanBeAccessedIsWithin4GiBOfSharedOrLocalMemory) {
  DeviceArray<std::uint64_t> out(2);
  run(ptx(R"(
.visible .entry k(.param .u64 out) {
  .shared .align 4 .b8 s[64];
  .local .align 4 .b8 l[64];
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  cvta.shared.u64 %rd2, s;
  cvta.local.u64 %rd3, l;
  st.volatile.u32 [%rd2], 1;
  st.volatile.u32 [%rd3], 1;
  st.global.v2.u64 [%rd1], {%rd2, %rd3};
  ret;
}
)"),
      "k", {}, out.argument());
  for (const std::uint64_t address : out.read()) {
    constexpr std::uint64_t kReach = std::uint64_t{1} << 32;
    bool found = false;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      unsigned long long first = 0, end = 0;
      char access[5] = "";
      ASSERT_EQ(std::sscanf(line.c_str(), "%llx-%llx %4s", &first, &end, access), 3) << line;
      if (first <= address && address < end) {
        found = true;
        EXPECT_STREQ(access, "rw-p");
      } else if (end > address - kReach && first < address + kReach) {
        EXPECT_STREQ(access, "---p") << line << "\nnear " << std::hex << address;
      }
    }
    EXPECT_TRUE(found) << std::hex << address;
  }
}

TEST_F(Launches, AnAddressThatNoMemoryCanHaveIsNotTakenForAddress0) {
  const abi::Module module = load(ptx(R"(
.visible .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, 0x8000000000000000; st.global.u32 [%rd1], 7; ret; }
)"));
  EXPECT_OK(launch(function_of(module, "k"), {}, {}));
  EXPECT_RESULT(abi::kIllegalAddress, call("cuCtxSynchronize"));
  EXPECT_NE(last_error().find("at an address that no memory can have"), std::string::npos) << last_error();
}

TEST_F(Launches, WorkQueuedBehindAFaultIsNotDone) {
  DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>{1});
  void* host = nullptr;
  ASSERT_OK(call("cuMemHostAlloc", &host, std::size_t{4}, 0u));
  std::memset(host, 0, 4);
  Gate gate;
  gate.hold(nullptr);
  EXPECT_OK(launch(f("trapping"), {}, {}));
  EXPECT_OK(call("cuMemcpyDtoHAsync_v2", host, out.pointer(), std::size_t{4}, abi::Stream{}));
  gate.open();
  EXPECT_RESULT(abi::kLaunchFailed, call("cuStreamSynchronize", abi::Stream{}));
  EXPECT_EQ(*static_cast<std::uint32_t*>(host), 0u);
}

TEST_F(Launches, ThousandsOfLaunchesStayInOrder) {
  const abi::Function add = function_of(load(ptx(R"(
.visible .entry step(.param .u64 out, .param .u32 expected) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<4>;
  .reg .pred %p;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [expected];
  ld.global.u32 %r2, [%rd1];
  setp.ne.u32 %p, %r1, %r2;
  @%p ret;
  add.u32 %r3, %r2, 1;
  st.global.u32 [%rd1], %r3;
  ret;
}
)")),
                                        "step");
  constexpr std::uint32_t kSteps = 20'000;
  DeviceArray<std::uint32_t> out(std::vector<std::uint32_t>{0});
  for (std::uint32_t i = 0; i < kSteps; ++i) ASSERT_OK(launch(add, {}, {out.argument(), &i}));
  EXPECT_EQ(out.read()[0], kSteps);
}

}  // namespace
}  // namespace tare::conformance
