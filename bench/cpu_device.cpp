// The CPU device beside what one would write by hand: vector add against a C++ loop over the same cores, and
// what compiling it costs, anew and from the object cache, each in a process of its own. Ratios are taken
// from interleaved pairs; only they mean something on a machine that others use too.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tare/driver.hpp"
#include "tare/error.hpp"
#include "tare/kernel.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kCount = 4'194'915;
constexpr unsigned kThreads = 256;

// Written by hand in the shape that the compilers give it.
constexpr std::string_view kVectorAdd = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry vectorAdd(.param .u64 a, .param .u64 b, .param .u64 out, .param .u64 n) {
  .reg .pred %outside;
  .reg .f32 %x, %y, %sum;
  .reg .b32 %block, %width, %thread;
  .reg .b64 %first, %offset, %i, %count, %bytes, %a, %b, %out, %ga, %gb, %gout, %pa, %pb, %pout;
  ld.param.u64 %a, [a];
  ld.param.u64 %b, [b];
  ld.param.u64 %out, [out];
  ld.param.u64 %count, [n];
  mov.u32 %block, %ctaid.x;
  mov.u32 %width, %ntid.x;
  mul.wide.u32 %first, %block, %width;
  mov.u32 %thread, %tid.x;
  cvt.u64.u32 %offset, %thread;
  add.s64 %i, %first, %offset;
  setp.ge.u64 %outside, %i, %count;
  @%outside bra done;
  cvta.to.global.u64 %ga, %a;
  cvta.to.global.u64 %gb, %b;
  cvta.to.global.u64 %gout, %out;
  shl.b64 %bytes, %i, 2;
  add.s64 %pa, %ga, %bytes;
  add.s64 %pb, %gb, %bytes;
  add.s64 %pout, %gout, %bytes;
  ld.global.f32 %x, [%pa];
  ld.global.f32 %y, [%pb];
  add.f32 %sum, %x, %y;
  st.global.f32 [%pout], %sum;
done:
  ret;
}
)";

tare::Kernel load_kernel(const tare::PrimaryContext& context) {
  return tare::Module::load(context, std::as_bytes(std::span(kVectorAdd.data(), kVectorAdd.size())))
      .kernel("vectorAdd");
}

tare::Launch launch_shape() {
  return {.grid = {(kCount + kThreads - 1) / kThreads, 1, 1}, .block = {kThreads, 1, 1}};
}

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

[[gnu::noinline, gnu::target_clones("avx512f", "avx2", "default"), gnu::optimize("O3")]] void add_range(
    const float* __restrict a, const float* __restrict b, float* __restrict out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = a[i] + b[i];
}

/// The loop, divided once over a thread a core that waits at a barrier between the runs.
class HandWritten {
 public:
  HandWritten(const float* a, const float* b, float* out, unsigned cores)
      : start_(cores), done_(cores), cores_(cores) {
    for (unsigned core = 1; core < cores; ++core)
      threads_.emplace_back([this, a, b, out, core] {
        for (start_.arrive_and_wait(); !stop_; start_.arrive_and_wait()) {
          part(a, b, out, core);
          done_.arrive_and_wait();
        }
      });
    own_part_ = [this, a, b, out] { part(a, b, out, 0); };
  }
  ~HandWritten() {
    stop_ = true;
    start_.arrive_and_wait();
  }
  void run() {
    start_.arrive_and_wait();
    own_part_();
    done_.arrive_and_wait();
  }

 private:
  void part(const float* a, const float* b, float* out, unsigned core) const {
    const std::size_t begin = kCount * core / cores_, end = kCount * (core + 1) / cores_;
    add_range(a + begin, b + begin, out + begin, end - begin);
  }
  std::barrier<> start_, done_;
  unsigned cores_;
  bool stop_ = false;
  std::function<void()> own_part_;
  std::vector<std::jthread> threads_;
};

