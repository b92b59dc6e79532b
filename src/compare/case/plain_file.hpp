// Files that a person names: only plain ones are read, because a device, a pipe or a directory may never
// end, never begin or have no bytes at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tare::compare {

/// A plain file, opened for reading. Never waits for a writer.
class PlainFile {
 public:
  /// Throws Complaint, the reason alone: "No such file or directory", "it is a pipe".
  explicit PlainFile(const std::filesystem::path& path);
  ~PlainFile();
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  /// Reads up to `bytes` bytes; fewer only at the end of the file. Throws Complaint.
  std::size_t read(void* to, std::size_t bytes);

 private:
  int descriptor_ = -1;
};

/// The longest text that is read whole: sources, cases and descriptions are far shorter.
inline constexpr std::size_t kLongestText = std::size_t{64} << 20;

/// The whole text of a plain file, without a UTF-8 byte order mark, which not every compiler takes. Throws
/// Complaint, the reason alone; also for more than kLongestText.
std::string read_plain_text(const std::filesystem::path& path);

}  // namespace tare::compare
