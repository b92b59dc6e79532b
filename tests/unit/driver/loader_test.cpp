// Which driver is loaded, and what is said where none can be. A process loads one driver only, so that every
// choice is made in a process of its own (a death test that is started anew).
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "tare/buffer.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"
#include "tare/kernel.hpp"

namespace tare {
namespace {

using testing::AllOf;
using testing::ExitedWithCode;
using testing::HasSubstr;
using testing::Not;

const std::string kCpuDevice = TARE_BINARY_DIR "/lib/tare/cpu/libcuda.so.1";

/// Files called libcuda in this process's memory.
std::set<std::string> mapped_drivers() {
  std::set<std::string> files;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (const auto at = line.find('/');
        at != std::string::npos && line.find("libcuda.so") != std::string::npos)
      files.insert(line.substr(at));
  return files;
}

void no_choice_made() {
  unsetenv("TARE_DRIVER");
  unsetenv("TARE_CPU_DEVICE");
}

/// Loads a driver and says on stderr which one it is, or the error; then ends the process.
[[noreturn]] void say_what_is_loaded() {
  try {
    const auto& info = driver_info();
    std::fprintf(stderr, "loaded %s\nversion %d cpu %d ptx-only %d devices %d\n", info.path.c_str(),
                 info.version, info.is_cpu_device, info.loads_ptx_only, device_count());
    for (const auto& place : info.looked_in) std::fprintf(stderr, "before: %s\n", place.c_str());
    std::exit(0);
  } catch (const Error& error) {
    std::fprintf(stderr, "kind %d code %d %s\n%s\nhint: %s\n", static_cast<int>(error.kind()), error.code(),
                 error.code_name().c_str(), error.what(), error.hint().c_str());
    std::exit(3);
  }
}

std::string kind(ErrorKind kind) {
  return "kind " + std::to_string(static_cast<int>(kind)) + " ";
}

class DriverChoice : public testing::Test {
 protected:
  DriverChoice() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(DriverChoice, NothingIsLoadedBeforeItIsNeeded) {
  EXPECT_EXIT(std::exit(mapped_drivers().empty() ? 0 : 1), ExitedWithCode(0), "");
}

TEST_F(DriverChoice, CpuIsTheCpuDeviceBesideTheProgram) {
  EXPECT_EXIT(
      {
        no_choice_made();
        choose_driver("cpu");
        say_what_is_loaded();
      },
      ExitedWithCode(0),
      AllOf(HasSubstr("loaded " + std::filesystem::weakly_canonical(kCpuDevice).string() + "\n"),
            HasSubstr("version 13000 cpu 1 ptx-only 1 devices 1\n"), Not(HasSubstr("before:"))));
}

TEST_F(DriverChoice, AChoiceInTheProgramGoesBeforeTheEnvironment) {
  EXPECT_EXIT(
      {
        no_choice_made();
        setenv("TARE_DRIVER", "/nonexistent/libcuda.so.1", 1);
        choose_driver(kCpuDevice);
        say_what_is_loaded();
      },
      ExitedWithCode(0), HasSubstr("cpu 1"));
}

TEST_F(DriverChoice, TheEnvironmentsPathIsLoadedWhateverItIs) {
  EXPECT_EXIT(
      {
        no_choice_made();
        setenv("TARE_DRIVER", kCpuDevice.c_str(), 1);
        say_what_is_loaded();
      },
      ExitedWithCode(0), HasSubstr("cpu 1"));
}

TEST_F(DriverChoice, WithoutAGpuTheCpuDeviceIsTakenAndThePlacesBeforeAreKept) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has NVIDIA's driver";
  EXPECT_EXIT(
      {
        no_choice_made();
        say_what_is_loaded();
      },
      ExitedWithCode(0), AllOf(HasSubstr("cpu 1"), HasSubstr("before: libcuda.so.1: ")));
}

TEST_F(DriverChoice, ADriverWhoseFileIsCutOffIsRefusedAndEndsNoProcess) {
  const std::string cut = testing::TempDir() + "cut_libcuda.so.1";
  std::filesystem::copy_file(kCpuDevice, cut, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(cut, std::filesystem::file_size(cut) / 2);
  EXPECT_EXIT(
      {
        no_choice_made();
        setenv("TARE_DRIVER", cut.c_str(), 1);
        say_what_is_loaded();
      },
      ExitedWithCode(3),
      HasSubstr(cut + ": the file is cut off: it has " + std::to_string(std::filesystem::file_size(cut)) +
                " bytes of at least "));
  std::filesystem::remove(cut);
}

TEST_F(DriverChoice, APathWithNothingThereIsNotFound) {
  EXPECT_EXIT(
      {
        no_choice_made();
        setenv("TARE_DRIVER", "/nonexistent/libcuda.so.1", 1);
        say_what_is_loaded();
      },
      ExitedWithCode(3),
      AllOf(
          HasSubstr(kind(ErrorKind::not_found)),
          HasSubstr("\nTARE_DRIVER: no CUDA driver found: looked in /nonexistent/libcuda.so.1: no such file\n"
                    "hint: give gpu, cpu or the path of a libcuda.so.1\n")));
}

TEST_F(DriverChoice, AnotherLibraryIsToldFromADriver) {
  EXPECT_EXIT(
      {
        no_choice_made();
        choose_driver("libm.so.6");
        say_what_is_loaded();
      },
      ExitedWithCode(3),
      AllOf(HasSubstr(kind(ErrorKind::not_found)),
            HasSubstr("looked in libm.so.6: is not a CUDA driver that can be used: it has no cuInit\n")));
}

TEST_F(DriverChoice, AWordThatIsNoChoiceIsRefused) {
  EXPECT_EXIT(
      {
        no_choice_made();
        setenv("TARE_DRIVER", "gpuu", 1);
        say_what_is_loaded();
      },
      ExitedWithCode(3),
      AllOf(
          HasSubstr(kind(ErrorKind::argument)),
          HasSubstr(
              "\nTARE_DRIVER: `gpuu` is not a driver\nhint: give gpu, cpu or the path of a libcuda.so.1\n")));
}

// The loader answers `libcuda.so.1` with the CPU device where that is loaded already or first in its path.
TEST_F(DriverChoice, TheCpuDeviceIsNotTakenForAGpu) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "this machine has NVIDIA's driver";
  EXPECT_EXIT(
      {
        no_choice_made();
        if (dlopen(kCpuDevice.c_str(), RTLD_NOW) == nullptr) std::exit(9);
        choose_driver("gpu");
        say_what_is_loaded();
      },
      ExitedWithCode(3),
      AllOf(
          HasSubstr(
              "no GPU's CUDA driver found: looked in libcuda.so.1: is the CPU device, not a GPU's driver; "),
          HasSubstr("hint: install NVIDIA's driver, or take the CPU device with TARE_DRIVER=cpu\n")));
}

TEST_F(DriverChoice, WhatTheLoaderFindsFirstIsTakenByDefaultEvenIfItIsTheCpuDevice) {
  EXPECT_EXIT(
      {
        no_choice_made();
        if (dlopen(kCpuDevice.c_str(), RTLD_NOW) == nullptr) std::exit(9);
        say_what_is_loaded();
      },
      ExitedWithCode(0), AllOf(HasSubstr("cpu 1"), Not(HasSubstr("before:"))));
}

TEST_F(DriverChoice, AnExplicitCpuDeviceThatIsNoneIsAnError) {
  EXPECT_EXIT(
      {
        no_choice_made();
        setenv("TARE_CPU_DEVICE", "/nonexistent/libcuda.so.1", 1);
        choose_driver("cpu");
        say_what_is_loaded();
      },
      ExitedWithCode(3),
      HasSubstr("\nno CPU device found: looked in /nonexistent/libcuda.so.1: no such file\n"
                "hint: name its libcuda.so.1 in TARE_CPU_DEVICE\n"));
  EXPECT_EXIT(
      {
        no_choice_made();
        setenv("TARE_CPU_DEVICE", "libm.so.6", 1);
        choose_driver("cpu");
        say_what_is_loaded();
      },
      ExitedWithCode(3),
      HasSubstr("libm.so.6: is not the CPU device (it does not export tareCpuDeviceInfo)\n"));
}

TEST_F(DriverChoice, ADriverThatRefusesToInitialiseIsNamedWithItsCode) {
  const std::string stub = "/usr/local/cuda/lib64/stubs/libcuda.so";
  if (!std::filesystem::exists(stub)) GTEST_SKIP() << "no stub of the toolkit at " << stub;
  EXPECT_EXIT(
      {
        no_choice_made();
        choose_driver(stub);
        say_what_is_loaded();
      },
      ExitedWithCode(3),
      AllOf(HasSubstr(kind(ErrorKind::driver) + "code 34 "), HasSubstr(stub + ": cuInit: ")));
}

TEST_F(DriverChoice, AnotherDriverCannotBeChosenOnceOneIsLoaded) {
  EXPECT_EXIT(
      {
        no_choice_made();
        choose_driver("cpu");
        driver_info();
        choose_driver("cpu");
        choose_driver(kCpuDevice);
        choose_driver("");
        try {
          choose_driver("gpu");
        } catch (const Error& error) {
          std::fprintf(stderr, "kind %d %s\n", static_cast<int>(error.kind()), error.what());
          std::exit(3);
        }
      },
      ExitedWithCode(3),
      AllOf(HasSubstr(kind(ErrorKind::argument)), HasSubstr("driver `gpu` was chosen after "),
            HasSubstr("libcuda.so.1 had been loaded")));
}

TEST_F(DriverChoice, AFailedLoadCanBeFollowedByABetterChoice) {
  EXPECT_EXIT(
      {
        no_choice_made();
        choose_driver("/nonexistent/libcuda.so.1");
        try {
          driver_info();
          std::exit(9);
        } catch (const Error&) {
        }
        choose_driver("cpu");
        say_what_is_loaded();
      },
      ExitedWithCode(0), HasSubstr("cpu 1"));
}

// NVRTC and nvJitLink open libcuda.so.1 by that name and must meet the driver that we loaded by its path.
TEST_F(DriverChoice, LibrariesThatOpenTheDriverByNameMeetTheLoadedOne) {
  EXPECT_EXIT(
      {
        no_choice_made();
        choose_driver(kCpuDevice);
        driver_info();
        void* by_path = dlopen(kCpuDevice.c_str(), RTLD_NOW | RTLD_NOLOAD);
        void* by_name = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        std::exit(by_path != nullptr && by_path == by_name && mapped_drivers().size() == 1 ? 0 : 1);
      },
      ExitedWithCode(0), "");
}

TEST_F(DriverChoice, NvrtcCompilesBesideTheCpuDeviceAndLoadsNoOtherDriver) {
  void* nvrtc = dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
  if (nvrtc == nullptr) nvrtc = dlopen("/usr/local/cuda/lib64/libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
  if (nvrtc == nullptr) GTEST_SKIP() << "no libnvrtc.so.13: " << dlerror();
  EXPECT_EXIT(
      {
        no_choice_made();
        choose_driver(kCpuDevice);
        driver_info();
        void* program = nullptr;
        using Create = int (*)(void**, const char*, const char*, int, const char* const*, const char* const*);
        using Compile = int (*)(void*, int, const char* const*);
        const int created = reinterpret_cast<Create>(dlsym(nvrtc, "nvrtcCreateProgram"))(
            &program, "extern \"C\" __global__ void k() {}", "k.cu", 0, nullptr, nullptr);
        const char* options[] = {"--gpu-architecture=compute_90"};
        const int compiled =
            reinterpret_cast<Compile>(dlsym(nvrtc, "nvrtcCompileProgram"))(program, 1, options);
        for (const auto& file : mapped_drivers()) std::fprintf(stderr, "mapped %s\n", file.c_str());
        std::exit(created == 0 && compiled == 0 && mapped_drivers().size() == 1 ? 0 : 1);
      },
      ExitedWithCode(0),
      HasSubstr("mapped " + std::filesystem::weakly_canonical(kCpuDevice).string() + "\n"));
}

}  // namespace
}  // namespace tare
