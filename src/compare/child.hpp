// Child processes: started without fork, each a process group of its own, with exactly the descriptors
// and the environment that it is given.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/interrupt.hpp"

namespace tare::compare {

class Guard;

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  void reset() noexcept;

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read_end, write_end;
};
/// Close-on-exec, numbered 10 or higher so that a child's own numbers never collide with them.
Pipe make_pipe();

struct Command {
  std::filesystem::path program;  // looked up in PATH if it has no slash
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::vector<std::pair<int, int>> descriptors;  // ours -> the child's; 0 is /dev/null if not given
};
/// Starts it in a new process group, with default signals. Throws tare::Error(not_found or io).
pid_t spawn(const Command& command);

/// The last bytes of a stream of any length.
class Tail {
 public:
  void append(std::string_view bytes);
  const std::string& text() const noexcept { return text_; }
  std::uint64_t total_bytes() const noexcept { return total_; }
  /// The last `count` lines, without what cannot be printed.
  std::string last_lines(std::size_t count) const;

 private:
  std::string text_;
  std::uint64_t total_ = 0;
};

/// `text` on one line, unprintable bytes as '?', cut to `width`.
std::string one_line(std::string_view text, std::size_t width = 120);

/// How a process ended: "exited with code 3", "was killed by SIGSEGV".
struct Ending {
  bool signalled = false;
  int code = 0;  // exit code or signal
  std::string text() const;
};

/// A running child whose stdout and stderr are kept (their ends), and with which lines are exchanged over
/// two more descriptors (3: it reads, 4: it writes). Killed with its whole group, and with
/// what it has started outside of it, when this object goes.
class Child {
 public:
  struct Settings {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::map<std::string, std::string> environment;
    int memory_descriptor = -1;  // becomes the child's descriptor 5
    bool exchanges_lines = true;
  };
  Child(const Settings& settings, Guard& guard, const Interrupts& interrupts);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  using Clock = std::chrono::steady_clock;
  /// A longer line is not read to its end: the replies count as closed then.
  static constexpr std::size_t kLongestLine = 16 * 1024 * 1024;

  /// Queues a line to be sent.
  void send(std::string_view line);
  /// The next whole line, if one has come.
  std::optional<std::string> take_line();
  /// What has come of a line that is not whole yet.
  const std::string& partial_line() const noexcept { return incoming_; }
  bool replies_closed() const noexcept { return !replies_; }
  /// Whether everything that was sent could be handed over.
  bool sent() const noexcept { return outgoing_.empty(); }
  /// Moves bytes in all directions until something came, at most 50 ms or until `deadline`. Throws
  /// Interrupted.
  void pump(Clock::time_point deadline);
  /// Whether it has ended, and how. Does not block.
  std::optional<Ending> ended() const;
  /// Reads what is left in the pipes of a child that has ended.
  void drain();
  void kill_group();

  const Tail& standard_output() const noexcept { return output_tail_; }
  const Tail& standard_error() const noexcept { return error_tail_; }

 private:
  bool read_some(Descriptor& from, std::string* lines, Tail* tail);
  Guard& guard_;
  const Interrupts& interrupts_;
  std::string mark_;
  Descriptor requests_, replies_, output_, error_;
  std::string outgoing_, incoming_;
  Tail output_tail_, error_tail_;
  pid_t pid_ = 0;
};

}  // namespace tare::compare
