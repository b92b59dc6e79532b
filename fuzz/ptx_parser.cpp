// libFuzzer entry of the PTX parser: any text gives a module or an error, never a crash or a hang.
//
//   clang++-19 -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -DFMT_HEADER_ONLY -Isrc \
//       fuzz/ptx_parser.cpp src/cpu/ptx/*.cpp -o ptx_parser_fuzzer
//   ./ptx_parser_fuzzer -max_len=65536 NEW_INPUTS tests/data/ptx
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "cpu/ptx/parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto result = tare::cpu::ptx::parse({reinterpret_cast<const char*>(data), size});
  const auto* error = std::get_if<tare::cpu::ptx::ParseError>(&result);
  if (error != nullptr && (error->line == 0 || error->message.empty())) std::abort();
  return 0;
}
