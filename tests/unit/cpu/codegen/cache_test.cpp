// The cache of compiled kernels on disk: found again, never wrong, never in the way.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "harness.hpp"

namespace tare::cpu::codegen::test {
namespace {

namespace fs = std::filesystem;

std::string add_constant(int constant) {
  return std::string(kHeader) + R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<8>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  add.s32 %r2, %r1, )" +
         std::to_string(constant) + R"(;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
})";
}

class ObjectCache : public ::testing::Test {
 protected:
  ObjectCache() {
    std::string name = (fs::temp_directory_path() / "tare-objects-XXXXXX").string();
    root_ = directory_ = mkdtemp(name.data());
  }
  ~ObjectCache() override {
    std::error_code ignored;
    fs::permissions(root_, fs::perms::owner_all, ignored);
    fs::remove_all(root_, ignored);
  }

  /// Compiles, checks what the kernel writes, and says whether the object came from the disk.
  bool from_cache(int constant, int optimisation = 1) {
    Loaded loaded(add_constant(constant));
    CompileOptions options;
    options.optimisation = optimisation;
    options.object_cache_directory = directory_;
    options.object_cache_bytes = max_bytes_;
    const auto result = loaded.compile("k", options);
    const auto* kernel = std::get_if<CompiledKernel>(&result);
    if (kernel == nullptr) {
      ADD_FAILURE() << std::get<CompileError>(result).message;
      return false;
    }
    std::vector<std::int32_t> out(64);
    struct {
      std::int32_t* out;
    } parameters{out.data()};
    EXPECT_EQ(loaded.run(*kernel, {{1, 1, 1}, {64, 1, 1}}, parameters), Fault::none);
    for (std::int32_t i = 0; i < 64; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], i + constant);
    return kernel->from_object_cache;
  }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(directory_)) found.push_back(entry.path());
    return found;
  }

  /// Without those set aside.
  std::size_t kept() const {
    const auto all = entries();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [](const fs::path& path) { return path.extension() == ".kernel"; }));
  }

  std::string root_, directory_;
  std::uint64_t max_bytes_ = std::uint64_t{1} << 30;
};

TEST_F(ObjectCache, SecondCompilationTakesTheFirstOnesObject) {
  EXPECT_FALSE(from_cache(5));
  EXPECT_EQ(entries().size(), 1u);
  EXPECT_TRUE(from_cache(5));
  EXPECT_EQ(entries().size(), 1u);
}

TEST_F(ObjectCache, AnotherKernelOrLevelIsAnotherEntry) {
  EXPECT_FALSE(from_cache(5));
  EXPECT_FALSE(from_cache(6));
  EXPECT_FALSE(from_cache(5, 2));
  EXPECT_EQ(entries().size(), 3u);
  EXPECT_TRUE(from_cache(6));
}

TEST_F(ObjectCache, DamagedEntryIsCompiledAnewAndReplaced) {
  ASSERT_FALSE(from_cache(5));
  const fs::path entry = entries().at(0);
  const auto size = fs::file_size(entry);
  for (const std::uintmax_t at : {std::uintmax_t{0}, std::uintmax_t{9}, size / 2, size - 1}) {
    {
      std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(at));
      const char byte = static_cast<char>(file.get() ^ 0x40);
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte);
    }
    EXPECT_FALSE(from_cache(5)) << "byte " << at;
    EXPECT_TRUE(from_cache(5)) << "byte " << at;
  }
  fs::resize_file(entry, size / 3);
  EXPECT_FALSE(from_cache(5));
  fs::resize_file(entry, 0);
  EXPECT_FALSE(from_cache(5));
  EXPECT_TRUE(from_cache(5));
}

