// Every input alone changes the key, and nothing else does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "../compile/fixture.hpp"
#include "cache/digest.hpp"
#include "cache/inputs.hpp"
#include "tare/cache.hpp"
#include "tare/error.hpp"

namespace tare {
namespace {

using detail::hex;
using detail::key_of;
using fixtures::Folder;
using fixtures::ScopedEnvironment;

/// A toolkit of small files: a key needs a compiler's identity, not a compiler.
class Keys : public ::testing::Test {
 protected:
  Keys() {
    folder_.write("lib/libnvrtc.so.13", "nvrtc");
    folder_.write("lib/libnvrtc-builtins.so.13.0", "builtins");
    folder_.write("include/cuda_runtime.h", "");
    folder_.write("include/cuda_fp16.h", "");
    folder_.write("include/cccl/cuda/std/cstdint", "");
    folder_.write("bin/nvcc", "#!/bin/sh\n", true);
    folder_.write("bin/ptxas", "ptxas", true);
    folder_.write("nvvm/bin/cicc", "cicc", true);
    options_.arch = "sm_90";
  }
  std::string key(CachedCompiler compiler = CachedCompiler::nvrtc) const {
    return hex(key_of(cache_inputs(compiler, source_, code_, names_, options_)));
  }
  std::string why_not() const {
    try {
      key();
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::unsupported);
      return e.what();
    }
    return "";
  }

  Folder folder_;
  ScopedEnvironment environment_{ScopedEnvironment::Changes{{"TARE_NVRTC", folder_.path().string()},
                                                            {"TARE_NVCC", folder_.path().string()}}};
  std::string source_ = "extern \"C\" __global__ void k() {}";
  Code code_ = Code::cubin;
  std::vector<std::string> names_{"k"};
  CompileOptions options_;
};

TEST_F(Keys, TheSameInputsGiveTheSameKey) {
  EXPECT_EQ(key(), key());
}

TEST_F(Keys, EachOptionAloneChangesTheKey) {
  using Change = std::function<void(CompileOptions&)>;
  const std::vector<Change> changes{
      [](auto& o) { o.arch = "sm_90a"; },
      [](auto& o) { o.standard = "c++20"; },
      [](auto& o) { o.fmad = true; },
      [](auto& o) { o.fmad = false; },
      [](auto& o) { o.ftz = true; },
      [](auto& o) { o.ftz = false; },
      [](auto& o) { o.prec_div = true; },
      [](auto& o) { o.prec_div = false; },
      [](auto& o) { o.prec_sqrt = true; },
      [](auto& o) { o.prec_sqrt = false; },
      [](auto& o) { o.max_registers = 32; },
      [](auto& o) { o.max_registers = 64; },
      [](auto& o) { o.defines = {"A"}; },
      [](auto& o) {
        o.defines = {"A", "B"};
      },
      [](auto& o) {
        o.defines = {"B", "A"};
      },
      [](auto& o) { o.defines = {"AB"}; },
      [](auto& o) { o.include_dirs = {"/a"}; },
      [](auto& o) {
        o.include_dirs = {"/a", "/b"};
      },
      [](auto& o) {
        o.include_dirs = {"/b", "/a"};
      },
      [](auto& o) { o.extra = {"-lineinfo"}; },
      [](auto& o) { o.extra = {"-G"}; },
      [](auto& o) { o.file_name = "other.cu"; },
      [](auto& o) { o.first_line = 2; },
      [this](auto& o) { o.compiler = folder_.path() / "lib/libnvrtc.so.13"; },
  };
  std::set<std::string> keys{key()};
  const CompileOptions before = options_;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    options_ = before;
    changes[i](options_);
    EXPECT_TRUE(keys.insert(key()).second) << "change " << i << " gives a key that another has";
  }
  // inputs.cpp takes the options apart by name and does not compile when one is added: then add to this
  // list, and to the count.
  EXPECT_EQ(detail::option_inputs(before).size(), 13u);
}

TEST_F(Keys, SourceNamesCodeAndFrontEndChangeTheKey) {
  std::set<std::string> keys{key()};
  EXPECT_TRUE(keys.insert(key(CachedCompiler::nvcc)).second);
  source_ += " ";
  EXPECT_TRUE(keys.insert(key()).second);
  names_ = {"k", "l"};
  EXPECT_TRUE(keys.insert(key()).second);
  names_ = {"kl"};
  EXPECT_TRUE(keys.insert(key()).second);
  code_ = Code::ptx;
  EXPECT_TRUE(keys.insert(key()).second);
}

TEST_F(Keys, EachPartOfTheCompilerChangesTheKey) {
  std::set<std::string> keys{key()};
  folder_.write("lib/libnvrtc.so.13", "another nvrtc");
  EXPECT_TRUE(keys.insert(key()).second);
  folder_.write("lib/libnvrtc-builtins.so.13.0", "other builtins");
  EXPECT_TRUE(keys.insert(key()).second);
  keys.insert(key(CachedCompiler::nvcc));
  for (const char* part : {"bin/nvcc", "bin/ptxas", "nvvm/bin/cicc"}) {
    folder_.write(part, "#!/bin/sh\n# changed\n", true);
    EXPECT_TRUE(keys.insert(key(CachedCompiler::nvcc)).second) << part;
  }
}

