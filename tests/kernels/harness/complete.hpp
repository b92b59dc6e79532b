// A complete kernel: its CUDA C++ beside this folder, the host program that launches it, and an oracle in C++
// that says what must come out. Everything here runs on whichever driver is loaded, a GPU's or the CPU
// device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tare/buffer.hpp"
#include "tare/kernel.hpp"
#include "tare/program.hpp"

namespace tare::kernels {

enum class Element { bits, f32, f64 };

/// One array that a kernel leaves: compared bit by bit, or in ulps where Complete says so.
struct Output {
  std::string name;
  Element element = Element::bits;
  std::size_t element_bytes = 1;
  std::vector<std::byte> bytes;
};

/// What a host program brings home, and what an oracle says it must be, in the same order.
class Outputs {
 public:
  template <class T>
  Outputs& add(std::string name, const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto bytes = std::as_bytes(std::span(values));
    constexpr Element kind = std::is_same_v<T, float>    ? Element::f32
                             : std::is_same_v<T, double> ? Element::f64
                                                         : Element::bits;
    list_.push_back({std::move(name), kind, sizeof(T), {bytes.begin(), bytes.end()}});
    return *this;
  }
  const std::vector<Output>& list() const noexcept { return list_; }

 private:
  std::vector<Output> list_;
};

/// Device memory for `count()` values of T. Move-only.
template <class T>
class Array {
 public:
  Array(const PrimaryContext& context, std::size_t count)
      : buffer_(context, count * sizeof(T)), count_(count) {}
  std::size_t count() const noexcept { return count_; }
  const Buffer& buffer() const noexcept { return buffer_; }

 private:
  Buffer buffer_;
  std::size_t count_;
};

/// What a host program works with: a loaded program's kernels, memory, and one stream, on which all is in
/// order. The context must be current. Throws what libtare throws.
class Stage {
 public:
  Stage(const PrimaryContext& context, const LoadedProgram& program)
      : context_(context), program_(program), stream_(context) {}

  /// Lets each thread of what follows have a stack of `bytes` (CU_LIMIT_STACK_SIZE; a GPU's is 1 KiB to begin
  /// with). Recursion needs it.
  void stack_bytes(std::size_t bytes) const;

  template <class T>
  Array<T> upload(const std::vector<T>& values) const {
    Array<T> array(context_, values.size());
    array.buffer().copy_from(std::as_bytes(std::span(values)));
    return array;
  }
  /// `count` values whose every byte is `byte`.
  template <class T>
  Array<T> filled(std::size_t count, std::uint8_t byte = 0) const {
    Array<T> array(context_, count);
    array.buffer().fill(byte);
    return array;
  }
  /// Waits for everything launched, then copies.
  template <class T>
  std::vector<T> download(const Array<T>& array) const {
    stream_.synchronize();
    std::vector<T> values(array.count());
    array.buffer().copy_to(std::as_writable_bytes(std::span(values)));
    return values;
  }
  /// `kernel` is a name or a name expression, as in Complete::names. Arrays are passed as pointers.
  template <class... Args>
  void launch(const std::string& kernel, const Launch& shape, const Args&... args) const {
    program_.kernel(kernel).launch(stream_, shape, argument(args)...);
  }

 private:
  template <class T>
  static const T& argument(const T& value) {
    return value;
  }
  template <class T>
  static DevicePointer argument(const Array<T>& array) {
    return array.buffer().pointer();
  }

  PrimaryContext context_;
  const LoadedProgram& program_;
  Stream stream_;
};

/// `run` and `expected` give the same outputs in the same order. NAME.cu is the source.
struct Complete {
  std::string name;
  Outputs (*run)(const Stage& stage) = nullptr;
  Outputs (*expected)() = nullptr;
  std::vector<std::string> names;  // name expressions of template instances that run() launches
  /// 0: every bit is defined. Otherwise the largest distance of a float from the oracle's, for what CUDA
  /// gives an error bound and no value (ex2.approx, rsqrt.approx, ...).
  unsigned max_ulps = 0;
};

/// All of them, by name.
std::vector<Complete> all_kernels();

}  // namespace tare::kernels
