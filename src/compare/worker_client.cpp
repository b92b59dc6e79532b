// Exchanging lines with a worker under a time limit.
#include "compare/worker_client.hpp"

#include <time.h>

#include <cmath>

#include "tare/error.hpp"

namespace tare::compare {
namespace {

std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

std::string in_ticks(std::string_view request) {
  std::string text("`");
  text += request;
  text += '`';
  return text;
}

std::string seconds_text(std::chrono::duration<double> time) {
  std::string text = std::to_string(time.count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

std::string joined(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : "\n") + second;
}

}  // namespace

WorkerClient::WorkerClient(const Child::Settings& settings, Guard& guard, const Interrupts& interrupts,
                           std::chrono::duration<double> limit) try
    : spawned_ns_(monotonic_ns()), child_(settings, guard, interrupts), limit_(limit) {
} catch (const Error& e) {
  throw WorkerFailure(std::string("its worker cannot be started: ") + e.what(), e.hint());
}

double WorkerClient::milliseconds_since_spawn() const {
  return static_cast<double>(monotonic_ns() - spawned_ns_) / 1e6;
}

Reply WorkerClient::ask(RequestKind kind) {
  Request request;
  request.kind = kind;
  return ask(request);
}

Reply WorkerClient::ask(const Request& request) {
  const std::string_view wanted = name(request.kind);
  child_.pump(Child::Clock::now());
  if (const auto early = child_.take_line())
    fail("its worker answered before it was asked: " + one_line(*early));
  child_.send(encode(request));
  const std::string line = take_reply(wanted);
  Reply reply;
  try {
    reply = decode_reply(line);
  } catch (const ProtocolError& e) {
    fail("its worker answered " + in_ticks(wanted) + " with " + e.what() + ": " + one_line(line));
  }
  if (reply.reply != wanted)
    fail("its worker answered " + in_ticks(wanted) + " with a reply to " + in_ticks(one_line(reply.reply)));
  if (reply.error)
    throw WorkerFailure(one_line(reply.error->message, 400),
                        joined(joined(reply.error->log, reply.error->hint), stderr_tail()),
                        reply.error->kind);
  return reply;
}

std::string WorkerClient::take_reply(std::string_view request) {
  const auto deadline = Child::Clock::now() + std::chrono::duration_cast<Child::Clock::duration>(limit_);
  for (;;) {
    if (auto line = child_.take_line()) return *std::move(line);
    auto ending = child_.ended();
    if (!ending && child_.replies_closed()) {
      if (child_.partial_line().size() > Child::kLongestLine)
        fail("its worker answered " + in_ticks(request) + " with a line of more than 16 MiB");
      // A process that ends closes its descriptors a moment before it can be waited for.
      const auto soon = std::min(deadline, Child::Clock::now() + std::chrono::milliseconds(300));
      while (!(ending = child_.ended()) && Child::Clock::now() < soon) child_.pump(soon);
      if (!ending) fail("its worker closed its replies before it answered " + in_ticks(request));
    }
    if (ending) {
      child_.drain();
      if (auto line = child_.take_line()) return *std::move(line);
      const std::string how = "its worker " + ending->text() + " during " + in_ticks(request);
      if (child_.partial_line().empty()) fail(how);
      fail(how + ", in the middle of a line: " + one_line(child_.partial_line()));
    }
    if (Child::Clock::now() >= deadline)
      fail("its worker did not answer " + in_ticks(request) + " within " + seconds_text(limit_) +
           (child_.partial_line().empty() ? "" : ", only half a line: " + one_line(child_.partial_line())));
    child_.pump(deadline);
  }
}

void WorkerClient::fail(const std::string& what) {
  child_.kill_group();
  child_.drain();
  std::string detail;
  if (const std::string tail = stderr_tail(); !tail.empty()) detail = "last lines of its stderr:\n" + tail;
  if (const Tail& output = child_.standard_output(); output.total_bytes() > 0)
    detail = joined(detail, "last lines of its stdout:\n" + output.last_lines(10));
  throw WorkerFailure(what, detail);
}

void WorkerClient::close() {
  Request request;
  request.kind = RequestKind::close;
  child_.send(encode(request));
  const auto deadline = Child::Clock::now() + std::chrono::seconds(5);
  while (!child_.ended() && Child::Clock::now() < deadline) child_.pump(deadline);
  child_.drain();
}

}  // namespace tare::compare
