// An access that does not begin at a multiple of its bytes; which accesses do is recorded from a GPU in
// gpu/alignment.bits.
#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

class MisalignedAccesses : public WithContext {
 protected:
  /// What is told of a kernel in a context of its own whose thread 3 of block 1 runs the statements, %at
  /// being 2 bytes behind memory that is aligned.
  std::string told_of(const std::string& statements) {
    DevicePointer memory = 0;
    abi::Context fresh = nullptr;
    EXPECT_OK(call("cuCtxCreate_v2", &fresh, 0u, abi::Device{0}));
    EXPECT_OK(call("cuMemAlloc_v2", &memory, std::size_t{256}));
    DevicePointer at = memory + 2;
    const abi::Function function = function_of(load(ptx(R"(
.visible .entry off(.param .u64 at) {
  .reg .b64 %at; .reg .b32 %t, %b, %r; .reg .pred %other;
  ld.param.u64 %at, [at]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;
  setp.ne.u32 %other, %b, 1; @%other ret;
  setp.ne.u32 %other, %t, 3; @%other ret;
)" + statements + "\n  ret;\n}\n")),
                                               "off");
    const Shape shape{{2, 1, 1}, {32, 1, 1}};
    EXPECT_OK(launch(function, shape, {&at}));
    const Result result = call("cuCtxSynchronize");
    const std::string told = result == abi::kSuccess ? "" : last_error();
    EXPECT_RESULT(result, call("cuCtxSynchronize")) << "sticky";
    if (result != abi::kSuccess) {
      EXPECT_RESULT(abi::kMisalignedAddress, result);
    }
    EXPECT_OK(call("cuCtxDestroy_v2", fresh));
    return told;
  }
};

TEST_F(MisalignedAccesses, EndTheContextAndNameKernelAndBlock) {
  const std::string told = told_of("ld.global.u32 %r, [%at]; st.global.u32 [%at+2], %r;");
  EXPECT_NE(told.find("kernel `off`"), std::string::npos) << told;
  EXPECT_NE(told.find("block (1, 0, 0)"), std::string::npos) << told;
}

TEST_F(MisalignedAccesses, OfAtomicsNameThreadAndLine) {
  const std::string told = told_of("\n\n  red.global.add.u32 [%at], 1;");
  EXPECT_NE(told.find("block (1, 0, 0), thread (3, 0, 0), PTX line"), std::string::npos) << told;
}

TEST_F(MisalignedAccesses, OfBytesAndPairsOfBytesThereAreNone) {
  EXPECT_EQ(told_of("ld.global.u16 %r, [%at]; st.global.u8 [%at+1], %r; st.global.v2.u8 [%at+4], {%r, %r};"),
            "");
}

TEST_F(MisalignedAccesses, LeaveTheNextContextAlone) {
  EXPECT_NE(told_of("st.global.u64 [%at], %at;"), "");
  EXPECT_EQ(told_of("st.global.u64 [%at+6], %at;"), "");
}

}  // namespace
}  // namespace tare::conformance
