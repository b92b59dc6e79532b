// A kernel written in C++ itself: traced, and compiled through NVVM to PTX, once per argument types. The
// counterpart of Numba's @cuda.jit. docs/jit.md explains it.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "tare/compile.hpp"
#include "tare/device_span.hpp"
#include "tare/jit/atomic.hpp"
#include "tare/jit/control.hpp"
#include "tare/jit/function.hpp"
#include "tare/jit/math.hpp"
#include "tare/jit/memory.hpp"
#include "tare/jit/operators.hpp"
#include "tare/jit/report.hpp"
#include "tare/jit/threads.hpp"
#include "tare/jit/value.hpp"
#include "tare/jit/warp.hpp"
#include "tare/kernel.hpp"
#include "tare/stream.hpp"

namespace tare {

/// One to three numbers along x, y and z: of blocks, or of threads.
class Extent {
 public:
  /// Throw Error(argument) for a number that is negative or above 2^32 - 1.
  template <std::integral X>
  Extent(X x) : extent_{checked(x), 1, 1} {}  // NOLINT: implicit on purpose
  template <std::integral X, std::integral Y, std::integral Z = unsigned>
  Extent(X x, Y y, Z z = 1) : extent_{checked(x), checked(y), checked(z)} {}
  Extent(Dim3 extent) : extent_(extent) {}  // NOLINT: implicit on purpose

  operator Dim3() const noexcept { return extent_; }  // NOLINT: implicit on purpose

 private:
  template <std::integral X>
  static unsigned checked(X x) {
    if (!std::in_range<unsigned>(x))
      throw Error(ErrorKind::argument,
                  "a launch of " + std::to_string(x) + " blocks or threads along an axis is not possible",
                  "a grid has at most 2147483647 blocks along x and 65535 along y and z");
    return static_cast<unsigned>(x);
  }
  Dim3 extent_;
};

/// Where and how wide a kernel runs: `{blocks, threads, stream}`, `{{2, 3}, {16, 16}, stream}`.
struct JitLaunch {
  Extent grid;
  Extent block;
  StreamRef stream;
  unsigned dynamic_shared_bytes = 0;
};

/// What turns the traced kernel's NVVM IR into PTX.
enum class JitCompiler {
  automatic,  // libNVVM where it is found, else clang
  libnvvm,    // NVIDIA's, in this process
  clang       // clang 19 and LLVM's own NVPTX back end, a child process: nothing of NVIDIA's
};

struct JitOptions {
  std::string name = "kernel";  // the kernel's symbol: what profilers and errors call it
  /// Unset ones are left to the compiler: it contracts a * b + c, and rounds everything else as IEEE 754
  /// does.
  std::optional<bool> fmad, ftz, prec_div, prec_sqrt;
  JitCompiler compiler = JitCompiler::automatic;
  std::filesystem::path compiler_path;  // libnvvm or clang; empty: searched (toolkit.hpp)
  /// Keep what is compiled in the compile cache on disk (docs/cache.md): a later process that traces the same
  /// IR for the same device with the same compiler compiles nothing, and does not even load libNVVM.
  bool cache = false;
  std::optional<PrimaryContext> context;  // where it is loaded and runs; empty: device 0's

  /// The strict floating-point contract: no contraction, no flush to zero, exact division and square root.
  void set_strict_fp() {
    fmad = false;
    ftz = false;
    prec_div = true;
    prec_sqrt = true;
  }
};

/// The kernel for one list of argument types.
struct JitSpecialization {
  std::string signature;              // "kernel(const float[], const float[], float[])"
  std::string ir;                     // NVVM IR, as text
  Compiled compiled;                  // the PTX, its compiler and options; as the cache kept them after a hit
  std::string cache_result = "none";  // "hit", "miss", "repaired", "unusable: WHY"; "none": was not asked
  bool from_cache = false;            // nothing was compiled for it in this process
  double trace_ms = 0;                // host time: the lambda
  double ir_ms = 0;                   // host time: writing its IR
  double load_ms = 0;                 // host time: the driver's JIT
  std::uint64_t dynamic_shared_bytes = 0;  // that a launch has to give, as far as that is known while tracing
  Kernel kernel;

