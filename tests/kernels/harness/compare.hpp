// Outputs held against one another, and the hash by which a GPU's bits are kept.
#pragma once

#include <string>

#include "complete.hpp"

namespace tare::kernels {

/// Empty where every output equals its expectation (to within `max_ulps` for floats); otherwise the first
/// difference: "keys[17] is 0x00000005, expected 0x00000004; 3 of 1024 differ".
std::string difference(const Outputs& got, const Outputs& expected, unsigned max_ulps);
/// The largest distance of a float from its expectation in ulps, for what is not exact.
unsigned long long largest_ulps(const Outputs& got, const Outputs& expected);
/// XXH3 (128 bits, seed 0) of all bytes of all outputs with their names, as 32 hexadecimal digits.
std::string hash(const Outputs& outputs);

}  // namespace tare::kernels
