// Reads /proc: which process is whose child, and what its environment was.
#include "compare/leftovers.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>

namespace tare::compare {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestWait{2};

/// What can be read of it: a process may end between any two calls, and reading its files fails then.
std::string contents(const fs::path& path) {
  std::string text;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char bytes[4096];
  for (ssize_t count; (count = read(file, bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<std::size_t>(count));
  close(file);
  return text;
}

/// Parents by process.
std::map<pid_t, pid_t> all_processes() {
  std::map<pid_t, pid_t> parents;
  std::error_code none;
  for (fs::directory_iterator entry("/proc", none), end; !none && entry != end; entry.increment(none)) {
    const pid_t pid = std::atoi(entry->path().filename().c_str());
    if (pid <= 0) continue;
    // "PID (NAME) STATE PARENT ...", and the name may hold anything.
    const std::string stat = contents(entry->path() / "stat");
    const std::size_t name_end = stat.rfind(')');
    if (name_end != std::string::npos && name_end + 4 < stat.size())
      parents[pid] = std::atoi(stat.c_str() + name_end + 4);
  }
  return parents;
}

std::set<pid_t> own_children() {
  std::set<pid_t> children;
  for (const auto& [pid, parent] : all_processes())
    if (parent == getpid()) children.insert(pid);
  return children;
}

/// The mark of a process; empty where it has none or may not be read.
std::string mark_of(pid_t pid) {
  const std::string environment = '\0' + contents("/proc/" + std::to_string(pid) + "/environ");
  const std::string begin = '\0' + std::string(kMarkVariable) + '=';
  const std::size_t at = environment.find(begin);
  if (at == std::string::npos) return {};
  return environment.c_str() + at + begin.size();
}

/// Kills children until none is left that is `meant`: each one's own children come to us in its place.
void end_children(const std::function<bool(pid_t)>& meant) {
  const auto deadline = Clock::now() + kLongestWait;
  std::set<pid_t> killed;
  while (Clock::now() < deadline) {
    bool any = false;
    for (const pid_t pid : own_children()) {
      if (!killed.contains(pid) && (!meant(pid) || kill(pid, SIGKILL) != 0)) continue;
      killed.insert(pid);
      any = true;
      waitpid(pid, nullptr, WNOHANG);
    }
    if (!any) return;
    usleep(1000);
  }
}

}  // namespace

Orphans::Orphans() : before_(own_children()) {
  prctl(PR_GET_CHILD_SUBREAPER, &was_adopting_, 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

Orphans::~Orphans() {
  end_children([&](pid_t pid) { return !before_.contains(pid); });
  prctl(PR_SET_CHILD_SUBREAPER, was_adopting_, 0, 0, 0);
}

void Orphans::end_marked(const std::string& mark) {
  end_children([&](pid_t pid) { return mark_of(pid) == mark; });
}

void kill_family(const std::set<pid_t>& leaders, const std::string& mark) {
  const std::map<pid_t, pid_t> parents = all_processes();
  const auto descends = [&](pid_t pid) {
    for (auto at = parents.find(pid); at != parents.end(); at = parents.find(at->second))
      if (leaders.contains(at->second)) return true;
    return false;
  };
  for (const auto& [pid, parent] : parents)
    if (pid != getpid() && (descends(pid) || mark_of(pid).starts_with(mark))) kill(pid, SIGKILL);
}

}  // namespace tare::compare
