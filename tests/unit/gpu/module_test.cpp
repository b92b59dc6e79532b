#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tare/driver.hpp"
#include "unit/gpu/support.hpp"

namespace tare::testing_support {
namespace {

using testing::HasSubstr;

class Modules : public OnDevice {};

TEST_F(Modules, AMissingKernelIsAnsweredWithThoseThereAre) {
  const auto module =
      load(std::string(kHeader) + ".visible .entry one() { ret; }\n.visible .entry two() { ret; }\n");
  const auto error = error_of([&] { module.kernel("three"); });
  EXPECT_EQ(error.kind(), ErrorKind::not_found);
  EXPECT_STREQ(error.what(), "the module has no kernel `three`: it has `one`, `two`");
  EXPECT_EQ(error.hint(), "declare the kernel extern \"C\", or use its lowered name");
  EXPECT_EQ(error.code_name(), "CUDA_ERROR_NOT_FOUND");
}

TEST_F(Modules, AKernelKeepsItsModuleLoaded) {
  const auto out = device_copy<double>({0, 0, 0, 0});
  auto kernel = load(kScalars).kernel("k");
  kernel.launch(stream_, {}, out.pointer(), 1.5f, 'a', 2LL, true);
  stream_.synchronize();
  EXPECT_EQ(host_copy<double>(out)[0], 1.5);
  EXPECT_EQ(kernel.name(), "k");
}

TEST_F(Modules, TextNeedNotEndInNul) {
  const std::string text = kNothing + "garbage that is not part of the image";
  const auto image = bytes_of(text).first(kNothing.size());
  EXPECT_EQ(Module::load(context_, image).kernel("nothing").name(), "nothing");
}

TEST_F(Modules, TextThatEndsInNulIsReadUpToIt) {
  std::string text = kNothing;
  text.push_back('\0');
  EXPECT_EQ(Module::load(context_, bytes_of(text)).kernel("nothing").name(), "nothing");
}

TEST_F(Modules, AGlobalVariableHasAnAddressAndASize) {
  const auto module = load(std::string(kHeader) + ".visible .global .align 4 .b8 table[40];\n" +
                           ".visible .entry nothing() { ret; }\n");
  const auto [pointer, bytes] = module.global("table");
  EXPECT_NE(pointer.address, 0u);
  EXPECT_EQ(bytes, 40u);
  const auto error = error_of([&] { module.global("chair"); });
  EXPECT_EQ(error.kind(), ErrorKind::not_found);
  EXPECT_STREQ(error.what(), "the module has no variable `chair`");
}

TEST_F(Modules, PtxNewerThanTheDriverIsAnsweredWithBothVersions) {
  std::string text = "// Cuda compilation tools, release 99.1, V99.1.2\n" + kNothing;
  text.replace(text.find("8.0"), 3, "9.9");
  const auto error = error_of([&] { load(text); });
  EXPECT_EQ(error.kind(), ErrorKind::driver);
  EXPECT_EQ(error.code(), 222);
  EXPECT_EQ(error.code_name(), "CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
  EXPECT_THAT(error.what(), HasSubstr("cuModuleLoadDataEx on PTX 9.9 (release 99.1, V99.1.2) failed"));
  EXPECT_THAT(error.what(), HasSubstr("the text is PTX 9.9, the driver (13.0) takes PTX up to 9.0"));
  EXPECT_EQ(error.hint(), "compile to a cubin for this device, use an older compiler, or a newer driver");
}

TEST_F(Modules, DamagedPtxIsAnsweredWithTheLog) {
  const auto error = error_of([&] { load(std::string(kHeader) + ".visible .entry k() { nonsense; }\n"); });
  EXPECT_EQ(error.code_name(), "CUDA_ERROR_INVALID_PTX");
  EXPECT_THAT(error.what(), HasSubstr("nonsense"));
}

TEST_F(Modules, AnEmptyImageIsRefused) {
  const auto error = error_of([&] { Module::load(context_, {}); });
  EXPECT_EQ(error.kind(), ErrorKind::argument);
  EXPECT_STREQ(error.what(), "there is nothing to load: the image has 0 bytes");
}

TEST_F(Modules, MachineCodeIsRefusedByADriverThatTakesPtxOnlyWithThatReason) {
  if (!driver_info().loads_ptx_only) GTEST_SKIP() << "this driver loads machine code";
  const auto error = error_of([&] {
    load(
        std::string("\x7f"
                    "ELF\x02\x01\x01\x00",
                    8));
  });
  EXPECT_THAT(error.what(), HasSubstr("cuModuleLoadDataEx on 8 bytes of machine code failed"));
  EXPECT_EQ(error.hint(), "this driver loads PTX only: compile to PTX");
}

}  // namespace
}  // namespace tare::testing_support
