// Random numbers by counter: the i-th number of a seed is a function of both, the same on every machine,
// because nothing but integer and basic IEEE double arithmetic goes into it.
#pragma once

#include <cstdint>

namespace tare::compare {

/// 64 well-mixed bits: the i-th output of the SplitMix64 generator (Steele, Lea and Flood, 2014) for a seed
/// that is itself mixed first, so that neighbouring seeds have nothing in common.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i);

/// In [0, 1), a multiple of 2^-53.
double random_unit(std::uint64_t seed, std::uint64_t i);

/// Standard normal by Box and Muller's method from numbers 2i and 2i + 1 of the seed.
double random_normal(std::uint64_t seed, std::uint64_t i);

}  // namespace tare::compare
