// Both ends of the guard: a pipe whose closing tells that the owner is gone.
#include "compare/guard.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <string>

#include "compare/child.hpp"
#include "tare/error.hpp"

namespace tare::compare {

Guard::Guard(const std::filesystem::path& executable, const std::filesystem::path& directory)
    : directory_(directory.string()) {
  const Pipe pipe = make_pipe();
  Command command;
  command.program = executable;
  command.arguments = {executable.string(), "worker", "--guard", directory.string()};
  command.environment = {{"PATH", "/usr/bin:/bin"}};
  command.descriptors = {{pipe.read_end.get(), 3}};
  pid_ = spawn(command);
  descriptor_ = fcntl(pipe.write_end.get(), F_DUPFD_CLOEXEC, 10);
}

Guard::~Guard() {
  close(descriptor_);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Guard::watch(pid_t group) {
  tell('+', group);
}

void Guard::forget(pid_t group) {
  tell('-', group);
}

std::string Guard::next_mark() {
  return directory_ + '#' + std::to_string(++marks_);
}

void Guard::tell(char what, pid_t group) {
  const std::string line = what + std::to_string(group) + "\n";
  // Short enough to be atomic. If the guard is gone, the run goes on without it.
  [[maybe_unused]] const ssize_t written = write(descriptor_, line.data(), line.size());
}

int guard_main(const std::filesystem::path& directory) {
  std::set<pid_t> groups;
  std::string buffer;
  char bytes[512];
  for (;;) {
    const ssize_t count = read(3, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    buffer.append(bytes, static_cast<std::size_t>(count));
    for (std::size_t end; (end = buffer.find('\n')) != std::string::npos; buffer.erase(0, end + 1)) {
      const pid_t group = static_cast<pid_t>(std::atol(buffer.c_str() + 1));
      if (group <= 1) continue;
      if (buffer[0] == '+')
        groups.insert(group);
      else
        groups.erase(group);
    }
  }
  // Whoever left the group first: once their parents are gone, nothing tells whose they were.
  kill_family(groups, directory.string() + '#');
  for (const pid_t group : groups) kill(-group, SIGKILL);
  std::error_code ignored;
  // A process that is just being killed may still create a file, so once more if need be.
  for (int attempt = 0; attempt < 50; ++attempt) {
    std::filesystem::remove_all(directory, ignored);
    if (!std::filesystem::exists(directory, ignored)) break;
    usleep(20'000);
  }
  return 0;
}

}  // namespace tare::compare
