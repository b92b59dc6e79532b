// SHA-256 from OpenSSL, and the length-prefixed encoding in front of it.
#include "cache/digest.hpp"

// EVP's set-up costs 0.8 ms per process, the digest of a key a few microseconds. The plain functions have
// none; OpenSSL 3 marks them as deprecated for good reasons that do not concern a checksum.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "tare/error.hpp"

namespace tare::detail {
namespace {

void append_sized(std::string& into, std::string_view text) {
  const std::uint64_t size = text.size();
  for (unsigned shift = 0; shift < 64; shift += 8) into += static_cast<char>((size >> shift) & 0xff);
  into += text;
}

}  // namespace

Key sha256(std::string_view bytes) {
  Key key;
  SHA256_CTX state;
  if (SHA256_Init(&state) != 1 || SHA256_Update(&state, bytes.data(), bytes.size()) != 1 ||
      SHA256_Final(reinterpret_cast<unsigned char*>(key.data()), &state) != 1)
    throw Error(ErrorKind::unsupported, "OpenSSL has no SHA-256");
  return key;
}

Key key_of(const std::vector<CacheInput>& inputs) {
  std::string encoded;
  for (const CacheInput& input : inputs) {
    append_sized(encoded, input.name);
    append_sized(encoded, input.value);
  }
  return sha256(encoded);
}

std::string hex(const Key& key) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : key) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

std::string short_form(const std::string& value) {
  constexpr std::size_t kShort = 200;
  const bool printable = std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c < 0x7f; });
  return value.size() <= kShort && printable ? value : "sha256:" + hex(sha256(value));
}

std::string join(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += std::to_string(value.size()) + ":" + value + " ";
  return text;
}

}  // namespace tare::detail
