// Pinned versions, the names of packages, rows that share an environment, and what an installer's words mean.
#include "compare/python/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/case/complaint.hpp"
#include "compare/python/failure.hpp"
#include "compare/python/interpreter.hpp"
#include "compare/row.hpp"

namespace tare::compare {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kRow = R"(
worker = ["{python}", "{workers}/w.py"]
[python]
environment = "shared"
libraries = ["Lib_A"]
build_environment = { ROOT = "{cuda}" }
build_files = { ".rc" = "x = 1" }
[[python.pins]]
cuda = 13
versions = ["3.11", "3.12"]
packages = ["Lib_A==1.0", "other==2.3.post1"]
build = ["setuptools==80.9.0"]
source = ["src==2025.1"]
[[python.pins]]
cuda = 13
packages = ["Lib_A==1.1"]
)";

std::string complaint(const std::string& text) {
  try {
    parse_row(text, "row", "row.toml");
  } catch (const CaseError& error) {
    return error.what();
  }
  return "";
}

TEST(PythonEnvironment, IsReadFromTheRowsFile) {
  const RowDescription row = parse_row(kRow, "row", "row.toml");
  ASSERT_TRUE(row.python);
  EXPECT_EQ(row.python->name, "shared");
  EXPECT_THAT(row.python->libraries, ElementsAre("Lib_A"));
  EXPECT_EQ(row.python->build_environment.at("ROOT"), "{cuda}");
  EXPECT_EQ(row.python->build_files.at(".rc"), "x = 1");
  ASSERT_EQ(row.python->pins.size(), 2u);
  EXPECT_THAT(row.python->pins[0].packages, ElementsAre("Lib_A==1.0", "other==2.3.post1"));
  EXPECT_THAT(row.python->pins[0].build, ElementsAre("setuptools==80.9.0"));
  EXPECT_THAT(row.python->pins[0].source, ElementsAre("src==2025.1"));
}

TEST(PythonEnvironment, HasTheRowsNameAndNoPinsWhereItIsNotDescribed) {
  const RowDescription row = parse_row("worker = [\"{python}\", \"w.py\"]\n", "row", "row.toml");
  ASSERT_TRUE(row.python);
  EXPECT_EQ(row.python->name, "row");
  EXPECT_THAT(row.python->pins, IsEmpty());
  EXPECT_FALSE(parse_row("worker = [\"w\"]\n", "row", "row.toml").python);
}

TEST(PythonEnvironment, TakesTheFirstSetThatFitsCudaAndPython) {
  const RowDescription row = parse_row(kRow, "row", "row.toml");
  const PythonEnvironment& python = *row.python;
  EXPECT_EQ(find_pins(python, 13, "3.12"), &python.pins[0]);
  EXPECT_EQ(find_pins(python, 13, "3.13"), &python.pins[1]);
  EXPECT_EQ(find_pins(python, 12, "3.12"), nullptr);
}

TEST(PythonEnvironment, MistakesAreNamedWithTheirLine) {
  const std::string worker = "worker = [\"{python}\", \"w.py\"]\n";
  EXPECT_EQ(complaint(worker + "[[python.pins]]\ncuda = 13\npackages = [\"numpy>=2\"]\n"),
            "row.toml:4: `numpy>=2` is not an exact version: NAME==VERSION");
  EXPECT_EQ(complaint(worker + "[[python.pins]]\ncuda = 11\n"), "row.toml:3: `cuda` must be 12 or 13");
  EXPECT_EQ(complaint(worker + "[[python.pins]]\npackages = [\"a==1\"]\n"),
            "row.toml:2: `cuda` is missing from [[python.pins]]: 12 or 13");
  EXPECT_EQ(complaint(worker + "[python]\nlibrary = \"a\"\n"),
            "row.toml:3: unknown key `library`; did you mean `libraries`?");
  EXPECT_EQ(complaint(worker + "[python]\nenvironment = \"../a\"\n"),
            "row.toml:3: `environment` must be a name");
  EXPECT_EQ(complaint("worker = [\"w\"]\n[python]\nlibraries = [\"a\"]\n"),
            "row.toml: [python] is of no use to a `worker` without \"{python}\"");
}

TEST(PythonEnvironment, PackagesAreNamedAsTheirIndexNamesThem) {
  EXPECT_EQ(normalized_package("Foo.Bar__baz-Q"), "foo-bar-baz-q");
  EXPECT_EQ(parse_pin("CuPy_cuda13x==14.2.0").name, "cupy-cuda13x");
  EXPECT_EQ(parse_pin("CuPy_cuda13x==14.2.0").version, "14.2.0");
}

TEST(PythonEnvironment, APinIsNeverAnOptionOrAUrl) {
  for (const char* bad :
       {"--index-url==x", "a==-r", "a", "a==", "==1", "a @ https://x==1", "a==1 b==2", "a==1;x"})
    EXPECT_THROW(parse_pin(bad), Complaint) << bad;
}