TEST_F(ObjectCache, FileOfAnySizeInAnEntrysPlaceIsNotReadWhole) {
  constexpr std::uintmax_t kHuge = std::uintmax_t{20} << 30;  // 20 GiB, of which nothing is on the disk
  ASSERT_FALSE(from_cache(5));
  const fs::path entry = entries().at(0);
  const auto peak_kilobytes = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const long before = peak_kilobytes();
  fs::resize_file(entry, kHuge);
  EXPECT_FALSE(from_cache(5)) << "grown";
  {
    std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
    const std::uint64_t object_bytes = kHuge - 40 - 16;
    file.seekp(32);
    file.write(reinterpret_cast<const char*>(&object_bytes), sizeof object_bytes);
  }
  fs::resize_file(entry, kHuge);
  EXPECT_FALSE(from_cache(5)) << "with a header that says as much";
  EXPECT_TRUE(from_cache(5));
  fs::remove(entry);
  ASSERT_EQ(mkfifo(entry.c_str(), 0600), 0);
  EXPECT_FALSE(from_cache(5)) << "a pipe";
  EXPECT_LT(peak_kilobytes() - before, 1 << 20) << "KiB";
}

TEST_F(ObjectCache, EntryUnderAnotherKeysNameIsNotTaken) {
  ASSERT_FALSE(from_cache(5));
  const fs::path first = entries().at(0);
  ASSERT_FALSE(from_cache(6));
  for (const fs::path& entry : entries()) {
    if (entry != first) fs::copy_file(first, entry, fs::copy_options::overwrite_existing);
  }
  EXPECT_FALSE(from_cache(6));
}

TEST_F(ObjectCache, UnderItsBoundTheLeastRecentlyUsedGoFirstAndNothingElse) {
  std::ofstream(directory_ + "/of another program.kernel").put('x');
  ASSERT_FALSE(from_cache(0));
  const auto entry_bytes = [&] {
    for (const fs::path& path : entries())
      if (path.filename() != "of another program.kernel") return fs::file_size(path);
    return std::uintmax_t{0};
  }();
  ASSERT_GT(entry_bytes, 0u);
  max_bytes_ = entry_bytes * 11 / 2;  // five, and a tenth of the bound stays free
  for (int constant = 1; constant < 12; ++constant) {
    EXPECT_FALSE(from_cache(constant));
    EXPECT_TRUE(from_cache(0)) << "the one in use stays, after " << constant;
    EXPECT_LE(kept(), 1 + 5u);
  }
  EXPECT_TRUE(from_cache(11));
  EXPECT_FALSE(from_cache(1));
  EXPECT_TRUE(fs::exists(directory_ + "/of another program.kernel"));
}

TEST_F(ObjectCache, DirectoryThatOthersMayWriteIsNeitherReadNorWritten) {
  ASSERT_FALSE(from_cache(5));
  fs::permissions(directory_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(from_cache(5));
  EXPECT_FALSE(from_cache(6));
  EXPECT_EQ(kept(), 1u);
  setenv("TARE_CACHE_TRUST", "1", 1);
  EXPECT_TRUE(from_cache(5));
  unsetenv("TARE_CACHE_TRUST");
}

TEST_F(ObjectCache, DamagedEntryIsSetAside) {
  ASSERT_FALSE(from_cache(5));
  const fs::path entry = entries().at(0);
  fs::resize_file(entry, fs::file_size(entry) - 1);
  ASSERT_FALSE(from_cache(5));
  EXPECT_EQ(kept(), 1u);
  ASSERT_EQ(entries().size(), 2u);
  for (const fs::path& path : entries())
    EXPECT_TRUE(path.filename().string().starts_with(entry.filename().string()));
}

TEST_F(ObjectCache, DirectoryThatCannotBeMadeCostsNothingButTheCache) {
  std::ofstream(directory_ + "/file").put('x');
  directory_ += "/file/below";
  EXPECT_FALSE(from_cache(5));
  EXPECT_FALSE(from_cache(5));
}

TEST_F(ObjectCache, ThreadsThatCompileTheSameKernelAtOnceAllSucceed) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([this, i] { from_cache(i % 2); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(entries().size(), 2u);
  EXPECT_TRUE(from_cache(0));
  EXPECT_TRUE(from_cache(1));
}

}  // namespace
}  // namespace tare::cpu::codegen::test
