#include "integration/support.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace tare::test {
namespace {

namespace fs = std::filesystem;

// Empty where it cannot be read: a process may end while its files below /proc are.
std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  return text.str();
}

std::vector<std::string> environment_with(const Scratch& scratch, const Environment& changes) {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text(*entry);
    all[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  if (!all.contains("TARE_DRIVER")) all["TARE_DRIVER"] = TARE_BINARY_DIR "/lib/tare/cpu/libcuda.so.1";
  all["TMPDIR"] = scratch.path();
  all["NO_COLOR"] = "1";
  for (const auto& [name, value] : changes) all[name] = value;
  std::vector<std::string> lines;
  for (const auto& [name, value] : all)
    if (!value.empty()) lines.push_back(name + "=" + value);
  return lines;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

Scratch::Scratch() {
  std::string pattern = fs::temp_directory_path() / "tare-test-XXXXXX";
  if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp");
  path_ = pattern;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> Scratch::left_behind() const {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_))
    if (entry.is_directory()) names.push_back(entry.path().filename());
  return names;
}

Ran run_tare(const Scratch& scratch, std::vector<std::string> arguments, const Environment& environment,
             const std::function<void(pid_t)>& meanwhile) {
  const std::string program = TARE_BINARY_DIR "/bin/tare";
  const fs::path out = scratch.path() / "stdout", err = scratch.path() / "stderr";
  arguments.insert(arguments.begin(), program);
  std::vector<std::string> variables = environment_with(scratch, environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  // A shell that runs the tests in the background ignores SIGINT for all of them.
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers(arguments).data(),
                                pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + program);
  if (meanwhile) meanwhile(pid);
  int status = 0;
  waitpid(pid, &status, 0);
  Ran ran;
  if (WIFEXITED(status)) ran.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ran.signal = WTERMSIG(status);
  ran.out = contents(out);
  ran.err = contents(err);
  return ran;
}

Ran compare(const Scratch& scratch, const std::vector<std::string>& arguments,
            const Environment& environment) {
  const fs::path file = scratch.path() / "record.json";
  std::vector<std::string> all{"compare", "--json", file};
  all.insert(all.end(), arguments.begin(), arguments.end());
  for (const auto& [option, few] : {std::pair("--samples", "1"), std::pair("--rounds", "3")})
    if (std::find(arguments.begin(), arguments.end(), option) == arguments.end())
      all.insert(all.end(), {option, few});
  Ran ran = run_tare(scratch, all, environment);
  if (fs::exists(file)) ran.record = json::parse(contents(file));
  return ran;
}

const json& row_of(const json& record, const std::string& pass, const std::string& row) {
  for (const json& each : record.at("passes"))
    if (each.at("name") == pass)
      for (const json& one : each.at("rows"))
        if (one.at("row") == row) return one;
  throw std::runtime_error("no row " + row + " in pass " + pass);
}

std::string data(const std::string& path) {
  return TARE_SOURCE_DIR "/tests/data/" + path;
}

std::string find_clang() {
  if (const char* const path = getenv("TARE_CLANG")) return path;
  for (const char* const name : {"/usr/bin/clang-19", "/usr/lib/llvm-19/bin/clang", "/usr/bin/clang"})
    if (fs::exists(name)) return name;
  throw std::runtime_error("no clang: install clang-19 or set TARE_CLANG");
}

std::string why_not(const std::string& row) {
  Scratch scratch;
  const Ran ran = compare(scratch, {"--n", "0", "--rows", row});
  const json& result = row_of(ran.record, "cold", row);
  return result["status"] == "skipped" ? result["reason"].get<std::string>() : "";
}

std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t pid = static_cast<pid_t>(std::stol(name));
    if (pid == getpid()) continue;
    if (contents(entry.path() / "cmdline").find(text) != std::string::npos ||
        contents(entry.path() / "environ").find(text) != std::string::npos)
      found.push_back(pid);
  }
  return found;
}

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 400; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

}  // namespace tare::test
