#include "driver/shared_library.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tare::detail {
namespace {

template <class T>
bool read_at(int fd, std::uint64_t offset, T& value) {
  return ::pread(fd, &value, sizeof value, static_cast<off_t>(offset)) == static_cast<ssize_t>(sizeof value);
}

/// Bytes that the file has to have, by its program headers; 0 for what is no 64-bit ELF file.
std::uint64_t announced_bytes(int fd) {
  Elf64_Ehdr header;
  if (!read_at(fd, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return 0;
  std::uint64_t bytes = 0;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const std::uint64_t at = header.e_phoff + std::uint64_t{i} * header.e_phentsize;
    Elf64_Phdr segment;
    if (!read_at(fd, at, segment)) return at + sizeof segment;
    if (segment.p_type == PT_LOAD) bytes = std::max(bytes, segment.p_offset + segment.p_filesz);
  }
  return bytes;
}

/// Empty where there is no such fault, or no file to see it in.
std::string cut_off(const std::string& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {};
  struct stat status = {};
  std::string fault;
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    if (const std::uint64_t announced = announced_bytes(fd); announced > bytes)
      fault = "the file is cut off: it has " + std::to_string(bytes) + " bytes of at least " +
              std::to_string(announced);
  }
  ::close(fd);
  return fault;
}

}  // namespace

void* open_shared_library(const std::string& file, std::string& why) {
  if (file.find('/') != std::string::npos) {
    why = cut_off(file);
    if (!why.empty()) return nullptr;
  }
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* text = ::dlerror();
    why = text != nullptr ? text : "dlopen failed";
    if (why.starts_with(file + ": ")) why.erase(0, file.size() + 2);
  }
  return library;
}

}  // namespace tare::detail
