// The passes and their samples: fresh processes from their start to their first checked launch.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compare/comparison.hpp"
#include "compare/report/checks.hpp"
#include "compare/report/figures.hpp"
#include "compare/report/statistics.hpp"
#include "compare/workspace.hpp"
#include "tare/version.hpp"

namespace tare::compare {
namespace {

namespace fs = std::filesystem;

void summarize_samples(RowResult& result) {
  if (result.samples.empty()) return;
  std::vector<double> start, build, first;
  for (const Sample& sample : result.samples) {
    start.push_back(sample.start_ms);
    build.push_back(sample.build_ms);
    first.push_back(sample.first_ms);
  }
  result.start_ms = summarize(start);
  result.build_ms = summarize(build);
  result.first_ms = summarize(first);
}

// What stands for what in a row's description.
using Placeholders = std::vector<std::pair<std::string_view, std::string>>;

std::string with_placeholders(std::string text, const Placeholders& placeholders) {
  for (const auto& [token, by] : placeholders)
    for (std::size_t at = 0; (at = text.find(token, at)) != std::string::npos; at += by.size())
      text.replace(at, token.size(), by);
  return text;
}

void add_lines(std::string& text, const std::string& more) {
  if (more.empty()) return;
  if (!text.empty()) text += '\n';
  text += more;
}

}  // namespace

fs::path workers_of(const fs::path& run_directory) {
  return run_directory / "workers";
}

std::string title_of(const RunningRow& row) {
  return with_placeholders(row.description.title, {{"{twin}", row.twin}});
}

Comparison::Comparison(const CompareOptions& options, Record& record, std::vector<RunningRow> rows, Task task,
                       OwnerMemory& memory, const fs::path& directory, Guard& guard,
                       const Interrupts& interrupts, Progress& progress)
    : options_(options),
      record_(record),
      rows_(std::move(rows)),
      task_(std::move(task)),
      memory_(memory),
      directory_(directory),
      guard_(guard),
      interrupts_(interrupts),
      progress_(progress),
      clocks_(memory.device()),
      random_(record.settings.seed) {
  const auto running = static_cast<int>(
      std::count_if(rows_.begin(), rows_.end(), [](const RunningRow& row) { return row.skipped.empty(); }));
  const RunSettings& settings = record_.settings;
  total_ = options_.steady_only ? running + settings.rounds
                                : running * (1 + 2 * settings.samples) + 2 * settings.rounds;
}

void Comparison::run() {
  const int samples = record_.settings.samples;
  if (options_.steady_only) return run_pass({"cold", 1, true, true});
  run_pass({"rehearsal", 1, false, true});
  run_pass({"cold", samples, true, true});
  run_pass({"warm", samples, true, false});
}

void Comparison::step(const std::string& what) {
  interrupts_.check();
  progress_.step(std::min(done_++, total_), total_, what);
}

void Comparison::run_pass(const Plan& plan) {
  record_.passes.push_back({plan.name, std::vector<RowResult>(rows_.size())});
  Pass pass{record_.passes.back(), std::vector<Live>(rows_.size()), std::vector<bool>(rows_.size())};
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    RowResult& result = pass.result.rows[i];
    result.row = rows_[i].description.name;
    result.title = title_of(rows_[i]);
    result.twin = rows_[i].twin;
    if (record_.settings.fp == "strict") result.not_strict = rows_[i].description.not_strict;
    if (!rows_[i].description.python) result.version = version();
    result.interpreter = rows_[i].interpreter.program;
    if (!rows_[i].skipped.empty()) {
      result.status = Status::skipped;
      result.reason = rows_[i].skipped;
    } else if (!rows_[i].failed.empty()) {
      // Once is enough: a row that hangs would cost its time limit in every pass.
      result.status = Status::failed;
      result.reason = rows_[i].failed;
      result.detail = rows_[i].detail;
    }
    pass.finished[i] = result.status != Status::ok;
  }
  memory_.reload_inputs();
  std::vector<std::size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int sample = 0; sample < plan.samples; ++sample) {
    // The rehearsal keeps the table's order, so that the row the others are held against, where there is
    // no reference, is always the same.
    if (plan.name != "rehearsal") std::shuffle(order.begin(), order.end(), random_);
    for (const std::size_t row : order) {
      if (pass.finished[row]) continue;
      step(fmt::format("{} {}/{}: {}", plan.name, sample + 1, plan.samples, rows_[row].description.name));
      run_sample(pass, row, plan, sample);
    }
  }
  for (RowResult& result : pass.result.rows) {
    summarize_samples(result);
    if (has_figures(result) && !result.not_strict.empty())
      add_lines(result.detail, "under --fp strict: " + result.not_strict);
  }
  if (plan.steady) run_rounds(pass, plan.name);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (Live& live = pass.live[i]; live.worker) {
      live.worker->close();
      pass.result.rows[i].stderr_tail = live.worker->stderr_tail();
    }
}

