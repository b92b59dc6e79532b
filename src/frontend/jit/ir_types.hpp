// How NVVM IR writes the types of a traced program, and constants of them.
#pragma once

#include <cstdint>
#include <string>

#include "tare/jit/trace.hpp"

namespace tare::detail {

unsigned bytes_of(Scalar type);
bool is_float(Scalar type);
bool is_signed(Scalar type);
/// As a value.
const char* ir_type(Scalar type);
/// In memory, where a bool has a byte.
const char* memory_type(Scalar type);
/// The letter by which inline PTX names a register of the type.
char letter(Scalar type);
std::string constant_text(Scalar type, std::uint64_t bits);

}  // namespace tare::detail
