// The reference as a kernel of one block of one thread: slow, but it needs no host compiler.
#include "compare/case/reference_runs.hpp"
#include "compare/case/snippet.hpp"
#include "tare/tare.hpp"

namespace tare::compare {
namespace {

constexpr const char* kEntry = "tare_reference_kernel";

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
  return "extern \"C\" __global__ void " + std::string(kEntry) + "(" + parameters + ") { " +
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

/// The reference alone, then with the kernel region's types in front; the first refusal is the one to report.
template <class Compile>
LoadedProgram compile_either(const Compile& compile) {
  try {
    return compile(false);
  } catch (const CompileError& alone) {
    try {
      return compile(true);
    } catch (const CompileError&) {
      throw alone;
    }
  }
}

LoadedProgram compile_for_device(const PrimaryContext& context, const Job& job) {
  CompileOptions options;
  options.set_strict_fp();
  options.file_name = job.source_file_name;
  const bool nvrtc = find_nvrtc().tool.has_value();
  if (nvrtc) options.extra.push_back("--device-as-default-execution-space");
  return compile_either([&](bool with_kernel) {
    const std::string text = program_text(job, with_kernel, !nvrtc);
    if (nvrtc) return Program(context, text, options).compile(Code::cubin, {kEntry});
    return ClangProgram(context, text, options).compile({kEntry});
  });
}

std::vector<std::optional<HostBuffer>> launch(const PrimaryContext& context, const Kernel& kernel,
                                              const Job& job, const std::vector<HostBuffer>& inputs) {
  const std::size_t count = job.arguments.size();
  std::vector<Buffer> buffers(count);
  std::vector<std::uint64_t> addresses(count);
  std::vector<void*> arguments(count);
  std::vector<std::size_t> sizes(count);
  for (std::size_t i = 0; i < count; ++i) {
    const JobArgument& argument = job.arguments[i];
    if (argument.is_buffer) {
      buffers[i] = Buffer(context, argument.bytes());
      if (argument.bytes() != 0) buffers[i].copy_from(inputs[i]);
      addresses[i] = buffers[i].address();
      arguments[i] = &addresses[i];
      sizes[i] = sizeof addresses[i];
    } else {
      arguments[i] = const_cast<std::byte*>(argument.value.data());
      sizes[i] = argument.value.size();
    }
  }
  const Stream stream(context);
  kernel.launch(stream, Launch(), arguments, sizes);
  stream.synchronize();
  std::vector<std::optional<HostBuffer>> outputs(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!job.arguments[i].is_output()) continue;
    outputs[i].emplace(job.arguments[i].bytes());
    if (!outputs[i]->empty()) buffers[i].copy_to(*outputs[i]);
  }
  return outputs;
}

}  // namespace

ReferenceRun run_on_device(const Job& job, const std::vector<HostBuffer>& inputs) {
  ReferenceRun run;
  try {
    const PrimaryContext context;
    const auto scope = context.enter();
    const LoadedProgram program = compile_for_device(context, job);
    run.outputs = launch(context, program.kernel(kEntry), job, inputs);
    run.ran = true;
    run.how = job.reference_name + "() as a kernel of one thread, compiled by " +
              program.compiled().compiler + ", on " + context.device().name();
  } catch (const CompileError& error) {
    run.problem = error.what();
    run.log = error.log();
  } catch (const Error& error) {
    run.problem = error.what();
  }
  return run;
}

}  // namespace tare::compare
