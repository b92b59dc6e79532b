// File format: "TAREOBJ2", the key (16 bytes), frame bytes and object size (8 bytes each), the object,
// and the checksum of all that.
#include "cpu/codegen/object_cache.hpp"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "store/directory.hpp"
#include "store/file.hpp"

namespace tare::cpu::codegen {
namespace {

constexpr char kMagic[8] = {'T', 'A', 'R', 'E', 'O', 'B', 'J', '2'};
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // a longer file is neither written nor read
constexpr store::Names kNames{.key_digits = 32, .suffix = ".kernel", .temporary = ".kernel-"};

struct Header {
  char magic[8];
  ObjectKey key;
  std::uint64_t frame_bytes;
  std::uint64_t object_bytes;
};
static_assert(sizeof(Header) == 40);

constexpr std::size_t kAround = sizeof(Header) + store::kChecksumBytes;

std::filesystem::path path_of(const std::string& directory, const ObjectKey& key) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (const std::uint64_t word : key) {
    for (int shift = 60; shift >= 0; shift -= 4) digits += kDigits[(word >> shift) & 15];
  }
  return kNames.path(directory, digits);
}

bool is_whole(std::string_view bytes, std::uint64_t file_bytes, const ObjectKey& key) {
  Header header{};
  if (bytes.size() < sizeof header || file_bytes < kAround || file_bytes > kMostBytes) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return std::memcmp(header.magic, kMagic, sizeof kMagic) == 0 && header.key == key &&
         header.object_bytes == file_bytes - kAround;
}

std::optional<CachedObject> decode(std::string_view bytes, const ObjectKey& key) {
  if (!is_whole(bytes, bytes.size(), key)) return std::nullopt;
  const std::string_view content = bytes.substr(0, bytes.size() - store::kChecksumBytes);
  if (store::checksum(content) != bytes.substr(content.size())) return std::nullopt;
  Header header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  CachedObject object;
  object.frame_bytes_per_thread = header.frame_bytes;
  object.object.assign(content.begin() + sizeof header, content.end());
  return object;
}

void warn_once(const std::string& reason) {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true))
    std::fprintf(stderr, "tare CPU device: compiled kernels are not kept: %s\n", reason.c_str());
}

/// A directory is listed when the first kernel of this process is kept in it, then after every kListAfter
/// more, or when these may have filled it: a listing of a full directory takes as long as a small compile.
bool is_worth_listing(const std::string& directory, std::uint64_t bytes, std::uint64_t max_bytes) {
  constexpr unsigned kListAfter = 64;
  struct Kept {
    unsigned count = 0;
    std::uint64_t bytes = 0;
  };
  static std::mutex mutex;
  static std::map<std::string, Kept> since;
  const std::scoped_lock lock(mutex);
  const auto [it, is_first] = since.try_emplace(directory);
  Kept& kept = it->second;
  kept.bytes += bytes;
  // Eviction leaves a tenth of the bound free.
  if (!is_first && ++kept.count < kListAfter && kept.bytes < max_bytes / 20) return false;
  kept = {};
  return true;
}

std::string try_to_keep(const std::string& directory, const std::filesystem::path& path,
                        std::string_view bytes) {
  std::string fault = store::directory_fault(directory);
  if (fault.empty()) fault = store::make_directory(directory);
  // Not waiting for the disk: what a crash tears is found by its checksum, and compiled in milliseconds.
  if (fault.empty()) fault = store::write_atomically(path, kNames.temporary, bytes, store::Durable::no);
  return fault;
}

}  // namespace

std::optional<CachedObject> find_object(const std::string& directory, const ObjectKey& key) {
  const std::filesystem::path path = path_of(directory, key);
  if (store::find(path) != store::Found::usable || !store::directory_fault(directory).empty())
    return std::nullopt;
  const auto bytes = store::read_checked(
      path, sizeof(Header),
      [&](std::string_view header, std::uint64_t file_bytes) { return is_whole(header, file_bytes, key); });
  std::optional<CachedObject> object = bytes ? decode(*bytes, key) : std::nullopt;
  if (object) {
    store::mark_used(path);
  } else {
    store::set_aside(path);
  }
  return object;
}

void keep_object(const std::string& directory, const ObjectKey& key, const CachedObject& object,
                 std::uint64_t max_bytes) {
  if (object.object.size() > kMostBytes - kAround) return;
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.key = key;
  header.frame_bytes = object.frame_bytes_per_thread;
  header.object_bytes = object.object.size();
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(object.object.begin(), object.object.end());
  bytes += store::checksum(bytes);
  if (const std::string fault = try_to_keep(directory, path_of(directory, key), bytes); !fault.empty())
    return warn_once(fault);
  if (is_worth_listing(directory, bytes.size(), max_bytes)) store::evict(directory, kNames, max_bytes);
}

}  // namespace tare::cpu::codegen
