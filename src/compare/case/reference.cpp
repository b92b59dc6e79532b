// Where the expected outputs come from: the reference function wherever it can run, then files, then nothing.
#include "compare/case/reference.hpp"

#include "compare/case/case.hpp"
#include "compare/case/npy.hpp"
#include "compare/case/reference_runs.hpp"

namespace tare::compare {
namespace {

/// Why the reference function was not used; empty if there is none or it ran.
std::string run_function(const Job& job, const std::vector<HostBuffer>& inputs,
                         const ReferenceSettings& settings, Reference& reference) {
  if (job.reference_source.empty()) return {};
  ReferenceRun run = run_on_host(job, inputs, settings);
  reference.kind = ReferenceKind::host_compiler;
  std::string problem = run.problem, log = run.log;
  if (!run.ran) {
    run = run_on_device(job, inputs, settings);
    reference.kind = ReferenceKind::device_one_thread;
    if (log.empty()) log = run.log;
    problem += "; " + run.problem;
  }
  if (run.ran) {
    reference.how = run.how;
    reference.outputs = std::move(run.outputs);
    return {};
  }
  // Compilers that were there and said no: the mistake is the reference's own.
  if (!log.empty()) {
    throw CaseError(job.source_file_name + ":" + std::to_string(job.reference_first_line) + ": " +
                    job.reference_name + "() does not compile: " + problem + "\n" + log);
  }
  return problem;
}

bool read_files(const Job& job, Reference& reference) {
  std::string names;
  for (std::size_t i = 0; i < job.arguments.size(); ++i) {
    const JobArgument& argument = job.arguments[i];
    if (argument.reference_npy.empty()) continue;
    reference.outputs[i] = read_npy(argument.reference_npy, argument.element, argument.count, argument.name);
    names += (names.empty() ? "" : ", ") + argument.reference_npy.filename().string();
  }
  if (names.empty()) return false;
  reference.kind = ReferenceKind::npy;
  reference.how = names;
  return true;
}

}  // namespace

Reference compute_reference(const Job& job, const std::vector<HostBuffer>& inputs,
                            const ReferenceSettings& settings) {
  Reference reference;
  if (job.empty) {
    // Nothing is launched, so every output stays what it was.
    for (std::size_t i = 0; i < job.arguments.size(); ++i) {
      reference.outputs.emplace_back();
      if (job.arguments[i].is_output()) reference.outputs.back() = inputs[i];
    }
    reference.how = "the outputs unchanged: nothing is launched";
    return reference;
  }
  const std::string problem = run_function(job, inputs, settings, reference);
  if (!reference.outputs.empty()) return reference;
  reference.outputs.resize(job.arguments.size());
  if (!read_files(job, reference)) {
    reference.kind = ReferenceKind::agreement;
    reference.how = "the agreement of the rows with one another";
  }
  if (!problem.empty()) reference.how += " (the reference function could not run: " + problem + ")";
  return reference;
}

}  // namespace tare::compare
