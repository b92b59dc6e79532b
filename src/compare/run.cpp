// `tare compare` from its options to its record: the case, the device, the rows, then the comparison.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "compare/comparison.hpp"
#include "compare/descriptor_limit.hpp"
#include "compare/host_program.hpp"
#include "compare/machine.hpp"
#include "compare/plain_folder.hpp"
#include "compare/workspace.hpp"
#include "tare/driver.hpp"
#include "tare/toolkit.hpp"
#include "tare/version.hpp"

namespace tare::compare {
namespace {

namespace fs = std::filesystem;

// Of the process that compares, with some to spare for the driver; and per worker that is alive: our ends of
// its four pipes.
constexpr std::size_t kOwnDescriptors = 40, kDescriptorsPerRow = 4;

int ordinal_of(const CompareOptions& options) {
  const std::string& text = options.device;
  const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return number ? std::atoi(text.c_str()) : options.device_ordinal;
}

// A twin on memory of its own needs the room a second time.
void skip_rows_without_room(std::vector<RunningRow>& rows, const Job& job, const PrimaryContext& context) {
  const double needed = buffer_bytes(job), free = static_cast<double>(context.memory().free_bytes);
  if (2 * needed <= free) return;
  for (RunningRow& row : rows)
    if (row.description.own_memory && row.skipped.empty())
      row.skipped =
          fmt::format("needs {:.0f} bytes of device memory of its own, {:.0f} are left beside the owner's",
                      needed, free - needed);
}

Task task_of(const Job& job, const RunSettings& settings, const MachineInfo& machine,
             const DriverInfo& driver, int ordinal, Toolbox& toolbox) {
  Task task;
  task.job = job;
  task.device = ordinal;
  task.compute_capability = machine.compute_capability;
  task.ptx_only = driver.loads_ptx_only;
  if (const auto& tool = toolbox.nvrtc().tool) task.tools["nvrtc"] = tool->path;
  if (const auto& tool = toolbox.nvcc().tool) task.tools["nvcc"] = tool->path;
  if (const auto& tool = toolbox.nvvm().tool) task.tools["nvvm"] = tool->path;
  if (const auto& tool = toolbox.clang().tool) task.tools["clang"] = tool->path;
  // Only a source that includes files of its own needs its folder: otherwise no row has the option.
  if (!job.kernel_file.empty() && job.source.find("#include \"") != std::string::npos)
    task.include_dirs.push_back(fs::absolute(job.kernel_file).parent_path());
  if (const auto& tool = toolbox.nvrtc().tool ? toolbox.nvrtc().tool : toolbox.nvcc().tool)
    for (const fs::path& folder : toolkit_include_dirs(*tool)) task.toolkit_include_dirs.push_back(folder);
  task.fp = settings.fp;
  return task;
}

// Folders of the user's may have names that no compiler or no JSON takes.
void give_plain_names(Task& task, const fs::path& links) {
  for (std::string& folder : task.include_dirs) folder = plain_folder(folder, links);
  if (task.job.python_file.empty()) return;
  const fs::path python = fs::absolute(task.job.python_file), folder = python.parent_path();
  if (const fs::path plain = plain_folder(folder, links); plain != folder)
    task.job.python_file = (plain / python.filename()).string();
}

void share(OwnerMemory& memory, Task& task, MachineInfo& machine) {
  task.memory_offsets = memory.offsets();
  task.memory_bytes = memory.shared_bytes();
  task.ipc_handles.resize(task.job.arguments.size());
  try {
    task.ipc_handles = memory.ipc_handles();
  } catch (const Error& e) {
    task.memory = MemoryMode::own;
    machine.ipc = false;
    machine.ipc_note =
        fmt::format("IPC was refused ({}): each worker had device memory of its own", e.what());
  }
}

void build_host_programs(std::vector<RunningRow>& rows, const Task& task, const fs::path& directory,
                         const CompareOptions& options, const std::string& driver, Toolbox& toolbox,
                         Guard& guard, const Interrupts& interrupts) {
  for (RunningRow& row : rows) {
    if (!row.description.host_program || !row.skipped.empty() || !row.prebuilt.empty()) continue;
    const HostProgram program = build_host_program(
        task.job, toolbox.nvcc().tool.value(), task.compute_capability, task.fp == "strict",
        task.include_dirs, directory / "host-program" / row.description.name, driver,
        std::chrono::duration<double>(options.worker_timeout_seconds), guard, interrupts);
    row.prebuilt = program.library;
    row.failed = program.reason;
    row.detail = program.log;
    row.prebuilt_options = program.options;
    row.prebuilt_details["nvcc before the run"] = fmt::format("{:.0f} ms", program.compile_ms);
  }
}

// A launch that covers nothing: nothing is compiled or launched, and every row that could run agrees.
void record_no_op(Record& record, const std::vector<RunningRow>& rows) {
  PassResult pass{"cold", {}};
  for (const RunningRow& row : rows) {
    RowResult result;
    result.row = row.description.name;
    result.title = title_of(row);
    result.twin = row.twin;
    if (!row.description.python) result.version = version();
    result.status = row.skipped.empty() ? Status::ok : Status::skipped;
    result.reason = row.skipped.empty() ? "nothing to launch: the launch covers 0 threads" : row.skipped;
    pass.rows.push_back(std::move(result));
  }
  record.reference = "none: nothing was launched";
  record.passes.push_back(std::move(pass));
}

}  // namespace

Record run_comparison(const CompareOptions& options, Progress& progress) {
  require_descriptors(kOwnDescriptors);
  Interrupts interrupts;
  const Case chosen = options.case_file.empty() ? Case::builtin() : Case::load(options.case_file);
  Record record;
  record.tare_version = version();
  record.started = utc_now();
  record.settings = options.settings;
  record.job = chosen.job(options.overrides);

  // Before anything that leaves files: whatever ends this process, the guard removes them.
  const RunDirectory directory;
  Guard guard(own_executable(), directory.path());
  choose_device(options);
  const DriverInfo& driver = driver_info();
  const int ordinal = ordinal_of(options);
  const Device device(ordinal);
  Toolbox toolbox(!driver.is_cpu_device, interrupts);
  std::vector<RunningRow> rows = plan_rows(options, driver.version, toolbox);
  check_interpreters(rows, directory.path(), guard, interrupts);
  require_descriptors(kOwnDescriptors + kDescriptorsPerRow * rows.size() + record.job.arguments.size());
  record.machine = describe_machine(device, driver, toolbox);
  if (record.job.empty) {
    record_no_op(record, rows);
    return record;
  }

  const PrimaryContext context(device);
  require_room(context, record.job, driver.is_cpu_device);
  skip_rows_without_room(rows, record.job, context);
  OwnerMemory memory(context, record.job);
  memory.compute_reference(
      {directory.path(), std::chrono::duration<double>(options.worker_timeout_seconds), &interrupts});
  interrupts.check();

  Task task = task_of(record.job, record.settings, record.machine, driver, ordinal, toolbox);
  give_plain_names(task, directory.path() / "folders");
  share(memory, task, record.machine);
  if (std::any_of(rows.begin(), rows.end(), [](const RunningRow& row) { return row.description.python; }))
    write_python_workers(workers_of(directory.path()));
  if (options.case_file.empty()) task.job.python_file = write_builtin_python(directory.path());
  build_host_programs(rows, task, directory.path(), options, driver.path, toolbox, guard, interrupts);
  Comparison(options, record, std::move(rows), std::move(task), memory, directory.path(), guard, interrupts,
             progress)
      .run();
  record.reference = memory.reference_how();
  record.weak_checks = memory.weak_checks();
  return record;
}

ExitCode exit_code(const Record& record) {
  bool ran = false;
  for (const PassResult& pass : record.passes)
    for (const RowResult& row : pass.rows) {
      if (row.status == Status::failed || row.status == Status::wrong) return kWrongOrFailed;
      ran |= row.status == Status::ok;
    }
  return ran ? kAllMatched : kNothingRan;
}

}  // namespace tare::compare