/// One iteration is a pair: a launch and the C++ loop, in an order drawn afresh, on the same memory, which
/// the CPU device lets the host reach at its device address.
void vector_add_beside_cpp_loop(benchmark::State& state) {
  const tare::PrimaryContext context;
  const auto scope = context.enter();
  const tare::Stream stream(context);
  const tare::Buffer a(context, kCount * sizeof(float)), b(context, kCount * sizeof(float)),
      out(context, kCount * sizeof(float));
  a.fill(0x3f);
  b.fill(0x3e);
  const tare::Kernel kernel = load_kernel(context);
  const auto shape = launch_shape();
  const auto device = [&] {
    kernel.launch(stream, shape, a.pointer(), b.pointer(), out.pointer(), kCount);
    stream.synchronize();
  };
  // The device's own cores: it says how many it uses as its multiprocessors.
  HandWritten loop(reinterpret_cast<const float*>(a.address()), reinterpret_cast<const float*>(b.address()),
                   reinterpret_cast<float*>(out.address()),
                   static_cast<unsigned>(context.device().multiprocessors()));
  const auto timed = [](auto&& run) {
    const auto start = Clock::now();
    run();
    return ms_since(start);
  };
  for (int i = 0; i < 20; ++i) {
    device();
    loop.run();
  }
  std::mt19937 order(1);
  std::vector<double> device_ms, loop_ms, ratios;
  for ([[maybe_unused]] auto one : state) {
    double device_time = 0, loop_time = 0;
    if (order() % 2 == 0) {
      device_time = timed(device);
      loop_time = timed([&] { loop.run(); });
    } else {
      loop_time = timed([&] { loop.run(); });
      device_time = timed(device);
    }
    device_ms.push_back(device_time);
    loop_ms.push_back(loop_time);
    ratios.push_back(device_time / loop_time);
    state.SetIterationTime(device_time / 1e3);
  }
  state.counters["device_ms"] = median(device_ms);
  state.counters["cpp_loop_ms"] = median(loop_ms);
  state.counters["ratio"] = median(ratios);
  state.counters["bound"] = 1.1;
}
BENCHMARK(vector_add_beside_cpp_loop)->Iterations(400)->UseManualTime()->Unit(benchmark::kMillisecond);

/// In a process of its own: what loading the PTX, asking for its kernel and launching it on little takes.
int compile_child() {
  const tare::PrimaryContext context;
  const auto scope = context.enter();
  const tare::Stream stream(context);
  const tare::Buffer memory(context, 4096);
  const auto start = Clock::now();
  const tare::Kernel kernel = load_kernel(context);
  const double compiled_ms = ms_since(start);
  kernel.launch(stream, {.grid = {1, 1, 1}, .block = {kThreads, 1, 1}}, memory.pointer(), memory.pointer(),
                memory.pointer(), std::size_t{kThreads});
  stream.synchronize();
  fmt::print("{:.4f} {:.4f}\n", compiled_ms, ms_since(start));
  return 0;
}

double child_ms(std::string& error) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  double compiled_ms = 0, launched_ms = 0;
  std::FILE* pipe = ::popen(("'" + program + "' --compile-child").c_str(), "r");
  const bool read = pipe != nullptr && std::fscanf(pipe, "%lf %lf", &compiled_ms, &launched_ms) == 2;
  if (pipe == nullptr || ::pclose(pipe) != 0 || !read) error = "the sample's process failed";
  return launched_ms;
}

void compile_in_new_process(benchmark::State& state, bool from_object_cache, double bound_ms) {
  std::string directory = (std::filesystem::temp_directory_path() / "tare-bench-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) {
    state.SkipWithError("cannot make a cache directory");
    return;
  }
  ::setenv("CUDA_CACHE_PATH", directory.c_str(), 1);
  std::string error;
  child_ms(error);  // brings the libraries into the page cache, and fills the object cache
  std::vector<double> samples;
  for ([[maybe_unused]] auto one : state) {
    if (!from_object_cache) std::filesystem::remove_all(directory);
    samples.push_back(child_ms(error));
    state.SetIterationTime(samples.back() / 1e3);
  }
  std::filesystem::remove_all(directory);
  ::unsetenv("CUDA_CACHE_PATH");
  if (!error.empty()) state.SkipWithError(error.c_str());
  state.counters["median_ms"] = median(samples);
  state.counters["least_ms"] = *std::min_element(samples.begin(), samples.end());
  state.counters["bound_ms"] = bound_ms;
}
BENCHMARK_CAPTURE(compile_in_new_process, anew, false, 25.0)
    ->Iterations(25)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compile_in_new_process, from_object_cache, true, 3.0)
    ->Iterations(25)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  try {
    ::setenv("TARE_DRIVER", TARE_BINARY_DIR "/lib/tare/cpu/libcuda.so.1", 0);
    if (argc == 2 && std::string_view(argv[1]) == "--compile-child") return compile_child();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
  } catch (const tare::Error& error) {
    fmt::print(stderr, "cpu_device: {}{}{}\n", error.what(), error.hint().empty() ? "" : "; ", error.hint());
    return 2;
  }
}
