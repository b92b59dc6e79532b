// The directory: damage, places that cannot be written, eviction, counters, and many processes at once.
#include "cache/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "../compile/fixture.hpp"
#include "cache/digest.hpp"
#include "compile/temporary_directory.hpp"
#include "store/file.hpp"
#include "tare/error.hpp"

namespace tare::detail {
namespace {

using fixtures::Folder;
using fixtures::ScopedEnvironment;
using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

Entry sample(const std::string& payload = "payload") {
  Entry entry;
  entry.compiled.code = Code::ptx;
  entry.compiled.image = bytes_of(payload);
  entry.compiled.lowered_names = {{"scale<float>", "_Z5scaleIfE"}};
  entry.compiled.log = "a warning\n";
  entry.compiled.options = {"-std=c++17", "--fmad=false"};
  entry.compiled.compiler = "NVRTC 13.0";
  entry.compiled.compiler_path = "/x/libnvrtc.so.13";
  entry.compiled.compile_ms = 12.5;
  entry.inputs = {{"source", "text"}, {"option arch", "sm_90"}};
  return entry;
}

Key key_named(const std::string& name) {
  return key_of({{"name", name}});
}

std::string slurp(const fs::path& file) {
  return *store::read_whole(file);
}

void overwrite(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

/// A cache directory of its own, private as ours are.
class CacheDirectory : public ::testing::Test {
 protected:
  CacheDirectory() : cache_(folder_.path() / "cache") {}
  Cache::State& state() const { return cache_.state(); }
  Folder folder_;
  Cache cache_;
};

TEST_F(CacheDirectory, AnEntryComesBackAsItWas) {
  const Key key = key_named("a");
  EXPECT_EQ(look_up(state(), key).result, "miss");
  keep(state(), key, sample());
  const LookUp look = look_up(state(), key);
  EXPECT_EQ(look.result, "hit");
  ASSERT_TRUE(look.found);
  const Compiled want = sample().compiled;
  EXPECT_EQ(look.found->code, want.code);
  EXPECT_EQ(look.found->image, want.image);
  EXPECT_EQ(look.found->lowered_names, want.lowered_names);
  EXPECT_EQ(look.found->log, want.log);
  EXPECT_EQ(look.found->options, want.options);
  EXPECT_EQ(look.found->compiler, want.compiler);
  EXPECT_EQ(look.found->compiler_path, want.compiler_path);
  EXPECT_EQ(look.found->compile_ms, want.compile_ms);
  EXPECT_EQ(cache_.counters().hits, 1u);
  EXPECT_EQ(cache_.counters().misses, 1u);
  EXPECT_EQ(cache_.counters().stores, 1u);
}

TEST_F(CacheDirectory, ItIsTheOwnersAlone) {
  keep(state(), key_named("a"), sample());
  struct stat status = {};
  ASSERT_EQ(::stat(cache_.directory().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
  ASSERT_EQ(::stat(entry_path(state(), key_named("a")).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST_F(CacheDirectory, ALogThatIsNotUtf8DoesNotStopTheEntry) {
  Entry entry = sample();
  entry.compiled.log = "bad \xff byte";
  keep(state(), key_named("a"), entry);
  const LookUp look = look_up(state(), key_named("a"));
  ASSERT_TRUE(look.found);
  EXPECT_EQ(look.found->log, "bad \xEF\xBF\xBD byte");
}

/// Damages the entry, looks it up, stores anew; afterwards all is well and the damage was set aside.
void expect_repaired(const Cache& cache, const Key& key, const std::string& what) {
  const auto repaired = cache.counters().repaired;
  const LookUp look = look_up(cache.state(), key);
  EXPECT_EQ(look.result, "repaired") << what;
  EXPECT_FALSE(look.found) << what;
  EXPECT_EQ(cache.counters().repaired, repaired + 1) << what;
  keep(cache.state(), key, sample());
  EXPECT_EQ(look_up(cache.state(), key).result, "hit") << what;
}

TEST_F(CacheDirectory, AnEntryCutAtAnyPlaceIsRepaired) {
  const Key key = key_named("a");
  keep(state(), key, sample(std::string(1000, 'x')));
  const fs::path path = entry_path(state(), key);
  const std::string whole = slurp(path);
  std::string why;
  for (std::size_t size = 0; size < whole.size(); size += 64) {
    overwrite(path, whole.substr(0, size));
    expect_repaired(cache_, key, "cut to " + std::to_string(size));
  }
  for (std::size_t size = 0; size < whole.size(); ++size)
    ASSERT_FALSE(decode_entry(key, std::string_view(whole).substr(0, size), why)) << size;
  EXPECT_FALSE(decode_entry(key, whole + "x", why));
}

TEST_F(CacheDirectory, AnyFlippedBitIsNoticed) {
  const Key key = key_named("a");
  const std::string whole = encode_entry(key, sample());
  std::string why;
  ASSERT_TRUE(decode_entry(key, whole, why));
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    ASSERT_FALSE(decode_entry(key, flipped, why)) << "bit " << bit;
  }
}

TEST_F(CacheDirectory, OtherThingsInAnEntrysPlaceAreSetAside) {
  const Key key = key_named("a"), other = key_named("b");
  const fs::path path = entry_path(state(), key);
  keep(state(), key, sample());
  overwrite(path, "");
  expect_repaired(cache_, key, "0 bytes");
  overwrite(path, "#!/bin/sh\n" + std::string(2000, 'x'));
  expect_repaired(cache_, key, "wrong magic");
  overwrite(path, encode_entry(other, sample()));
  expect_repaired(cache_, key, "the entry of another key");
  fs::remove(path);
  fs::create_directory(path);
  std::ofstream(path / "inside") << "x";
  expect_repaired(cache_, key, "a directory");
  fs::remove(path);
  fs::create_symlink("/dev/zero", path);
  expect_repaired(cache_, key, "a link");
  std::size_t set_aside_files = 0;
  for (const auto& entry : fs::directory_iterator(cache_.directory()))
    set_aside_files += entry.path().filename().string().find(".damaged-") != std::string::npos ? 1u : 0u;
  EXPECT_EQ(set_aside_files, 5u);
}

/// The most memory that this process ever had, in KiB.
long peak_kilobytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST_F(CacheDirectory, AFileOfAnySizeInAnEntrysPlaceIsNotReadWhole) {
  constexpr std::uintmax_t kHuge = std::uintmax_t{20} << 30;  // 20 GiB, of which nothing is on the disk
  const Key key = key_named("a");
  const fs::path path = entry_path(state(), key);
  keep(state(), key, sample());
  const std::string whole = slurp(path);
  const long before = peak_kilobytes();
  fs::resize_file(path, 0);
  fs::resize_file(path, kHuge);
  expect_repaired(cache_, key, "only zeros");
  fs::resize_file(path, kHuge);
  expect_repaired(cache_, key, "an entry that has grown");
  std::string header = whole.substr(0, kEntryHeaderBytes);
  const std::uint64_t metadata = 100, payload = kHuge - kEntryHeaderBytes - 16 - metadata;
  std::memcpy(header.data() + 48, &metadata, 8);
  std::memcpy(header.data() + 56, &payload, 8);
  overwrite(path, header);
  fs::resize_file(path, kHuge);
  EXPECT_TRUE(cache_.explain({{"name", "b"}}).nearest.empty());
  expect_repaired(cache_, key, "a header that says as much");
  EXPECT_LT(peak_kilobytes() - before, 1 << 20) << "KiB";
}

TEST_F(CacheDirectory, AFileOpenedByTheCompileIsHeldAgainstItsContent) {
  const fs::path header = folder_.write("header.h", "one");
  struct stat status = {};
  ASSERT_EQ(::stat(header.c_str(), &status), 0);
  Entry entry = sample();
  entry.opened = {{header.string(), static_cast<std::uint64_t>(status.st_size),
                   std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec,
                   hex(sha256("one"))}};
  keep(state(), key_named("a"), entry);
  EXPECT_EQ(look_up(state(), key_named("a")).result, "hit");
  fs::last_write_time(header, fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(look_up(state(), key_named("a")).result, "hit") << "only touched";
  overwrite(header, "two");
  EXPECT_EQ(look_up(state(), key_named("a")).result, "miss");
  fs::remove(header);
  EXPECT_EQ(look_up(state(), key_named("a")).result, "miss");
}

/// A kernel is compiled and kept in memory where the directory cannot be used.
void expect_memory_only(const fs::path& directory, const std::string& reason) {
  const Cache cache(directory);
  const Key key = key_named("a");
  EXPECT_FALSE(look_up(cache.state(), key).found);
  ::testing::internal::CaptureStderr();
  keep(cache.state(), key, sample());
  ::testing::internal::GetCapturedStderr();
  const LookUp look = look_up(cache.state(), key);
  ASSERT_TRUE(look.found) << reason;
  EXPECT_EQ(look.found->image, sample().compiled.image);
  EXPECT_EQ(cache.counters().write_failures, 1u);
  EXPECT_THAT(cache.unusable(), HasSubstr(reason));
}

TEST(CacheNowhere, AFileInTheDirectorysPlace) {
  const Folder folder;
  const fs::path file = folder.write("file", "mine");
  expect_memory_only(file, "is not a directory");
  EXPECT_EQ(slurp(file), "mine");
}

TEST(CacheNowhere, ADirectoryThatOthersMayWriteIn) {
  const Folder folder;
  fs::permissions(folder.path(), fs::perms::all);
  expect_memory_only(folder.path(), "other users may write in");
  struct stat status = {};
  ASSERT_EQ(::stat(folder.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0777u) << "it is left as it was found";
  const ScopedEnvironment trust(ScopedEnvironment::Changes{{"TARE_CACHE_TRUST", "1"}});
  EXPECT_EQ(directory_fault(folder.path()), "");
}

TEST(CacheNowhere, AnotherUsersDirectory) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make one";
  const Folder folder;
  ASSERT_EQ(::chown(folder.path().c_str(), 12345, 12345), 0);
  expect_memory_only(folder.path(), "belongs to another user");
}

TEST(CacheNowhere, NoVariableToTakeItFrom) {
  const ScopedEnvironment none(ScopedEnvironment::Changes{
      {"TARE_CACHE_DIR", std::nullopt}, {"XDG_CACHE_HOME", std::nullopt}, {"HOME", std::nullopt}});
  EXPECT_EQ(Cache::default_directory(), "");
  expect_memory_only(Cache::default_directory(), "none of TARE_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
}

TEST(CacheNowhere, AParentThatCannotBeMade) {
  const Cache cache("/proc/nonexistent/tare");
  keep(cache.state(), key_named("a"), sample());
  EXPECT_TRUE(look_up(cache.state(), key_named("a")).found);
  EXPECT_EQ(cache.counters().write_failures, 1u);
}

/// Runs `body` in a child process and expects it to return true there.
template <class Body>
void in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(CacheDirectory, AFullDiskLeavesNoPartOfAnEntry) {
  keep(state(), key_named("first"), sample());
  in_child([&] {
    // A file size limit fails the write half way, as a full disk does. Its signal would end the process.
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    keep(state(), key_named("a"), sample(std::string(5000, 'x')));
    return look_up(state(), key_named("a")).found.has_value() && cache_.counters().write_failures == 1;
  });
  EXPECT_EQ(cache_.entries().size(), 1u);
  for (const auto& entry : fs::directory_iterator(cache_.directory()))
    EXPECT_THAT(entry.path().filename().string(), ::testing::Not(StartsWith(".tare-")));
}

TEST_F(CacheDirectory, ALimitOnTheSizeOfFilesEndsNoProcess) {
  in_child([&] {
    const rlimit limit{0, 0};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    keep(state(), key_named("a"), sample());
    if (!look_up(state(), key_named("a")).found) return false;
    try {
      TemporaryDirectory().write("kernel.cu", "text");
      return false;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::io) return false;
    }
    sigset_t pending, blocked;
    ::sigpending(&pending);
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    return ::sigismember(&pending, SIGXFSZ) == 0 && ::sigismember(&blocked, SIGXFSZ) == 0;
  });
}

TEST_F(CacheDirectory, AReadOnlyDirectoryStillServesItsEntries) {
  keep(state(), key_named("a"), sample());
  ::chmod(cache_.directory().c_str(), 0500);
  in_child([&] {
    if (::geteuid() == 0) {
      // Root may write anywhere, so become somebody else who owns the directory.
      if (::chown(cache_.directory().c_str(), 12345, 12345) != 0 ||
          ::chown(entry_path(state(), key_named("a")).c_str(), 12345, 12345) != 0)
        return false;
      fs::permissions(folder_.path(), fs::perms::all);
      if (::setgid(12345) != 0 || ::setuid(12345) != 0) return false;
    }
    const bool served = look_up(state(), key_named("a")).result == "hit";
    keep(state(), key_named("b"), sample());
    return served && look_up(state(), key_named("b")).found.has_value() &&
           cache_.counters().write_failures == 1;
  });
}

TEST(CacheDefault, TheOrderOfLocations) {
  const auto directory = [](ScopedEnvironment::Changes changes) {
    for (const char* name : {"TARE_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) changes.emplace(name, std::nullopt);
    const ScopedEnvironment environment(changes);
    return Cache::default_directory();
  };
  EXPECT_EQ(directory({{"TARE_CACHE_DIR", "/t"}, {"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}), "/t");
  EXPECT_EQ(directory({{"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}), "/x/tare");
  EXPECT_EQ(directory({{"XDG_CACHE_HOME", "relative"}, {"HOME", "/h"}}), "/h/.cache/tare");
}

TEST(CacheEviction, TheLeastRecentlyUsedGoFirstAndNothingElse) {
  const Folder folder;
  const std::uint64_t entry_bytes = encode_entry(key_named("x"), sample(std::string(10'000, 'x'))).size();
  const Cache cache(folder.path() / "cache", 10 * entry_bytes);
  const auto name = [](int i) { return key_named(std::to_string(i)); };
  for (int i = 0; i < 10; ++i) {
    keep(cache.state(), name(i), sample(std::string(10'000, 'x')));
    fs::last_write_time(entry_path(cache.state(), name(i)),
                        fs::file_time_type::clock::now() - std::chrono::minutes(100 - i));
  }
  std::ofstream(cache.directory() / "notes.txt") << std::string(20'000, 'n');
  EXPECT_EQ(cache.entries().size(), 10u);
  EXPECT_EQ(look_up(cache.state(), name(0)).result, "hit");  // the oldest is now the newest
  keep(cache.state(), name(10), sample(std::string(10'000, 'x')));
  EXPECT_LE(cache.total_bytes(), 9 * entry_bytes);
  EXPECT_EQ(cache.entries().size(), 9u);
  EXPECT_EQ(look_up(cache.state(), name(1)).result, "miss");
  EXPECT_EQ(look_up(cache.state(), name(2)).result, "miss");
  EXPECT_EQ(look_up(cache.state(), name(0)).result, "hit");
  EXPECT_EQ(look_up(cache.state(), name(10)).result, "hit");
  EXPECT_EQ(cache.counters().evicted, 2u);
  EXPECT_TRUE(fs::exists(cache.directory() / "notes.txt"));
  EXPECT_EQ(cache.clear(), 9u);
  EXPECT_TRUE(fs::exists(cache.directory() / "notes.txt"));
  EXPECT_EQ(cache.total_bytes(), 0u);
}

TEST_F(CacheDirectory, CountersOfAllProcessesAddUp) {
  keep(state(), key_named("a"), sample());
  constexpr int kProcesses = 8, kEach = 50;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(::fork());
    if (children.back() == 0) {
      for (int k = 0; k < kEach; ++k) look_up(state(), key_named("a"));
      // What found the lock taken is written with a later one.
      while (state().not_yet_on_disk.hits > 0) count(state(), &CacheCounters::hits, 0);
      ::_exit(0);
    }
  }
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  EXPECT_EQ(cache_.stats().hits, static_cast<std::uint64_t>(kProcesses * kEach));
  EXPECT_EQ(cache_.stats().stores, 1u);
}

TEST_F(CacheDirectory, ADamagedCountersFileStartsAgain) {
  keep(state(), key_named("a"), sample());
  overwrite(cache_.directory() / "counters", "nonsense");
  EXPECT_EQ(look_up(state(), key_named("a")).result, "hit");
  EXPECT_EQ(cache_.stats().hits, 1u);
  EXPECT_EQ(cache_.stats().stores, 0u);
}

TEST_F(CacheDirectory, AMissIsExplainedByTheInputThatDiffers) {
  Entry entry = sample();
  const std::vector<CacheInput> inputs{{"source", std::string(500, 's')}, {"option arch", "sm_90"}};
  entry.inputs.clear();
  for (const CacheInput& input : inputs) entry.inputs.push_back({input.name, short_form(input.value)});
  keep(state(), key_of(inputs), entry);
  EXPECT_TRUE(cache_.explain(inputs).present);
  std::vector<CacheInput> changed = inputs;
  changed[1].value = "sm_100";
  changed.push_back({"header /x.h", "1"});
  const CacheExplanation explanation = cache_.explain(changed);
  EXPECT_FALSE(explanation.present);
  EXPECT_EQ(explanation.nearest, hex(key_of(inputs)));
  ASSERT_EQ(explanation.differences.size(), 2u);
  EXPECT_EQ(explanation.differences[0].name, "header /x.h");
  EXPECT_EQ(explanation.differences[0].kept, "");
  EXPECT_EQ(explanation.differences[1].name, "option arch");
  EXPECT_EQ(explanation.differences[1].wanted, "sm_100");
  EXPECT_EQ(explanation.differences[1].kept, "sm_90");
}

TEST_F(CacheDirectory, ProcessesThatAreKilledWhileTheyWriteLeaveItWhole) {
  const std::string payload(300'000, 'p');
  const Key key = key_named("a");
  constexpr int kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    const pid_t writer = ::fork();
    if (writer == 0) {
      for (;;) keep(state(), key, sample(payload));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500 + 773 * round));
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
    const LookUp look = look_up(state(), key);
    EXPECT_NE(look.result, "repaired") << "round " << round;
    EXPECT_EQ(look.found.value_or(sample(payload).compiled).image, bytes_of(payload));
  }
  std::ofstream(cache_.directory() / ".tare-AbCdEf") << "half of an ent";
  keep(state(), key, sample(payload));
  EXPECT_EQ(look_up(state(), key).result, "hit");
  EXPECT_EQ(cache_.entries().size(), 1u);
  EXPECT_EQ(cache_.counters().repaired, 0u);
}

}  // namespace
}  // namespace tare::detail
