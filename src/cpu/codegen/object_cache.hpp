// Compiled kernels on disk, one file each, in a directory under a bound; the rules are store/directory.hpp's,
// as those of the compile cache are. Any failure is a miss, or nothing kept; nothing here ever throws. No
// LLVM.
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

/// The entry of this key, if there is one and its checksum holds; it counts as used now. A damaged one is set
/// aside.
std::optional<CachedObject> find_object(const std::string& directory, const ObjectKey& key);

/// Written aside and renamed, so that a reader sees a whole entry or none; then the least recently used
/// entries are removed while there are more than `max_bytes`. Creates the directory. Where nothing can be
/// kept, says why on stderr, once per process.
void keep_object(const std::string& directory, const ObjectKey& key, const CachedObject& object,
                 std::uint64_t max_bytes);

}  // namespace tare::cpu::codegen
