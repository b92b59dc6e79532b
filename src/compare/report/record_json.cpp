// The record as JSON, schema "tare.record/1": docs/record.md names every field. Keys keep the order they
// are written in here, so that two records can be compared line by line.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "compare/options.hpp"
#include "compare/report/figures.hpp"

namespace tare::compare {
namespace {

using json = nlohmann::ordered_json;

// Not measured is null; so is NaN or infinity, which JSON does not have.
template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json map_json(const std::map<std::string, std::string>& map) {
  json object = json::object();
  for (const auto& [key, value] : map) object[key] = value;
  return object;
}

json sampled_json(const std::optional<Sampled>& figure) {
  if (!figure) return nullptr;
  return {{"median", figure->median}, {"low", figure->low}, {"high", figure->high}, {"count", figure->count}};
}

json events_json(const std::vector<RowEvent>& events) {
  json list = json::array();
  for (const RowEvent& event : events) list.push_back({{"t_ms", event.t_ms}, {"what", event.what}});
  return list;
}

json samples_json(const std::vector<Sample>& samples) {
  json list = json::array();
  for (const Sample& sample : samples)
    list.push_back({{"start_ms", sample.start_ms},
                    {"open_ms", sample.open_ms},
                    {"build_ms", sample.build_ms},
                    {"first_ms", sample.first_ms},
                    {"parts", sample.parts},
                    {"events", events_json(sample.events)}});
  return list;
}

json rounds_json(const std::vector<Round>& rounds) {
  json list = json::array();
  for (const Round& round : rounds)
    list.push_back({{"mean_ms", round.mean_ms},
                    {"launches", round.launches},
                    {"sm_mhz", round.sm_mhz > 0 ? json(round.sm_mhz) : json()},
                    {"memory_mhz", round.memory_mhz > 0 ? json(round.memory_mhz) : json()},
                    {"slowed_by", round.slowed_by}});
  return list;
}

json difference_json(const Difference& difference) {
  json object{{"argument", difference.argument},
              {"equal", difference.equal},
              {"differing", difference.differing},
              {"first_index", nullptr},
              {"got", nullptr},
              {"want", nullptr},
              {"max_ulp", or_null(difference.max_ulp)},
              {"given_by", difference.giver.empty() ? json() : json(difference.giver)}};
  if (!difference.equal) {
    object["first_index"] = difference.first_index;
    object["got"] = difference.got;
    object["want"] = difference.want;
    if (!difference.hint.empty()) object["hint"] = difference.hint;
  }
  return object;
}

json differences_json(const std::vector<Difference>& differences) {
  json list = json::array();
  for (const Difference& difference : differences) list.push_back(difference_json(difference));
  return list;
}

/// The two comparisons in short: the first output that differs, else the first one; and all in full.
json bits_json(const RowResult& row) {
  if (!outputs_compared(row)) return nullptr;
  const Difference* shown = nullptr;
  for (const auto* differences : {&row.differences, &row.late_differences})
    for (const Difference& difference : *differences)
      if (shown == nullptr || (shown->equal && !difference.equal)) shown = &difference;
  json object = difference_json(*shown);
  object["differing"] = elements_differing(row);
  object["outputs"] = differences_json(row.differences);
  object["late_outputs"] = differences_json(row.late_differences);
  return object;
}

json cache_json(const CacheUse& cache) {
  return {{"result", cache.result}, {"compiles", cache.compiles}, {"details", map_json(cache.details)}};
}

json row_json(const RowResult& row) {
  json object{{"row", row.row},
              {"title", row.title},
              {"version", row.version},
              {"status", status_name(row.status)},
              {"reason", row.reason},
              {"detail", row.detail},
              {"start_ms", sampled_json(row.start_ms)},
              {"build_ms", sampled_json(row.build_ms)},
              {"first_ms", sampled_json(row.first_ms)},
              {"launch_us", or_null(row.launch_us)},
              {"mean_ms", or_null(row.mean_ms)},
              {"kernel_ms", or_null(row.kernel_ms)},
              {"cold_l2_ms", or_null(row.cold_l2_ms)},
              {"host_bound", row.host_bound},
              {"gb_per_s", or_null(row.gb_per_s)},
              {"gb_label", row.gb_label},
              {"samples", samples_json(row.samples)},
              {"rounds", rounds_json(row.rounds)},
              {"events", row.samples.empty() ? json::array() : events_json(row.samples.front().events)},
              {"bits", bits_json(row)},
              {"compiler", row.compiler},
              {"compiler_path", row.compiler_path},
              {"options", row.options},
              {"libraries", map_json(row.libraries)},
              {"cache", cache_json(row.cache)},
              {"environment", map_json(row.environment)},
              {"stderr_tail", row.stderr_tail}};
  if (!row.interpreter.empty()) object["interpreter"] = row.interpreter;
  if (!row.not_strict.empty()) object["not_strict"] = row.not_strict;
  if (!row.twin.empty()) object["twin"] = row.twin;
  return object;
}

json passes_json(const std::vector<PassResult>& passes) {
  json list = json::array();
  for (const PassResult& pass : passes) {
    json rows = json::array();
    for (const RowResult& row : pass.rows) rows.push_back(row_json(row));
    list.push_back({{"name", pass.name}, {"retaken_rounds", pass.retaken}, {"rows", std::move(rows)}});
  }
  return list;
}

json machine_json(const MachineInfo& machine) {
  json object{{"device", machine.device},
              {"is_cpu_device", machine.is_cpu_device},
              {"compute_capability", machine.compute_capability},
              {"l2_bytes", machine.l2_bytes},
              {"peak_bytes_per_second", nullptr},
              {"driver", {{"version", machine.driver_version}, {"path", machine.driver_path}}},
              {"toolkit", map_json(machine.toolkit)},
              {"processor", machine.processor},
              {"processors", machine.processors},
              {"os", machine.os},
              {"module_loading", machine.module_loading},
              {"clocks_note", machine.clocks_note},
              {"ipc", machine.ipc},
              {"ipc_note", machine.ipc_note}};
  if (machine.peak_bytes_per_second > 0) object["peak_bytes_per_second"] = machine.peak_bytes_per_second;
  return object;
}

json check_json(const Check& check) {
  switch (check.kind) {
    case Check::Kind::none:
      return nullptr;
    case Check::Kind::bits:
      return "bits";
    case Check::Kind::ulps:
      return {{"ulps", check.ulps}};
    case Check::Kind::tolerance:
      break;
  }
  return {{"rtol", check.rtol}, {"atol", check.atol}};
}

json argument_json(const JobArgument& argument) {
  if (!argument.is_buffer) return {{"name", argument.name}, {"type", argument.type}};
  return {{"name", argument.name},          {"type", argument.type},
          {"count", argument.count},        {"bytes", argument.bytes()},
          {"output", argument.is_output()}, {"check", check_json(argument.check)}};
}

json case_json(const Record& record) {
  const Job& job = record.job;
  json arguments = json::array();
  for (const JobArgument& argument : job.arguments) arguments.push_back(argument_json(argument));
  json values = json::object();
  for (const std::string& name : job.values_in_order()) values[name] = job.values.at(name);
  return {{"name", job.case_name},
          {"file", job.case_file.string()},
          {"kernel_file", job.kernel_file.string()},
          {"kernel", job.kernel_name},
          {"values", values},
          {"grid", job.grid},
          {"block", job.block},
          {"dynamic_shared_bytes", job.dynamic_shared_bytes},
          {"arguments", arguments},
          {"moved_bytes", job.moved_bytes},
          {"empty", job.empty},
          {"reference", record.reference}};
}

json settings_json(const RunSettings& settings) {
  return {{"warmup", settings.warmup},   {"timed", settings.timed}, {"rounds", settings.rounds},
          {"samples", settings.samples}, {"fp", settings.fp},       {"cold_l2", settings.cold_l2},
          {"seed", settings.seed}};
}

json claims_json(const std::vector<ClaimResult>& claims) {
  json list = json::array();
  for (const ClaimResult& claim : claims)
    list.push_back({{"text", claim.text},
                    {"holds", claim.holds},
                    {"verdict", claim.verdict == Verdict::held      ? "held"
                                : claim.verdict == Verdict::refuted ? "refuted"
                                                                    : "undecided"},
                    {"figures", claim.figures}});
  return list;
}

}  // namespace

std::string to_json(const Record& record) {
  const json object{{"schema", "tare.record/1"},
                    {"tare", record.tare_version},
                    {"started", record.started},
                    {"machine", machine_json(record.machine)},
                    {"case", case_json(record)},
                    {"settings", settings_json(record.settings)},
                    {"passes", passes_json(record.passes)},
                    {"claims", claims_json(record.claims)},
                    {"findings", record.findings}};
  // A worker's stderr may hold any bytes; what is not UTF-8 becomes U+FFFD.
  return object.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace tare::compare
