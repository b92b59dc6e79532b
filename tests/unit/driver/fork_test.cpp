// A process forked after the driver was initialised, and a driver that is gone before the objects that used
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>

#include "driver/loader.hpp"
#include "tare/compile.hpp"
#include "tare/driver.hpp"
#include "tare/toolkit.hpp"
#include "unit/gpu/support.hpp"

namespace tare::testing_support {
namespace {

constexpr const char* kSentence =
    "this process was forked after the CUDA driver was initialised, so it cannot use the driver: start "
    "workers with "
    "spawn or exec instead of fork";

/// What `statement` throws in a forked child: its kind and text, "nothing" where it throws nothing. A child
/// that hangs is ended by its alarm.
std::string in_forked_child(const std::function<void()>& statement) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    std::string text = "nothing";
    try {
      statement();
    } catch (const Error& error) {
      text = (error.kind() == ErrorKind::forked ? "forked: " : "another kind: ") + std::string(error.what());
    }
    const bool written = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char part[512];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return "the child did not end by itself";
  return text;
}

class Fork : public OnDevice {
 protected:
  const std::string refused_ = std::string("forked: ") + kSentence;
};

TEST_F(Fork, EveryEntryIsRefusedInTheChild) {
  const auto kernel = load(kNothing).kernel("nothing");
  const Buffer buffer(context_, 16);
  const Event event(context_);
  StreamGate gate(context_);
  EXPECT_EQ(in_forked_child([] { driver_info(); }), refused_);
  EXPECT_EQ(in_forked_child([] { device_count(); }), refused_);
  EXPECT_EQ(in_forked_child([] { choose_driver("cpu"); }), refused_);
  EXPECT_EQ(in_forked_child([] { Device device; }), refused_);
  EXPECT_EQ(in_forked_child([] { PrimaryContext context; }), refused_);
  EXPECT_EQ(in_forked_child([&] { kernel.launch(stream_, {}); }), refused_);
  EXPECT_EQ(in_forked_child([&] { kernel.attributes(); }), refused_);
  EXPECT_EQ(in_forked_child([&] { kernel.launch(stream_, {.cooperative = true}); }), refused_);
  EXPECT_EQ(in_forked_child([&] { kernel.launch(stream_, {.dynamic_shared_bytes = 1024}); }), refused_);
  EXPECT_EQ(in_forked_child([&] { buffer.fill(1); }), refused_);
  EXPECT_EQ(in_forked_child([&] { event.record(stream_); }), refused_);
  EXPECT_EQ(in_forked_child([&] { stream_.synchronize(); }), refused_);
  EXPECT_EQ(in_forked_child([&] { gate.hold(stream_); }), refused_);
  EXPECT_EQ(in_forked_child([&] { load(kNothing); }), refused_);
}

TEST_F(Fork, TheFirstLaunchOfAKernelIsRefusedInTheChild) {
  const auto kernel = load(kScalars).kernel("k");
  EXPECT_EQ(in_forked_child([&] { kernel.launch(stream_, {}, nullptr, 1.0f, 'a', 1LL, true); }), refused_);
}

TEST_F(Fork, DestructorsInTheChildDoNothingAndDoNotHang) {
  auto buffer = std::make_unique<Buffer>(context_, 16);
  auto event = std::make_unique<Event>(context_);
  auto stream = std::make_unique<Stream>(context_);
  auto gate = std::make_unique<StreamGate>(context_);
  EXPECT_EQ(in_forked_child([&] {
              gate.reset();
              buffer.reset();
              event.reset();
              stream.reset();
            }),
            "nothing");
  buffer->fill(7);
  EXPECT_EQ(host_copy<std::uint8_t>(*buffer), std::vector<std::uint8_t>(16, 7));
}

TEST_F(Fork, TheParentGoesOn) {
  const auto kernel = load(kNothing).kernel("nothing");
  in_forked_child([] {});
  kernel.launch(stream_, {});
  EXPECT_NO_THROW(stream_.synchronize());
}

class FreshProcess : public testing::Test {
 protected:
  FreshProcess() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(FreshProcess, AForkBeforeTheDriverIsLoadedLeavesTheChildFreeToLoadIt) {
  EXPECT_EXIT(
      {
        const auto said = in_forked_child([] { PrimaryContext context; });
        std::exit(said == "nothing" ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// NVRTC initialises the driver behind our back, so that compiling alone makes a fork unsafe.
TEST_F(FreshProcess, AForkAfterACompileIsRefusedThoughWeLoadedNoDriver) {
  if (const Search search = find_nvrtc(); !search.tool) GTEST_SKIP() << search.reason;
  const auto compile = [] {
    CompileOptions options;
    options.arch = "compute_80";
    return compile_nvrtc("extern \"C\" __global__ void k() {}", Code::ptx, {"k"}, options);
  };
  EXPECT_EXIT(
      {
        compile();
        const auto expected = std::string("forked: ") + kSentence;
        const bool refused = in_forked_child([] { driver_info(); }) == expected &&
                             in_forked_child([&] { compile(); }) == expected;
        std::exit(refused ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

struct Everything {
  PrimaryContext context;
  Stream stream{context};
  Event event{context};
  Buffer buffer{context, 64};
  Module module = Module::load(context, bytes_of(kNothing));
  Kernel kernel = module.kernel("nothing");
};

// Destroyed when the process ends, at a time when the driver may be gone.
std::optional<Everything>& static_objects() {
  static std::optional<Everything> objects;
  return objects;
}

TEST_F(FreshProcess, StaticObjectsChangeNeitherExitCodeNorOutput) {
  EXPECT_EXIT(
      {
        static_objects().emplace();
        static_objects()->kernel.launch(static_objects()->stream, {});
        std::exit(7);
      },
      testing::ExitedWithCode(7), testing::MatchesRegex(""));
}

TEST_F(FreshProcess, StaticObjectsMadeBeforeTheDriverWasLoadedOutliveIt) {
  EXPECT_EXIT(
      {
        auto& objects = static_objects();  // destroyed after whatever the driver registers on loading
        objects.emplace();
        std::exit(5);
      },
      testing::ExitedWithCode(5), testing::MatchesRegex(""));
}

}  // namespace
}  // namespace tare::testing_support
