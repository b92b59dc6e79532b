#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

struct Answer {
  Result result = abi::kUnknown;
  void* address = nullptr;
  abi::Enum status = -1;
};

Answer ask(const char* name, int version, std::uint64_t flags = 0) {
  Answer answer;
  answer.result = call("cuGetProcAddress_v2", name, &answer.address, version, flags, &answer.status);
  return answer;
}

TEST(ProcAddress, AVersionChoosesTheFormThatItHad) {
  EXPECT_EQ(ask("cuMemAlloc", 2000).address, symbol("cuMemAlloc"));
  EXPECT_EQ(ask("cuMemAlloc", 3020).address, symbol("cuMemAlloc_v2"));
  EXPECT_EQ(ask("cuMemAlloc", 13000).address, symbol("cuMemAlloc_v2"));
  EXPECT_EQ(ask("cuCtxCreate", 3020).address, symbol("cuCtxCreate_v2"));
  EXPECT_EQ(ask("cuCtxCreate", 11040).address, symbol("cuCtxCreate_v3"));
  EXPECT_EQ(ask("cuCtxCreate", 12040).address, symbol("cuCtxCreate_v3"));
  EXPECT_EQ(ask("cuCtxCreate", 12050).address, symbol("cuCtxCreate_v4"));
  EXPECT_EQ(ask("cuGetProcAddress", 11080).address, symbol("cuGetProcAddress"));
  EXPECT_EQ(ask("cuGetProcAddress", 12000).address, symbol("cuGetProcAddress_v2"));
  EXPECT_EQ(ask("cuStreamWaitValue32", 13000).address, symbol("cuStreamWaitValue32_v2"));
}

TEST(ProcAddress, TheFlagChoosesThePerThreadDefaultStream) {
  EXPECT_EQ(ask("cuLaunchKernel", 13000, abi::proc_address::per_thread_default_stream).address,
            symbol("cuLaunchKernel_ptsz"));
  EXPECT_EQ(ask("cuLaunchKernel", 13000, abi::proc_address::legacy_stream).address, symbol("cuLaunchKernel"));
  EXPECT_EQ(ask("cuMemcpyHtoD", 13000, abi::proc_address::per_thread_default_stream).address,
            symbol("cuMemcpyHtoD_v2_ptds"));
  // A function without a stream has one form only.
  EXPECT_EQ(ask("cuMemAlloc", 13000, abi::proc_address::per_thread_default_stream).address,
            symbol("cuMemAlloc_v2"));
}

TEST(ProcAddress, TheStatusTellsAnUnknownNameFromATooOldVersion) {
  Answer answer = ask("cuNoSuchThing", 13000);
  EXPECT_RESULT(abi::kSuccess, answer.result);
  EXPECT_EQ(answer.address, nullptr);
  EXPECT_EQ(answer.status, abi::proc_address::symbol_not_found);
  answer = ask("cuLaunchKernelEx", 11050);
  EXPECT_RESULT(abi::kSuccess, answer.result);
  EXPECT_EQ(answer.address, nullptr);
  EXPECT_EQ(answer.status, abi::proc_address::version_not_sufficient);
  answer = ask("cuLaunchKernelEx", 11060);
  EXPECT_EQ(answer.address, symbol("cuLaunchKernelEx"));
  EXPECT_EQ(answer.status, abi::proc_address::success);
}

TEST(ProcAddress, TheFirstFormAnswersNotFound) {
  void* address = &address;
  EXPECT_RESULT(abi::kNotFound, call("cuGetProcAddress", "cuNoSuchThing", &address, 12000, std::uint64_t{0}));
  EXPECT_EQ(address, nullptr);
}

TEST(ProcAddress, BadArgumentsAreInvalid) {
  void* address = nullptr;
  abi::Enum status = 0;
  const auto form = [&](const char* name, void** out, int version, std::uint64_t flags) {
    return call("cuGetProcAddress_v2", name, out, version, flags, &status);
  };
  EXPECT_RESULT(abi::kInvalidValue, form(nullptr, &address, 12000, 0));
  EXPECT_RESULT(abi::kInvalidValue, form("", &address, 12000, 0));
  EXPECT_RESULT(abi::kInvalidValue, form("cuInit", nullptr, 12000, 0));
  EXPECT_RESULT(abi::kInvalidValue, form("cuInit", &address, 99000, 0));
  EXPECT_RESULT(abi::kInvalidValue, form("cuInit", &address, 12000, 64));
}

TEST(ProcAddress, ThereAreNoPrivateTables) {
  const abi::Uuid id{{1, 2, 3}};
  const void* table = &id;
  EXPECT_RESULT(abi::kNotFound, call("cuGetExportTable", &table, &id));
  EXPECT_EQ(table, nullptr);
}

}  // namespace
}  // namespace tare::conformance
