// Kernels of tare::jit as rows of `tare compare`: a program lists its kernels by name, and a case names one
// of them, `[kernel] jit = "./program:NAME"`. docs/jit.md shows one. Link tare::worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tare/jit.hpp"

namespace tare {

namespace detail {

/// What the owner passes for one parameter: an array's memory, or a number's bytes.
struct JitRowArgument {
  std::uint64_t address = 0, count = 0;
  const std::byte* value = nullptr;
};

/// A kernel with its arguments put in.
class BoundJitKernel {
 public:
  virtual ~BoundJitKernel() = default;
  virtual void launch(const JitLaunch& launch) const = 0;
  /// What the first launch made; null before.
  virtual const JitSpecialization* made() const = 0;
};

template <class T>
T from_row(const JitRowArgument& given) {
  T argument{};
  if constexpr (kIsDeviceSpan<T>) {
    argument = {given.address, given.count};
  } else {
    std::memcpy(&argument, given.value, sizeof argument);
  }
  return argument;
}

template <class Function, class... Args>
class BoundJit final : public BoundJitKernel {
 public:
  template <std::size_t... index>
  BoundJit(const Function& function, JitOptions options, const Where& where,
           std::span<const JitRowArgument> given, std::index_sequence<index...>)
      : kernel_(jit(function, std::move(options), where)), arguments_{from_row<Args>(given[index])...} {}

  void launch(const JitLaunch& launch) const override {
    std::apply([&](const Args&... arguments) { kernel_(launch, arguments...); }, arguments_);
  }
  const JitSpecialization* made() const override {
    const auto all = kernel_.specializations();
    return all.empty() ? nullptr : all.back();
  }

 private:
  JitKernel<Function> kernel_;
  std::tuple<Args...> arguments_;
};

}  // namespace detail

/// A kernel that a case can name, for one list of argument types. jit_row() makes it.
struct JitRow {
  std::string name;
  std::vector<detail::JitParameter> parameters;
  std::function<std::unique_ptr<detail::BoundJitKernel>(JitOptions, std::span<const detail::JitRowArgument>)>
      bind;
};

/// `kernel` under `name`, which is also its symbol (letters, digits and _), for a case whose arguments are of
/// the types Args, in the order of the case: DeviceSpan<const T> for `const T*`, DeviceSpan<T> for `T*`, a
/// number for a number. A name may be given several times, with other types.
template <class... Args, class Function>
JitRow jit_row(std::string name, Function kernel, const detail::Where& where = detail::Where::current()) {
  if constexpr (detail::takes<Function, Args...>())
    return {std::move(name),
            {detail::Traced<Args>::kParameter...},
            [kernel = std::move(kernel), where](JitOptions options,
                                                std::span<const detail::JitRowArgument> given) {
              return std::make_unique<detail::BoundJit<Function, Args...>>(
                  kernel, std::move(options), where, given, std::index_sequence_for<Args...>());
            }};
}

/// The whole main() of such a program: started by `tare compare` it is the worker of the rows `jit` and
/// `jit-cached` (docs/worker-protocol.md) and blocks until that is over; started by hand it lists its
/// kernels. Returns the exit code.
int run_jit_rows(int argc, char** argv, const std::vector<JitRow>& kernels);

}  // namespace tare
