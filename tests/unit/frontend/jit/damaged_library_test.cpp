// libNVVM and the device library as a copy that broke off leaves them.
#include "fixture.hpp"

namespace tare {
namespace {

using fixtures::error_of;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class JitDamaged : public fixtures::JitTest {
 protected:
  template <class Function>
  Error error_with(const fs::path& libnvvm, Function function) const {
    JitOptions options;
    options.compiler_path = libnvvm;
    const auto kernel = jit(std::move(function), options);
    const Buffer out = buffer(std::vector<float>(32));
    return error_of([&] { kernel({1, 32, stream_}, device_span<float>(out)); });
  }
  fixtures::Folder folder_;
};

TEST_F(JitDamaged, ALibNvvmThatIsCutOffIsRefusedAndEndsNoProcess) {
  const fs::path library = folder_.path() / "libnvvm.so.4";
  const fs::path whole = TARE_BINARY_DIR "/lib/tare/cpu/libcuda.so.1";  // any library is as good
  for (const std::uintmax_t bytes : {fs::file_size(whole) / 2, std::uintmax_t{4096}, std::uintmax_t{100}}) {
    fs::copy_file(whole, library, fs::copy_options::overwrite_existing);
    fs::resize_file(library, bytes);
    const Error error = error_with(library, [](auto out) { out[0] = 1.0f; });
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_THAT(error.what(),
                HasSubstr("cannot load " + library.string() + " as libNVVM: the file is cut off: it has " +
                          std::to_string(bytes) + " bytes of at least "));
    EXPECT_THAT(error.hint(), HasSubstr("JitOptions::compiler_path"));
  }
}

TEST_F(JitDamaged, ADeviceLibraryThatIsCutOffIsNamedAndEndsNoProcess) {
  TARE_NEEDS(nvvm);
  const fs::path whole = libdevice_of(*find_nvvm().tool);
  if (whole.empty()) GTEST_SKIP() << "libNVVM has no device library beside it here";
  const fs::path libnvvm = folder_.path() / "nvvm/lib64/libnvvm.so.4";
  const fs::path device_library = folder_.path() / "nvvm/libdevice/libdevice.10.bc";
  fs::create_directories(libnvvm.parent_path());
  fs::create_directories(device_library.parent_path());
  fs::copy_file(fs::canonical(find_nvvm().tool->path), libnvvm);
  const fixtures::ScopedEnvironment named(
      fixtures::ScopedEnvironment::Changes{{"TARE_NVVM", libnvvm.string()}});
  for (const std::uintmax_t bytes :
       {fs::file_size(whole) - 4, std::uintmax_t{100'000}, std::uintmax_t{10}, std::uintmax_t{0}})
    for (const JitCompiler compiler : {JitCompiler::libnvvm, JitCompiler::clang}) {
      if (compiler == JitCompiler::clang && !find_clang().tool) continue;
      fs::copy_file(whole, device_library, fs::copy_options::overwrite_existing);
      fs::resize_file(device_library, bytes);
      JitOptions options;
      options.compiler = compiler;
      const auto kernel = jit([](auto out) { out[0] = sin(out[1]); }, options);
      const Buffer out = buffer(std::vector<float>(32));
      const Error error = error_of([&] { kernel({1, 32, stream_}, device_span<float>(out)); });
      EXPECT_EQ(error.kind(), ErrorKind::io);
      EXPECT_EQ(error.what(), "the device library " + device_library.string() + " is damaged: its " +
                                  std::to_string(bytes) + " bytes are no whole LLVM bitcode");
    }
}

}  // namespace
}  // namespace tare
