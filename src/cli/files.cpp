// A temporary file beside the target, flushed to disk and then renamed: the rename is the only moment at
// which the target changes.
#include "cli/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "compare/case/complaint.hpp"
#include "compare/case/plain_file.hpp"
#include "tare/error.hpp"

namespace tare::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what, const fs::path& path, int error) {
  throw Error(ErrorKind::io, "cannot " + what + " " + path.string() + ": " + std::strerror(error));
}

/// Closes its descriptor and, unless kept, removes the file.
struct Pending {
  int descriptor = -1;
  fs::path path;
  bool kept = false;
  ~Pending() {
    if (descriptor >= 0) close(descriptor);
    if (descriptor >= 0 && !kept) unlink(path.c_str());
  }
};

void write_all(int descriptor, const std::string& content, const fs::path& path) {
  for (std::size_t at = 0; at < content.size();) {
    const ssize_t count = write(descriptor, content.data() + at, content.size() - at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write", path, errno);
    at += static_cast<std::size_t>(count);
  }
  if (fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS) fail("write", path, errno);
}

fs::path folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return folder.empty() ? "." : folder;
}

/// Neither a missing file nor a plain one: /dev/null or a pipe is written to, not replaced.
bool is_special(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status);
}

void write_special(const fs::path& path, const std::string& content) {
  Pending file{open(path.c_str(), O_WRONLY | O_CLOEXEC), path, true};
  if (file.descriptor < 0) fail("write", path, errno);
  write_all(file.descriptor, content, path);
}

}  // namespace

void replace_file(const fs::path& path, const std::string& content) {
  if (is_special(path)) return write_special(path, content);
  std::string temporary = (folder_of(path) / ("." + path.filename().string() + ".XXXXXX")).string();
  Pending file{mkostemp(temporary.data(), O_CLOEXEC), temporary};
  file.path = temporary;
  if (file.descriptor < 0) fail("write", path, errno);
  write_all(file.descriptor, content, path);
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(file.descriptor, 0666 & ~mask) != 0) fail("write", path, errno);
  if (rename(temporary.c_str(), path.c_str()) != 0) fail("write", path, errno);
  file.kept = true;
}

void check_replaceable(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) fail("write", path, EISDIR);
  const fs::path written = is_special(path) ? path : folder_of(path);
  if (access(written.c_str(), W_OK) != 0) fail("write", path, errno);
}

void create_file(const fs::path& path, const std::string& content) {
  Pending file{open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), path};
  if (file.descriptor < 0 && errno == EEXIST)
    throw Error(ErrorKind::argument, path.string() + " exists already", "-o FILE writes to another place");
  if (file.descriptor < 0) fail("write", path, errno);
  write_all(file.descriptor, content, path);
  file.kept = true;
}

std::string read_file(const fs::path& path) {
  try {
    return compare::read_plain_text(path);
  } catch (const compare::Complaint& complaint) {
    throw Error(ErrorKind::not_found, "cannot read " + path.string() + ": " + complaint.what());
  }
}

}  // namespace tare::cli
