// Deferred compilation: nothing before the first call, one compile for all threads and processes, and
// headers that changed.
#include "tare/raw_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include "cache/store.hpp"
#include "support.hpp"
#include "tare/error.hpp"

namespace tare {
namespace {

using fixtures::adds;
using fixtures::Folder;
using fixtures::kVectorAdd;
using ::testing::StartsWith;
namespace fs = std::filesystem;

bool adds_with(const PrimaryContext& context, const RawKernel& kernel) {
  return adds(context, [&](auto stream, const auto& shape, auto a, auto b, auto out, auto n) {
    kernel(stream, shape, a, b, out, n);
  });
}

/// What one process finds, written for its parent. Disabled: only its parent runs it.
TEST(RawKernelChild, DISABLED_RunsOnce) {
  const std::string report_file = std::getenv("TARE_TEST_REPORT");
  const PrimaryContext context;
  const RawKernel kernel(context, kVectorAdd, "vectorAdd");
  const bool right = adds_with(context, kernel);
  std::ofstream(report_file) << (right ? "right" : "wrong") << " compiled=" << kernel.report().compiled
                             << " cache=" << kernel.report().cache_result
                             << " nvrtc=" << fixtures::has_loaded("libnvrtc") << "\n";
  EXPECT_TRUE(right);
}

class Deferred : public ::testing::Test {
 protected:
  void SetUp() override { TARE_NEEDS(nvrtc); }
  /// Starts a process on the cache folder; its report goes to `report`.
  pid_t start(const fs::path& report) const {
    return fixtures::start_test(
        "RawKernelChild.DISABLED_RunsOnce",
        {{"TARE_TEST_REPORT", report.string()}, {"TARE_CACHE_DIR", (folder_.path() / "cache").string()}});
  }
  int as_int(const std::string& source, const CompileOptions& options = {}) {
    const RawKernel kernel(context_, source, "k", options, Cache(folder_.path() / "cache"));
    const auto scope = context_.enter();
    const Stream stream(context_);
    const Buffer out(context_, sizeof(int));
    kernel(stream, Launch{}, out.pointer());
    stream.synchronize();
    int value = 0;
    out.copy_to(std::as_writable_bytes(std::span(&value, 1)));
    last_ = kernel.report();
    return value;
  }
  Folder folder_;
  PrimaryContext context_;
  RawKernel::Report last_;
};

TEST_F(Deferred, NothingHappensAtConstruction) {
  const RawKernel kernel(context_, "this is not CUDA", "k", {}, Cache(folder_.path() / "cache"));
  EXPECT_FALSE(kernel.report().compiled);
  EXPECT_EQ(kernel.report().cache_result, "");
  EXPECT_FALSE(fs::exists(folder_.path() / "cache"));
  EXPECT_THROW(kernel.kernel(), CompileError);
  EXPECT_THROW(kernel.kernel(), CompileError) << "and again: a failure is not kept";
  EXPECT_TRUE(Cache(folder_.path() / "cache").entries().empty());
}

TEST_F(Deferred, TheFirstCallCompilesAndKeeps) {
  const Cache cache(folder_.path() / "cache");
  const RawKernel kernel(context_, kVectorAdd, "vectorAdd", {}, cache);
  EXPECT_TRUE(adds_with(context_, kernel));
  EXPECT_TRUE(kernel.report().compiled);
  EXPECT_EQ(kernel.report().cache_result, "miss");
  EXPECT_EQ(cache.entries().size(), 1u);
  EXPECT_TRUE(adds_with(context_, kernel));
  EXPECT_EQ(cache.counters().misses, 1u);
  EXPECT_EQ(cache.counters().hits, 0u);
}

TEST_F(Deferred, SecondProcessReusesTheCompiledCodeWithoutLoadingNvrtc) {
  const fs::path first = folder_.path() / "first", second = folder_.path() / "second";
  EXPECT_EQ(fixtures::wait_for(start(first)), 0);
  EXPECT_EQ(fixtures::first_line(first), "right compiled=1 cache=miss nvrtc=1");
  EXPECT_EQ(fixtures::wait_for(start(second)), 0);
  EXPECT_EQ(fixtures::first_line(second), "right compiled=0 cache=hit nvrtc=0");
}

TEST_F(Deferred, AReloadedKernelHasTheAttributesOfTheCompiledOne) {
  const std::string source =
      "extern \"C\" __global__ void __launch_bounds__(96) k(float* p) { __shared__ float s[32]; "
      "s[threadIdx.x % "
      "32] = p[0]; __syncthreads(); p[threadIdx.x] = s[(threadIdx.x + 1) % 32]; }";
  const Cache cache(folder_.path() / "cache");
  KernelAttributes attributes[2];
  for (const bool again : {false, true}) {
    const RawKernel kernel(context_, source, "k", {}, cache);
    attributes[again ? 1 : 0] = kernel.kernel().attributes();
    EXPECT_EQ(kernel.report().compiled, !again);
  }
  EXPECT_EQ(attributes[0].max_threads_per_block, 96);
  EXPECT_EQ(attributes[0].static_shared_bytes, 128);
  EXPECT_EQ(std::memcmp(&attributes[0], &attributes[1], sizeof attributes[0]), 0);
}

TEST_F(Deferred, AnEntryThatTheDriverRefusesIsCompiledAnewAndReplaced) {
  const Cache cache(folder_.path() / "cache");
  EXPECT_TRUE(adds_with(context_, RawKernel(context_, kVectorAdd, "vectorAdd", {}, cache)));
  const CacheEntry kept = cache.entries().at(0);
  detail::Key key{};
  for (std::size_t i = 0; i < key.size(); ++i)
    key[i] = static_cast<detail::Key::value_type>(std::stoi(kept.key.substr(2 * i, 2), nullptr, 16));
  std::string why;
  detail::Entry entry = detail::decode_entry(key, *detail::read_entry(kept.path), why).value();
  // Whole and of this key, but PTX that no driver of today reads.
  entry.compiled.code = Code::ptx;
  entry.compiled.image.clear();
  for (const char c : std::string(".version 99.0\n.target sm_90\n.address_size 64\n"))
    entry.compiled.image.push_back(static_cast<std::byte>(c));
  std::ofstream(kept.path, std::ios::binary) << detail::encode_entry(key, entry);
  const RawKernel repaired(context_, kVectorAdd, "vectorAdd", {}, cache);
  EXPECT_TRUE(adds_with(context_, repaired));
  EXPECT_EQ(repaired.report().cache_result, "repaired");
  const RawKernel hit(context_, kVectorAdd, "vectorAdd", {}, cache);
  EXPECT_TRUE(adds_with(context_, hit));
  EXPECT_EQ(hit.report().cache_result, "hit");
  EXPECT_EQ(cache.counters().repaired, 1u);
}

TEST_F(Deferred, ThreadsThatCallAtOnceCompileOnce) {
  const Cache cache(folder_.path() / "cache");
  const RawKernel kernel(context_, kVectorAdd, "vectorAdd", {}, cache);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { right += adds_with(context_, RawKernel(kernel)) ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
  EXPECT_EQ(cache.counters().misses, 1u);
  EXPECT_EQ(cache.counters().stores, 1u);
}

TEST_F(Deferred, ADamagedEntryIsCompiledAnewAndCounted) {
  const Cache cache(folder_.path() / "cache");
  RawKernel(context_, kVectorAdd, "vectorAdd", {}, cache).kernel();
  fs::resize_file(cache.entries().front().path, 100);
  const RawKernel kernel(context_, kVectorAdd, "vectorAdd", {}, cache);
  EXPECT_TRUE(adds_with(context_, kernel));
  EXPECT_TRUE(kernel.report().compiled);
  EXPECT_EQ(kernel.report().cache_result, "repaired");
  EXPECT_EQ(cache.counters().repaired, 1u);
  const RawKernel again(context_, kVectorAdd, "vectorAdd", {}, cache);
  EXPECT_TRUE(adds_with(context_, again));
  EXPECT_EQ(again.report().cache_result, "hit");
}

TEST_F(Deferred, WithNowhereToKeepItTheKernelStillRuns) {
  const fs::path file = folder_.write("file", "");
  ::testing::internal::CaptureStderr();
  const RawKernel kernel(context_, kVectorAdd, "vectorAdd", {}, Cache(file));
  EXPECT_TRUE(adds_with(context_, kernel));
  ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(kernel.report().cache_result, "unusable: " + file.string() + " is not a directory");
  const RawKernel second(context_, kVectorAdd, "vectorAdd", {}, Cache(file));
  EXPECT_TRUE(adds_with(context_, second));
  EXPECT_FALSE(second.report().compiled) << "kept in memory";
}

TEST_F(Deferred, AnEditedHeaderIsCompiledAnew) {
  CompileOptions options;
  options.include_dirs = {folder_.path() / "inc"};
  const std::string source = "#include <value.h>\nextern \"C\" __global__ void k(int* o) { *o = VALUE; }";
  folder_.write("inc/value.h", "#define VALUE 1\n");
  EXPECT_EQ(as_int(source, options), 1);
  EXPECT_EQ(as_int(source, options), 1);
  EXPECT_EQ(last_.cache_result, "hit");
  folder_.write("inc/value.h", "#define VALUE 2\n");
  EXPECT_EQ(as_int(source, options), 2);
  EXPECT_EQ(last_.cache_result, "miss");
  folder_.write("inc/value.h", "#define VALUE 1\n");
  EXPECT_EQ(as_int(source, options), 1);
  EXPECT_EQ(last_.cache_result, "hit") << "what was compiled once need not be again";
}

TEST_F(Deferred, AHeaderThatAppearsEarlierOnThePathIsSeen) {
  CompileOptions options;
  options.include_dirs = {folder_.path() / "first", folder_.path() / "second"};
  const std::string source = "#include \"value.h\"\nextern \"C\" __global__ void k(int* o) { *o = VALUE; }";
  folder_.write("second/value.h", "#define VALUE 2\n");
  EXPECT_EQ(as_int(source, options), 2);
  folder_.write("first/value.h", "#define VALUE 1\n");
  EXPECT_EQ(as_int(source, options), 1);
  options.file_name = (folder_.path() / "src" / "kernel.cu").string();
  EXPECT_EQ(as_int(source, options), 1);
  folder_.write("src/value.h", "#define VALUE 3\n");
  EXPECT_EQ(as_int(source, options), 3);
}

TEST_F(Deferred, AHeaderBehindAMacroIsNotCached) {
  CompileOptions options;
  options.include_dirs = {folder_.path() / "inc"};
  options.defines = {"HEADER=<value.h>"};
  const std::string source = "#include HEADER\nextern \"C\" __global__ void k(int* o) { *o = VALUE; }";
  folder_.write("inc/value.h", "#define VALUE 1\n");
  EXPECT_EQ(as_int(source, options), 1);
  EXPECT_EQ(last_.cache_result, "unusable: kernel.cu has #include of a macro, whose file is not known");
  folder_.write("inc/value.h", "#define VALUE 2\n");
  EXPECT_EQ(as_int(source, options), 2);
}

/// The process that has a temporary of the cache open; 0 for none.
pid_t writer_of(const fs::path& cache, const std::vector<pid_t>& processes) {
  for (const pid_t process : processes) {
    std::error_code error;
    for (fs::directory_iterator it("/proc/" + std::to_string(process) + "/fd", error), end;
         !error && it != end; it.increment(error)) {
      std::error_code ignored;
      if (fs::read_symlink(it->path(), ignored).string().starts_with((cache / ".tare-").string()))
        return process;
    }
  }
  return 0;
}

TEST_F(Deferred, SixteenProcessesAtOnceOnAnEmptyCacheAndOneKilledWhileItWrites) {
  constexpr int kProcesses = 16, kMostRounds = 10;
  const fs::path cache = folder_.path() / "cache";
  bool killed_mid_write = false;
  for (int round = 0; round < kMostRounds && !killed_mid_write; ++round) {
    fs::remove_all(cache);
    std::map<pid_t, fs::path> reports;
    std::vector<pid_t> processes;
    for (int i = 0; i < kProcesses; ++i) {
      const fs::path report = folder_.path() / ("report-" + std::to_string(round) + "-" + std::to_string(i));
      processes.push_back(start(report));
      reports[processes.back()] = report;
    }
    pid_t victim = 0;
    std::vector<pid_t> running = processes;
    while (!running.empty()) {
      if (victim == 0 && (victim = writer_of(cache, running)) != 0) ::kill(victim, SIGKILL);
      std::erase_if(running, [&](pid_t process) {
        int status = 0;
        if (::waitpid(process, &status, WNOHANG) != process) return false;
        const bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        if (process == victim && was_killed) {
          killed_mid_write = !fs::exists(reports[process]);
          return true;
        }
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
        EXPECT_THAT(fixtures::first_line(reports[process]), StartsWith("right "));
        return true;
      });
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    EXPECT_EQ(Cache(cache).entries().size(), 1u);
    const fs::path after = folder_.path() / "after";
    EXPECT_EQ(fixtures::wait_for(start(after)), 0);
    EXPECT_EQ(fixtures::first_line(after), "right compiled=0 cache=hit nvrtc=0");
  }
  EXPECT_TRUE(killed_mid_write) << "no round caught a process while it wrote";
}

}  // namespace
}  // namespace tare
