// The real Python libraries on the CPU device, in the environments that `tare rows install` makes or that are
// named (TARE_ROW_..._PYTHON). Where there is none, a test says why it is skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "integration/support.hpp"

namespace tare::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

class PythonRows : public ::testing::TestWithParam<std::string> {
 protected:
  /// Why the row cannot run; empty if it can.
  std::string missing(const std::string& row) {
    const Ran ran = run_tare(scratch_, {"rows", "--json"});
    for (const json& each : json::parse(ran.out))
      if (each["row"] == row) return each["ready"] == true ? "" : each["reason"].get<std::string>();
    return "there is no such row";
  }
  std::vector<std::string> events_of(const json& row) {
    std::vector<std::string> names;
    for (const json& event : row["events"]) names.push_back(event["what"]);
    return names;
  }
  Scratch scratch_;
};

#define SKIP_WITHOUT(row) \
  if (const std::string why = missing(row); !why.empty()) GTEST_SKIP() << row << ": " << why

// What scripts/python-rows has installed is used by the tests here, and not skipped by mistake.
TEST(PythonEnvironments, ThatTheBuildInstalledAreTheOnesThatAreTested) {
  const fs::path installed = TARE_BINARY_DIR "/data/rows";
  if (!fs::exists(installed)) GTEST_SKIP() << "none is there: PYTHON_ROWS=no, or they could not be installed";
  Scratch scratch;
  for (const char* const cuda : {"12", "13"}) {
    const Ran ran = run_tare(scratch, {"rows", "--json", "--cuda", cuda});
    for (const json& row : json::parse(ran.out))
      if (fs::exists(installed / (row["row"].get<std::string>() + "-cuda" + cuda))) {
        EXPECT_EQ(row["ready"], true) << row["row"] << ", CUDA " << cuda << ": " << row["reason"];
      }
  }
}

TEST_P(PythonRows, GivesTheReferencesBitsInBothPassesAndTellsWhatItDid) {
  const std::string row = GetParam();
  SKIP_WITHOUT(row);
  const Ran ran = compare(scratch_, {"--n", "100003", "--rows", row, "--cold-l2"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  for (const std::string pass : {"cold", "warm"}) {
    const json& result = row_of(ran.record, pass, row);
    EXPECT_EQ(result["status"], "ok") << result["reason"];
    EXPECT_EQ(result["bits"]["equal"], true);
    EXPECT_EQ(result["bits"]["late_outputs"][0]["equal"], true);
    EXPECT_TRUE(result["kernel_ms"].is_number()) << result["detail"];
    EXPECT_EQ(result["cold_l2_ms"].is_number(), ran.record["machine"]["l2_bytes"] > 0) << result["detail"];
    EXPECT_FALSE(result["version"].get<std::string>().empty());
    // What comes from a library's own cache needs no compiler.
    if (result["cache"]["compiles"] != 0) {
      EXPECT_TRUE(fs::exists(result["compiler_path"].get<std::string>())) << result["compiler_path"];
    }
    for (const std::string what : {"imported", "opened", "build", "load", "first"})
      EXPECT_THAT(events_of(result), Contains(what));
  }
  EXPECT_EQ(row_of(ran.record, "cold", row)["cache"]["compiles"], 1);
  EXPECT_THAT(events_of(row_of(ran.record, "cold", row)), Contains("compiler"));
}

TEST_P(PythonRows, TakesBlocksOfTwoDimensionsAndScalarsOfThirtyTwoBits) {
  const std::string row = GetParam();
  SKIP_WITHOUT(row);
  const Ran ran =
      compare(scratch_, {TARE_SOURCE_DIR "/examples/stencil/stencil.toml", "--rows", row, "--fp", "strict"});
  EXPECT_EQ(row_of(ran.record, "cold", row)["bits"]["equal"], true) << ran.out;
}

TEST_P(PythonRows, TakesDynamicSharedMemory) {
  const std::string row = GetParam();
  SKIP_WITHOUT(row);
  const Ran ran = compare(scratch_, {TARE_SOURCE_DIR "/examples/block_sum/block_sum.toml", "--rows", row});
  EXPECT_EQ(row_of(ran.record, "cold", row)["bits"]["equal"], true) << ran.out;
}

TEST_P(PythonRows, LeavesTheUsersOwnCachesAsTheyAre) {
  const std::string row = GetParam();
  SKIP_WITHOUT(row);
  const fs::path home = scratch_.path() / "home";
  const std::vector<std::string> files{".cupy/kernel_cache/a", ".nv/ComputeCache/b",
                                       ".cache/pycuda/compiler-cache-v1/c", ".cache/numba/d"};
  for (const std::string& file : files) {
    fs::create_directories((home / file).parent_path());
    std::ofstream(home / file) << "kept " << file;
  }
  // The environments are found by HOME, too: whoever has named none by a variable keeps them there.
  const char* const owners_home = getenv("HOME");
  const std::string data_directory =
      getenv("TARE_DATA_DIR") ? getenv("TARE_DATA_DIR")
                              : (owners_home ? owners_home : "") + std::string("/.local/share/tare");
  const Ran ran = compare(scratch_, {"--n", "4099", "--rows", row},
                          {{"HOME", home}, {"XDG_CACHE_HOME", ""}, {"TARE_DATA_DIR", data_directory}});
  EXPECT_EQ(row_of(ran.record, "cold", row)["status"], "ok") << ran.out;
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(home))
    if (entry.is_regular_file()) found.push_back(fs::relative(entry.path(), home));
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(files));
  for (const std::string& file : files) {
    std::ifstream in(home / file);
    std::string text;
    std::getline(in, text);
    EXPECT_EQ(text, "kept " + file);
  }
}