  std::string ptx() const;
};

namespace detail {

/// Throws Error(argument): a launch gives too little dynamic shared memory.
[[noreturn]] void refuse_dynamic_shared(const JitSpecialization& made, std::uint64_t given);

/// A kernel parameter as the host passes it. An array is two of the PTX's: pointer and number of elements.
struct JitParameter {
  Scalar type;
  bool is_array, is_const;
};

template <class T>
inline constexpr bool kIsDeviceSpan = false;
template <class T>
inline constexpr bool kIsDeviceSpan<DeviceSpan<T>> = ScalarType<std::remove_const_t<T>>;

/// "kernel(const float[], float[], int)".
std::string signature_of(const std::string& name, std::span<const JitParameter> parameters);

template <class T>
concept JitArgument = ScalarType<T> || kIsDeviceSpan<T>;

/// What the lambda is given for an argument of the host's.
template <JitArgument T>
struct Traced {
  using type = Value<T>;
  static constexpr JitParameter kParameter{scalar_of<T>(), false, false};
  static type make(std::size_t index) { return type(scalar_parameter(index)); }
};
template <class E>
struct Traced<DeviceSpan<E>> {
  using type = ArrayArgument<E>;
  static constexpr JitParameter kParameter{scalar_of<std::remove_const_t<E>>(), true, std::is_const_v<E>};
  static type make(std::size_t index) {
    return type(array_parameter(index), Value<std::size_t>(size_parameter(index)));
  }
};

/// One argument, counted from 1; the number and the type are in what the compiler says.
template <std::size_t argument, class Type>
consteval void check_argument() {
  static_assert(
      JitArgument<Type>,
      "this argument (its number and type are named above or below) of a jit kernel is no number "
      "(bool, an integer of at most 64 bits, half, float or double) and no DeviceSpan of such: for a "
      "Buffer write tare::device_span<float>(buffer), for a pointer tare::DeviceSpan<float>{address, "
      "count}, for a struct its members one by one");
}

/// Can a kernel of this lambda be called with these arguments? Where not, the compiler says why.
template <class Function, class... Args>
consteval bool takes() {
  []<std::size_t... index>(std::index_sequence<index...>) {
    (check_argument<index + 1, Args>(), ...);
  }
  (std::index_sequence_for<Args...>());
  if constexpr ((JitArgument<Args> && ...)) {
    static_assert(std::is_invocable_v<const Function&, typename Traced<Args>::type...>,
                  "the kernel's lambda does not take these arguments: is their number right, and is each "
                  "parameter `auto`, by value (not `auto&`, `int` or `float*`)?");
    if constexpr (std::is_invocable_v<const Function&, typename Traced<Args>::type...>) {
      static_assert(std::is_void_v<std::invoke_result_t<const Function&, typename Traced<Args>::type...>>,
                    "a kernel gives nothing back: write to an array");
      return true;
    }
  }
  return false;
}

/// Everything about a kernel but its lambda: the specializations, how they are made and found.
class JitState {
 public:
  JitState(JitOptions options, const Where& where);
  ~JitState();
  JitState(const JitState&) = delete;
  JitState& operator=(const JitState&) = delete;

  /// The specialization for `types`; where there is none yet it is made, with `record` tracing the lambda.
  const JitSpecialization& find(const std::type_info& types, std::span<const JitParameter> parameters,
                                const std::function<void()>& record) {
    const Made* const last = last_.load(std::memory_order_acquire);
    if (last != nullptr && last->types == &types) [[likely]]
      return last->specialization;
    return find_or_make(types, parameters, record);
  }
  std::vector<const JitSpecialization*> specializations() const;
  std::string ir() const;

