// Records made by hand, for tests of what is worked out from them and printed.
#pragma once

#include <string>
#include <vector>

#include "compare/options.hpp"

namespace tare::compare::testing {

inline Difference equal_output(const std::string& argument = "out") {
  Difference difference;
  difference.argument = argument;
  difference.max_ulp = 0;
  return difference;
}

inline Difference differing_output(std::uint64_t differing, std::uint64_t first_index, const std::string& got,
                                   const std::string& want, std::optional<std::uint64_t> max_ulp = {}) {
  Difference difference;
  difference.equal = false;
  difference.differing = differing;
  difference.first_index = first_index;
  difference.got = got;
  difference.want = want;
  difference.max_ulp = max_ulp;
  difference.argument = "out";
  return difference;
}

/// A row that ran and matched: three processes around the given times, thirty steady rounds.
inline RowResult matching_row(const std::string& name, double build_ms, double first_ms, double mean_ms) {
  RowResult row;
  row.row = name;
  row.title = name + " by hand";
  row.version = "13.0";
  const double spread[] = {0.97, 1.0, 1.04};
  for (double factor : spread) {
    Sample sample;
    sample.start_ms = 3 * factor;
    sample.open_ms = 9 * factor;
    sample.build_ms = build_ms * factor;
    sample.first_ms = first_ms * factor;
    row.samples.push_back(sample);
  }
  row.start_ms = Sampled{3, 2.91, 3.12, 3};
  row.build_ms = Sampled{build_ms, build_ms * 0.97, build_ms * 1.04, 3};
  row.first_ms = Sampled{first_ms, first_ms * 0.97, first_ms * 1.04, 3};
  row.launch_us = 2.7;
  row.mean_ms = mean_ms;
  row.kernel_ms = mean_ms * 0.99;
  row.gb_per_s = 50338980 / (mean_ms * 1e6);
  for (int i = 0; i < 30; ++i) row.rounds.push_back({mean_ms * (1 + 1e-4 * (i % 3 - 1)), 10});
  row.differences = {equal_output()};
  row.late_differences = {equal_output()};
  row.cache.result = "none";
  return row;
}

/// Gives the row the events of a compiler that ran in "build" or in "first", and counts it.
inline void compiles_in(RowResult& row, const std::string& phase) {
  for (Sample& sample : row.samples)
    sample.events = phase == "build"
                        ? std::vector<RowEvent>{{3, "imported"}, {12, "opened"}, {30, "compiler"},
                                                {31, "load"},    {31, "build"},  {32, "first"}}
                        : std::vector<RowEvent>{{3, "imported"},  {12, "opened"}, {12, "build"},
                                                {30, "compiler"}, {31, "load"},   {32, "first"}};
  row.cache.compiles = 1;
  row.cache.result = "miss";
}

inline RowResult row_without_figures(const std::string& name, Status status, const std::string& reason) {
  RowResult row;
  row.row = name;
  row.title = name;
  row.status = status;
  row.reason = reason;
  return row;
}

/// The vector add on a GPU; no rows yet.
inline Record gpu_record() {
  Record record;
  record.tare_version = "0.1.0";
  record.started = "2025-01-02T03:04:05Z";
  MachineInfo& machine = record.machine;
  machine.device = "NVIDIA H200";
  machine.driver_path = "/usr/lib/x86_64-linux-gnu/libcuda.so.1";
  machine.driver_version = "13.0";
  machine.os = "Debian GNU/Linux 12";
  machine.processor = "a processor";
  machine.processors = 16;
  machine.compute_capability = 90;
  machine.l2_bytes = 60u << 20;
  machine.peak_bytes_per_second = 4.8e12;
  machine.toolkit = {{"nvrtc", "13.0 /usr/local/cuda/lib64/libnvrtc.so.13"}};
  Job& job = record.job;
  job.case_name = "vector_add";
  job.case_file = "examples/vector_add/vector_add.toml";
  job.kernel_file = "examples/vector_add/vector_add.cu";
  job.kernel_name = "vectorAdd";
  job.values = {{"n", 4194915}};
  job.grid = {16387, 1, 1};
  job.block = {256, 1, 1};
  job.moved_bytes = 3.0 * 4194915 * 4;
  for (const char* name : {"a", "b", "out"}) {
    JobArgument argument;
    argument.name = name;
    argument.type = std::string(name) == "out" ? "float*" : "const float*";
    argument.element = {"float", 4, 4, ElementType::Kind::floating, 1};
    argument.is_buffer = true;
    argument.is_const = std::string(name) != "out";
    argument.count = 4194915;
    if (!argument.is_const) argument.check.kind = Check::Kind::bits;
    job.arguments.push_back(argument);
  }
  JobArgument n;
  n.name = "n";
  n.type = "size_t";
  job.arguments.push_back(n);
  record.reference = "reference() compiled by g++ 12.2.0 -O2 -ffp-contract=off";
  return record;
}

inline Record cpu_record() {
  Record record = gpu_record();
  record.machine.device = "CPU device (2 threads)";
  record.machine.driver_path = "/opt/tare/lib/tare/cpu/libcuda.so.1";
  record.machine.is_cpu_device = true;
  record.machine.l2_bytes = 0;
  record.machine.peak_bytes_per_second = 0;
  return record;
}

/// Both measured passes hold the rows that `row` gives for their names.
template <class Rows>
void add_passes(Record& record, Rows rows) {
  record.passes.push_back({"cold", rows("cold")});
  record.passes.push_back({"warm", rows("warm")});
}

}  // namespace tare::compare::testing
