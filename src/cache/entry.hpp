// One cache entry as bytes. All numbers are little-endian.
//
//   offset  size
//        0     8  magic "TARE\r\n\x1a\x01"
//        8     4  format version, kFormatVersion
//       12     4  zero
//       16    32  key, SHA-256 of the inputs
//       48     8  bytes of metadata
//       56     8  bytes of payload
//       64        metadata (JSON, UTF-8), then payload (cubin or PTX)
//     last    16  XXH3-128 of everything before it, canonical form
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cache/digest.hpp"
#include "tare/compile.hpp"

namespace tare::detail {

inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr std::size_t kEntryHeaderBytes = 64;
/// A longer entry is neither written nor read.
inline constexpr std::uint64_t kMostEntryBytes = std::uint64_t{1} << 30;

/// A file that a compile opened, as it was then.
struct OpenedFile {
  std::string path;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::string content;  // SHA-256, hex
};

struct Entry {
  Compiled compiled;
  std::vector<CacheInput> inputs;                          // values in their short form
  std::vector<OpenedFile> opened;                          // checked again at every hit
  std::vector<std::string> headers_opened, probed_absent;  // the manifest; part of the key already
};

std::string encode_entry(const Key& key, const Entry& entry);

/// What is wrong with an entry of `file_bytes` whose first bytes are `header`; empty where the whole is worth
/// reading: a file of any size can lie under an entry's name.
std::string header_fault(std::string_view header, std::uint64_t file_bytes);

/// nullopt where the bytes are not a whole, unchanged entry of this key: `why` says what is wrong.
std::optional<Entry> decode_entry(const Key& key, std::string_view bytes, std::string& why);

/// The inputs of whatever entry the bytes are (for explaining misses); empty where damaged.
std::vector<CacheInput> decode_inputs(std::string_view bytes);

}  // namespace tare::detail