 private:
  struct Made {
    const std::type_info* types;
    JitSpecialization specialization;
  };
  struct Table;
  const JitSpecialization& find_or_make(const std::type_info& types, std::span<const JitParameter> parameters,
                                        const std::function<void()>& record);
  std::atomic<const Made*> last_{nullptr};  // the one that was found last
  std::unique_ptr<Table> table_;
};

}  // namespace detail

/// A kernel that is made by tare::jit. Nothing happens until the first call; copies are the same kernel, and
/// to move one is to copy it. Thread-safe. The calling thread's current context has to be the kernel's
/// (PrimaryContext::enter()).
template <class Function>
class JitKernel {
 public:
  JitKernel(Function function, JitOptions options, const detail::Where& where)
      : shared_(std::make_shared<Shared>(std::move(function), std::move(options), where)) {}
  JitKernel(const JitKernel&) = default;
  JitKernel& operator=(const JitKernel&) = default;

  /// Queues one launch. The first call with a list of argument types blocks: it traces, compiles and loads.
  /// Arguments are numbers and DeviceSpans. Throws what tracing throws, as Program::compile(), and as
  /// Kernel::launch().
  template <class... Args>
  void operator()(const JitLaunch& launch, const Args&... arguments) const {
    const JitSpecialization& made = specialization<Args...>();
    if (launch.dynamic_shared_bytes < made.dynamic_shared_bytes) [[unlikely]]
      detail::refuse_dynamic_shared(made, launch.dynamic_shared_bytes);
    void* pointers[2 * sizeof...(Args) + 1];
    [[maybe_unused]] std::size_t count = 0;
    (add_pointers(pointers, count, arguments), ...);
    made.kernel.launch_unchecked(
        launch.stream,
        {.grid = launch.grid, .block = launch.block, .dynamic_shared_bytes = launch.dynamic_shared_bytes},
        pointers);
  }

  /// Traced, compiled and loaded for these argument types, if that has not happened yet; blocks then. Throws
  /// Error(argument) inside of the kernel's own lambda, as a launch does.
  template <class... Args>
  const JitSpecialization& specialization() const {
    if constexpr (detail::takes<Function, Args...>()) {
      static constexpr std::array<detail::JitParameter, sizeof...(Args)> kParameters{
          detail::Traced<Args>::kParameter...};
      return shared_->state.find(typeid(void (*)(Args...)), kParameters,
                                 [this] { record<Args...>(std::index_sequence_for<Args...>()); });
    }
  }

  /// All that there are, in the order in which they were made. They live as long as the kernel.
  std::vector<const JitSpecialization*> specializations() const { return shared_->state.specializations(); }
  /// Of the one that was made last, or that the compiler has refused since; empty before the first call.
  std::string ir() const { return shared_->state.ir(); }
  /// Of the one that was made last; empty before the first call.
  std::string ptx() const {
    const auto all = specializations();
    return all.empty() ? "" : all.back()->ptx();
  }

 private:
  template <class... Args, std::size_t... index>
  void record(std::index_sequence<index...>) const {
    shared_->function(detail::Traced<Args>::make(index)...);
  }
  template <class T>
  static void add_pointers(void** pointers, std::size_t& count, const T& argument) {
    if constexpr (detail::kIsDeviceSpan<T>) {
      pointers[count++] = const_cast<std::uint64_t*>(&argument.address);
      pointers[count++] = const_cast<std::uint64_t*>(&argument.count);
    } else {
      pointers[count++] = const_cast<T*>(&argument);
    }
  }

  struct Shared {
    Shared(Function with, JitOptions options, const detail::Where& where)
        : function(std::move(with)), state(std::move(options), where) {}
    const Function function;
    detail::JitState state;
  };
  std::shared_ptr<Shared> shared_;
};

/// Makes a kernel of a lambda over symbolic values: `tare::jit([](auto a, auto b, auto out) { ... })`. A
/// plain number that the lambda captures by value is a constant of the kernel, as it is when it is traced.
template <class Function>
JitKernel<Function> jit(Function function, JitOptions options = {},
                        const detail::Where& where = detail::Where::current()) {
  return {std::move(function), std::move(options), where};
}

}  // namespace tare
