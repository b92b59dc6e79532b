// The video instructions (PTX ISA 9.7.17), scalar and of two or four lanes, on integers. No LLVM.
#pragma once

#include <cstdint>

namespace tare::cpu::codegen {

/// What a video instruction does, in one word: bits of these fields.
namespace video {
inline constexpr std::uint32_t operation_mask = 0xf;
inline constexpr std::uint32_t add = 0, subtract = 1, distance = 2, least = 3, most = 4, average = 5, set = 6,
                               shift_left = 7, shift_right = 8, multiply_add = 9;
inline constexpr std::uint32_t result_signed = 1u << 4, first_signed = 1u << 5, second_signed = 1u << 6,
                               saturate = 1u << 7, wrap = 1u << 8, plus_one = 1u << 9;
// What happens to the result of a scalar instruction, or to those of all lanes.
inline constexpr std::uint32_t then_add = 1u << 10, then_least = 1u << 11, then_most = 1u << 12;
inline constexpr std::uint32_t two_lanes = 1u << 13, four_lanes = 1u << 14;
inline constexpr std::uint32_t negate_product = 1u << 15, negate_addend = 1u << 16;
inline constexpr std::uint32_t scale_shift = 17;    // 4 bits: 0, 7 or 15
inline constexpr std::uint32_t compare_shift = 21;  // 3 bits: eq, ne, lt, le, gt, ge
}  // namespace video

/// `selectors` are those of the result, of a and of b (ptx::Operand::selector), 16 bits each from the lowest.
std::uint32_t video_operation(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t control,
                              std::uint64_t selectors);

/// fns: the position of the `offset`th set bit from `base` on, or all ones.
std::uint32_t find_nth_bit(std::uint32_t mask, std::uint32_t base, std::int32_t offset);

}  // namespace tare::cpu::codegen
