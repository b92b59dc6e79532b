// Python environments from pinned versions: made whole or not at all, left alone when they are right, and
// used by the rows that name them. Packages come from a folder that the test makes: nothing is fetched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "integration/support.hpp"

namespace tare::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Its standard output; throws where it fails.
std::string output_of(const std::string& command) {
  std::FILE* const pipe = popen(command.c_str(), "r");
  std::string text;
  char bytes[4096];
  for (std::size_t count; (count = fread(bytes, 1, sizeof bytes, pipe)) > 0;) text.append(bytes, count);
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

class Install : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("python3 -I -c 'import sys, venv, pip; v = pip.__version__.split(\".\");"
                    "sys.exit((int(v[0]), int(v[1])) < (22, 3))' >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "needs python3 with venv and pip 22.3 or newer";
    fs::create_directories(wheels_);
    fs::create_directories(rows_);
  }

  void make_wheel(const std::string& name, const std::string& version) { make("wheel", name, version); }
  void make_source(const std::string& name, const std::string& version, const std::string& how) {
    make("source", name, version + " " + how);
  }

  // A row `toy` with one pinned set for CUDA 13.
  void write_row(const std::string& pins, const std::string& more = "", const std::string& name = "toy") {
    std::ofstream(rows_ / (name + ".toml")) << no_gpu_ << "title = \"a toy\"\nworker = [\"{python}\", \""
                                            << data("python/toy_worker.py") << "\"]\n"
                                            << "[python]\nlibraries = [\"tare-toy\"]\n"
                                            << more << "[[python.pins]]\ncuda = 13\n"
                                            << pins;
  }

  Environment environment(const Environment& more = {}) const {
    Environment all{{"TARE_DATA_DIR", data_.string()},
                    {"TARE_ROWS_DIR", rows_.string()},
                    {"HOME", home_.string()},
                    {"XDG_DATA_HOME", ""},
                    {"PIP_NO_CACHE_DIR", "1"},
                    {"PIP_CONFIG_FILE", "/dev/null"},
                    {"PIP_FIND_LINKS", ""}};
    for (const auto& [name, value] : more) all[name] = value;
    return all;
  }

  Ran install(std::vector<std::string> more = {}, const Environment& changes = {},
              const std::function<void(pid_t)>& meanwhile = {}) {
    std::vector<std::string> arguments{"rows",     "install", "toy",       "--cuda",       "13",
                                       "--device", "cpu",     "--offline", "--wheelhouse", wheels_.string()};
    if (!more.empty() && more.front() == "ONLINE") {
      more.erase(more.begin());
      std::erase(arguments, "--offline");
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_tare(scratch_, arguments, environment(changes), meanwhile);
  }

  // Everything in the folder of environments.
  std::vector<std::string> kept() const {
    std::vector<std::string> names;
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(data_ / "rows", none))
      if (entry.path().filename() != ".lock") names.push_back(entry.path().filename());
    return names;
  }

  std::string python() const { return place_ / "bin/python"; }
  std::string version_of(const std::string& module) const {
    return output_of(python() + " -I -c 'import " + module + "; print(" + module + ".__version__)'");
  }

  Scratch scratch_;
  std::string no_gpu_;  // a line of the row's file
  fs::path wheels_ = scratch_.path() / "wheels", rows_ = scratch_.path() / "toys",
           data_ = scratch_.path() / "data", home_ = scratch_.path() / "home",
           place_ = data_ / "rows/toy-cuda13";

 private:
  void make(const std::string& kind, const std::string& name, const std::string& rest) {
    output_of("python3 -I '" + data("python/make_packages.py") + "' '" + wheels_.string() + "' " + kind +
              " " + name + " " + rest);
  }
};