// A copy of tests/data/cases/scalars.toml, with other text in place of some.
fs::path scalars_with(const Scratch& scratch, const std::map<std::string, std::string>& changes) {
  for (const std::string file : {"scalars.cu", "scalars.py", "scalars.toml"})
    fs::copy_file(data("cases/" + file), scratch.path() / file, fs::copy_options::overwrite_existing);
  std::ifstream in(scratch.path() / "scalars.toml");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const auto& [from, to] : changes) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) throw std::runtime_error("no " + from);
    text.replace(at, from.size(), to);
  }
  std::ofstream(scratch.path() / "scalars.toml") << text;
  return scratch.path() / "scalars.toml";
}

TEST_P(PythonRows, HandsEveryKindOfScalarOverBitForBit) {
  const std::string row = GetParam();
  SKIP_WITHOUT(row);
  std::map<std::string, std::string> changes;  // what the row is known to refuse, see the test below
  if (row.starts_with("numba")) changes["0xffa12345"] = "0xffe12345";
  if (row == "numba-mlir") changes.insert({{"0x7d01", "0x7f01"}, {"0x0001\"", "0x0401\""}});
  const Ran ran = compare(scratch_, {scalars_with(scratch_, changes), "--rows", row});
  const json& result = row_of(ran.record, "cold", row);
  EXPECT_EQ(result["status"], "ok") << result["reason"] << ran.out;
  EXPECT_EQ(result["bits"]["outputs"].size(), 23);
  for (const json& each : result["bits"]["outputs"]) EXPECT_EQ(each["equal"], true) << each;
}

TEST_P(PythonRows, TakesBlocksOfThreeDimensionsAndFoldersOfAnyName) {
  const std::string row = GetParam();
  SKIP_WITHOUT(row);
  // UTF-8 and a space; then what shells and nvcc split, and a byte that is no UTF-8.
  const fs::path folder = scratch_.path() / "f\u00fcr m\u00ednd n\u0113",
                 harder = scratch_.path() / "it's \"so\", caf\xe9";
  fs::create_directories(folder);
  for (const std::string file : {"volume.cu", "volume.py", "volume.toml", "volume.h"})
    fs::copy_file(data("cases/" + file), folder / file);
  const Ran ran = compare(scratch_, {folder / "volume.toml", "--rows", row});
  EXPECT_EQ(row_of(ran.record, "cold", row)["bits"]["equal"], true) << ran.out;
  fs::copy(folder, harder);
  const Ran quoted = compare(scratch_, {harder / "volume.toml", "--rows", row});
  EXPECT_EQ(row_of(quoted.record, "cold", row)["bits"]["equal"], true) << quoted.out;
  if (row.starts_with("numba")) return;  // its kernel includes nothing
  // The library's cache is the run's own, so what an earlier run left there is never served.
  std::ofstream(folder / "volume.h") << "#define FACTOR 5\n";
  const Ran edited = compare(scratch_, {folder / "volume.toml", "--rows", row});
  EXPECT_EQ(row_of(edited.record, "cold", row)["bits"]["equal"], true) << edited.out;
  EXPECT_EQ(row_of(edited.record, "warm", row)["bits"]["equal"], true) << edited.out;
}

