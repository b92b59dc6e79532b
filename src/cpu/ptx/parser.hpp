// PTX text in, Module out. Hand-written and driven by the opcode table; keeps line numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::ptx {

/// Why a text was refused. `code` is what the driver answers for it.
struct ParseError {
  enum class Code : std::uint8_t {
    invalid_ptx,  // CUDA_ERROR_INVALID_PTX (218): syntax, unknown opcode, undefined name, type mismatch
    unsupported_version,  // CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222): .version above 9.0
    no_binary_for_gpu,    // CUDA_ERROR_NO_BINARY_FOR_GPU (209): .target above the device's capability
  };
  Code code = Code::invalid_ptx;
  std::uint32_t line = 0;  // from 1; 0 where no line applies
  std::string message;     // ptxas's manner: "Unsupported .version 9.9; current version is '9.0'"
};

struct ParseOptions {
  int max_version_major = 9, max_version_minor = 0;
  int compute_capability = 90;  // a .target above it is refused
};

/// Parses a whole module. The text need not end in a newline or NUL. Never throws on bad input;
/// bounded in time and memory by the text's length.
std::variant<Module, ParseError> parse(std::string_view text, const ParseOptions& options = {});

}  // namespace tare::cpu::ptx