TEST_F(Install, MakesAnEnvironmentOfExactlyThePinnedVersionsThatItsRowUses) {
  make_wheel("tare-toy", "1.0");
  make_wheel("tare-toy", "2.0");
  make_wheel("tare-toy-part", "0.5");
  write_row("packages = [\"tare-toy==1.0\", \"tare-toy-part==0.5\"]\n");
  const Ran before = run_tare(scratch_, {"rows", "--device", "cpu"}, environment());
  EXPECT_THAT(before.out, HasSubstr("no environment: tare rows install toy"));

  const Ran ran = install();
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("installed"), HasSubstr(place_), HasSubstr("tare-toy 1.0")));
  EXPECT_THAT(kept(), ElementsAre("toy-cuda13"));
  EXPECT_EQ(version_of("tare_toy"), "1.0");
  EXPECT_EQ(version_of("tare_toy_part"), "0.5");
  EXPECT_EQ(
      output_of(python() + " -I -c 'import importlib.metadata as m; print(len(list(m.distributions())))'"),
      "2");
  // Scripts too know where they are.
  EXPECT_EQ(output_of(place_ / "bin/tare-toy"), place_.string());
  EXPECT_EQ(contents(place_ / "pyvenv.cfg").find(".part-"), std::string::npos);

  const Ran rows = run_tare(scratch_, {"rows", "--device", "cpu", "--json"}, environment());
  json toy;
  for (const json& row : json::parse(rows.out))
    if (row["row"] == "toy") toy = row;
  EXPECT_EQ(toy["ready"], true);
  EXPECT_EQ(toy["python"]["interpreter"], python());
  EXPECT_EQ(toy["python"]["packages"], (json{{"tare-toy", "1.0"}, {"tare-toy-part", "0.5"}}));

  const Ran compared = compare(scratch_, {"--n", "4096", "--rows", "clang,toy"}, environment());
  EXPECT_EQ(row_of(compared.record, "cold", "toy")["reason"], "it runs in " + place_.string());
  EXPECT_EQ(row_of(compared.record, "cold", "toy")["interpreter"], python());
}

TEST_F(Install, LeavesWhatIsRightAloneAndReplacesWhatIsNot) {
  make_wheel("tare-toy", "1.0");
  make_wheel("tare-toy", "2.0");
  write_row("packages = [\"tare-toy==1.0\"]\n");
  ASSERT_EQ(install().code, 0);
  std::ofstream(place_ / "mine") << "still here";
  no_gpu_ = "no_gpu = \"it is played with on a GPU\"\n";
  write_row("packages = [\"tare-toy==1.0\"]\n");
  const Ran again = install({"toy"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, AllOf(HasSubstr("there already"), Not(HasSubstr("installing")),
                               HasSubstr("its rows cannot run here: it is played with on a GPU")));
  EXPECT_EQ(again.out.find("toy "), again.out.rfind("toy  ")) << "once, though it was named twice";
  EXPECT_EQ(contents(place_ / "mine"), "still here");

  write_row("packages = [\"tare-toy==2.0\"]\n");
  const Ran newer = install();
  EXPECT_EQ(newer.code, 0) << newer.out << newer.err;
  EXPECT_EQ(version_of("tare_toy"), "2.0");
  EXPECT_FALSE(fs::exists(place_ / "mine"));
  EXPECT_THAT(kept(), ElementsAre("toy-cuda13"));
}

TEST_F(Install, ThatFailsLeavesTheOldEnvironmentAndNothingElseAndSaysWhatToDo) {
  make_wheel("tare-toy", "1.0");
  write_row("packages = [\"tare-toy==1.0\"]\n");
  ASSERT_EQ(install().code, 0);
  write_row("packages = [\"tare-toy==1.0\", \"tare-toy-part==3.0\"]\n");
  const Ran ran = install();
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("tare: toy: "), HasSubstr("tare-toy-part==3.0"),
                             HasSubstr("a package is missing from the wheelhouse"),
                             HasSubstr("tare rows download toy --dir " + wheels_.string() + " --python 3.")));
  EXPECT_EQ(version_of("tare_toy"), "1.0");
  EXPECT_THAT(kept(), ElementsAre("toy-cuda13"));
}

