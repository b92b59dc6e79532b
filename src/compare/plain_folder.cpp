#include "compare/plain_folder.hpp"

#include <string>
#include <string_view>

#include "tare/error.hpp"

namespace tare::compare {
namespace {

namespace fs = std::filesystem;

/// Bytes that follow a first byte of UTF-8; -1 where it is none.
int bytes_after(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xc2 && first < 0xe0) return 1;
  if (first >= 0xe0 && first < 0xf0) return 2;
  if (first >= 0xf0 && first < 0xf5) return 3;
  return -1;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const int more = bytes_after(static_cast<unsigned char>(text[at++]));
    if (more < 0) return false;
    for (int i = 0; i < more; ++i, ++at)
      if (at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xc0) != 0x80) return false;
  }
  return true;
}

bool is_plain(std::string_view name) {
  return is_utf8(name) && name.find_first_of("\"'`\\,;$&|<>()*?[]{}#!\n\t") == std::string_view::npos;
}

}  // namespace

fs::path plain_folder(const fs::path& folder, const fs::path& links) {
  if (is_plain(folder.string())) return folder;
  std::error_code error;
  fs::create_directories(links, error);
  for (int i = 0; !error; ++i) {
    const fs::path link = links / std::to_string(i);
    std::error_code none;
    if (fs::is_symlink(fs::symlink_status(link, none))) {
      if (fs::read_symlink(link, error) == folder) return link;
      continue;
    }
    fs::create_directory_symlink(folder, link, error);
    if (!error) return link;
  }
  throw Error(ErrorKind::io, "cannot make a link in " + links.string() + ": " + error.message());
}

}  // namespace tare::compare
