// `tare with-cpu`: programs that know nothing of Tare run on the CPU device, and are themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "integration/support.hpp"

namespace tare::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kPrograms = TARE_BINARY_DIR "/tests/programs/";
const std::string kTwice = "1 devices of compute capability 9.0, twice 21 is 42\n";
/// As a user has it: no driver chosen, no folder searched.
const Environment kPlain{{"TARE_DRIVER", ""}, {"LD_LIBRARY_PATH", ""}};

Ran with_cpu(std::vector<std::string> arguments, Environment environment = kPlain) {
  Scratch scratch;
  environment.insert(kPlain.begin(), kPlain.end());
  arguments.insert(arguments.begin(), "with-cpu");
  return run_tare(scratch, std::move(arguments), environment);
}

Ran shell(const std::string& script, const Environment& environment = kPlain) {
  return with_cpu({"--quiet", "--", "/bin/sh", "-c", script}, environment);
}

TEST(WithCpu, ProgramsThatOpenLibcudaUnderEitherNameOrAreLinkedWithItRunOnTheCpuDevice) {
  for (const char* const way : {"opens_so_1", "opens_so", "linked"}) {
    const Ran ran = with_cpu({"--", kPrograms + way});
    EXPECT_EQ(ran.code, 0) << way << ": " << ran.err;
    EXPECT_EQ(ran.out, kTwice) << way;
    EXPECT_EQ(ran.err, "tare: CUDA runs on this machine's processor (" TARE_BINARY_DIR
                       "/lib/tare/cpu/libcuda.so.1), not on a GPU\n")
        << way;
  }
}

TEST(WithCpu, TheExitCodeIsTheProgramsAndQuietSaysNothing) {
  const Ran ran = with_cpu({"--quiet", "--", kPrograms + "linked", "7"});
  EXPECT_EQ(ran.code, 7);
  EXPECT_EQ(ran.out, kTwice);
  EXPECT_EQ(ran.err, "");
}

TEST(WithCpu, ASignalThatEndsTheProgramEndsTareAndOneSentToTareReachesTheProgram) {
  EXPECT_EQ(shell("kill -SEGV $$").signal, SIGSEGV);
  Scratch scratch;
  const std::filesystem::path ready = scratch.path() / "ready";
  const Ran ran = run_tare(
      scratch,
      {"with-cpu", "-q", "--", "/bin/sh", "-c",
       "trap 'echo caught; exit 9' USR1; touch " + ready.string() + "; while :; do sleep 0.05; done"},
      kPlain, [&](pid_t tare) {
        EXPECT_TRUE(eventually([&] { return std::filesystem::exists(ready); }));
        kill(tare, SIGUSR1);
      });
  EXPECT_EQ(ran.code, 9);
  EXPECT_EQ(ran.out, "caught\n");
}

TEST(WithCpu, OptionsChangeTheDevice) {
  const Ran ran = with_cpu({"--devices", "3", "--cc", "8.6", "-q", "--", kPrograms + "opens_so_1"});
  EXPECT_EQ(ran.out, "3 devices of compute capability 8.6, twice 21 is 42\n") << ran.err;
}

TEST(WithCpu, TheProgramSeesTheDevicesThatAreVisible) {
  const Ran one =
      with_cpu({"--devices", "3", "-q", "--", kPrograms + "opens_so_1"}, {{"CUDA_VISIBLE_DEVICES", "2"}});
  EXPECT_EQ(one.out, kTwice) << one.err;
  const Ran none = with_cpu({"-q", "--", kPrograms + "opens_so_1"}, {{"CUDA_VISIBLE_DEVICES", "-1"}});
  EXPECT_EQ(none.err, "cuInit(0): 100\n") << none.out;
}

TEST(WithCpu, TareItselfSaysThatEveryDeviceIsHidden) {
  Scratch scratch;
  const Ran ran = run_tare(scratch, {"compare", "--device", "cpu"}, {{"CUDA_VISIBLE_DEVICES", "-1"}});
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_THAT(ran.err,
              HasSubstr("CUDA_ERROR_NO_DEVICE (no CUDA-capable device was found): CUDA_VISIBLE_DEVICES hides "
                        "every device"));
}

