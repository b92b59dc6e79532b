// Sums and products of sizes that a caller gave, which end at the largest size where they would wrap:
// no memory is that large, so what comes of it is refused like any other range that is not there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tare::cpu {

constexpr std::size_t capped_sum(std::size_t a, std::size_t b) {
  std::size_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? SIZE_MAX : sum;
}

constexpr std::size_t capped_product(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

}  // namespace tare::cpu
