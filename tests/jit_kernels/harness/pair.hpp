// A kernel that is written twice, in CUDA C++ and for tare::jit: what both are run on, and what they leave.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../kernels/harness/complete.hpp"
#include "tare/jit.hpp"

namespace tare::pairs {

/// Who compiles a kernel: its CUDA C++ or its trace.
enum class Maker { nvrtc, clang, jit_libnvvm, jit_clang };
inline constexpr std::array kMakers{Maker::nvrtc, Maker::clang, Maker::jit_libnvvm, Maker::jit_clang};
std::string to_string(Maker maker);

/// One run of a pair's program: the same inputs, the same launches, by one of the two kernels. The context
/// must be current.
class Run {
 public:
  /// With a program, the CUDA C++ is what runs; without one, the traces, compiled by `compiler`.
  Run(const PrimaryContext& context, const LoadedProgram* cuda, JitCompiler compiler);

  template <class T>
  DeviceSpan<const T> in(const std::vector<T>& values) {
    return span<const T>(add("", values));
  }
  /// An array that kernels write to and that is not compared.
  template <class T>
  DeviceSpan<T> scratch(const std::vector<T>& values) {
    return span<T>(add("", values));
  }
  /// An array that is compared. It starts as `values`, or with every byte 0xA5.
  template <class T>
  DeviceSpan<T> out(std::string name, const std::vector<T>& values) {
    return span<T>(add(std::move(name), values));
  }
  template <class T>
  DeviceSpan<T> out(std::string name, std::size_t count) {
    std::vector<T> values(count);
    std::memset(values.data(), 0xA5, count * sizeof(T));
    return out(std::move(name), values);
  }

  /// Launches the CUDA C++ kernel of this name, to which an array is a pointer, or the trace, to which it is
  /// an array. Both round after every operation.
  template <class Function, class... Args>
  void launch(const std::string& name, const Function& trace, const Extent& grid, const Extent& block,
              const Args&... arguments) {
    launch_with_shared(name, trace, grid, block, 0, arguments...);
  }
  template <class Function, class... Args>
  void launch_with_shared(const std::string& name, const Function& trace, const Extent& grid,
                          const Extent& block, unsigned dynamic_shared_bytes, const Args&... arguments) {
    if (cuda_ != nullptr) {
      const Launch shape{.grid = grid, .block = block, .dynamic_shared_bytes = dynamic_shared_bytes};
      cuda_->kernel(name).launch(stream_, shape, as_pointer(arguments)...);
    } else {
      jit(trace, options_)({grid, block, stream_, dynamic_shared_bytes}, arguments...);
      stream_.synchronize();  // the kernel is unloaded with the object
    }
  }

  /// Waits, and brings home what `out` has named.
  kernels::Outputs outputs() const;
  /// The names of those that no launch has changed.
  std::vector<std::string> untouched() const;

 private:
  struct Kept {
    std::string name;  // empty: an input
    Buffer buffer;
    std::vector<std::byte> before;
    void (*report)(kernels::Outputs&, const std::string&, const std::vector<std::byte>&);
  };
  template <class T>
  const Buffer& add(std::string name, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    arrays_.push_back(
        {std::move(name), Buffer(context_, bytes.size()), {bytes.begin(), bytes.end()}, report<T>});
    arrays_.back().buffer.copy_from(bytes);
    return arrays_.back().buffer;
  }
  template <class T>
  static void report(kernels::Outputs& outputs, const std::string& name,
                     const std::vector<std::byte>& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    outputs.add(name, values);
  }
  template <class T>
  static DeviceSpan<T> span(const Buffer& buffer) {
    return device_span<T>(buffer);
  }
  template <class T>
  static const T& as_pointer(const T& argument) {
    return argument;
  }
  template <class T>
  static DevicePointer as_pointer(const DeviceSpan<T>& array) {
    return {array.address};
  }
  std::vector<std::byte> now(const Kept& array) const;

  PrimaryContext context_;
  const LoadedProgram* cuda_;
  JitOptions options_;
  Stream stream_;
  std::vector<Kept> arrays_;
};

/// A kernel in CUDA C++ and traced, and the program that runs either.
struct Pair {
  std::string name;
  std::string cuda = {};                // source; empty: tests/kernels/NAME.cu, which is part of this program
  std::vector<std::string> names = {};  // name expressions of the template instances that `run` launches
  void (*run)(Run& run) = nullptr;
  bool uses_device_library = false;  // which clang's CUDA C++ does not have
};

/// All that have been registered, in the order of their names.
std::vector<Pair> all_pairs();
struct Registered {
  explicit Registered(Pair pair);
};

/// Runs the pair as `maker` compiles it; the outputs, after a check that each was written to. Throws what
/// compiling and launching throw, and Error(argument) naming an output that nothing wrote to.
kernels::Outputs run(const Pair& pair, Maker maker);
/// Why this maker cannot make this pair here; empty where it can.
std::string why_not(const Pair& pair, Maker maker);

struct Compared {
  int made = 0;          // how many could make it
  std::string without;   // a line for each other: who, and why not
  std::string problems;  // what failed, and who left other bits than the first; empty where all agree
};
/// Runs the pair by all for whom `why_not` gives no reason, two of whom are enough to compare.
Compared compare(const Pair& pair,
                 const std::function<std::string(const Pair&, Maker)>& why_not = pairs::why_not);

}  // namespace tare::pairs
