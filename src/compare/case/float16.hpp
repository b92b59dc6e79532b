// IEEE binary16 and bfloat16 as bits: conversions that round once, to nearest even.
#pragma once

#include <cstdint>

namespace tare::compare {

std::uint16_t half_from_double(double value);
std::uint16_t bfloat16_from_double(double value);
float half_to_float(std::uint16_t bits);
float bfloat16_to_float(std::uint16_t bits);

}  // namespace tare::compare
