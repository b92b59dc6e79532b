// Searches over toolkits made of empty files: order, pairs, and reasons.
#include "tare/toolkit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture.hpp"

namespace tare {
namespace {

using fixtures::Folder;
using fixtures::ScopedEnvironment;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// No toolkit to be found but those that a test makes.
ScopedEnvironment::Changes bare(ScopedEnvironment::Changes changes) {
  for (const char* name :
       {"TARE_NVRTC", "TARE_NVCC", "TARE_NVVM", "TARE_CLANG", "TARE_WHEELS", "TARE_TOOLKIT_SEARCH",
        "CUDA_PATH", "CUDA_HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH"})
    changes.emplace(name, std::nullopt);
  changes.emplace("PATH", "/nonexistent");
  return changes;
}

void make_nvrtc(const Folder& folder, const std::string& lib, const std::string& builtins = "13.0") {
  folder.write(lib + "/libnvrtc.so.13", "");
  if (!builtins.empty()) folder.write(lib + "/libnvrtc-builtins.so." + builtins, "");
}

TEST(FindNvrtc, TakesAPairFromOneFolderAndItsVersionFromTheBuiltins) {
  const Folder folder;
  make_nvrtc(folder, "lib64");
  const ScopedEnvironment environment(bare({{"CUDA_PATH", folder.path().string()}}));
  const Search search = find_nvrtc();
  ASSERT_TRUE(search.tool) << search.reason;
  EXPECT_EQ(search.tool->path, folder.path() / "lib64/libnvrtc.so.13");
  EXPECT_EQ(search.tool->version, "13.0");
  ASSERT_EQ(search.looked.size(), 2u);
  EXPECT_EQ(search.looked[0].place, "TARE_NVRTC");
  EXPECT_EQ(search.looked[0].result, "not set");
  EXPECT_EQ(search.looked[1].place, "CUDA_PATH");
  EXPECT_EQ(search.looked[1].result, "found");
}

TEST(FindNvrtc, ALibraryWithoutItsBuiltinsIsNotTakenAndSaid) {
  const Folder folder;
  make_nvrtc(folder, "lib", "");
  const ScopedEnvironment environment(bare({{"TARE_NVRTC", (folder.path() / "lib").string()}}));
  EXPECT_EQ(find_nvrtc().reason,
            "NVRTC not found: looked in TARE_NVRTC (libnvrtc.so.13 without its builtins "
            "(libnvrtc-builtins.so.13.*))");
}

TEST(FindNvrtc, BuiltinsOfAnotherMajorVersionAreToldFromAbsentOnes) {
  const Folder folder;
  make_nvrtc(folder, "lib", "12.8");
  const ScopedEnvironment environment(bare({{"TARE_NVRTC", (folder.path() / "lib").string()}}));
  EXPECT_EQ(find_nvrtc().reason,
            "NVRTC not found: looked in TARE_NVRTC (libnvrtc.so.13 beside builtins of another major version "
            "(libnvrtc-builtins.so.12.8))");
}

TEST(FindNvrtc, AnUnusableExplicitPathEndsTheSearch) {
  const Folder folder;
  make_nvrtc(folder, "lib");
  const ScopedEnvironment environment(
      bare({{"TARE_NVRTC", "/nonexistent/libnvrtc.so"}, {"CUDA_PATH", folder.path().string()}}));
  const Search search = find_nvrtc();
  EXPECT_FALSE(search.tool);
  EXPECT_EQ(search.reason, "NVRTC not found: looked in TARE_NVRTC (no such file: /nonexistent/libnvrtc.so)");
}

TEST(FindNvrtc, TheArgumentGoesBeforeTheEnvironment) {
  const Folder given, named;
  make_nvrtc(given, "lib");
  make_nvrtc(named, "lib");
  const ScopedEnvironment environment(bare({{"TARE_NVRTC", named.path().string()}}));
  const Search search = find_nvrtc(given.path());
  ASSERT_TRUE(search.tool) << search.reason;
  EXPECT_EQ(search.tool->path, given.path() / "lib/libnvrtc.so.13");
}

TEST(FindNvrtc, WheelsOfBothLayoutsAreFoundInTheActivePython) {
  for (const char* layout : {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"}) {
    const Folder folder;
    make_nvrtc(folder, std::string("lib/python3.11/site-packages/") + layout);
    const ScopedEnvironment environment(bare({{"VIRTUAL_ENV", folder.path().string()}}));
    const Search search = find_nvrtc();
    ASSERT_TRUE(search.tool) << search.reason;
    EXPECT_EQ(search.tool->path, folder.path() / "lib/python3.11/site-packages" / layout / "libnvrtc.so.13");
  }
}

TEST(FindNvrtc, ThePythonOnPathIsAskedByItsFoldersOnly) {
  const Folder folder;
  folder.write("bin/python3",
               "\x7f"
               "ELF",
               true);
  make_nvrtc(folder, "lib/python3.12/site-packages/nvidia/cu13/lib");
  const ScopedEnvironment environment(bare({{"PATH", (folder.path() / "bin").string()}}));
  const Search search = find_nvrtc();
  ASSERT_TRUE(search.tool) << search.reason;
  EXPECT_EQ(search.looked.back().place, "python3 on PATH");
}

TEST(FindNvrtc, TheWheelsFolderOfTheBuildIsFound) {
  const Folder folder;
  make_nvrtc(folder, "nvidia/cu13/lib");
  const ScopedEnvironment environment(bare({{"TARE_WHEELS", folder.path().string()}}));
  const Search search = find_nvrtc();
  ASSERT_TRUE(search.tool) << search.reason;
  EXPECT_EQ(search.tool->path, folder.path() / "nvidia/cu13/lib/libnvrtc.so.13");
}

TEST(FindNvrtc, ACondaPrefixIsAToolkit) {
  const Folder folder;
  make_nvrtc(folder, "targets/x86_64-linux/lib");
  const ScopedEnvironment environment(bare({{"CONDA_PREFIX", folder.path().string()}}));
  const Search search = find_nvrtc();
  ASSERT_TRUE(search.tool) << search.reason;
  EXPECT_EQ(search.tool->path, folder.path() / "targets/x86_64-linux/lib/libnvrtc.so.13");
}

TEST(FindNvrtc, TheLoadersPathIsLookedIn) {
  const Folder folder;
  make_nvrtc(folder, "somewhere");
  // The build's own wheels, where there are any, come before the loader.
  const ScopedEnvironment environment(bare({{"LD_LIBRARY_PATH", (folder.path() / "somewhere").string()},
                                            {"TARE_WHEELS", folder.path().string()}}));
  const Search search = find_nvrtc();
  ASSERT_TRUE(search.tool) << search.reason;
  EXPECT_EQ(search.tool->path, folder.path() / "somewhere/libnvrtc.so.13");
}

TEST(FindNvrtc, TheNewestOfTwoMajorsWithBuiltinsIsTaken) {
  const Folder folder;
  folder.write("libnvrtc.so.12", "");
  folder.write("libnvrtc-builtins.so.12.9", "");
  folder.write("libnvrtc.so.13", "");
  const ScopedEnvironment environment(bare({}));
  const Search search = find_nvrtc(folder.path());
  ASSERT_TRUE(search.tool) << search.reason;
  EXPECT_EQ(search.tool->path, folder.path() / "libnvrtc.so.12");
  EXPECT_EQ(search.tool->version, "12.9");
}

TEST(FindNvcc, ExplicitSearchHidesEverythingElse) {
  const Folder folder;
  folder.write("bin/nvcc", "#!/bin/sh\n", true);
  const ScopedEnvironment environment(
      bare({{"TARE_TOOLKIT_SEARCH", "explicit"}, {"CUDA_PATH", folder.path().string()}}));
  EXPECT_EQ(find_nvcc().reason,
            "nvcc not found: looked in TARE_NVCC (not set), nowhere else (TARE_TOOLKIT_SEARCH=explicit)");
}

TEST(FindNvcc, ThePlacesLookedInAreNamedInOrder) {
  const ScopedEnvironment environment(bare({{"CUDA_PATH", "/nonexistent"}}));
  const Search search = find_nvcc();
  if (search.tool) GTEST_SKIP() << "this machine has " << search.tool->path << ", which no variable hides";
  EXPECT_EQ(search.reason,
            "nvcc not found: looked in TARE_NVCC (not set), CUDA_PATH (no such folder: /nonexistent), "
            "CUDA_HOME (not "
            "set), VIRTUAL_ENV (not set), CONDA_PREFIX (not set), python3 on PATH (no python3), this build's "
            ".tools/nvidia (no such folder), PATH (no nvcc), /usr/local/cuda* (no such folder)");
}

TEST(FindNvcc, OneThatMayNotBeExecutedIsSaid) {
  const Folder folder;
  const fs::path nvcc = folder.write("nvcc", "");
  const ScopedEnvironment environment(bare({}));
  EXPECT_EQ(find_nvcc(nvcc).reason,
            "nvcc not found: looked in the given path (not executable: " + nvcc.string() + ")");
}

TEST(FindNvcc, AWheelWithoutItsPartsIsPassedOver) {
  const Folder folder;
  folder.write("nvidia/cu13/bin/nvcc", "#!/bin/sh\n", true);
  const ScopedEnvironment environment(bare({{"TARE_WHEELS", folder.path().string()}}));
  const Search search = find_nvcc();
  const auto wheels = std::find_if(search.looked.begin(), search.looked.end(),
                                   [](const Looked& l) { return l.place.starts_with("TARE_WHEELS"); });
  ASSERT_NE(wheels, search.looked.end());
  EXPECT_EQ(wheels->result, "nvcc without nvvm/bin/cicc");
}

TEST(FindNvcc, ItsVersionIsWhatItPrints) {
  const Folder folder;
  const fs::path nvcc =
      folder.write("nvcc", "#!/bin/sh\necho 'Cuda compilation tools, release 13.0, V13.0.88'\n", true);
  const ScopedEnvironment environment(bare({}));
  const Search search = find_nvcc(nvcc);
  ASSERT_TRUE(search.tool) << search.reason;
  EXPECT_EQ(search.tool->version, "13.0.88");
}

TEST(FindNvvm, AToolkitsAndBothWheelsLayoutsAreFoundWithTheirDeviceLibrary) {
  for (const char* place :
       {"nvvm/lib64/libnvvm.so.4", "lib/libnvvm.so.4", "lib64/libnvvm.so.4", "nvvm/lib64/libnvvm.so"}) {
    const Folder folder;
    folder.write(place, "");
    const ScopedEnvironment environment(bare({{"CUDA_PATH", folder.path().string()}}));
    const Search search = find_nvvm();
    ASSERT_TRUE(search.tool) << search.reason;
    EXPECT_EQ(search.tool->path, folder.path() / place);
    EXPECT_EQ(search.tool->version, std::string_view(place).ends_with(".4") ? "4" : "");
    EXPECT_EQ(libdevice_of(*search.tool), "");
    const auto libdevice = folder.write("nvvm/libdevice/libdevice.10.bc", "");
    EXPECT_EQ(libdevice_of(*search.tool), libdevice);
  }
}

TEST(FindNvvm, AnExplicitPathIsAFileOrAFolderAndEndsTheSearch) {
  const Folder folder, other;
  const auto library = folder.write("nvvm/lib64/libnvvm.so.4", "");
  other.write("lib/libnvvm.so.4", "");
  for (const fs::path& named : {library, library.parent_path(), folder.path()}) {
    const ScopedEnvironment environment(
        bare({{"TARE_NVVM", named.string()}, {"CUDA_PATH", other.path().string()}}));
    ASSERT_TRUE(find_nvvm().tool) << named;
    EXPECT_EQ(find_nvvm().tool->path, library);
  }
  const ScopedEnvironment environment(
      bare({{"TARE_NVVM", "/nonexistent"}, {"CUDA_PATH", other.path().string()}}));
  EXPECT_EQ(find_nvvm().reason, "libNVVM not found: looked in TARE_NVVM (no such file: /nonexistent)");
}

TEST(FindClang, AnOlderOneIsRefusedWithItsVersion) {
  const Folder folder;
  const fs::path clang = folder.write("clang", "#!/bin/sh\necho 'Debian clang version 14.0.6'\n", true);
  const ScopedEnvironment environment(bare({{"TARE_CLANG", clang.string()}}));
  EXPECT_EQ(find_clang().reason,
            "clang not found: looked in TARE_CLANG (" + clang.string() + " is clang 14.0.6, older than 19)");
}

TEST(FindClang, TheFirstOnPathThatIsNewEnoughIsTaken) {
  const Folder folder;
  folder.write("old/clang", "#!/bin/sh\necho 'clang version 14.0.6 (x)'\n", true);
  folder.write("new/clang-19", "#!/bin/sh\necho 'Debian clang version 19.1.7 (3)'\n", true);
  const ScopedEnvironment environment(
      bare({{"PATH", (folder.path() / "old").string() + ":" + (folder.path() / "new").string()}}));
  const Search search = find_clang();
  ASSERT_TRUE(search.tool) << search.reason;
  EXPECT_EQ(search.tool->path, folder.path() / "new/clang-19");
  EXPECT_EQ(search.tool->version, "19.1.7");
}

TEST(ToolkitIncludeDirs, AreTheToolkitsOwnAndItsCccl) {
  const Folder folder;
  folder.write("include/cuda_runtime.h", "");
  folder.write("include/cccl/cuda/std/cstdint", "");
  EXPECT_EQ(toolkit_include_dirs({folder.path() / "lib64/libnvrtc.so.13", {}, {}}),
            (std::vector<fs::path>{folder.path() / "include", folder.path() / "include/cccl"}));
}

TEST(ToolkitIncludeDirs, OldWheelsKeepTheHeadersInAnother) {
  const Folder folder;
  folder.write("nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "");
  folder.write("nvidia/cuda_runtime/include/cuda_fp16.h", "");
  EXPECT_EQ(toolkit_include_dirs({folder.path() / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12", {}, {}}),
            (std::vector<fs::path>{folder.path() / "nvidia/cuda_runtime/include"}));
}

TEST(ToolkitIncludeDirs, ALibraryAmongTheHostsOwnHasNone) {
  EXPECT_TRUE(toolkit_include_dirs({"/usr/lib/libnvrtc.so.12", {}, {}}).empty());
}

}  // namespace
}  // namespace tare
