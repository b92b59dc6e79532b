// Compiled kernels on disk, one file each. Any failure is a miss; nothing here ever throws. No LLVM.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tare::cpu::codegen {

using ObjectKey = std::array<std::uint64_t, 2>;

struct CachedObject {
  std::uint64_t frame_bytes_per_thread = 0;
  std::vector<char> object;
};

/// The entry of this key, if there is one and its checksum holds.
std::optional<CachedObject> find_object(const std::string& directory, const ObjectKey& key);
/// Written aside and renamed, so that a reader sees a whole entry or none. Creates the directory.
void keep_object(const std::string& directory, const ObjectKey& key, const CachedObject& object);

}  // namespace tare::cpu::codegen
