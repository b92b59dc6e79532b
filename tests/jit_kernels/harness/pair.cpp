// The same program twice: the maker decides which of the two kernels it launches.
#include "pair.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "../../kernels/harness/compare.hpp"

#include "embedded/cuda_kernels.hpp"
#include "tare/error.hpp"
#include "tare/program.hpp"
#include "tare/toolkit.hpp"

namespace tare::pairs {
namespace {

std::vector<Pair>& registered() {
  static std::vector<Pair> pairs;
  return pairs;
}

std::string source_of(const Pair& pair) {
  if (!pair.cuda.empty()) return pair.cuda;
  const std::string path = "tests/kernels/" + pair.name + ".cu";
  for (const embedded::File& file : std::span(embedded::cuda_kernels, embedded::cuda_kernels_count))
    if (file.path == path) return std::string(file.text);
  throw Error(ErrorKind::not_found, path + " is not part of this program");
}

JitOptions jit_options(JitCompiler compiler) {
  JitOptions options;
  options.set_strict_fp();
  options.compiler = compiler;
  return options;
}

LoadedProgram compiled(const PrimaryContext& context, const Pair& pair, Maker maker) {
  CompileOptions options;
  options.set_strict_fp();
  options.file_name = pair.name + ".cu";
  if (maker == Maker::clang) return ClangProgram(context, source_of(pair), options).compile(pair.names);
  options.include_dirs = toolkit_include_dirs(*find_nvrtc().tool);
  return Program(context, source_of(pair), options).compile(Code::cubin, pair.names);
}

}  // namespace

std::string to_string(Maker maker) {
  switch (maker) {
    case Maker::nvrtc:
      return "CUDA C++ by NVRTC";
    case Maker::clang:
      return "CUDA C++ by clang";
    case Maker::jit_libnvvm:
      return "tare::jit by libNVVM";
    case Maker::jit_clang:
      break;
  }
  return "tare::jit by clang";
}

Run::Run(const PrimaryContext& context, const LoadedProgram* cuda, JitCompiler compiler)
    : context_(context), cuda_(cuda), options_(jit_options(compiler)), stream_(context) {}

std::vector<std::byte> Run::now(const Kept& array) const {
  stream_.synchronize();
  std::vector<std::byte> bytes(array.before.size());
  array.buffer.copy_to(bytes);
  return bytes;
}

kernels::Outputs Run::outputs() const {
  kernels::Outputs all;
  for (const Kept& array : arrays_)
    if (!array.name.empty()) array.report(all, array.name, now(array));
  return all;
}

std::vector<std::string> Run::untouched() const {
  std::vector<std::string> names;
  for (const Kept& array : arrays_)
    if (!array.name.empty() && now(array) == array.before) names.push_back(array.name);
  return names;
}

std::vector<Pair> all_pairs() {
  std::vector<Pair> all = registered();
  std::sort(all.begin(), all.end(), [](const Pair& a, const Pair& b) { return a.name < b.name; });
  return all;
}

Registered::Registered(Pair pair) {
  registered().push_back(std::move(pair));
}

kernels::Outputs run(const Pair& pair, Maker maker) {
  const PrimaryContext context;
  const auto scope = context.enter();
  std::unique_ptr<LoadedProgram> cuda;
  if (maker == Maker::nvrtc || maker == Maker::clang)
    cuda = std::make_unique<LoadedProgram>(compiled(context, pair, maker));
  Run run(context, cuda.get(), maker == Maker::jit_clang ? JitCompiler::clang : JitCompiler::libnvvm);
  pair.run(run);
  if (const auto untouched = run.untouched(); !untouched.empty())
    throw Error(ErrorKind::argument, to_string(maker) + " wrote nothing to `" + untouched.front() + "`");
  return run.outputs();
}

std::string why_not(const Pair& pair, Maker maker) {
  switch (maker) {
    case Maker::nvrtc:
      return find_nvrtc().reason;
    case Maker::jit_libnvvm:
      return find_nvvm().reason;
    case Maker::clang:
      if (pair.uses_device_library) return "clang's CUDA C++ has no device library";
      break;
    case Maker::jit_clang:
      if (const Search nvvm = find_nvvm(); pair.uses_device_library && !nvvm.tool)
        return "no device library: " + nvvm.reason;
      break;
  }
  return find_clang().reason;
}

Compared compare(const Pair& pair, const std::function<std::string(const Pair&, Maker)>& why_not) {
  Compared all;
  std::optional<std::pair<kernels::Outputs, Maker>> first;
  for (const Maker maker : kMakers) {
    if (const std::string reason = why_not(pair, maker); !reason.empty()) {
      all.without += "\n  without " + to_string(maker) + ": " + reason;
      continue;
    }
    ++all.made;
    const auto problem = [&](const std::string& what) {
      all.problems += to_string(maker) + ": " + what + "\n";
    };
    try {
      kernels::Outputs got = run(pair, maker);
      if (!first)
        first.emplace(std::move(got), maker);
      else if (const std::string differs = difference(got, first->first, 0); !differs.empty())
        problem(differs + " (expected are the bits of " + to_string(first->second) + ")");
    } catch (const CompileError& error) {
      problem(std::string(error.what()) + "\n" + error.log());
    } catch (const Error& error) {
      problem(std::string(error.what()) + "\n" + error.hint());
    }
  }
  return all;
}

}  // namespace tare::pairs
