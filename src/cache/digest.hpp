// The cache's key: SHA-256 over named inputs, each with its length before it, so that no two different
// sets of inputs are ever the same bytes.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tare/cache.hpp"

namespace tare::detail {

using Key = std::array<std::byte, 32>;

Key sha256(std::string_view bytes);
/// Over all inputs in order: length and bytes of each name, length and bytes of each value.
Key key_of(const std::vector<CacheInput>& inputs);
std::string hex(const Key& key);

/// The value as an entry keeps it: itself where it is short and printable, else its digest.
std::string short_form(const std::string& value);

/// Several values as one, without ambiguity: each with its length before it.
std::string join(const std::vector<std::string>& values);

}  // namespace tare::detail
