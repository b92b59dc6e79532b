// open() without waiting, then fstat(): what is opened is what is looked at.
#include "compare/case/plain_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "compare/case/complaint.hpp"

namespace tare::compare {
namespace {

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "it is a directory";
  if (S_ISFIFO(mode)) return "it is a pipe, not a file";
  if (S_ISSOCK(mode)) return "it is a socket, not a file";
  return "it is a device, not a file";
}

}  // namespace

PlainFile::PlainFile(const std::filesystem::path& path)
    : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  struct stat status {};
  if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) {
    const std::string why = errno == ENXIO ? "it is a socket, not a file" : std::strerror(errno);
    if (descriptor_ >= 0) close(descriptor_);
    throw Complaint(why);
  }
  if (S_ISREG(status.st_mode)) return;
  close(descriptor_);
  throw Complaint(kind_of(status.st_mode));
}

PlainFile::~PlainFile() {
  close(descriptor_);
}

std::size_t PlainFile::read(void* to, std::size_t bytes) {
  std::size_t have = 0;
  while (have < bytes) {
    const ssize_t count = ::read(descriptor_, static_cast<char*>(to) + have, bytes - have);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Complaint(std::strerror(errno));
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
  }
  return have;
}

std::string read_plain_text(const std::filesystem::path& path) {
  PlainFile file(path);
  std::string text;
  // Not by the file's size, which is 0 below /proc.
  for (std::size_t block = 64u << 10; text.size() <= kLongestText; block = text.size()) {
    const std::size_t before = text.size();
    text.resize(before + block);
    const std::size_t count = file.read(text.data() + before, block);
    text.resize(before + count);
    if (count < block) break;
  }
  if (text.size() > kLongestText)
    throw Complaint("it is longer than " + std::to_string(kLongestText >> 20) + " MiB");
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

}  // namespace tare::compare
