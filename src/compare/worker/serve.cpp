// Answering the owner's requests, one line each, until it says to close or is gone.
#include "compare/worker/serve.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "compare/options.hpp"
#include "compare/protocol.hpp"
#include "compare/worker/measure.hpp"
#include "tare/error.hpp"
#include "tare/version.hpp"

namespace tare::compare {
namespace {

constexpr const char* kErrorKinds[] = {"driver",        "compile", "not_found", "argument",
                                       "out_of_memory", "io",      "forked",    "unsupported"};

double monotonic_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// One worker's life: what it has been told so far, and its answers.
class Worker {
 public:
  using Hint = std::function<std::string(const std::string& source)>;
  Worker(std::string row_name, std::unique_ptr<NativeRow> row, const Hint& hint)
      : row_name_(std::move(row_name)), hint_(hint), row_(std::move(row)) {}

  Reply answer(const Request& request) {
    Reply reply;
    reply.reply = name(request.kind);
    try {
      act(request, reply);
    } catch (const CompileError& e) {
      reply.error = ReplyError{"compile", e.what(), with_more(e.hint()), e.log()};
    } catch (const Error& e) {
      reply.error = ReplyError{kErrorKinds[static_cast<int>(e.kind())], e.what(), e.hint(), ""};
    } catch (const MemoryRefused& e) {
      reply.error = ReplyError{"memory", e.what(), "", ""};
    } catch (const std::exception& e) {
      reply.error = ReplyError{"protocol", e.what(), "", ""};
    }
    return reply;
  }

 private:
  std::string with_more(const std::string& hint) const {
    const std::string more = session_ && hint_ ? hint_(session_->task().job.source) : "";
    if (hint.empty() || more.empty()) return hint + more;
    return hint + "; " + more;
  }

  void act(const Request& request, Reply& reply) {
    if (request.kind != RequestKind::hello && !row_)
      throw ProtocolError("there is no native row `" + row_name_ + "`");
    switch (request.kind) {
      case RequestKind::hello:
        return hello(request, reply);
      case RequestKind::open:
        return open(request, reply);
      case RequestKind::build:
        return build(reply);
      case RequestKind::first:
        return first(reply);
      case RequestKind::steady:
        reply.figures["mean_ms"] = steady_mean_ms(session(), request, [this] { row_->launch(*session_); });
        reply.figures["launches"] = request.timed;
        reply.compiles = row_->report().compiles;
        return;
      case RequestKind::launch: {
        const LaunchCost cost = launch_cost(session(), request, [this] { row_->launch(*session_); });
        reply.figures["launch_us"] = cost.submit_us;
        reply.figures["end_to_end_us"] = cost.end_to_end_us;
        return;
      }
      case RequestKind::cold_l2:
        reply.figures["cold_l2_ms"] = cold_l2_ms(session(), request, [this] { row_->launch(*session_); });
        return;
      case RequestKind::refill:
        return session().refill();
      case RequestKind::collect:
        return session().collect();
      case RequestKind::close:
        row_.reset();
        session_.reset();
        return;
    }
  }

  void hello(const Request& request, Reply& reply) {
    if (request.protocol != kProtocolVersion)
      throw ProtocolError("this worker speaks protocol " + std::to_string(kProtocolVersion) + " only");
    if (!row_) throw ProtocolError("there is no native row `" + row_name_ + "`");
    spawned_ms_ = static_cast<double>(request.spawned_ns) / 1e6;
    reply.version = version();
    event(reply, "imported", monotonic_ms());
  }

  void open(const Request& request, Reply& reply) {
    const double begin = monotonic_ms();
    row_->prepare(*request.task);
    session_.emplace(*request.task);
    const double end = monotonic_ms();
    reply.figures["open_ms"] = end - begin;
    event(reply, "opened", end);
  }

  void build(Reply& reply) {
    const double begin = monotonic_ms();
    row_->build(session());
    const double end = monotonic_ms();
    reply.figures["build_ms"] = end - begin;
    compiled(reply, begin, end);
    event(reply, "build", end);
  }

