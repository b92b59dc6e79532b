// The environment that `tare with-cpu` gives a program.
#include "cli/cpu_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/command_line.hpp"

namespace tare::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Variables having(std::map<std::string, std::string> variables) {
  return [all = std::move(variables)](const char* name) {
    const auto found = all.find(name);
    return found != all.end() ? found->second : "";
  };
}

const std::string kLibrary = "/opt/tare/cpu/libcuda.so.1";

TEST(CpuEnvironment, PutsTheFolderInFrontOnce) {
  EXPECT_THAT(cpu_environment(kLibrary, {}, having({})),
              ElementsAre(Pair("LD_LIBRARY_PATH", "/opt/tare/cpu"), Pair("TARE_CPU_FAULTS", "1"),
                          Pair("TARE_DRIVER", kLibrary)));
  EXPECT_EQ(cpu_environment(kLibrary, {}, having({{"LD_LIBRARY_PATH", "/a:/b"}})).at("LD_LIBRARY_PATH"),
            "/opt/tare/cpu:/a:/b");
  EXPECT_EQ(
      cpu_environment(kLibrary, {}, having({{"LD_LIBRARY_PATH", "/opt/tare/cpu:/a"}})).at("LD_LIBRARY_PATH"),
      "/opt/tare/cpu:/a");
}

TEST(CpuEnvironment, ReplacesADriverThatNumbaWasToldOf) {
  EXPECT_EQ(cpu_environment(kLibrary, {}, having({{"NUMBA_CUDA_DRIVER", "/usr/lib/libcuda.so"}}))
                .at("NUMBA_CUDA_DRIVER"),
            kLibrary);
}

TEST(CpuEnvironment, CarriesTheOptions) {
  WithCpuOptions options;
  options.devices = 2;
  options.threads = 1;
  options.compute_capability = "8.0";
  const auto set = cpu_environment(kLibrary, options, having({{"TARE_CPU_DEVICES", "4"}}));
  EXPECT_EQ(set.at("TARE_CPU_DEVICES"), "2");
  EXPECT_EQ(set.at("TARE_CPU_THREADS"), "1");
  EXPECT_EQ(set.at("TARE_CPU_CC"), "8.0");
}

TEST(CpuEnvironment, HasFaultsSaidUnlessQuietOrToldOtherwise) {
  WithCpuOptions options;
  EXPECT_EQ(cpu_environment(kLibrary, options, having({{"TARE_CPU_FAULTS", "0"}})).count("TARE_CPU_FAULTS"),
            0);
  options.quiet = true;
  EXPECT_EQ(cpu_environment(kLibrary, options, having({})).count("TARE_CPU_FAULTS"), 0);
}

TEST(CpuEnvironment, RefusesWhatTheLoaderCouldNotFind) {
  EXPECT_THROW(cpu_environment("/opt/a:b/libcuda.so.1", {}, having({})), UsageError);
  EXPECT_THROW(cpu_environment("/opt/tare/my_driver.so", {}, having({})), UsageError);
  EXPECT_NO_THROW(cpu_environment("/opt/with space/libcuda.so.1", {}, having({})));
}

TEST(CpuEnvironment, PtxOnlyPutsItsFolderInTheWay) {
  const std::filesystem::path folder = TARE_BINARY_DIR "/lib/tare/cpu";
  WithCpuOptions options;
  options.ptx_only = true;
  const auto set = cpu_environment(folder / "libcuda.so.1", options,
                                   having({{"PATH", "/usr/bin"}, {"LD_PRELOAD", "/a.so"}}));
  const std::string ptx_only = folder / "ptx-only";
  EXPECT_EQ(set.at("PATH"), ptx_only + ":/usr/bin");
  EXPECT_EQ(set.at("LD_PRELOAD"), ptx_only + "/libnvJitLink.so.13:" + ptx_only + "/libnvJitLink.so.12:/a.so");
  EXPECT_THROW(cpu_environment("/nowhere/libcuda.so.1", options, having({})), UsageError);
}

}  // namespace
}  // namespace tare::cli
