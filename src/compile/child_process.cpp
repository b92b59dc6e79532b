// One small supervisor process stands between us and the program: it leads the process group, reports
// how the program ended, and kills the group if we die. It calls async-signal-safe functions only.
#include "compile/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "tare/error.hpp"

extern char** environ;

namespace tare::detail {
namespace {

using Clock = std::chrono::steady_clock;

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  int get() const noexcept { return fd_; }
  void close() noexcept {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read, write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorKind::io, std::string("cannot make a pipe: ") + std::strerror(errno));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// What the supervisor says: first whether exec worked, then how the program ended.
struct Report {
  int exec_errno = 0;
  int status = 0;
};

/// Everything the supervisor needs, prepared before the fork, because it may not allocate.
struct Plan {
  char* const* argv;
  char* const* environment;
  const char* directory;  // null: stay
  int null, output, errors, report;
  pid_t parent;
};

extern "C" void kill_own_group(int) {
  ::kill(0, SIGKILL);
}

[[noreturn]] void become_program(const Plan& plan, int exec_report) {
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  bool ready = ::dup2(plan.null, 0) >= 0 && ::dup2(plan.output, 1) >= 0 && ::dup2(plan.errors, 2) >= 0;
  if (::close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC) != 0)
    for (int fd = 3; fd < 4096; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (ready && (plan.directory == nullptr || ::chdir(plan.directory) == 0))
    ::execve(plan.argv[0], plan.argv, plan.environment);
  const int why = errno;
  [[maybe_unused]] const ssize_t written = ::write(exec_report, &why, sizeof why);
  ::_exit(127);
}

[[noreturn]] void supervise(const Plan& plan) {
  ::setpgid(0, 0);
  struct sigaction action = {};
  action.sa_handler = kill_own_group;
  ::sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGHUP, &action, nullptr);
  ::sigaction(SIGPIPE, &action, nullptr);
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != plan.parent) ::_exit(127);

  Report report;
  int exec_pipe[2];
  pid_t program = -1;
  if (::pipe2(exec_pipe, O_CLOEXEC) == 0) {
    program = ::_Fork();
    if (program == 0) become_program(plan, exec_pipe[1]);
    ::close(exec_pipe[1]);
  }
  // Only the program may hold the output pipes, or their end could not be seen.
  ::close(plan.output);
  ::close(plan.errors);
  if (program < 0) {
    report.exec_errno = errno;
  } else {
    if (::read(exec_pipe[0], &report.exec_errno, sizeof report.exec_errno) != sizeof report.exec_errno)
      report.exec_errno = 0;
    while (::waitpid(program, &report.status, 0) < 0 && errno == EINTR) {
    }
  }
  [[maybe_unused]] const ssize_t written = ::write(plan.report, &report, sizeof report);
  ::_exit(0);
}