TEST(PythonEnvironment, EveryBuiltInPythonRowKnowsItsEnvironment) {
  int rows = 0;
  for (const RowDescription& row : load_rows()) {
    if (!row.python) continue;
    ++rows;
    EXPECT_THAT(row.python->pins, Not(IsEmpty())) << row.name;
    EXPECT_THAT(row.python->libraries, Not(IsEmpty())) << row.name;
    for (const PinSet& pins : row.python->pins) {
      bool has_library = false;
      for (const auto* list : {&pins.packages, &pins.source})
        for (const std::string& pin : *list)
          for (const std::string& library : row.python->libraries)
            has_library |= parse_pin(pin).name == normalized_package(library);
      EXPECT_TRUE(has_library) << row.name << " for CUDA " << pins.cuda;
    }
  }
  EXPECT_EQ(rows, 8);
}

TEST(Interpreter, VariablesSpellTheRowInCapitals) {
  EXPECT_EQ(interpreter_variable("cuda.core"), "TARE_ROW_CUDA_CORE_PYTHON");
  EXPECT_EQ(interpreter_variable("numba-cached"), "TARE_ROW_NUMBA_CACHED_PYTHON");
}

TEST(Interpreter, ADriverRunsTheLibrariesOfItsOwnAndOfOlderVersions) {
  EXPECT_THAT(usable_cuda(13000, 0), ElementsAre(13, 12));
  EXPECT_THAT(usable_cuda(12080, 0), ElementsAre(12));
  EXPECT_THAT(usable_cuda(11080, 0), IsEmpty());
  EXPECT_THAT(usable_cuda(13010, 12), ElementsAre(12));
  EXPECT_THAT(usable_cuda(12080, 13), IsEmpty());
}

TEST(InstallerFailure, ShowsTheLinesThatNameAnError) {
  EXPECT_EQ(essential_lines("Collecting a\n  a.cpp:3:1: error: no such thing\n\nbuilding\nERROR: failed\n"),
            "  a.cpp:3:1: error: no such thing\nERROR: failed");
  EXPECT_EQ(essential_lines("error: No solution found\n  \u2570\u2500\u25b6 Because a was not found\nhint\n"),
            "error: No solution found\n  \u2570\u2500\u25b6 Because a was not found");
  EXPECT_EQ(essential_lines("one\ntwo\n"), "one\ntwo");
  EXPECT_EQ(essential_lines(""), "");
}

TEST(InstallerFailure, SaysWhatToDo) {
  const auto hint = [](const char* text, bool offline = false) {
    return installation_hint(text, {{"cupy", "numba"}, 13, "3.12", "/mnt/my wheels", offline});
  };
  EXPECT_THAT(
      hint("WARNING: Retrying ... Failed to establish a new connection: [Errno -3]\n"
           "ERROR: No matching distribution found for numpy==2.4.6"),
      AllOf(HasSubstr("no package index can be reached"),
            HasSubstr("tare rows download cupy numba --dir '/mnt/my wheels' --python 3.12 --cuda 13"),
            HasSubstr("tare rows install cupy numba --cuda 13 --wheelhouse '/mnt/my wheels' --offline")));
  EXPECT_THAT(
      hint("ERROR: No matching distribution found for numpy==2.4.6", true),
      AllOf(HasSubstr("missing from the wheelhouse"),
            HasSubstr("tare rows download cupy numba --dir '/mnt/my wheels' --python 3.12 --cuda 13")));
  EXPECT_THAT(hint("ERROR: No matching distribution found for numpy==2.4.6"), HasSubstr("--python PATH"));
  EXPECT_THAT(hint("ERROR: Ignored the following versions that require a different python version: 2.4.6 "
                   "Requires-Python >=3.11"),
              HasSubstr("not for this Python"));
  EXPECT_THAT(
      hint("The virtual environment was not created successfully because ensurepip is not\navailable."),
      IsEmpty());
  EXPECT_THAT(hint("because ensurepip is not available.  On Debian/Ubuntu"), HasSubstr("python3-venv"));
  EXPECT_THAT(hint("src/cpp/cuda.hpp:14:10: fatal error: cuda.h: No such file or directory"),
              HasSubstr("CUDA_HOME"));
  EXPECT_THAT(hint("fatal error: Python.h: No such file or directory"), HasSubstr("python3-dev"));
  EXPECT_THAT(hint("wrap_python.hpp:50:11: fatal error: pyconfig.h: No such file or directory"),
              HasSubstr("python3-dev"));
  EXPECT_THAT(hint("OSError: [Errno 28] No space left on device"), HasSubstr("the disk is full"));
  EXPECT_THAT(hint("something new"), IsEmpty());
}

}  // namespace
}  // namespace tare::compare
