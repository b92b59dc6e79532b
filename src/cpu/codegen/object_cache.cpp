// File format: "TAREOBJ1", the key (16 bytes), frame bytes and object size (8 bytes each), the object,
// and the XXH3-128 of all that.
#include "cpu/codegen/object_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstring>
#include <filesystem>

namespace tare::cpu::codegen {
namespace {

constexpr char kMagic[8] = {'T', 'A', 'R', 'E', 'O', 'B', 'J', '1'};
constexpr std::size_t kTrailer = 16;
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // a longer file is neither written nor read

struct Header {
  char magic[8];
  ObjectKey key;
  std::uint64_t frame_bytes;
  std::uint64_t object_bytes;
};
static_assert(sizeof(Header) == 40);

std::string path_of(const std::string& directory, const ObjectKey& key) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name;
  for (const std::uint64_t word : key) {
    for (int shift = 60; shift >= 0; shift -= 4) name += kDigits[(word >> shift) & 15];
  }
  return directory + "/" + name + ".kernel";
}

std::array<std::uint64_t, 2> checksum(const char* data, std::size_t size) {
  const XXH128_hash_t hash = XXH3_128bits(data, size);
  return {hash.high64, hash.low64};
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

bool read_all(int descriptor, char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t count = read(descriptor, to, size);
    if (count <= 0) return false;
    to += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool write_all(int descriptor, const char* from, std::size_t size) {
  while (size > 0) {
    const ssize_t count = write(descriptor, from, size);
    if (count <= 0) return false;
    from += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

std::optional<CachedObject> find_object(const std::string& directory, const ObjectKey& key) {
  const File file(open(path_of(directory, key).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const auto size = static_cast<std::size_t>(status.st_size);
  // The header decides whether the rest is read: a file of any size can lie under this name.
  Header header{};
  if (size < sizeof header + kTrailer || size > kMostBytes ||
      !read_all(file.get(), reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.key != key ||
      header.object_bytes != size - sizeof header - kTrailer) {
    return std::nullopt;
  }
  std::vector<char> bytes(size);
  std::memcpy(bytes.data(), &header, sizeof header);
  if (!read_all(file.get(), bytes.data() + sizeof header, size - sizeof header)) return std::nullopt;
  const auto sum = checksum(bytes.data(), size - kTrailer);
  if (std::memcmp(sum.data(), bytes.data() + size - kTrailer, kTrailer) != 0) return std::nullopt;
  CachedObject object;
  object.frame_bytes_per_thread = header.frame_bytes;
  object.object.assign(bytes.begin() + sizeof header, bytes.end() - kTrailer);
  return object;
}

void keep_object(const std::string& directory, const ObjectKey& key, const CachedObject& object) {
  std::error_code ignored;
  std::filesystem::create_directories(directory, ignored);
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.key = key;
  header.frame_bytes = object.frame_bytes_per_thread;
  header.object_bytes = object.object.size();
  if (object.object.size() > kMostBytes - sizeof header - kTrailer) return;
  std::vector<char> bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes.insert(bytes.end(), object.object.begin(), object.object.end());
  const auto sum = checksum(bytes.data(), bytes.size());
  bytes.resize(bytes.size() + kTrailer);
  std::memcpy(bytes.data() + bytes.size() - kTrailer, sum.data(), kTrailer);
  std::string temporary = directory + "/.kernel-XXXXXX";
  bool written = false;
  {
    const File file(mkostemp(temporary.data(), O_CLOEXEC));
    if (!file.is_open()) return;
    written = write_all(file.get(), bytes.data(), bytes.size());
  }
  if (!written || rename(temporary.c_str(), path_of(directory, key).c_str()) != 0) unlink(temporary.c_str());
}

}  // namespace tare::cpu::codegen
