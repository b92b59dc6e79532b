// What a run found out, as data: the flow fills it, the report prints it and writes it as JSON
// (schema "tare.record/1"). Times are in the units their names say; nullopt where not measured.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/case/reference.hpp"

namespace tare::compare {

/// `incomparable`: it ran, under --fp strict, with a library that cannot be strict, and its bits differ.
enum class Status { ok, skipped, failed, wrong, incomparable };

/// Median and range over the samples (processes).
struct Sampled {
  double median = 0, low = 0, high = 0;
  int count = 0;
};

/// A moment in a worker's life, on the worker's own clock from its spawn (CLOCK_MONOTONIC).
struct RowEvent {
  double t_ms = 0;
  std::string what;  // imported, opened, build, trace, ir, compiler, load, first
};

/// One fresh process.
struct Sample {
  double start_ms = 0, open_ms = 0, build_ms = 0, first_ms = 0;
  std::vector<RowEvent> events;
  std::map<std::string, double> parts = {};  // of build or first: trace_ms, ir_ms, compile_ms, load_ms
};

/// One row's turn in one interleaved round.
struct Round {
  double mean_ms = 0;  // device time per launch, between two events
  int launches = 0;
  int sm_mhz = 0, memory_mhz = 0;        // the device's clocks right after; 0: not readable
  std::vector<std::string> slowed_by{};  // what held them back then
};

struct CacheUse {
  std::string result;                          // "none", "hit", "miss", "repaired", ...
  std::uint64_t compiles = 0;                  // counted in this process
  std::map<std::string, std::string> details;  // e.g. files found in NVRTC's own cache before and after
};

struct RowResult {
  std::string row, title, version;
  Status status = Status::ok;
  std::string reason;  // one line: why skipped, failed, wrong or not comparable
  std::string detail;  // more lines: compiler log, stderr's tail
  std::optional<Sampled> start_ms, build_ms, first_ms;
  std::optional<double> launch_us;   // host time per call
  std::optional<double> mean_ms;     // steady state: median over rounds
  std::optional<double> kernel_ms;   // with the stream held back
  std::optional<double> cold_l2_ms;  // the same, the L2 cache overwritten before each launch
  bool host_bound = false;           // the mean is how fast the host launches: Pace::host
  std::optional<double> gb_per_s;    // none where host-bound
  std::string gb_label;              // "", "L2", "above peak"
  std::vector<Sample> samples;
  std::vector<Round> rounds;
  std::vector<Difference> differences;       // one per compared output; after the first launch
  std::vector<Difference> late_differences;  // after the timed launches
  std::string compiler, compiler_path;
  std::vector<std::string> options;  // really passed
  std::string interpreter;           // of a Python row: the program its workers run in
  std::map<std::string, std::string>
      libraries;  // what the worker names besides `version`: "numpy" -> "2.3.5"
  CacheUse cache;
  std::map<std::string, std::string> environment;  // the isolated cache directories
  std::string stderr_tail;
  std::string not_strict;  // under --fp strict: why its library cannot honour that; empty: it can
  std::string twin;        // the check row's: the row it repeats on memory of its own; empty for all others
};

struct PassResult {
  std::string name;             // rehearsal, cold, warm
  std::vector<RowResult> rows;  // in table order
  int retaken = 0;              // rounds in which something held the clocks back, and that were taken again
};

struct MachineInfo {
  std::string device, driver_path, driver_version, os, processor;
  int processors = 0;
  bool is_cpu_device = false;
  int compute_capability = 0;
  std::size_t l2_bytes = 0;
  double peak_bytes_per_second = 0;            // 0: not known
  std::map<std::string, std::string> toolkit;  // "nvrtc" -> "13.0 /path", or the reason it was not found
  std::string module_loading;                  // "lazy", "eager", or empty: not known
  std::string clocks_note;                     // why the clocks cannot be read; empty if they can
  bool ipc = true;
  std::string ipc_note;  // how buffers were shared where IPC was refused
};

enum class Verdict { held, refuted, undecided };

struct ClaimResult {
  std::string text, holds;
  Verdict verdict = Verdict::undecided;
  std::string figures;  // what it was judged on
};

/// An output whose expected contents are such that equal bits say little.
struct WeakCheck {
  std::string argument;
  bool unchanged = false;  // it is to be just what it was filled with: a kernel that does nothing matches
  std::string value;       // what every element is to be; empty: there are several values
};

struct RunSettings {
  int warmup = 3, timed = 10, rounds = 30, samples = 3;
  std::string fp = "default";  // default | strict
  bool cold_l2 = false;        // cold_l2_ms is measured too
  std::uint64_t seed = 0;      // of the shuffles
};

struct Record {
  std::string tare_version;
  std::string started;  // RFC 3339, UTC
  MachineInfo machine;
  Job job;
  RunSettings settings;
  std::string reference;  // Reference::how
  std::vector<WeakCheck> weak_checks;
  std::vector<PassResult> passes;
  std::vector<ClaimResult> claims;
  std::vector<std::string> findings;  // plain sentences worked out from the figures
};

}  // namespace tare::compare
