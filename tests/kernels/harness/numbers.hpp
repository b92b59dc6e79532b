// Inputs: numbers that are the same on every machine and with every library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tare::kernels {

/// SplitMix64 (Steele, Lea, Flood 2014). A value; equal seeds give equal numbers.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t u64() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint32_t u32() { return static_cast<std::uint32_t>(u64() >> 32); }
  /// Below `bound`, which is not 0.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(u32()) * bound) >> 32);
  }
  /// In [-1, 1), every bit of the significand in use.
  float f32() { return static_cast<float>(static_cast<std::int32_t>(u32()) >> 7) * 0x1p-24f; }
  double f64() { return static_cast<double>(static_cast<std::int64_t>(u64()) >> 10) * 0x1p-53; }

  std::vector<std::uint32_t> u32s(std::size_t count) {
    return many<std::uint32_t>(count, [&] { return u32(); });
  }
  std::vector<float> f32s(std::size_t count) {
    return many<float>(count, [&] { return f32(); });
  }
  std::vector<double> f64s(std::size_t count) {
    return many<double>(count, [&] { return f64(); });
  }
  template <class T, class Next>
  static std::vector<T> many(std::size_t count, Next next) {
    std::vector<T> values(count);
    for (T& value : values) value = next();
    return values;
  }

 private:
  std::uint64_t state_;
};

/// Blocks of `size` that cover `count`.
constexpr unsigned blocks_for(std::size_t count, std::size_t size) {
  return static_cast<unsigned>((count + size - 1) / size);
}

}  // namespace tare::kernels
