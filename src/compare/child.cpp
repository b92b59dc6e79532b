// posix_spawn (never fork: the driver is initialised), pipes, and the tails of what a child printed.
#include "compare/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "compare/guard.hpp"
#include "tare/error.hpp"

namespace tare::compare {
namespace {

constexpr std::size_t kTailBytes = 64 * 1024;

Descriptor high(int fd) {
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 10);
  if (moved < 0) throw Error(ErrorKind::io, std::string("no descriptor left: ") + strerror(errno));
  return Descriptor(moved);
}

void no_wait(const Descriptor& descriptor) {
  fcntl(descriptor.get(), F_SETFL, fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// posix_spawn's two objects, freed together.
struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
};

}  // namespace

void Descriptor::reset() noexcept {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ErrorKind::io, std::string("cannot make a pipe: ") + strerror(errno));
  const Descriptor low_read(ends[0]), low_write(ends[1]);
  return {high(ends[0]), high(ends[1])};
}

pid_t spawn(const Command& command) {
  SpawnPlan plan;
  int highest = 2;
  posix_spawn_file_actions_addopen(&plan.actions, 0, "/dev/null", O_RDONLY, 0);
  for (const auto& [ours, theirs] : command.descriptors) {
    posix_spawn_file_actions_adddup2(&plan.actions, ours, theirs);
    highest = std::max(highest, theirs);
  }
  posix_spawn_file_actions_addclosefrom_np(&plan.actions, highest + 1);

  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&plan.attributes, &all);
  posix_spawnattr_setsigmask(&plan.attributes, &none);
  posix_spawnattr_setpgroup(&plan.attributes, 0);
  posix_spawnattr_setflags(&plan.attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment;
  for (const auto& [key, value] : command.environment) environment.push_back(key + "=" + value);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, command.program.c_str(), &plan.actions, &plan.attributes,
                                 pointers(arguments).data(), pointers(environment).data());
  if (error == ENOENT) throw Error(ErrorKind::not_found, "program not found: " + command.program.string());
  if (error != 0)
    throw Error(ErrorKind::io, "cannot start " + command.program.string() + ": " + strerror(error));
  return pid;
}

void Tail::append(std::string_view bytes) {
  total_ += bytes.size();
  if (bytes.size() > kTailBytes) bytes.remove_prefix(bytes.size() - kTailBytes);
  if (text_.size() + bytes.size() > 2 * kTailBytes) text_.erase(0, text_.size() - kTailBytes);
  text_ += bytes;
}

std::string Tail::last_lines(std::size_t count) const {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    lines.push_back(one_line(std::string_view(text_).substr(at, end - at), 300));
    at = end + 1;
  }
  std::string result;
  for (std::size_t i = lines.size() - std::min(count, lines.size()); i < lines.size(); ++i)
    result += (result.empty() ? "" : "\n") + lines[i];
  return result;
}

std::string one_line(std::string_view text, std::size_t width) {
  std::string result;
  for (const char c : text.substr(0, width)) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte == '\t' || byte == '\n' ? ' ' : byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  // A cut must not leave half of a UTF-8 character.
  if (text.size() > width) {
    while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0xc0) == 0x80) result.pop_back();
    if (!result.empty() && static_cast<unsigned char>(result.back()) >= 0xc0) result.pop_back();
    result += "...";
  }
  return result;
}

std::string Ending::text() const {
  if (!signalled) return "exited with code " + std::to_string(code);
  const char* const abbreviation = sigabbrev_np(code);
  return "was killed by " +
         (abbreviation ? "SIG" + std::string(abbreviation) : "signal " + std::to_string(code));
}

