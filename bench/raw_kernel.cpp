// RawKernel in a new process whose cache is warm: from the kernel's name to the launch queued. Each sample
// is a process of its own, which makes its context first; the figure is what comes after. It needs a driver
// and, to fill the cache, NVRTC, so that the program can be copied to a machine with a GPU.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tare/driver.hpp"
#include "tare/error.hpp"
#include "tare/raw_kernel.hpp"

namespace {

using Clock = std::chrono::steady_clock;

const std::string kVectorAdd = R"(
extern "C" __global__ void vectorAdd(const float* a, const float* b, float* out, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
)";

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// One sample: "TOTAL_MS LOAD_MS RESULT" on stdout.
int child() {
  const tare::PrimaryContext context;
  const auto scope = context.enter();
  const tare::Stream stream(context);
  constexpr std::size_t kCount = 1 << 20;
  const tare::Buffer a(context, kCount * sizeof(float)), b(context, kCount * sizeof(float)),
      out(context, kCount * sizeof(float));
  a.fill(0);
  b.fill(0);
  const tare::Launch shape{.grid = {kCount / 256, 1, 1}, .block = {256, 1, 1}};

  const Clock::time_point start = Clock::now();
  const tare::RawKernel kernel(context, kVectorAdd, "vectorAdd");
  kernel(stream, shape, a.pointer(), b.pointer(), out.pointer(), kCount);
  const double total_ms = ms_since(start);
  stream.synchronize();
  fmt::print("{:.4f} {:.4f} {}\n", total_ms, kernel.report().load_ms, kernel.report().cache_result);
  return 0;
}

struct Sample {
  double total_ms = 0, load_ms = 0;
  std::string result;
};

Sample run_child(const std::string& program) {
  std::FILE* pipe = ::popen(("'" + program + "' --child").c_str(), "r");
  std::array<char, 64> result{};
  Sample sample;
  const bool read = pipe != nullptr &&
                    std::fscanf(pipe, "%lf %lf %63s", &sample.total_ms, &sample.load_ms, result.data()) == 3;
  if (pipe == nullptr || ::pclose(pipe) != 0 || !read)
    throw tare::Error(tare::ErrorKind::io, "a sample's process failed");
  sample.result = result.data();
  return sample;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int parent(int samples, double require_ms) {
  char directory[] = "/tmp/tare-bench-XXXXXX";
  if (::mkdtemp(directory) == nullptr)
    throw tare::Error(tare::ErrorKind::io, "cannot make a cache directory");
  ::setenv("TARE_CACHE_DIR", directory, 1);
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const Sample cold = run_child(program);
  std::vector<double> totals, loads;
  for (int i = 0; i < samples; ++i) {
    const Sample warm = run_child(program);
    if (warm.result != "hit")
      throw tare::Error(tare::ErrorKind::io, "a warm look-up was no hit but: " + warm.result);
    totals.push_back(warm.total_ms);
    loads.push_back(warm.load_ms);
  }
  std::filesystem::remove_all(directory);
  const auto [least, most] = std::minmax_element(totals.begin(), totals.end());
  const double total = median(totals);
  fmt::print("raw kernel, from its name to launched, in a new process ({} samples)\n", samples);
  fmt::print("  cold (compiled)   {:9.3f} ms\n", cold.total_ms);
  fmt::print("  warm (from disk)  {:9.3f} ms median, {:.3f} to {:.3f}\n", total, *least, *most);
  fmt::print("  of that, module load {:6.3f} ms median\n", median(loads));
  if (require_ms <= 0) return 0;
  fmt::print("  bound             {:9.3f} ms: {}\n", require_ms, total <= require_ms ? "held" : "missed");
  return total <= require_ms ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int samples = 30;
  double require_ms = 0;
  try {
    for (int i = 1; i < argc; ++i) {
      const std::string_view argument = argv[i];
      if (argument == "--child") return child();
      if (argument.starts_with("--samples=")) {
        samples = std::max(1, std::atoi(argv[i] + 10));
      } else if (argument.starts_with("--require=")) {
        require_ms = std::atof(argv[i] + 10);
      } else {
        throw tare::Error(tare::ErrorKind::argument, fmt::format("unknown option {}", argument),
                          "there are --samples=N and --require=MILLISECONDS");
      }
    }
    return parent(samples, require_ms);
  } catch (const tare::Error& error) {
    fmt::print(stderr, "raw_kernel: {}{}{}\n", error.what(), error.hint().empty() ? "" : "; ", error.hint());
    return 2;
  }
}