TEST_F(Keys, EachInputOfATracedKernelChangesTheKey) {
  const std::filesystem::path nvvm = folder_.write("nvvm/lib64/libnvvm.so.4", "nvvm"),
                              clang = folder_.write("llvm/bin/clang", "#!/bin/sh\n", true),
                              device_library = folder_.write("libdevice.10.bc", "library");
  detail::IrCompile compile;
  compile.name = "k";
  compile.ir = "define void @k() { ret void }";
  compile.compilers = {nvvm};
  compile.options.arch = "compute_90";
  std::set<std::string> keys;
  const auto is_new = [&] { return keys.insert(hex(key_of(detail::gather_inputs(compile).inputs))).second; };
  EXPECT_TRUE(is_new());
  EXPECT_FALSE(is_new());
  compile.name = "l";
  EXPECT_TRUE(is_new());
  compile.ir += " ";
  EXPECT_TRUE(is_new());
  compile.options.arch = "compute_80";
  EXPECT_TRUE(is_new()) << "another device";
  compile.options.fmad = false;
  EXPECT_TRUE(is_new());
  compile.libdevice = device_library;
  EXPECT_TRUE(is_new());
  folder_.write("libdevice.10.bc", "another library");
  EXPECT_TRUE(is_new());
  folder_.write("nvvm/lib64/libnvvm.so.4", "another nvvm");
  EXPECT_TRUE(is_new());
  compile.with_clang = true;
  EXPECT_TRUE(is_new());
  compile.compilers = {clang};
  EXPECT_TRUE(is_new());
  compile.compilers = {clang, nvvm};
  EXPECT_TRUE(is_new());
  compile.compilers = {nvvm, clang};
  EXPECT_TRUE(is_new()) << "another is asked first";
  folder_.write("llvm/bin/clang", "#!/bin/sh\n# changed\n", true);
  EXPECT_TRUE(is_new());
  folder_.write("llvm/lib/libLLVM.so.19.1", "most of clang");
  EXPECT_TRUE(is_new());
  folder_.write("llvm/lib/libLLVM.so.19.1", "most of another clang");
  EXPECT_TRUE(is_new());
  folder_.write("llvm/lib/libclang-cpp.so.19.1", "the rest");
  EXPECT_TRUE(is_new());
}

TEST_F(Keys, VariablesThatChangeNvccChangeItsKey) {
  std::set<std::string> keys{key(CachedCompiler::nvcc)};
  for (const char* name :
       {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "NVCC_CCBIN", "CPATH", "CPLUS_INCLUDE_PATH"}) {
    const ScopedEnvironment changed(ScopedEnvironment::Changes{{name, "x"}});
    EXPECT_TRUE(keys.insert(key(CachedCompiler::nvcc)).second) << name;
  }
}

TEST_F(Keys, LengthsKeepNeighboursApart) {
  EXPECT_NE(key_of({{"a", "bc"}}), key_of({{"ab", "c"}}));
  EXPECT_NE(key_of({{"a", ""}, {"b", ""}}), key_of({{"ab", ""}}));
  EXPECT_EQ(hex(detail::sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(Keys, AHeadersContentCountsWhereverItIsFound) {
  options_.include_dirs = {folder_.path() / "one", folder_.path() / "two"};
  source_ = "#include <a.h>\n";
  folder_.write("two/a.h", "#include \"b.h\"\n");
  folder_.write("two/b.h", "1");
  std::set<std::string> keys{key()};
  folder_.write("two/b.h", "2");
  EXPECT_TRUE(keys.insert(key()).second) << "an edit two levels down";
  folder_.write("one/a.h", "");
  EXPECT_TRUE(keys.insert(key()).second) << "a new header earlier on the path";
  std::filesystem::remove(folder_.path() / "one/a.h");
  EXPECT_FALSE(keys.insert(key()).second) << "as it was before";
  folder_.write("two/unrelated.h", "x");
  EXPECT_FALSE(keys.insert(key()).second) << "a header that nobody includes";
}

TEST_F(Keys, QuotedHeadersBesideTheFileAndInTheCurrentDirectoryCount) {
  source_ = "#include \"local.h\"\n";
  options_.file_name = (folder_.path() / "src/kernel.cu").string();
  std::set<std::string> keys{key()};
  folder_.write("src/local.h", "1");
  EXPECT_TRUE(keys.insert(key()).second);
  folder_.write("src/local.h", "2");
  EXPECT_TRUE(keys.insert(key()).second);

  options_.file_name = "kernel.cu";
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path() / "src");
  keys.insert(key());
  folder_.write("src/local.h", "3");
  EXPECT_TRUE(keys.insert(key()).second);
  std::filesystem::current_path(before);
}

TEST_F(Keys, ANewHeaderThatHidesOneOfTheToolkitsCounts) {
  options_.include_dirs = {folder_.path() / "mine"};
  folder_.write("mine/other.h", "");
  source_ = "#include <cuda/std/cstdint>\n";
  std::set<std::string> keys{key()};
  folder_.write("mine/cuda/std/unlike.h", "");
  EXPECT_FALSE(keys.insert(key()).second);
  folder_.write("mine/cuda_fp16.h", "");
  EXPECT_TRUE(keys.insert(key()).second);
}

TEST_F(Keys, HeadersThatCannotBeToldAreNotCached) {
  source_ = "#define H <a.h>\n#include H\n";
  EXPECT_EQ(why_not(),
            "this compile is not cached: kernel.cu has #include of a macro, whose file is not known");
  source_ = "";
  options_.extra = {"-include", "x.h"};
  EXPECT_EQ(why_not(), "this compile is not cached: the option -include reads files that are not known");
}

TEST_F(Keys, WithoutACompilerThereIsNoKey) {
  const ScopedEnvironment none(ScopedEnvironment::Changes{{"TARE_NVRTC", "/nonexistent"}});
  try {
    key();
    FAIL() << "there was a key";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::not_found);
  }
}

}  // namespace
}  // namespace tare