fs::path Comparison::home_of(std::size_t row, const Plan& plan, int sample) const {
  // Warm processes find what the last cold one of their row left.
  const std::string pass = plan.fresh_caches ? plan.name : "cold";
  const int number = plan.fresh_caches ? sample : plan.samples - 1;
  return directory_ / pass / rows_[row].description.name / std::to_string(number + 1);
}

void Comparison::run_sample(Pass& pass, std::size_t row, const Plan& plan, int sample) {
  const bool keep = plan.steady && sample + 1 == plan.samples;
  const fs::path home = home_of(row, plan, sample);
  start_and_launch(pass, row, plan, keep, home);
}

Child::Settings Comparison::settings_of(const RunningRow& row, RowResult& result, const fs::path& home,
                                        MemoryMode mode) {
  const Placeholders placeholders{
      {"{tare}", own_executable()},
      {"{jit}", task_.job.jit_program.empty() ? own_executable().string() : task_.job.jit_program},
      {"{here}", row.description.file.parent_path()},
      {"{twin}", row.twin},
      {"{python}", row.interpreter.program},
      {"{workers}", workers_of(directory_)},
      {"{driver}", record_.machine.driver_path}};
  std::map<std::string, std::string> extra;
  for (const auto& [name, value] : row.description.environment)
    extra[name] = with_placeholders(value, placeholders);
  IsolatedEnvironment environment = isolate(home, record_.machine.driver_path, extra);
  if (row.description.python && record_.machine.is_cpu_device) {
    // The libraries ask the loader for libcuda.so.1; beside the CPU device it finds that one first.
    const std::string others = environment.all["LD_LIBRARY_PATH"];
    environment.all["LD_LIBRARY_PATH"] = environment.isolated["LD_LIBRARY_PATH"] =
        fs::path(record_.machine.driver_path).parent_path().string() + (others.empty() ? "" : ":" + others);
  }
  result.environment = environment.isolated;
  environment.all[kRequestVariable] = std::to_string(kRequestDescriptor);
  environment.all[kReplyVariable] = std::to_string(kReplyDescriptor);

  Child::Settings settings;
  for (const std::string& part : row.description.worker)
    settings.arguments.push_back(with_placeholders(part, placeholders));
  settings.program = settings.arguments.front();
  settings.environment = std::move(environment.all);
  if (mode == MemoryMode::own) {
    settings.memory_descriptor = memory_.shared_descriptor();
    settings.environment[kMemoryVariable] = std::to_string(kMemoryDescriptor);
  }
  return settings;
}

void Comparison::absorb(const Reply& reply, RowResult& result, Sample* sample) const {
  if (sample) {
    sample->events.insert(sample->events.end(), reply.events.begin(), reply.events.end());
    for (const char* const part : {"trace_ms", "ir_ms", "compile_ms", "load_ms"})
      if (reply.figures.contains(part)) sample->parts[part] = reply.figure(part);
  }
  if (!reply.version.empty()) result.version = reply.version;
  for (const auto& [name, library_version] : reply.libraries) result.libraries[name] = library_version;
  if (!reply.compiler.empty()) result.compiler = reply.compiler;
  if (!reply.compiler_path.empty()) result.compiler_path = reply.compiler_path;
  if (!reply.options.empty()) result.options = reply.options;
  if (!reply.cache.empty()) result.cache.result = reply.cache;
  if (reply.compiles) result.cache.compiles = *reply.compiles;
  for (const auto& [key, value] : reply.cache_details) result.cache.details[key] = value;
  for (const std::string& note : reply.notes)
    if (result.detail.find(note) == std::string::npos) add_lines(result.detail, note);
}

