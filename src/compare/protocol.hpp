// The worker protocol as data: what the owner asks, what a worker answers, and both as lines of JSON.
// docs/worker-protocol.md is its full description, for workers that are written in other languages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "compare/case/job.hpp"
#include "compare/record.hpp"

namespace tare::compare {

inline constexpr int kProtocolVersion = 1;

/// The descriptors of a worker: their numbers are also in its environment, under these names.
inline constexpr int kRequestDescriptor = 3, kReplyDescriptor = 4, kMemoryDescriptor = 5;
inline constexpr const char* kRequestVariable = "TARE_WORKER_IN";
inline constexpr const char* kReplyVariable = "TARE_WORKER_OUT";
inline constexpr const char* kMemoryVariable = "TARE_WORKER_MEMORY";

enum class RequestKind { hello, open, build, first, steady, launch, cold_l2, refill, collect, close };
std::string_view name(RequestKind kind);

/// Where a worker finds the memory of the arguments.
enum class MemoryMode {
  ipc,  // the owner's device memory, by IPC handle
  own,  // device memory of its own, exchanged with the owner through shared host memory
};

/// Everything that a worker is told about its task, in `open`.
struct Task {
  Job job;
  int device = 0;
  MemoryMode memory = MemoryMode::ipc;
  std::vector<std::string> ipc_handles;       // hex, per argument; empty for scalars and empty buffers
  std::vector<std::uint64_t> memory_offsets;  // per argument, in the shared host memory
  std::uint64_t memory_bytes = 0;
  int compute_capability = 0;
  bool ptx_only = false;
  std::map<std::string, std::string> tools;       // "nvrtc" -> path, as the owner found them
  std::vector<std::string> include_dirs;          // of the case
  std::vector<std::string> toolkit_include_dirs;  // for libraries that find no toolkit by themselves
  std::string fp = "default";
  std::string prebuilt;  // a file that was compiled beforehand: PTX, or aot's library
};

struct Request {
  RequestKind kind = RequestKind::hello;
  int protocol = kProtocolVersion;  // hello
  std::string row;                  // hello
  std::uint64_t spawned_ns = 0;     // hello: CLOCK_MONOTONIC when the owner spawned the worker
  std::optional<Task> task;         // open
  double warm_ms = 0;               // steady: warm up for at least this long, ...
  int warmup = 0;                   // steady: ... and at least this many launches
  int timed = 0;                    // steady: launches between the two events; cold_l2: launches
  bool gate = false;                // steady: hold the stream back until all are queued
  int batch = 0, batches = 0;       // launch
  std::uint64_t flush_bytes = 0;    // cold_l2: device memory to write before each launch
};

/// What went wrong in a worker; `kind` is ErrorKind's name, "memory" where the owner's memory could not
/// be opened, or "unsupported" where the row's library cannot do what the case asks (then it is skipped).
struct ReplyError {
  std::string kind, message, hint, log;
};

struct Reply {
  std::string reply;  // the request's name
  std::optional<ReplyError> error;
  std::map<std::string, double> figures;  // build_ms, first_ms, mean_ms, launch_us, ...
  std::vector<RowEvent> events;
  std::string version;                           // hello: of the library
  std::map<std::string, std::string> libraries;  // others that take part: name -> version
  bool collects = false;                         // hello: outputs are to be asked for with `collect`
  // What was compiled, as soon as it is known:
  std::string compiler, compiler_path, log;
  std::vector<std::string> options;
  std::optional<std::uint64_t> compiles;  // in this process, so far
  std::string cache;                      // none, hit, miss, ...
  std::map<std::string, std::string> cache_details;
  std::vector<std::string> notes;

  /// Throws ProtocolError, a whole sentence, where the reply lacks it, or it is negative or not finite.
  double figure(const std::string& name) const;
};

/// A line that does not follow the protocol. what() says how: "something that is not JSON".
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One line each, without its newline. The decoders throw ProtocolError.
std::string encode(const Request& request);
Request decode_request(std::string_view line);
std::string encode(const Reply& reply);
Reply decode_reply(std::string_view line);

std::string to_hex(const std::byte* bytes, std::size_t count);
std::vector<std::byte> from_hex(std::string_view hex);

}  // namespace tare::compare
