// A loaded module, its kernels, and launching them with nothing in the way.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tare/buffer.hpp"
#include "tare/device.hpp"
#include "tare/stream.hpp"

struct CUfunc_st;

namespace tare {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

/// The shape of a launch. `grid` and `block` in blocks and threads per axis.
struct Launch {
  Dim3 grid = {};
  Dim3 block = {};
  unsigned dynamic_shared_bytes = 0;
  /// With either of these the launch goes through cuLaunchKernelEx.
  bool cooperative = false;
  std::optional<Dim3> cluster = std::nullopt;
};

/// Offset and size in bytes of one kernel parameter.
struct Parameter {
  std::size_t offset = 0, size = 0;
};

struct KernelAttributes {
  int max_threads_per_block = 0, registers = 0, static_shared_bytes = 0, local_bytes = 0, constant_bytes = 0;
  int ptx_version = 0, binary_version = 0;
};

namespace detail {
/// What stands in the parameter buffer for an argument of the caller's type.
template <class T>
const T& as_parameter(const T& value) {
  return value;
}
inline const std::uint64_t& as_parameter(const DevicePointer& value) {
  return value.address;
}
std::uint64_t as_parameter(const Buffer&) = delete;  // pass buffer.pointer()
/// A null pointer of the size that the kernel reads; nullptr itself need not have its bytes set.
inline constexpr void* kNullPointer = nullptr;
inline void* const& as_parameter(std::nullptr_t) {
  return kNullPointer;
}

/// Argument pointers and sizes known only at run time, rather than two kernel arguments.
template <class... Args>
inline constexpr bool kIsPointersAndSizes = false;
template <class Pointers, class Sizes>
inline constexpr bool kIsPointersAndSizes<Pointers, Sizes> =
    std::conjunction_v<std::is_convertible<const Pointers&, std::span<void* const>>,
                       std::is_convertible<const Sizes&, std::span<const std::size_t>>>;

template <class... Args>
inline constexpr std::array<std::size_t, sizeof...(Args) + 1> kSizes{
    sizeof(std::decay_t<decltype(as_parameter(std::declval<const Args&>()))>)..., 0};
}  // namespace detail

/// A kernel of a loaded module; keeps the module loaded. Cheap to copy. The calling thread's current
/// context must be the module's (PrimaryContext::enter()).
class Kernel {
 public:
  Kernel() = default;

  const std::string& name() const noexcept;
  CUfunc_st* handle() const noexcept;
  /// Parameters of the compiled kernel: cuFuncGetParamInfo (driver 12.4 and later), else the PTX's
  /// parameter list; nullopt where neither is to be had.
  const std::optional<std::vector<Parameter>>& parameters() const;
  KernelAttributes attributes() const;
  /// Raises the kernel's dynamic shared memory limit; done by launches that need it of their own accord.
  void allow_dynamic_shared(unsigned bytes) const;

  /// Queues one launch and returns at once. Arguments are passed by value, packed on the stack; the
  /// first launch with a given list of argument types checks their count and sizes against the
  /// compiled kernel and throws Error(argument) naming the index; later ones do not check again.
  template <class... Args>
  void launch(StreamRef stream, const Launch& shape, const Args&... args) const
      requires(!detail::kIsPointersAndSizes<Args...>) {
    static_assert((std::is_trivially_copyable_v<Args> && ...), "kernel arguments are copied as bytes");
    static_assert((!std::is_array_v<Args> && ...),
                  "a kernel has no array parameters: pass a struct or a pointer");
    constexpr const std::size_t* sizes = detail::kSizes<Args...>.data();
    if (checked_sizes() != sizes) [[unlikely]]
      check(sizes, sizeof...(Args));
    if constexpr (sizeof...(Args) == 0) {
      launch_unchecked(stream, shape, nullptr);
    } else {
      void* pointers[] = {const_cast<void*>(static_cast<const void*>(&detail::as_parameter(args)))...};
      launch_unchecked(stream, shape, pointers);
    }
  }

  /// The same for argument bytes of sizes known only at run time: `arguments[i]` points to parameter i.
  void launch(StreamRef stream, const Launch& shape, std::span<void* const> arguments,
              std::span<const std::size_t> sizes) const;
  /// Checks count and sizes without launching. Throws Error(argument).
  void check(std::span<const std::size_t> sizes) const;
  /// No check at all. `arguments` has one pointer per parameter, or is null for none.
  void launch_unchecked(StreamRef stream, const Launch& shape, void** arguments) const;

 private:
  friend class Module;
  struct State;
  const std::size_t* checked_sizes() const noexcept;
  void check(const std::size_t* sizes, std::size_t count) const;
  std::shared_ptr<State> state_;
};

/// Machine code or PTX loaded into the primary context. Copies share it; unloaded with the last one.
class Module {
 public:
  Module() = default;
  /// Loads a cubin or (NUL-terminated or not) PTX. Blocks; for PTX the driver's JIT runs here.
  /// Throws Error(driver) with the JIT's log in the message's tail.
  /// `ptx_for_parameters` helps Kernel::parameters() on drivers before 12.4.
  static Module load(const PrimaryContext& context, std::span<const std::byte> image,
                     std::string_view ptx_for_parameters = {});

  /// By its (lowered) name. Throws Error(not_found) listing the kernels that there are.
  Kernel kernel(const std::string& name) const;
  /// Address and size of a .global/.const variable. Throws Error(not_found).
  std::pair<DevicePointer, std::size_t> global(const std::string& name) const;
  /// What the driver's JIT said, empty for a cubin.
  const std::string& log() const noexcept;

 private:
  friend class Kernel;
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tare