Child::Child(const Settings& settings, Guard& guard, const Interrupts& interrupts)
    : guard_(guard), interrupts_(interrupts), mark_(guard.next_mark()) {
  Pipe output = make_pipe(), error = make_pipe();
  Command command{settings.program,
                  settings.arguments,
                  settings.environment,
                  {{output.write_end.get(), 1}, {error.write_end.get(), 2}}};
  command.environment[kMarkVariable] = mark_;
  Pipe requests, replies;
  if (settings.exchanges_lines) {
    requests = make_pipe();
    replies = make_pipe();
    command.descriptors.emplace_back(requests.read_end.get(), 3);
    command.descriptors.emplace_back(replies.write_end.get(), 4);
  }
  Descriptor memory;
  if (settings.memory_descriptor >= 0) {
    memory = high(settings.memory_descriptor);
    command.descriptors.emplace_back(memory.get(), 5);
  }
  pid_ = spawn(command);
  guard_.watch(pid_);
  requests_ = std::move(requests.write_end);
  replies_ = std::move(replies.read_end);
  output_ = std::move(output.read_end);
  error_ = std::move(error.read_end);
  for (const Descriptor* descriptor : {&requests_, &replies_, &output_, &error_})
    if (*descriptor) no_wait(*descriptor);
}

Child::~Child() {
  kill_group();
  guard_.forget(pid_);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  Orphans::end_marked(mark_);
}

void Child::kill_group() {
  // Not reaped yet, so neither the process's nor its group's number can belong to another.
  kill(-pid_, SIGKILL);
}

void Child::send(std::string_view line) {
  outgoing_ += line;
  outgoing_ += '\n';
}

std::optional<std::string> Child::take_line() {
  const std::size_t end = incoming_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = incoming_.substr(0, end);
  incoming_.erase(0, end + 1);
  return line;
}

bool Child::read_some(Descriptor& from, std::string* lines, Tail* tail) {
  std::array<char, 65536> bytes;
  const ssize_t count = read(from.get(), bytes.data(), bytes.size());
  if (count > 0) {
    const std::string_view text(bytes.data(), static_cast<std::size_t>(count));
    if (lines) *lines += text;
    if (tail) tail->append(text);
    return true;
  }
  if (count == 0 || (errno != EAGAIN && errno != EINTR)) from.reset();
  return false;
}

void Child::pump(Clock::time_point deadline) {
  interrupts_.check();
  if (incoming_.size() > kLongestLine) {
    // Nobody answers with so much: stop reading, which the caller sees as the end of the replies.
    replies_.reset();
    return;
  }
  std::array<pollfd, 5> wanted{{{interrupts_.descriptor(), POLLIN, 0},
                                {replies_.get(), POLLIN, 0},
                                {output_.get(), POLLIN, 0},
                                {error_.get(), POLLIN, 0},
                                {outgoing_.empty() ? -1 : requests_.get(), POLLOUT, 0}}};
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  poll(wanted.data(), wanted.size(), static_cast<int>(std::clamp<long long>(left, 0, 50)));
  interrupts_.check();
  if (wanted[1].revents) read_some(replies_, &incoming_, nullptr);
  if (wanted[2].revents) read_some(output_, nullptr, &output_tail_);
  if (wanted[3].revents) read_some(error_, nullptr, &error_tail_);
  if (wanted[4].revents) {
    const ssize_t count = write(requests_.get(), outgoing_.data(), outgoing_.size());
    if (count > 0)
      outgoing_.erase(0, static_cast<std::size_t>(count));
    else if (errno != EAGAIN && errno != EINTR)
      requests_.reset();
  }
}

std::optional<Ending> Child::ended() const {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
    return std::nullopt;
  return Ending{info.si_code != CLD_EXITED, info.si_status};
}

void Child::drain() {
  // A grandchild may still hold a pipe open and fill it, so not for ever.
  const auto deadline = Clock::now() + std::chrono::seconds(1);
  while (Clock::now() < deadline) {
    bool any = false;
    if (replies_) any |= read_some(replies_, &incoming_, nullptr);
    if (output_) any |= read_some(output_, nullptr, &output_tail_);
    if (error_) any |= read_some(error_, nullptr, &error_tail_);
    if (!any) return;
  }
}

}  // namespace tare::compare