TEST_F(Install, WithoutANetworkSaysHowToCarryThePackages) {
  write_row("packages = [\"tare-toy==1.0\"]\n");
  const Ran ran = install({"ONLINE"}, {{"PIP_INDEX_URL", "http://127.0.0.1:9/simple"}, {"PIP_RETRIES", "1"}});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("no package index can be reached"),
                             HasSubstr("tare rows download toy --dir " + wheels_.string() + " --python 3."),
                             HasSubstr("tare rows install toy --cuda 13 --wheelhouse " + wheels_.string())));
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(Install, WithoutANetworkAsksTheIndexOnce) {
  write_row("packages = [\"tare-toy==1.0\"]\n", "", "another");
  write_row("packages = [\"tare-toy==1.0\"]\n");
  const Ran ran =
      install({"ONLINE", "another"}, {{"PIP_INDEX_URL", "http://127.0.0.1:9/simple"}, {"PIP_RETRIES", "1"}});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("tare: another: pip "),
                             HasSubstr("tare: toy: not tried, for the same reason")));
}

TEST_F(Install, BuildsFromSourceWithTheVariablesAndFilesOfTheRow) {
  make_wheel("tare-toy", "1.0");
  make_source("tare-toy-source", "4.0", "builds");
  write_row("packages = [\"tare-toy==1.0\"]\nsource = [\"tare-toy-source==4.0\"]\n",
            "[python.build_environment]\nTOY_ROOT = \"it is in {cuda}\"\n"
            "[python.build_files]\n\".toy-settings\" = \"gpu = no\"\n");
  const Ran ran = install();
  if (ran.err.find("building it needs a CUDA 13 toolkit") != std::string::npos)
    GTEST_SKIP() << "needs a CUDA 13 toolkit: " << ran.err;
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  const std::string built = output_of(python() +
                                      " -I -c 'import tare_toy_source as t, json;"
                                      "print(json.dumps(t.built_with))'");
  const json with = json::parse(built);
  EXPECT_THAT(with["TOY_ROOT"].get<std::string>(), HasSubstr("it is in /"));
  EXPECT_EQ(with["settings"], "gpu = no");
  EXPECT_THAT(with["HOME"].get<std::string>(), HasSubstr(data_.string() + "/rows/.part-"));
  EXPECT_THAT(kept(), ElementsAre("toy-cuda13"));
}

TEST_F(Install, ShowsTheCompilersLinesWhereABuildFails) {
  make_source("tare-toy", "4.0", "fails");
  write_row("source = [\"tare-toy==4.0\"]\n");
  const Ran ran = install();
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("building tare-toy 4.0"),
                             HasSubstr("toy.cpp:1:10: fatal error: cuda.h: No such file or directory"),
                             HasSubstr("CUDA_HOME=DIR names a toolkit")));
  EXPECT_THAT(kept(), IsEmpty());
}

class InstallInterrupted : public Install {
 protected:
  Ran interrupt(int signal) {
    make_source("tare-toy", "4.0", "hangs");
    write_row("source = [\"tare-toy==4.0\"]\n");
    return install({}, {{"TARE_TEST_MARK", scratch_.path()}}, [&](pid_t pid) {
      EXPECT_TRUE(eventually([&] {
        return building() ||
               waitid(P_PID, static_cast<id_t>(pid), &ended_, WEXITED | WNOHANG | WNOWAIT) != 0 ||
               ended_.si_pid != 0;
      }));
      kill(pid, signal);
    });
  }
  bool building() const {
    for (const pid_t pid : processes_with(scratch_.path()))
      if (contents("/proc/" + std::to_string(pid) + "/cmdline").find("build_wheel") != std::string::npos)
        return true;
    return false;
  }
  siginfo_t ended_{};
};