TEST(WithCpu, AFaultOfAKernelIsSaidOnceWithItsKernelAndAddress) {
  const std::string said =
      "tare CPU device: kernel `twice` accessed memory that is not there, at 0x10\n"
      "cuMemcpyDtoH_v2(&value, memory, sizeof value): 700\n";
  const Ran ran = with_cpu({"--", kPrograms + "linked", "0", "0x10"});
  EXPECT_EQ(ran.code, 101);
  EXPECT_THAT(ran.err, EndsWith(", not on a GPU\n" + said));
  EXPECT_EQ(with_cpu({"-q", "--", kPrograms + "linked", "0", "0x10"}).err,
            "cuMemcpyDtoH_v2(&value, memory, sizeof value): 700\n");
  EXPECT_EQ(with_cpu({"-q", "--", kPrograms + "linked", "0", "0x10"}, {{"TARE_CPU_FAULTS", "1"}}).err, said);
}

TEST(WithCpu, WhatTheDeviceRefusesIsSaidWithWhatToDoUnlessQuiet) {
  Scratch scratch;
  const std::string image = scratch.path() / "image.fatbin";
  std::ofstream(image, std::ios::binary) << "\x50\xed\x55\xba";
  const std::string own = "cuModuleLoadData(&module, text): 209\n";
  const Ran ran = with_cpu({"--", kPrograms + "linked", "0", "0", image});
  EXPECT_EQ(ran.code, 101);
  EXPECT_THAT(ran.err,
              EndsWith(", not on a GPU\ntare CPU device: the CPU device loads PTX only; this image is a "
                       "fat binary: make PTX with `nvcc -ptx`, or run a Python program with `tare "
                       "with-cpu --ptx-only`\n" +
                       own));
  EXPECT_EQ(with_cpu({"-q", "--", kPrograms + "linked", "0", "0", image}).err, own);
}

