#include "compile/device_library.hpp"

#include <cstdint>
#include <cstring>

#include "compile/temporary_directory.hpp"
#include "tare/error.hpp"

namespace tare::detail {
namespace {

/// LLVM's bitstream at its outermost level: a magic number, then blocks, each a word with its kind and a word
/// with its length in words (https://llvm.org/docs/BitCodeFormat.html).
bool is_whole_bitcode(const std::string& bytes) {
  constexpr std::uint32_t kMagic = 0xdec04342, kKindBits = 3, kBlock = 1;
  const auto word_at = [&](std::uint64_t at) {
    std::uint32_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
  };
  if (bytes.size() < 4 || word_at(0) != kMagic) return false;
  std::uint64_t at = 4;
  while (at + 8 <= bytes.size() && (word_at(at) & kKindBits) == kBlock)
    at += 8 + std::uint64_t{4} * word_at(at + 4);
  return at > 4 && at == bytes.size();
}

}  // namespace

std::string read_device_library(const std::filesystem::path& file) {
  std::string bytes = read_file(file);
  if (!is_whole_bitcode(bytes))
    throw Error(
        ErrorKind::io,
        "the device library " + file.string() + " is damaged: its " + std::to_string(bytes.size()) +
            " bytes are no whole LLVM bitcode",
        "install it anew (pip install --force-reinstall 'nvidia-nvvm==13.0.*'), or set TARE_NVVM to the "
        "libnvvm.so of another toolkit");
  return bytes;
}

}  // namespace tare::detail