TEST_F(InstallInterrupted, LeavesNoProcessAndNoFolder) {
  const Ran ran = interrupt(SIGINT);
  EXPECT_EQ(ran.code, 130) << ran.err;
  EXPECT_THAT(processes_with(scratch_.path()), IsEmpty());
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(InstallInterrupted, AndKilledLeavesNeitherASecondLater) {
  const Ran ran = interrupt(SIGKILL);
  EXPECT_EQ(ran.signal, SIGKILL) << ran.err;
  EXPECT_TRUE(eventually([&] { return processes_with(scratch_.path()).empty() && kept().empty(); }));
}

TEST_F(Install, NamesTheVersionsOfPythonThatThereAreSetsFor) {
  write_row("versions = [\"3.97\", \"3.98\"]\npackages = [\"tare-toy==1.0\"]\n");
  const Ran ran = install();
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("there are versions of it for Python 3.97, 3.98; python3 is 3."),
                             HasSubstr("--python PATH")));
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(Install, RefusesAnUnknownRowAndAMissingWheelhouse) {
  write_row("packages = [\"tare-toy==1.0\"]\n");
  const Ran unknown = run_tare(scratch_, {"rows", "install", "tyo"}, environment());
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("`tyo`; did you mean `toy`?"));
  const Ran native = run_tare(scratch_, {"rows", "install", "nvrtc"}, environment());
  EXPECT_EQ(native.code, 2);
  EXPECT_THAT(
      native.err,
      HasSubstr("`nvrtc` is a native row: there is nothing to install for it (tare rows says what it "
                "lacks, if it does). The Python rows are cuda.core, cupy, numba, numba-cached, numba-mlir, "
                "pycuda, cupy-array, cupy-array-out, toy"))
      << "each once";
  const Ran nowhere =
      run_tare(scratch_, {"rows", "install", "toy", "--wheelhouse", "/nonexistent"}, environment());
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("no such folder: /nonexistent"));
}

TEST_F(Install, ADownloadForAnUnknownVersionOfPythonNamesThoseThatThereAre) {
  write_row("versions = [\"3.97\", \"3.98\"]\npackages = [\"tare-toy==1.0\"]\n");
  const Ran ran = run_tare(
      scratch_,
      {"rows", "download", "toy", "--dir", scratch_.path() / "carried", "--python", "3.5", "--cuda", "13"},
      environment());
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(
      ran.err,
      HasSubstr("there are no versions of it for CUDA 13 and Python 3.5; there are for Python 3.97, 3.98"));
}

TEST_F(Install, DownloadsWhatAnotherMachineInstallsFrom) {
  make_wheel("tare-toy", "1.0");
  write_row("packages = [\"tare-toy==1.0\"]\n");
  const fs::path carried = scratch_.path() / "carried";
  const Ran ran = run_tare(
      scratch_, {"rows", "download", "toy", "--dir", carried, "--python", "3.12", "--cuda", "13"},
      environment({{"PIP_FIND_LINKS", wheels_.string()}, {"PIP_NO_INDEX", "1"}, {"PIP_CONFIG_FILE", ""}}));
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("for Python 3.12: tare-toy 1.0"));
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(carried))
    files.push_back(entry.path().filename());
  EXPECT_THAT(files, ElementsAre("tare_toy-1.0-py3-none-any.whl"));
  fs::remove_all(wheels_);
  fs::rename(carried, wheels_);
  EXPECT_EQ(install().code, 0);
}

// --- interpreters that are there already

class Interpreters : public Install {
 protected:
  void SetUp() override {
    Install::SetUp();
    if (IsSkipped()) return;
    write_row("packages = [\"tare-toy==1.0\"]\n");
    std::ofstream(rows_ / "toy-too.toml") << "worker = [\"{python}\", \"" << data("python/toy_worker.py")
                                          << "\"]\n[python]\nenvironment = \"toy\"\n";
    output_of("python3 -I -m venv --without-pip '" + (scratch_.path() / "own").string() + "'");
  }
  std::string reason(const Ran& ran, const std::string& row) {
    return row_of(ran.record, "cold", row)["reason"];
  }
  std::string own_ = "it runs in " + (scratch_.path() / "own").string();
};

TEST_F(Interpreters, AreTakenFromTheCommandLineForAllRowsOfAnEnvironment) {
  for (const std::string path : {"own", "own/bin/python"}) {
    const Ran ran = compare(scratch_,
                            {"--n", "4096", "--rows", "clang,toy,toy-too", "--python",
                             "toy=" + (scratch_.path() / path).string()},
                            environment());
    ASSERT_FALSE(ran.record.is_null()) << ran.err;
    EXPECT_EQ(reason(ran, "toy"), own_);
    EXPECT_EQ(reason(ran, "toy-too"), own_);
  }
}