TEST(WithCpu, MoreDevicesOrThreadsThanTheDeviceTakesAreRefused) {
  for (const auto& [option, most] : {std::pair{"--devices", 64}, std::pair{"--threads", 1024}}) {
    const std::string beyond = std::to_string(most + 1);
    const Ran refused = with_cpu({option, beyond, "--", "true"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.err, std::string("tare: ") + option + ": `" + beyond +
                               "` is more than the CPU device takes\n  hint: at most " +
                               std::to_string(most) + "\n");
    const Ran taken = with_cpu({option, std::to_string(most), "-q", "--", kPrograms + "opens_so_1"});
    EXPECT_EQ(taken.code, 0);
    EXPECT_EQ(taken.err, "") << "the device takes it too";
  }
}

TEST(WithCpu, TheOptionOfAnotherCommandThatIsNearlyOneOfItsOwnIsToldApart) {
  const Ran ran = with_cpu({"--device", "2", "--", "true"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr(" not of tare with-cpu; did you mean `--devices`?\n"));
}

TEST(WithCpu, WhatIsNoComputeCapabilityIsRefused) {
  for (const char* const cc : {"99", "9", "4.9", "8.1", "12.9", "13.0", "8.00", "8,0", "x"}) {
    const Ran ran = with_cpu({"--cc", cc, "--", "true"});
    EXPECT_EQ(ran.code, 2) << cc;
    EXPECT_THAT(ran.err, HasSubstr("` is not the compute capability of a GPU from 5.0 to 12.1\n")) << cc;
  }
}

TEST(WithCpu, TheCommandLineAndTheDeviceKnowTheSameComputeCapabilities) {
  for (int number = 40; number < 140; ++number) {
    const std::string cc = std::to_string(number / 10) + "." + std::to_string(number % 10);
    const bool taken_here = with_cpu({"--cc", cc, "-q", "--", "true"}).code == 0;
    const Ran there = with_cpu({"-q", "--", kPrograms + "opens_so_1"}, {{"TARE_CPU_CC", cc}});
    EXPECT_EQ(taken_here, there.err.find("; it is passed over\n") == std::string::npos)
        << cc << ": " << there.err;
  }
}

TEST(WithCpu, WhatComesAfterTheMarkIsTheProgramsOwn) {
  const Ran ran = with_cpu({"-q", "--", "/bin/sh", "-c", "echo \"$@\"", "sh", "--help", "--", "--quiet"});
  EXPECT_EQ(ran.out, "--help -- --quiet\n");
}

TEST(WithCpu, AProgramThatIsNotThereOrCannotBeRunIsNamed) {
  const Ran missing = with_cpu({"--", "/no/such/program"});
  EXPECT_EQ(missing.code, 127);
  EXPECT_EQ(missing.err, "tare: program not found: /no/such/program\n");
  const Ran not_on_path = with_cpu({"--", "no-such-program"});
  EXPECT_EQ(not_on_path.code, 127);
  EXPECT_EQ(not_on_path.err, "tare: program not found: no-such-program (looked in the folders of PATH)\n");
  const Ran folder = with_cpu({"--", "/usr"});
  EXPECT_EQ(folder.code, 126);
  EXPECT_EQ(folder.err, "tare: cannot run /usr: it is a folder\n");
  const Ran data_file = with_cpu({"-q", "--", TARE_SOURCE_DIR "/README.md"});
  EXPECT_EQ(data_file.code, 126);
  EXPECT_THAT(data_file.err, HasSubstr("README.md: it may not be executed\n"));
  Scratch scratch;
  const std::string script = scratch.path() / "script";
  std::ofstream(script) << "#!/no/such/interpreter\n";
  chmod(script.c_str(), 0700);
  const Ran no_interpreter = with_cpu({"-q", "--", script});
  EXPECT_EQ(no_interpreter.code, 126);
  EXPECT_THAT(no_interpreter.err, HasSubstr("the interpreter or loader that it asks for is not there\n"));
}

TEST(WithCpu, TheMarkAndTheProgramAreAskedFor) {
  const Ran no_mark = with_cpu({"./program"});
  EXPECT_EQ(no_mark.code, 2);
  EXPECT_EQ(no_mark.err, "tare: the program goes after `--`\n  hint: tare with-cpu -- ./program\n");
  const Ran no_program = with_cpu({"--"});
  EXPECT_EQ(no_program.code, 2);
  EXPECT_THAT(no_program.err, StartsWith("tare: which program?"));
}

TEST(WithCpu, WithoutACpuDeviceItSaysWhereItLooked) {
  const Ran ran = with_cpu({"--", "true"}, {{"TARE_CPU_DEVICE", "/no/such/libcuda.so.1"}});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err,
              StartsWith("tare: no CPU device found: looked in /no/such/libcuda.so.1: no such file"));
}

TEST(WithCpu, PtxOnlyHasNvccMakePtxUnderTheCubinsName) {
  Scratch scratch;
  const std::filesystem::path folder = scratch.path() / "toolkit";
  std::filesystem::create_directory(folder);
  // In nvcc's place, a program that prints what it is asked for.
  std::ofstream(folder / "nvcc") << "#!/bin/sh\nfor each do printf '[%s]' \"$each\"; done; echo\n";
  chmod((folder / "nvcc").c_str(), 0700);
  const Environment toolkit{{"PATH", folder.string() + ":/usr/bin:/bin"}};
  const auto nvcc = [&](const std::string& arguments) {
    return with_cpu({"-q", "--ptx-only", "--", "/bin/sh", "-c", "nvcc " + arguments}, toolkit).out;
  };
  EXPECT_EQ(nvcc("--cubin -arch sm_90 -I'a b' dir/my.cu"),
            "[--ptx][-arch][sm_90][-Ia b][dir/my.cu][-o][my.cubin]\n");
  EXPECT_EQ(nvcc("-cubin -o out my.cu"), "[--ptx][-o][out][my.cu]\n");
  EXPECT_EQ(nvcc("-c my.cu"), "[-c][my.cu]\n");
  EXPECT_EQ(nvcc("--version"), "[--version]\nPTX in place of cubins (tare with-cpu --ptx-only)\n");
  EXPECT_EQ(with_cpu({"-q", "--", "/bin/sh", "-c", "nvcc -cubin my.cu"}, toolkit).out, "[-cubin][my.cu]\n")
      << "without the option nothing is in the way";
}

TEST(WithCpu, PtxOnlyHidesNvJitLinkFromProgramsThatAskWhetherItIsThere) {
  const Ran hidden = with_cpu({"-q", "--ptx-only", "--", kPrograms + "has_nvjitlink"});
  EXPECT_EQ(hidden.out, "libnvJitLink.so.12 without functions\nlibnvJitLink.so.13 without functions\n")
      << hidden.err;
  const Ran left_alone = with_cpu({"-q", "--", kPrograms + "has_nvjitlink"});
  EXPECT_EQ(left_alone.out, "libnvJitLink.so.12 not loaded\nlibnvJitLink.so.13 not loaded\n");
}

}  // namespace
}  // namespace tare::test
