// Device, case and settings, a line each.
#include "compare/report/header.hpp"

#include <fmt/format.h>

namespace tare::compare {
namespace {

std::string axes(const std::array<unsigned, 3>& shape) {
  std::string text = std::to_string(shape[0]);
  if (shape[1] > 1 || shape[2] > 1) text += " x " + std::to_string(shape[1]);
  if (shape[2] > 1) text += " x " + std::to_string(shape[2]);
  return text;
}

std::string device_line(const MachineInfo& machine) {
  std::string text = machine.device;
  if (machine.compute_capability > 0)
    text += fmt::format(", compute capability {}.{}", machine.compute_capability / 10,
                        machine.compute_capability % 10);
  if (!machine.driver_version.empty()) text += ", driver " + machine.driver_version;
  if (machine.l2_bytes > 0) text += ", L2 " + binary_bytes(static_cast<double>(machine.l2_bytes));
  return text;
}

std::string values_line(const Job& job) {
  std::string text;
  for (const std::string& name : job.values_in_order()) {
    const std::int64_t value = job.values.at(name);
    text += (text.empty() ? "" : ", ") + name + " = " +
            (value < 0 ? "-" + grouped(0 - static_cast<unsigned long long>(value))
                       : grouped(static_cast<unsigned long long>(value)));
  }
  return text;
}

std::string launch_line(const Job& job) {
  if (job.empty) return "nothing: the launch covers no element, so nothing is launched";
  std::string text = "grid " + axes(job.grid) + ", block " + axes(job.block);
  if (job.dynamic_shared_bytes > 0)
    text += fmt::format(", {} bytes of dynamic shared memory", job.dynamic_shared_bytes);
  return text;
}

std::string moved_line(const Job& job) {
  double buffers = 0;
  for (const JobArgument& argument : job.arguments)
    if (argument.is_buffer) buffers += static_cast<double>(argument.bytes());
  return fmt::format("{} per launch, in buffers of {}", binary_bytes(job.moved_bytes), binary_bytes(buffers));
}

}  // namespace

std::string header(const Record& record, unsigned width, Painter paint, bool sizes) {
  const Job& job = record.job;
  const RunSettings& settings = record.settings;
  std::string text = paint(Style::bold, fmt::format("tare {}: {} of {}", record.tare_version, job.kernel_name,
                                                    job.kernel_file.filename().string())) +
                     '\n';
  const auto line = [&](const char* label, const std::string& content) {
    if (!content.empty()) text += fmt::format("{:<11}{}\n", label, wrapped(content, width, 11, 11));
  };
  line("device", device_line(record.machine));
  if (!record.machine.ipc) line("memory", record.machine.ipc_note);
  if (sizes) {
    line("values", values_line(job));
    line("launch", launch_line(job));
    line("moved", moved_line(job));
  }
  line("reference", record.reference);
  line("fp", settings.fp == "strict"
                 ? "strict: no contraction, no flush to zero, exact division and square root"
                 : "default: what each library does by itself");
  if (job.empty) return text;
  line("measured", plural(settings.samples, "process") + " per row and pass; " +
                       plural(settings.rounds, "interleaved round") + " of " +
                       plural(settings.timed, "launch") + " after at least " +
                       plural(settings.warmup, "warm-up"));
  return text;
}

}  // namespace tare::compare
