// How long a vector add takes from the lambda to NVVM IR, and from there to PTX: the part of a first launch
// that is tare::jit's own, beside libNVVM's. Nothing is launched; a device is only asked for its compute
// capability.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "tare/error.hpp"
#include "tare/jit.hpp"

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

int run(double require_ms) {
  constexpr int kRuns = 60;
  const tare::PrimaryContext context;
  const auto scope = context.enter();
  std::vector<double> trace_ms, compile_ms, load_ms;
  std::string compiler;
  for (int i = 0; i < kRuns; ++i) {
    const auto add = tare::jit([](auto a, auto b, auto out) {
      const auto index = tare::grid_index();
      tare::if_(index < out.size(), [&] { out[index] = a[index] + b[index]; });
    });
    using In = tare::DeviceSpan<const float>;
    const auto& made = add.specialization<In, In, tare::DeviceSpan<float>>();
    trace_ms.push_back(made.trace_ms + made.ir_ms);
    compile_ms.push_back(made.compiled.compile_ms);
    load_ms.push_back(made.load_ms);
    compiler = made.compiled.compiler;
  }
  fmt::print("jit_trace: a vector add, medians of {} kernels, the first {:.3f} ms\n", kRuns,
             trace_ms.front());
  fmt::print("  lambda to NVVM IR  {:8.4f} ms\n", median(trace_ms));
  fmt::print("  IR to PTX          {:8.4f} ms ({})\n", median(compile_ms), compiler);
  fmt::print("  loading the PTX    {:8.4f} ms\n", median(load_ms));
  if (require_ms > 0 && median(trace_ms) > require_ms) {
    fmt::print("  tracing takes more than the required {} ms\n", require_ms);
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::string_view kRequire = "--require=";
  try {
    double require_ms = 0;
    for (int i = 1; i < argc; ++i) {
      const std::string_view argument = argv[i];
      if (!argument.starts_with(kRequire))
        throw tare::Error(tare::ErrorKind::argument, fmt::format("unknown option {}", argument),
                          "--require=MS");
      require_ms = std::atof(argument.data() + kRequire.size());
    }
    return run(require_ms);
  } catch (const tare::Error& error) {
    fmt::print(stderr, "jit_trace: {}{}{}\n", error.what(), error.hint().empty() ? "" : "\n  ", error.hint());
    return 2;
  }
}