  void first(Reply& reply) {
    const double begin = monotonic_ms();
    row_->first(session());
    const double launched = monotonic_ms();
    session().stream().synchronize();
    const double end = monotonic_ms();
    reply.figures["first_ms"] = end - begin;
    compiled(reply, begin, launched);
    event(reply, "first", end);
  }

  // The compiler's and the loader's moments, once each, from the step that went from `begin` to `end`.
  void compiled(Reply& reply, double begin, double end) {
    const BuildReport report = row_->report();
    if (report.cache.empty()) return;  // nothing yet
    if (!std::exchange(moments_told_, true)) {
      const double compiled_at = report.compiled_at_ms.value_or(end - report.load_ms);
      // A traced kernel begins with that; the search for a compiler and its loading lie before `compiler`.
      if (report.trace_ms) {
        event(reply, "trace", begin + *report.trace_ms);
        event(reply, "ir", begin + *report.trace_ms + *report.ir_ms);
      }
      if (report.compile_ms > 0) event(reply, "compiler", compiled_at);
      event(reply, "load", end);
    }
    if (report.trace_ms) {
      reply.figures["trace_ms"] = *report.trace_ms;
      reply.figures["ir_ms"] = *report.ir_ms;
    }
    reply.compiler = report.compiler;
    reply.compiler_path = report.compiler_path;
    reply.log = report.log;
    reply.options = report.options;
    reply.compiles = report.compiles;
    reply.cache = report.cache;
    reply.cache_details = report.cache_details;
    reply.notes = report.notes;
    reply.figures["compile_ms"] = report.compile_ms;
    reply.figures["load_ms"] = report.load_ms;
  }

  void event(Reply& reply, const char* what, double at) const {
    reply.events.push_back({at - spawned_ms_, what});
  }

  Session& session() {
    if (!session_) throw ProtocolError("asked before `open`");
    return *session_;
  }

  std::string row_name_;
  Hint hint_;
  double spawned_ms_ = 0;
  bool moments_told_ = false;
  std::optional<Session> session_;
  std::unique_ptr<NativeRow> row_;  // after the session, so that it goes first
};

int descriptor_of(const char* variable, int otherwise) {
  const char* const text = getenv(variable);
  const int descriptor = text && *text ? atoi(text) : otherwise;
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);  // compilers that we start are not to hold them
  return descriptor;
}

bool write_line(int descriptor, std::string line) {
  line += '\n';
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t count = write(descriptor, line.data() + at, line.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<std::string> read_line(int descriptor, std::string& buffer) {
  for (;;) {
    if (const std::size_t end = buffer.find('\n'); end != std::string::npos) {
      std::string line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      return line;
    }
    char bytes[65536];
    const ssize_t count = read(descriptor, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    buffer.append(bytes, static_cast<std::size_t>(count));
  }
}

}  // namespace

int serve(const std::string& name, std::unique_ptr<NativeRow> row,
          const std::function<std::string(const std::string& source)>& hint) {
  // Should the owner be killed, so are we; what it also closes ends us at the next request.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (!getenv(kRequestVariable)) {
    std::fprintf(stderr, "tare worker: started by `tare compare`, not by hand (docs/worker-protocol.md)\n");
    return kUsage;
  }
  const int requests = descriptor_of(kRequestVariable, kRequestDescriptor);
  const int replies = descriptor_of(kReplyVariable, kReplyDescriptor);
  descriptor_of(kMemoryVariable, kMemoryDescriptor);
  signal(SIGPIPE, SIG_IGN);
  Worker worker(name, std::move(row), hint);
  std::string buffer;
  while (const auto line = read_line(requests, buffer)) {
    Reply reply;
    bool last = false;
    try {
      const Request request = decode_request(*line);
      last = request.kind == RequestKind::close;
      reply = worker.answer(request);
    } catch (const ProtocolError& e) {
      reply.reply = "unknown";
      reply.error = ReplyError{"protocol", e.what(), "", ""};
    }
    if (!write_line(replies, encode(reply)) || last) break;
  }
  return 0;
}

}  // namespace tare::compare