void Comparison::start_and_launch(Pass& pass, std::size_t index, const Plan& plan, bool keep,
                                  const fs::path& home) {
  RunningRow& row = rows_[index];
  RowResult& result = pass.result.rows[index];
  Live live;
  live.mode = row.description.own_memory ? MemoryMode::own : task_.memory;
  bool launched = false;
  Sample sample;
  try {
    const Child::Settings settings = settings_of(row, result, home, live.mode);
    const fs::path driver_cache = home / "cuda";
    const std::size_t files_before = count_files(driver_cache);
    if (std::exchange(inputs_suspect_, false)) memory_.reload_inputs();

    live.worker = std::make_unique<WorkerClient>(
        settings, guard_, interrupts_, std::chrono::duration<double>(options_.worker_timeout_seconds));
    Request hello;
    hello.row = row.description.name;
    hello.spawned_ns = live.worker->spawned_ns();
    const Reply greeting = live.worker->ask(hello);
    sample.start_ms = live.worker->milliseconds_since_spawn();
    live.collects = greeting.collects || live.mode == MemoryMode::own;
    absorb(greeting, result, &sample);

    Request open;
    open.kind = RequestKind::open;
    open.task = task_;
    open.task->memory = live.mode;
    open.task->prebuilt = row.prebuilt;
    const Reply opened = live.worker->ask(open);
    sample.open_ms = opened.figure("open_ms");
    absorb(opened, result, &sample);

    const Reply built = live.worker->ask(RequestKind::build);
    sample.build_ms = built.figure("build_ms");
    absorb(built, result, &sample);

    memory_.prepare_outputs(live.mode);
    if (live.mode == MemoryMode::own) live.worker->ask(RequestKind::refill);
    launched = true;
    const Reply first = live.worker->ask(RequestKind::first);
    sample.first_ms = first.figure("first_ms");
    absorb(first, result, &sample);
    live.compiles = result.cache.compiles;
    if (live.collects) live.worker->ask(RequestKind::collect);
    judge_bits(result, memory_.check(live.mode, row.description.name), false);

    result.cache.details["files in CUDA_CACHE_PATH"] =
        fmt::format("{} before, {} after", files_before, count_files(driver_cache));
    if (result.cache.result.empty()) result.cache.result = "none";
    if (!row.prebuilt_options.empty()) result.options = row.prebuilt_options;
    for (const auto& [key, value] : row.prebuilt_details) result.cache.details[key] = value;
    // What ran beside another step may have ended before it.
    std::stable_sort(sample.events.begin(), sample.events.end(),
                     [](const RowEvent& one, const RowEvent& other) { return one.t_ms < other.t_ms; });
    result.samples.push_back(std::move(sample));
    if (keep) {
      pass.live[index] = std::move(live);
    } else {
      live.worker->close();
      result.stderr_tail = live.worker->stderr_tail();
    }
  } catch (const ProtocolError& e) {
    fail(pass, index, WorkerFailure(e.what()), launched);
  } catch (const WorkerFailure& failure) {
    if (failure.kind() == "memory" && task_.memory == MemoryMode::ipc) {
      // Found out with the first worker: from here on, every worker has memory of its own.
      task_.memory = MemoryMode::own;
      record_.machine.ipc = false;
      record_.machine.ipc_note =
          fmt::format("IPC was refused ({}): each worker had device memory of its own", failure.what());
      live.worker.reset();
      start_and_launch(pass, index, plan, keep, home);
      return;
    }
    if (live.worker) result.stderr_tail = live.worker->stderr_tail();
    fail(pass, index, failure, launched);
  }
}

void Comparison::fail(Pass& pass, std::size_t index, const WorkerFailure& failure, bool launched) {
  RowResult& result = pass.result.rows[index];
  const bool cannot = failure.kind() == "unsupported" && !launched;
  result.status = cannot ? Status::skipped : Status::failed;
  result.reason = failure.what();
  add_lines(result.detail, failure.detail());
  pass.finished[index] = true;
  pass.live[index] = Live();
  inputs_suspect_ = true;
  (cannot ? rows_[index].skipped : rows_[index].failed) = result.reason;
  rows_[index].detail = result.detail;
}

// Only what another way of rounding can explain: no NaN, and the same from launch to launch.
std::string Comparison::why_not_comparable(const RowResult& result, const Difference& difference) const {
  if (!difference.max_ulp || !difference.hint.empty()) return {};
  if (!result.not_strict.empty()) return result.row + ": " + result.not_strict;
  for (const RunningRow& row : rows_)
    if (record_.settings.fp == "strict" && !difference.giver.empty() &&
        row.description.name == difference.giver && !row.description.not_strict.empty())
      return row.description.name + ": " + row.description.not_strict;
  return {};
}

void Comparison::judge_bits(RowResult& result, const std::vector<Difference>& found, bool late) {
  std::vector<Difference>& kept = late ? result.late_differences : result.differences;
  const auto worst_of = [&](const std::vector<Difference>& differences) {
    std::pair<Status, const Difference*> worst{Status::ok, nullptr};
    for (const Difference& each : differences) {
      if (each.equal || worst.first == Status::wrong) continue;
      const Status status = why_not_comparable(result, each).empty() ? Status::wrong : Status::incomparable;
      if (worst.second == nullptr || status == Status::wrong) worst = {status, &each};
    }
    return worst;
  };
  // Of several samples, one that was wrong is never covered by a later one that was right.
  const Status before = worst_of(kept).first, now = worst_of(found).first;
  if (before == Status::ok || (before == Status::incomparable && now == Status::wrong)) kept = found;
  const auto [status, worst] = worst_of(kept);
  if (worst == nullptr || result.status == Status::wrong || result.status == status) return;
  const auto argument = std::find_if(record_.job.arguments.begin(), record_.job.arguments.end(),
                                     [&](const JobArgument& each) { return each.name == worst->argument; });
  result.status = status;
  inputs_suspect_ = true;
  const std::string why = why_not_comparable(result, *worst);
  result.reason = fmt::format("{}{}{}[{}] is {}, {}; {} of {} elements differ",
                              why.empty() ? "" : "not comparable under --fp strict (" + why + "): ",
                              late ? "right after the first launch, wrong after the timed ones: " : "",
                              worst->argument, worst->first_index, worst->got, expected(result, *worst),
                              worst->differing, argument->count);
  if (is_disagreement(result, *worst)) result.reason += "; there is no reference: either may be wrong";
}

}  // namespace tare::compare
