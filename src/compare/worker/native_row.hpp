// The native ways to launch, each behind the same four steps.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compare/worker/session.hpp"
#include "tare/compile.hpp"

namespace tare::compare {

/// What a row compiled with, as far as it is known yet.
struct BuildReport {
  std::string compiler, compiler_path, log;
  std::vector<std::string> options;
  std::uint64_t compiles = 0;  // in this process
  std::string cache = "none";
  std::map<std::string, std::string> cache_details;
  double compile_ms = 0, load_ms = 0;
  std::optional<double> trace_ms, ir_ms;  // of a traced kernel
  /// When the compiler was done, on CLOCK_MONOTONIC, for rows that run it beside something else.
  std::optional<double> compiled_at_ms;
  std::vector<std::string> notes;
};

class NativeRow {
 public:
  virtual ~NativeRow() = default;
  /// Before the device is opened, for rows that begin to work while it is.
  virtual void prepare(const Task&) {}
  /// The compile step that the way's user has to write.
  virtual void build(Session& session) = 0;
  /// The first launch, with everything that a way defers to it; queues and returns.
  virtual void first(Session& session) = 0;
  /// A later launch; queues and returns.
  virtual void launch(Session& session) = 0;
  virtual BuildReport report() const = 0;
};

/// "nvrtc", "nvrtc-fast", "raw", "jit", "jit-cached", "nvcc", "clang", "aot"; null for another name.
std::unique_ptr<NativeRow> make_native_row(const std::string& name);

/// The options for `tool` that the task asks for.
CompileOptions options_for(const Task& task, const std::string& tool);

}  // namespace tare::compare
