// A private directory for one child process's files. Its destructor removes it with everything in it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tare::detail {

/// Owner-only (0700), with an absolute path below `base`, else below TMPDIR or /tmp. Move-less; throws
/// Error(io) where none can be made.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::filesystem::path& base = {});
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  /// Writes a file in the directory and returns its path. Throws Error(io).
  std::filesystem::path write(const std::string& name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

/// The whole file. Throws Error(io).
std::string read_file(const std::filesystem::path& path);

}  // namespace tare::detail
