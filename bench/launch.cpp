// What Kernel::launch costs beside a bare cuLaunchKernel whose argument array is ready: interleaved pairs of
// batches of the same empty kernel on the same stream, and the median of the pairs' ratios with its bootstrap
// interval. It needs nothing but a driver, so that the program can be copied to a machine with a GPU.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tare/driver.hpp"
#include "tare/error.hpp"
#include "tare/kernel.hpp"

namespace {

// The parameters of a vector add, and nothing to do.
constexpr std::string_view kEmptyKernel = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry empty(.param .u64 a, .param .u64 b, .param .u64 out, .param .u64 n) { ret; }
)";

using BareLaunch = int (*)(CUfunc_st*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                           CUstream_st*, void**, void**);

BareLaunch bare_launch() {
  void* driver = dlopen(tare::driver_info().path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  void* address = driver != nullptr ? dlsym(driver, "cuLaunchKernel") : nullptr;
  if (address == nullptr)
    throw tare::Error(tare::ErrorKind::not_found, "the loaded driver does not give its cuLaunchKernel");
  return reinterpret_cast<BareLaunch>(address);
}

struct Settings {
  int pairs = 600;
  int launches = 200;  // per batch: well below the driver's queue depth of about a thousand
  double require = 0;  // exit 1 if the upper bound is above it
};

Settings read_settings(std::span<char*> arguments) {
  Settings settings;
  for (const std::string_view argument : arguments) {
    const auto value = [&](std::string_view name) -> const char* {
      return argument.starts_with(name) ? argument.data() + name.size() : nullptr;
    };
    if (const char* pairs = value("--pairs=")) {
      settings.pairs = std::atoi(pairs);
    } else if (const char* launches = value("--launches=")) {
      settings.launches = std::atoi(launches);
    } else if (const char* bound = value("--require=")) {
      settings.require = std::atof(bound);
    } else {
      throw tare::Error(tare::ErrorKind::argument, fmt::format("unknown option {}", argument),
                        "--pairs=N, --launches=N (per batch), --require=RATIO");
    }
  }
  if (settings.pairs < 2 || settings.launches < 1)
    throw tare::Error(tare::ErrorKind::argument, "at least 2 pairs of 1 launch are needed");
  return settings;
}

/// Microseconds per launch of one batch; the queue is drained outside the time taken.
template <class LaunchOnce>
double time_batch(const tare::Stream& stream, int launches, LaunchOnce&& launch_once) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i) launch_once();
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  stream.synchronize();
  return spent.count() / launches;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

struct Interval {
  double low, high;
};

/// The percentile bootstrap's 95 % interval of the median.
Interval bootstrap_median(const std::vector<double>& values) {
  constexpr int kResamples = 4000;
  std::mt19937_64 random(20240607);
  std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
  std::vector<double> medians(kResamples);
  std::vector<double> sample(values.size());
  for (auto& one : medians) {
    for (auto& value : sample) value = values[pick(random)];
    one = median(sample);
  }
  std::sort(medians.begin(), medians.end());
  return {medians[kResamples / 40], medians[kResamples - 1 - kResamples / 40]};
}

int run(const Settings& settings) {
  const tare::PrimaryContext context;
  const auto scope = context.enter();
  const tare::Stream stream(context);
  const auto kernel =
      tare::Module::load(context, std::as_bytes(std::span(kEmptyKernel.data(), kEmptyKernel.size())))
          .kernel("empty");
  const tare::Launch shape{.grid = {1}, .block = {32}};
  const tare::Buffer memory(context, 1024);
  const auto pointer = memory.pointer();
  const std::uint64_t n = 256;

  const auto ours = [&] { kernel.launch(stream, shape, pointer, pointer, pointer, n); };
  std::uint64_t a = memory.address(), b = a, out = a, count = n;
  void* arguments[] = {&a, &b, &out, &count};
  const auto launch = bare_launch();
  CUfunc_st* const function = kernel.handle();
  int failures = 0;
  const auto bare = [&] {
    failures += launch(function, 1, 1, 1, 32, 1, 1, 0, stream.handle(), arguments, nullptr) != 0;
  };

  std::mt19937 order(1);
  std::vector<double> ours_us, bare_us, ratios;
  constexpr int kWarmupPairs = 20;
  for (int pair = -kWarmupPairs; pair < settings.pairs; ++pair) {
    double first = 0, second = 0;
    if (order() % 2 == 0) {
      first = time_batch(stream, settings.launches, ours);
      second = time_batch(stream, settings.launches, bare);
    } else {
      second = time_batch(stream, settings.launches, bare);
      first = time_batch(stream, settings.launches, ours);
    }
    if (pair < 0) continue;
    ours_us.push_back(first);
    bare_us.push_back(second);
    ratios.push_back(first / second);
  }
  if (failures != 0)
    throw tare::Error(tare::ErrorKind::driver, fmt::format("{} bare launches failed", failures));

  const auto interval = bootstrap_median(ratios);
  fmt::print("launch: {} on {}, driver {} ({})\n", context.device().name(),
             tare::driver_info().is_cpu_device ? "the CPU device (not a GPU's figures)" : "a GPU",
             tare::driver_info().version, tare::driver_info().path);
  fmt::print("  bare cuLaunchKernel  {:8.3f} us per launch (median)\n", median(bare_us));
  fmt::print("  Kernel::launch       {:8.3f} us per launch (median)\n", median(ours_us));
  fmt::print(
      "  ratio                {:8.4f} [{:.4f}, {:.4f}] median of {} pairs of {} launches, 95 % bootstrap\n",
      median(ratios), interval.low, interval.high, settings.pairs, settings.launches);
  if (settings.require > 0 && interval.high > settings.require) {
    fmt::print("  upper bound above the required {}\n", settings.require);
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(read_settings(std::span(argv, static_cast<std::size_t>(argc)).subspan(1)));
  } catch (const tare::Error& error) {
    fmt::print(stderr, "launch: {}{}{}\n", error.what(), error.hint().empty() ? "" : "\n  ", error.hint());
    return 2;
  }
}