TEST_P(PythonRows, WithNothingToLaunchStartsNothingAndSaysSo) {
  const std::string row = GetParam();
  SKIP_WITHOUT(row);
  const Ran ran = compare(scratch_, {"--n", "0", "--rows", row});
  EXPECT_EQ(ran.code, 0);
  const json& result = row_of(ran.record, "cold", row);
  EXPECT_EQ(result["status"], "ok");
  EXPECT_EQ(result["reason"], "nothing to launch: the launch covers 0 threads");
  EXPECT_TRUE(result["samples"].empty());
}

TEST_P(PythonRows, NeedsNoHome) {
  const std::string row = GetParam();
  SKIP_WITHOUT(row);
  if (!getenv("TARE_DATA_DIR")) GTEST_SKIP() << "without TARE_DATA_DIR the environments are found by HOME";
  const Ran ran = compare(scratch_, {"--n", "257", "--rows", row}, {{"HOME", ""}, {"XDG_CACHE_HOME", ""}});
  EXPECT_EQ(row_of(ran.record, "cold", row)["bits"]["equal"], true) << ran.out << ran.err;
}

TEST_P(PythonRows, TellsThatItsTimesAreNoGpus) {
  const std::string row = GetParam();
  SKIP_WITHOUT(row);
  const Ran ran = compare(scratch_, {"--n", "1", "--rows", row});
  EXPECT_THAT(ran.out, HasSubstr("mean ms (cpu)"));
  EXPECT_THAT(ran.out, HasSubstr("these figures are the CPU device's, not a GPU's"));
  EXPECT_EQ(ran.record["machine"]["is_cpu_device"], true);
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::erase_if(name, [](char c) { return c == '.' || c == '-'; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(OnTheCpuDevice, PythonRows,
                         ::testing::Values("cuda.core", "numba", "numba-cached", "numba-mlir", "pycuda"),
                         test_name);

using PythonRow = PythonRows;

TEST_F(PythonRow, NumbaSaysThatItsKernelIsAReimplementationAndForWhichTypes) {
  SKIP_WITHOUT("numba");
  const Ran ran = compare(scratch_, {"--n", "4099", "--rows", "numba"});
  const json& row = row_of(ran.record, "cold", "numba");
  EXPECT_THAT(row["detail"].get<std::string>(),
              HasSubstr("its kernel is the case's Python function, a reimplementation of the .cu"));
  EXPECT_EQ(row["cache"]["details"]["compiled for"],
            "array(float32, 1d, C), array(float32, 1d, C), array(float32, 1d, C), uint64");
  EXPECT_THAT(row["compiler"].get<std::string>(), HasSubstr("the driver's linker"));
  EXPECT_THAT(row["stderr_tail"].get<std::string>(), ::testing::Not(HasSubstr("nvjitlink")));
}

TEST_F(PythonRow, NumbaWithACacheCompilesNothingInTheSecondProcess) {
  SKIP_WITHOUT("numba-cached");
  const Ran ran = compare(scratch_, {"--n", "4099", "--rows", "numba-cached"});
  EXPECT_EQ(row_of(ran.record, "cold", "numba-cached")["cache"]["result"], "miss");
  const json& warm = row_of(ran.record, "warm", "numba-cached");
  EXPECT_EQ(warm["cache"]["result"], "hit");
  EXPECT_EQ(warm["cache"]["compiles"], 0);
}

TEST_F(PythonRow, PyCudaKeepsWhatNvccMadeForTheSecondProcess) {
  SKIP_WITHOUT("pycuda");
  const Ran ran = compare(scratch_, {"--n", "4099", "--rows", "pycuda"});
  EXPECT_EQ(row_of(ran.record, "cold", "pycuda")["cache"]["result"], "miss");
  EXPECT_EQ(row_of(ran.record, "warm", "pycuda")["cache"]["result"], "hit");
  EXPECT_THAT(row_of(ran.record, "cold", "pycuda")["detail"].get<std::string>(),
              HasSubstr("compile(target=\"ptx\") and module_from_buffer"));
}

TEST_F(PythonRow, ACaseWithoutAPythonKernelSkipsNumba) {
  SKIP_WITHOUT("numba");
  const fs::path folder = scratch_.path() / "case";
  fs::create_directories(folder);
  fs::copy(TARE_SOURCE_DIR "/examples/hash/hash.cu", folder / "hash.cu");
  std::ifstream in(TARE_SOURCE_DIR "/examples/hash/hash.toml");
  std::ofstream out(folder / "hash.toml");
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("python")) out << line << '\n';
  out.close();
  const Ran ran = compare(scratch_, {folder / "hash.toml", "--n", "4099", "--rows", "clang,numba"});
  EXPECT_EQ(row_of(ran.record, "cold", "numba")["reason"],
            "this case has no Python kernel: python = \"my.py:FUNCTION\" under [kernel] names one");
  EXPECT_EQ(row_of(ran.record, "cold", "clang")["status"], "ok");
}

TEST_F(PythonRow, StrictFloatingPointReachesCudaCore) {
  SKIP_WITHOUT("cuda.core");
  const Ran ran = compare(scratch_, {TARE_SOURCE_DIR "/examples/contraction/contraction.toml", "--rows",
                                     "cuda.core", "--fp", "strict"});
  const json& row = row_of(ran.record, "cold", "cuda.core");
  EXPECT_EQ(row["bits"]["equal"], true) << ran.out;
  for (const std::string option : {"--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"})
    EXPECT_THAT(row["options"].get<std::vector<std::string>>(), Contains(option));
}

TEST_F(PythonRow, AStructByValueIsSkippedWithItsArgument) {
  std::ofstream(scratch_.path() / "k.cu")
      << "struct Pair { char tag; double value; };\n"
         "__global__ void k(Pair p, double* out) { *out = p.tag + p.value; }\n";
  std::ofstream(scratch_.path() / "k.py") << "def k(p, out):\n    out[0] = 0\n";
  std::ofstream(scratch_.path() / "k.toml")
      << "[kernel]\nfile = \"k.cu\"\nname = \"k\"\npython = \"k.py:k\"\n[launch]\nblock = [1]\ngrid = [1]\n"
         "[[arguments]]\nname = \"p\"\ntype = \"struct Pair\"\nfields = [{ name = \"tag\", type = \"char\", "
         "value = 7 }, "
         "{ name = \"value\", type = \"double\", value = 0.5 }]\n"
         "[[arguments]]\nname = \"out\"\ntype = \"double*\"\ncount = 1\ncheck = \"bits\"\n";
  for (const auto& [name, library] :
       {std::pair("cuda.core", "cuda.core"), std::pair("pycuda", "PyCUDA"), std::pair("numba", "Numba")}) {
    SKIP_WITHOUT(name);
    const Ran ran = compare(scratch_, {scratch_.path() / "k.toml", "--rows", std::string("clang,") + name});
    const json& row = row_of(ran.record, "cold", name);
    EXPECT_EQ(row["status"], "skipped") << name;
    EXPECT_EQ(row["reason"], library + std::string(" passes no `struct Pair` by value (argument `p`)"));
    EXPECT_EQ(row_of(ran.record, "cold", "clang")["status"], "ok") << ran.out;
  }
}

TEST_F(PythonRow, ABfloat16ByValueArrivesBitForBit) {
  std::ofstream(scratch_.path() / "k.cu")
      << "// snippet: kernel\n#include <cuda_bf16.h>\n"
         "__global__ void k(__nv_bfloat16 b, __nv_bfloat16* out) { *out = b; }\n// end snippet\n"
         "// snippet: reference\n"
         "void reference(__nv_bfloat16 b, __nv_bfloat16* out) { *out = b; }\n// end snippet\n";
  std::ofstream(scratch_.path() / "k.py") << "def k(b, out):\n    out[0] = b\n";
  std::ofstream(scratch_.path() / "k.toml")
      << "[kernel]\nfile = \"k.cu\"\nname = \"k\"\npython = \"k.py:k\"\n[launch]\nblock = [1]\ngrid = [1]\n"
         "[[arguments]]\nname = \"b\"\ntype = \"__nv_bfloat16\"\nbits = \"0xff81\"\n"
         "[[arguments]]\nname = \"out\"\ntype = \"__nv_bfloat16*\"\ncount = 1\ncheck = \"bits\"\n";
  for (const std::string name : {"cuda.core", "pycuda"}) {
    SKIP_WITHOUT(name);
    const Ran ran = compare(scratch_, {scratch_.path() / "k.toml", "--rows", "nvcc," + name});
    EXPECT_EQ(row_of(ran.record, "cold", name)["bits"]["equal"], true) << ran.out;
  }
  SKIP_WITHOUT("numba");
  const Ran ran = compare(scratch_, {scratch_.path() / "k.toml", "--rows", "nvcc,numba"});
  EXPECT_EQ(row_of(ran.record, "cold", "numba")["reason"],
            "Numba passes no `__nv_bfloat16` by value (argument `b`)");
}

TEST_F(PythonRow, TheLoadingModeIsTheCallersAndIsRecorded) {
  SKIP_WITHOUT("cuda.core");
  for (const std::string mode : {"EAGER", "LAZY"}) {
    const Ran ran = compare(scratch_, {"--n", "257", "--rows", "cuda.core"}, {{"CUDA_MODULE_LOADING", mode}});
    EXPECT_EQ(ran.record["machine"]["module_loading"], mode == "EAGER" ? "eager" : "lazy");
    const json& row = row_of(ran.record, "cold", "cuda.core");
    EXPECT_EQ(row["bits"]["equal"], true) << ran.out;
    EXPECT_THAT(events_of(row), ::testing::IsSupersetOf({"compiler", "load", "first"})) << "told apart";
  }
}

TEST_F(PythonRow, AKernelMayImportWhatIsBesideIt) {
  SKIP_WITHOUT("numba");
  for (const std::string file : {"volume.cu", "volume.h", "volume.toml"})
    fs::copy_file(data("cases/" + file), scratch_.path() / file);
  fs::copy_file(data("cases/volume.py"), scratch_.path() / "beside.py");
  // Nor does a module that is called like a library of the row's stand in its way.
  std::ofstream(scratch_.path() / "numpy.py") << "raise RuntimeError('not this one')\n";
  std::ofstream(scratch_.path() / "volume.py") << "import numpy\nfrom beside import volume\n";
  const Ran ran = compare(scratch_, {scratch_.path() / "volume.toml", "--rows", "numba"});
  EXPECT_EQ(row_of(ran.record, "cold", "numba")["bits"]["equal"], true) << ran.out;
}

TEST_F(PythonRow, AScalarThatALibraryWouldChangeIsRefusedWithItsBits) {
  SKIP_WITHOUT("numba");
  const Ran ran = compare(scratch_, {data("cases/scalars.toml"), "--rows", "clang,numba"});
  const json& row = row_of(ran.record, "cold", "numba");
  EXPECT_EQ(row["status"], "skipped");
  EXPECT_EQ(row["reason"], "Numba does not pass `signalling32` as it is: 0xffa12345");
}

TEST_F(PythonRow, StrictFloatingPointReachesPyCudaAndIsSaidToBeMissingInNumba) {
  SKIP_WITHOUT("pycuda");
  SKIP_WITHOUT("numba");
  const Ran ran = compare(scratch_, {TARE_SOURCE_DIR "/examples/contraction/contraction.toml", "--rows",
                                     "pycuda,numba", "--fp", "strict"});
  const json& pycuda = row_of(ran.record, "cold", "pycuda");
  EXPECT_EQ(pycuda["bits"]["equal"], true) << ran.out;
  for (const std::string option : {"--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"})
    EXPECT_THAT(pycuda["options"].get<std::vector<std::string>>(), Contains(option));
  const json& numba = row_of(ran.record, "cold", "numba");
  EXPECT_EQ(numba["bits"]["got"], "5.96046448e-08 (0x33800000)") << "contracted, as it says";
  EXPECT_EQ(numba["status"], "incomparable");
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(numba["detail"].get<std::string>(),
              HasSubstr("under --fp strict: no switch of its library keeps it from contracting"));
  const std::size_t said = ran.out.find("keeps it from contracting");
  EXPECT_EQ(ran.out.find("keeps it from contracting", said + 1), std::string::npos) << "once: " << ran.out;
}

TEST_F(PythonRow, TheOptionsAreThoseThatReachedTheCompiler) {
  SKIP_WITHOUT("pycuda");
  SKIP_WITHOUT("numba-cached");
  const Ran ran = compare(scratch_, {"--n", "257", "--rows", "pycuda,numba-cached"});
  const std::vector<std::string> pycuda = row_of(ran.record, "cold", "pycuda")["options"];
  ASSERT_EQ(pycuda.size(), 4);
  EXPECT_EQ(pycuda[0] + " " + pycuda[1] + " " + pycuda[2], "--ptx -arch compute_90");
  EXPECT_THAT(pycuda[3], ::testing::MatchesRegex("-I.*/pycuda/cuda")) << "which PyCUDA adds by itself";
  const std::vector<std::string> cold = row_of(ran.record, "cold", "numba-cached")["options"];
  ASSERT_EQ(cold.size(), 3);
  EXPECT_EQ(cold[0] + " " + cold[1], "cache=True -opt=3");
  EXPECT_THAT(cold[2], ::testing::StartsWith("-arch=compute_90"));
  EXPECT_EQ(row_of(ran.record, "warm", "numba-cached")["options"], json({"cache=True"}))
      << "nothing was compiled, so nothing reached a compiler";
}

TEST_F(PythonRow, NumbaCompilesForTheCasesIntegersAndNeverAgainWhileItIsTimed) {
  SKIP_WITHOUT("numba");
  const Ran ran = compare(scratch_, {data("cases/volume.toml"), "--rows", "numba", "--rounds", "5"});
  const json& row = row_of(ran.record, "cold", "numba");
  EXPECT_EQ(row["cache"]["details"]["compiled for"],
            "array(int32, 1d, C), array(int32, 1d, C), int32, int32, int32");
  EXPECT_EQ(row["cache"]["compiles"], 1) << "counted after the last round";
  EXPECT_THAT(row["detail"].get<std::string>(), ::testing::Not(HasSubstr("more time")));
}

TEST_F(PythonRow, PyCudaWithoutNvccIsSkippedWithTheReason) {
  SKIP_WITHOUT("pycuda");
  const Ran ran = compare(scratch_, {"--n", "257", "--rows", "pycuda"},
                          {{"TARE_TOOLKIT_SEARCH", "explicit"}, {"TARE_NVCC", ""}});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(row_of(ran.record, "cold", "pycuda")["reason"].get<std::string>(), HasSubstr("nvcc not found"));
}

TEST_F(PythonRow, AnInterpreterThatIsTooOldIsSkippedWithBothVersions) {
  const fs::path old = scratch_.path() / "old-python";
  std::ofstream(old)
      << "#!/bin/sh\n[ \"$1\" != -I ] || exec python3 \"$@\"\nexec python3 -c '\nimport runpy, sys\nsys.argv "
         "= sys.argv[1:]\n"
         "sys.version_info = (3, 8, 18)\nsys.path.insert(0, sys.argv[0].rpartition(\"/\")[0])\n"
         "runpy.run_path(sys.argv[0], run_name=\"__main__\")' \"$@\"\n";
  fs::permissions(old, fs::perms::owner_all);
  const Ran ran =
      compare(scratch_, {"--n", "257", "--rows", "cuda.core", "--python", "cuda.core=" + old.string()});
  EXPECT_THAT(row_of(ran.record, "cold", "cuda.core")["reason"].get<std::string>(),
              HasSubstr("is Python 3.8: this row needs 3.9 or newer"));
}

TEST_F(PythonRow, AKernelThatIsNoFunctionOrIsNotThereOrDoesNotParseIsNamed) {
  SKIP_WITHOUT("numba");
  const std::map<std::string, std::string> files{
      {"volume = 5", "volume.py: `volume` is no function"},
      {"from numba import cuda\n\ndef volume(in_, out):\n  out[0] = in_[0] + nothing",
       "volume.py:4: NameError: name 'nothing' is not defined"},
      {"def volume(in_, out):\n  out[0] = \"a\" + in_[0]",
       "volume.py:2: TypingError: No implementation of function Function(<built-in function add>) found for "
       "signature: add(Literal[str](a), int32)"},
      {"def volume(in_, out):\n  out[1 << 40] = 1", "cuCtxSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS"},
      {"def volume(in_, out, more): pass", "the Python kernel's parameter `more` is no argument of the case"},
      {"def volume(a", "volume.py:1: SyntaxError: '(' was never closed"},
      {"import sys; volume = sys.exit(3)", "volume.py:1: SystemExit: 3"}};
  for (const std::string file : {"volume.cu", "volume.h", "volume.toml"})
    fs::copy_file(data("cases/" + file), scratch_.path() / file);
  for (const auto& [text, reason] : files) {
    std::ofstream(scratch_.path() / "volume.py") << text << "\n";
    const Ran ran = compare(scratch_, {scratch_.path() / "volume.toml", "--rows", "clang,numba"});
    const json& row = row_of(ran.record, "cold", "numba");
    EXPECT_EQ(row["status"], "failed");
    EXPECT_THAT(row["reason"].get<std::string>(), ::testing::EndsWith(reason));
    EXPECT_THAT(row["detail"].get<std::string>(), ::testing::Not(HasSubstr("numba_row.py")))
        << "no traceback";
    if (reason.find("ILLEGAL_ADDRESS") != std::string::npos) {
      EXPECT_THAT(row["detail"].get<std::string>(),
                  HasSubstr("check its bounds and the sizes of its buffers"));
    }
    EXPECT_EQ(row_of(ran.record, "cold", "clang")["status"], "ok");
  }
}

TEST_F(PythonRow, AFileThatIsNotThereOrLacksTheFunctionIsAMistakeOfTheCase) {
  for (const std::string file : {"volume.cu", "volume.h", "volume.toml"})
    fs::copy_file(data("cases/" + file), scratch_.path() / file);
  const std::string toml = scratch_.path() / "volume.toml", python = scratch_.path() / "volume.py";
  const Ran missing = run_tare(scratch_, {"compare", toml, "--rows", "clang"});
  EXPECT_EQ(missing.code, 2) << missing.out;
  EXPECT_THAT(missing.err,
              ::testing::MatchesRegex("tare: " + toml +
                                      ":[0-9]+: `python` in .kernel.: no such file: " + python + "\n"));
  std::ofstream(python) << "def volumes(): pass\n";
  const Ran other = run_tare(scratch_, {"compare", toml, "--rows", "clang"});
  EXPECT_EQ(other.code, 2) << other.out;
  EXPECT_THAT(other.err, HasSubstr(python + " has no function `volume`\n"));
}

TEST_F(PythonRow, CuPySaysWhyItNeedsAGpu) {
  const Ran ran = run_tare(scratch_, {"rows", "--json"});
  for (const json& each : json::parse(ran.out))
    if (each["row"].get<std::string>().starts_with("cupy")) {
      EXPECT_EQ(each["reason"], "CuPy links the CUDA runtime, which needs a GPU");
    }
}

}  // namespace
}  // namespace tare::test
