// A case's reference runs somebody's code in a compiler and in a program: neither may hold up the comparison
// or leave anything behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>

#include "integration/support.hpp"

namespace tare::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EndlessReference : public ::testing::Test {
 protected:
  EndlessReference() {
    fs::create_directories(folder_.path() / "case");
    std::ofstream(folder_.path() / "case/k.toml")
        << "[kernel]\nfile = \"k.cu\"\nname = \"k\"\n[values]\nn = 64\n[launch]\nblock = [64]\ncovers = "
           "[\"n\"]\n"
           "[[arguments]]\nname = \"x\"\ntype = \"float*\"\ncount = \"n\"\ncheck = \"bits\"\n";
  }
  /// The case with this body of the reference.
  std::string reference(const std::string& body) {
    std::ofstream(folder_.path() / "case/k.cu")
        << "// snippet: kernel\n__global__ void k(float* x) { x[threadIdx.x] = 1; }\n// end snippet\n"
           "// snippet: reference\nvoid reference(float* x) { "
        << body << " }\n// end snippet\n";
    return folder_.path() / "case/k.toml";
  }
  /// A compiler that never ends. It tells that it runs by a file beside it.
  std::string endless_compiler() {
    const fs::path script = folder_.path() / "case/c++";
    std::ofstream(script) << "#!/bin/sh\ntouch \"$0.runs\"\nsleep 1000 & wait\n";
    fs::permissions(script, fs::perms::owner_all);
    return script;
  }
  /// Runs the case until `runs` holds, sends the signal, and expects a prompt end.
  Ran interrupt(int signal, const std::string& toml, const Environment& environment,
                const std::function<bool()>& runs) {
    std::chrono::steady_clock::time_point sent;
    const Ran ran = run_tare(scratch_, {"compare", "--rows", "clang", toml}, environment, [&](pid_t pid) {
      EXPECT_TRUE(eventually(runs));
      sent = std::chrono::steady_clock::now();
      kill(pid, signal);
    });
    // Far below the time limit of 120 s that would end it too.
    EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::seconds(30));
    return ran;
  }
  bool reference_runs() const {
    for (const pid_t pid : processes_with(scratch_.path())) {
      std::ifstream name("/proc/" + std::to_string(pid) + "/comm");
      std::string text;
      if (name >> text && text == "reference") return true;
    }
    return false;
  }
  bool on_device() const {
    for (const pid_t pid : processes_with(scratch_.path())) {
      std::ifstream in("/proc/" + std::to_string(pid) + "/cmdline");
      for (std::string word; std::getline(in, word, '\0');)
        if (word == "--reference") return true;
    }
    return false;
  }
  void expect_nothing_left() const {
    EXPECT_TRUE(eventually([&] { return processes_with(scratch_.path()).empty(); }));
    EXPECT_TRUE(eventually([&] { return scratch_.left_behind().empty(); }));
  }
  Scratch folder_, scratch_;  // of the case, and of the program: its TMPDIR
};

TEST_F(EndlessReference, IsEndedByASignal) {
  const std::string toml = reference("for (;;) x[0] = 1;");
  for (const int signal : {SIGINT, SIGTERM}) {
    const Ran ran = interrupt(signal, toml, {}, [&] { return reference_runs(); });
    EXPECT_EQ(ran.code, 128 + signal) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("interrupted; nothing is left running"));
    EXPECT_THAT(processes_with(scratch_.path()), IsEmpty());
    EXPECT_THAT(scratch_.left_behind(), IsEmpty());
  }
}

TEST_F(EndlessReference, IsEndedWithAKilledOwner) {
  const std::string toml = reference("for (;;) x[0] = 1;");
  EXPECT_EQ(interrupt(SIGKILL, toml, {}, [&] { return reference_runs(); }).signal, SIGKILL);
  expect_nothing_left();
}