/// Kills the group, and waits for its end, when the call is left, however that happens.
class Group {
 public:
  explicit Group(pid_t leader) : leader_(leader) {}
  ~Group() { end(); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  void end() noexcept {
    if (leader_ <= 0) return;
    ::kill(-leader_, SIGKILL);
    ::kill(leader_, SIGKILL);  // it may not have become a leader yet
    while (::waitpid(leader_, nullptr, 0) < 0 && errno == EINTR) {
    }
    // The rest of the group is not ours to reap, and takes a moment to die. Not for ever: who should reap it
    // may not.
    for (int i = 0; i < 500 && ::kill(-leader_, 0) == 0; ++i) ::usleep(1000);
    leader_ = -1;
  }

 private:
  pid_t leader_;
};

/// One read; what does not fit is dropped. Returns what read() returned.
ssize_t read_some(int fd, std::string& into, std::size_t cap) {
  std::array<char, 65536> block;
  const ssize_t got = ::read(fd, block.data(), block.size());
  const std::size_t room = cap > into.size() ? cap - into.size() : 0;
  if (got > 0) into.append(block.data(), std::min(room, static_cast<std::size_t>(got)));
  return got;
}

/// False at the end of the stream.
bool drain(int fd, std::string& into, std::size_t cap) {
  const ssize_t got = read_some(fd, into, cap);
  return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

/// What is in the pipe now. Never waits: a process that left the group could hold it open for ever.
void drain_rest(int fd, std::string& into, std::size_t cap) {
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  while (read_some(fd, into, cap) > 0) {
  }
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!changes.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : changes) all.push_back(name + "=" + value);
  return all;
}

/// "120 s", "0.5 s".
std::string seconds_text(std::chrono::milliseconds time) {
  std::string text = std::to_string(static_cast<double>(time.count()) / 1000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::string ChildResult::how_it_ended() const {
  if (timed_out) return "did not finish within " + seconds_text(limit);
  if (stopped) return "was stopped";
  if (signal != 0) return "was killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
  return "exited with status " + std::to_string(exit_status);
}

ChildResult run_child(const ChildRequest& request) {
  std::vector<std::string> arguments = request.argv;
  std::vector<std::string> environment = merged_environment(request.environment);
  const std::vector<char*> argv = pointers_to(arguments);
  const std::vector<char*> envp = pointers_to(environment);
  const std::string directory = request.directory.string();

  Pipe output = make_pipe(), errors = make_pipe(), report = make_pipe();
  Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Plan plan{argv.data(),        envp.data(),        directory.empty() ? nullptr : directory.c_str(),
                  null.get(),         output.write.get(), errors.write.get(),
                  report.write.get(), ::getpid()};
  const Clock::time_point start = Clock::now();
  const pid_t supervisor = ::_Fork();
  if (supervisor == 0) supervise(plan);
  if (supervisor < 0)
    throw Error(ErrorKind::io, "cannot start " + arguments[0] + ": " + std::strerror(errno));
  Group group(supervisor);
  output.write.close();
  errors.write.close();
  report.write.close();

  ChildResult result;
  result.limit = request.timeout;
  Report ended;
  bool have_report = false;
  std::array<pollfd, 4> watched{pollfd{output.read.get(), POLLIN, 0}, pollfd{errors.read.get(), POLLIN, 0},
                                pollfd{report.read.get(), POLLIN, 0},
                                pollfd{request.stop_descriptor, POLLIN, 0}};
  const auto deadline = start + request.timeout;
  while (watched[2].fd >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      result.timed_out = true;
      break;
    }
    const int wait_ms = static_cast<int>(std::min<long long>(left.count(), INT_MAX));
    if (::poll(watched.data(), watched.size(), wait_ms) < 0 && errno != EINTR)
      throw Error(ErrorKind::io, "cannot wait for " + arguments[0] + ": " + std::strerror(errno));
    if ((watched[0].revents != 0) && !drain(watched[0].fd, result.output, request.output_cap))
      watched[0].fd = -1;
    if ((watched[1].revents != 0) && !drain(watched[1].fd, result.errors, request.output_cap))
      watched[1].fd = -1;
    if (watched[2].revents != 0) {
      have_report = ::read(watched[2].fd, &ended, sizeof ended) == static_cast<ssize_t>(sizeof ended);
      watched[2].fd = -1;
    } else if (watched[3].revents != 0) {
      result.stopped = true;
      break;
    }
    for (pollfd& entry : watched) entry.revents = 0;
  }
  // A grandchild may still hold the pipes open: end it before reading what is left.
  group.end();
  if (watched[0].fd >= 0) drain_rest(watched[0].fd, result.output, request.output_cap);
  if (watched[1].fd >= 0) drain_rest(watched[1].fd, result.errors, request.output_cap);
  result.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  if (have_report && ended.exec_errno != 0)
    throw Error(ErrorKind::io, "cannot run " + arguments[0] + ": " + std::strerror(ended.exec_errno));
  if (have_report && WIFEXITED(ended.status))
    result.exit_status = WEXITSTATUS(ended.status);
  else if (have_report && WIFSIGNALED(ended.status))
    result.signal = WTERMSIG(ended.status);
  else if (!result.timed_out && !result.stopped)
    result.signal = SIGKILL;  // the supervisor itself was ended from outside
  return result;
}

}  // namespace tare::detail