TEST_F(Interpreters, AreTakenFromTheEnvironmentForOneRow) {
  const Ran ran = compare(scratch_, {"--n", "4096", "--rows", "clang,toy,toy-too"},
                          environment({{"TARE_ROW_TOY_TOO_PYTHON", scratch_.path() / "own"}}));
  EXPECT_EQ(reason(ran, "toy-too"), own_);
  EXPECT_EQ(reason(ran, "toy"), "no environment: tare rows install toy");
}

TEST_F(Interpreters, ThatAreNotThereAreAMistakeOnTheCommandLineAndASkippedRowInTheEnvironment) {
  const Ran mistake = run_tare(scratch_, {"rows", "--python", "toy=/nonexistent"}, environment());
  EXPECT_EQ(mistake.code, 2);
  EXPECT_THAT(mistake.err, HasSubstr("--python toy: no such program: /nonexistent"));
  const std::map<std::string, std::string> mistakes{
      {"toy=" + rows_.string(), "has no bin/python: name an interpreter, or the folder of an environment"},
      {"toy=/bin/true", "--python toy: /bin/true is no Python; name an interpreter"},
      {"toy=/etc/passwd", "--python toy: /etc/passwd may not be executed"},
      {"toy=no-such-python", "--python toy: no such program: no no-such-python on PATH"}};
  for (const auto& [named, told] : mistakes) {
    const Ran wrong = compare(scratch_, {"--n", "64", "--rows", "toy", "--python", named}, environment());
    EXPECT_EQ(wrong.code, 2) << named;
    EXPECT_THAT(wrong.err, HasSubstr(told));
  }
  const Ran unknown = run_tare(scratch_, {"rows", "--device", "cpu"},
                               environment({{"TARE_ROW_TOYS_PYTHON", "/nonexistent"}}));
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err,
              HasSubstr("TARE_ROW_TOYS_PYTHON names the interpreter of no row: correct or unset it; did you "
                        "mean `TARE_ROW_TOY_PYTHON`?"));
  const Ran at_home = run_tare(scratch_, {"rows", "--device", "cpu", "--json", "--python", "toy=~/own"},
                               environment({{"HOME", scratch_.path()}}));
  EXPECT_THAT(at_home.out, HasSubstr((scratch_.path() / "own/bin/python").string()));
  const Ran skipped =
      run_tare(scratch_, {"rows", "--device", "cpu"}, environment({{"TARE_ROW_TOY_PYTHON", "/nonexistent"}}));
  EXPECT_EQ(skipped.code, 0);
  EXPECT_THAT(skipped.out, HasSubstr("TARE_ROW_TOY_PYTHON: no such program: /nonexistent"));
}

TEST_F(Interpreters, WithoutTheLibraryAreListedAsNotReady) {
  const Ran ran =
      run_tare(scratch_, {"rows", "--device", "cpu", "--python", "toy=" + scratch_.path().string() + "/own"},
               environment());
  EXPECT_THAT(ran.out, HasSubstr("no tare-toy in " + scratch_.path().string() + "/own/bin/python"));
}

TEST_F(Interpreters, ARunLeavesTheUsersOwnCachesAsTheyAre) {
  const std::vector<std::string> folders{".cupy/kernel_cache", ".nv/ComputeCache", ".cache/pycuda",
                                         ".cache/numba",       "work/__pycache__", "modules"};
  for (const std::string& folder : folders) {
    fs::create_directories(home_ / folder);
    std::ofstream(home_ / folder / "entry") << "of the user, in " << folder;
  }
  std::ofstream(home_ / "modules/plain_module.py") << "answer = 42\n";
  const auto state = [&] {
    return output_of("cd '" + home_.string() +
                     "' && find . -printf '%p %y %s %T@\\n' | sort && "
                     "find . -type f -print0 | sort -z | xargs -0 sha256sum");
  };
  const std::string before = state();
  const Ran ran =
      compare(scratch_,
              {"--n", "4096", "--rows", "clang,toy", "--python", "toy=" + scratch_.path().string() + "/own"},
              environment({{"TARE_TEST_MODULES", home_ / "modules"}}));
  EXPECT_EQ(reason(ran, "toy"), own_);
  EXPECT_EQ(state(), before);
}

}  // namespace
}  // namespace tare::test