TEST_F(EndlessReference, IsEndedByTheTimeLimitWhoseOptionIsNamed) {
  const Ran ran =
      run_tare(scratch_, {"compare", "--timeout", "1.5", "--rows", "clang", reference("for (;;) x[0] = 1;")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err,
              HasSubstr("k.cu:5: reference() did not finish within 1.5 s; --timeout SECONDS gives it "
                        "longer\n"));
  expect_nothing_left();
}

TEST_F(EndlessReference, CompilerIsEndedByASignal) {
  const std::string compiler = endless_compiler(), toml = reference("x[0] = 1;");
  const auto runs = [&] { return fs::exists(compiler + ".runs"); };
  for (const int signal : {SIGINT, SIGTERM}) {
    fs::remove(compiler + ".runs");
    const Ran ran = interrupt(signal, toml, {{"TARE_CXX", compiler}}, runs);
    EXPECT_EQ(ran.code, 128 + signal) << ran.err;
    EXPECT_THAT(processes_with(scratch_.path()), IsEmpty());
    EXPECT_THAT(scratch_.left_behind(), IsEmpty());
  }
}

TEST_F(EndlessReference, CompilerIsEndedWithAKilledOwner) {
  const std::string compiler = endless_compiler(), toml = reference("x[0] = 1;");
  const auto runs = [&] { return fs::exists(compiler + ".runs"); };
  EXPECT_EQ(interrupt(SIGKILL, toml, {{"TARE_CXX", compiler}}, runs).signal, SIGKILL);
  expect_nothing_left();
}

TEST_F(EndlessReference, CompilerIsEndedByTheTimeLimitWhoseOptionIsNamed) {
  const std::string compiler = endless_compiler();
  const Ran ran =
      run_tare(scratch_, {"compare", "--timeout", "20.5", "--rows", "clang", reference("x[0] = 1;")},
               {{"TARE_CXX", compiler}});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("reference() is not compiled: " + compiler +
                                 " did not finish within 20.5 s; --timeout SECONDS gives it longer\n"));
  expect_nothing_left();
}

TEST_F(EndlessReference, OnTheDeviceIsEndedLikewise) {
  const Environment no_compiler{{"TARE_CXX", "/nonexistent/c++"}};
  const std::string toml = reference("for (;;) *(volatile float*)x = 1;");
  const auto runs = [&] { return on_device(); };
  for (const int signal : {SIGINT, SIGKILL}) {
    const Ran ran = interrupt(signal, toml, no_compiler, runs);
    EXPECT_EQ(signal == SIGKILL ? ran.signal : ran.code - 128, signal) << ran.err;
    expect_nothing_left();
  }
  const Ran ran = run_tare(scratch_, {"compare", "--timeout", "21", "--rows", "clang", toml}, no_compiler);
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("k.cu:5: reference() as a kernel of one thread did not finish within 21 s; "
                                 "--timeout SECONDS gives it longer\n"));
  expect_nothing_left();
}

TEST_F(EndlessReference, ToolkitIsGivenUpAtASignal) {
  const std::string nvcc = endless_compiler();
  const auto runs = [&] { return fs::exists(nvcc + ".runs"); };
  const Ran ran =
      interrupt(SIGINT, reference("x[0] = 1;"), {{"TARE_NVCC", nvcc}, {"TARE_CLANG", nvcc}}, runs);
  EXPECT_EQ(ran.code, 130) << ran.err;
  EXPECT_THAT(processes_with(scratch_.path()), IsEmpty());
  EXPECT_THAT(scratch_.left_behind(), IsEmpty());
}

TEST_F(EndlessReference, ThatEndsTheProgramItselfIsNamed) {
  for (const auto& [body, how] :
       {std::pair("exit(0);", "it exited with status 0 before it returned"),
        std::pair("x[0] = 1; _Exit(3);", "it exited with status 3 before it returned")}) {
    const Ran ran = run_tare(scratch_, {"compare", "--rows", "clang", reference(body)});
    EXPECT_EQ(ran.code, 2) << body;
    EXPECT_THAT(ran.err, HasSubstr(std::string("k.cu:5: reference() ended early: ") + how));
  }
}

TEST_F(EndlessReference, MayPrintWithoutBecomingPartOfTheRecord) {
  const Ran ran = compare(scratch_, {"--rows", "clang",
                                     reference("for (int i = 0; i < 64; ++i) x[i] = 1; "
                                               "printf(\"chatter\\n\");")});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.record["case"]["reference"].dump(), ::testing::Not(HasSubstr("chatter")));
}

TEST_F(EndlessReference, TemporaryFilesMayBeBelowARelativeFolder) {
  const std::string toml = reference("for (int i = 0; i < 64; ++i) x[i] = 1;");
  const Ran ran = run_tare(scratch_, {"compare", "--quick", "--rows", "clang", toml},
                           {{"TMPDIR", fs::relative(scratch_.path())}});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  expect_nothing_left();
}

}  // namespace
}  // namespace tare::test
