// The reference as a kernel of one block of one thread: slow, but it needs no host compiler. Nothing can end
// a kernel but the end of its process, so it gets one of its own.
#include <algorithm>

#include "compare/case/case.hpp"
#include "compare/case/device_reference.hpp"
#include "compare/case/reference_child.hpp"
#include "compare/case/reference_runs.hpp"
#include "compare/case/snippet.hpp"
#include "compare/row.hpp"
#include "compile/temporary_directory.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"

namespace tare::compare {
namespace {

/// `extern "C" __global__ void NAME(T0 a0, T1 a1) { reference(a0, a1); }`
std::string entry_text(const Job& job) {
  std::string parameters, names;
  for (const SourceFunction& function : find_functions(job.reference_source)) {
    if (function.name != job.reference_name || !function.is_definition) continue;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const std::string name = "tare_" + std::to_string(i), comma = i == 0 ? "" : ", ";
      parameters += comma + function.parameters[i].type + " " + name;
      names += comma + name;
    }
    break;
  }
  return "extern \"C\" __global__ void " + std::string(kReferenceEntry) + "(" + parameters + ") { " +
         job.reference_name + "(" + names + "); }\n";
}

std::string program_text(const Job& job, bool with_kernel, bool for_clang) {
  std::string text;
  if (with_kernel) text += line_directive(job.source_first_line, job.source_file_name) + job.source + "\n";
  if (for_clang) text += "#pragma clang force_cuda_host_device begin\n";
  text += line_directive(job.reference_first_line, job.source_file_name) + job.reference_source + "\n";
  if (for_clang) text += "#pragma clang force_cuda_host_device end\n";
  return text + entry_text(job);
}

/// `tare worker --reference`, seen from the program that starts it.
std::vector<std::string> child_command(const std::filesystem::path& task, const ReferenceMemory& memory) {
  return {own_executable().string(), "worker", kReferenceOption, task.string(), memory.path()};
}

}  // namespace

ReferenceRun run_on_device(const Job& job, const std::vector<HostBuffer>& inputs,
                           const ReferenceSettings& settings) {
  ReferenceRun run;
  try {
    DeviceReference task;
    task.name = job.reference_name + "()";
    task.file_name = job.source_file_name;
    for (const bool with_kernel : {false, true}) {
      task.for_nvrtc.push_back(program_text(job, with_kernel, false));
      task.for_clang.push_back(program_text(job, with_kernel, true));
    }
    const std::vector<ReferenceMemory::Place> places = ReferenceMemory::places_of(job);
    for (std::size_t i = 0; i < places.size(); ++i)
      task.arguments.push_back(
          {places[i].offset, places[i].bytes, job.arguments[i].is_buffer, job.arguments[i].is_output()});
    const tare::detail::TemporaryDirectory directory(settings.directory);
    const std::filesystem::path file = directory.write("task.json", encode(task));
    const ReferenceMemory memory(job, inputs);
    const tare::detail::ChildResult result =
        run_reference_child(child_command(file, memory), settings,
                            std::max<std::chrono::duration<double>>(settings.limit, kLeastForCompiler),
                            directory.path(), {{"TARE_DRIVER", driver_info().path}});
    if (result.timed_out)
      throw CaseError(reference_place(job) + "as a kernel of one thread " + too_long(result));
    if (!result.ok())
      throw Error(ErrorKind::io, "its process " + result.how_it_ended() + ": " + result.errors);
    run = decode_result(tare::detail::read_file(result_file(file)));
    if (run.ran) run.outputs = memory.outputs(job);
  } catch (const Error& error) {
    run.problem = error.what();
  }
  return run;
}

}  // namespace tare::compare
