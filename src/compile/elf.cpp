// Bounds-checked reads of ELF headers, notes and symbols, and a scan for PTX entries.
#include "compile/elf.hpp"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace tare::detail {
namespace {

template <class T>
std::optional<T> read_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

bool is_elf64(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64;
}

std::string hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string build_id_in_notes(std::string_view notes) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data(), sizeof note);
    const std::size_t name = sizeof note;
    const std::size_t value = name + ((note.n_namesz + 3u) & ~3u);
    const std::size_t end = value + ((note.n_descsz + 3u) & ~3u);
    if (end > notes.size()) return {};
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(name, note.n_namesz) == std::string_view("GNU\0", 4))
      return hex(notes.substr(value, note.n_descsz));
    notes.remove_prefix(end);
  }
  return {};
}

}  // namespace

std::string elf_build_id(const std::filesystem::path& file) {
  constexpr std::size_t kStart = 4096, kLargestNotes = 1u << 16;
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const auto read_range = [fd](std::uint64_t offset, std::size_t size) {
    std::string bytes(size, '\0');
    const ssize_t got = ::pread(fd, bytes.data(), size, static_cast<off_t>(offset));
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  };
  // Program headers, and nearly always the notes too, are at the start.
  const std::string start = read_range(0, kStart);
  const auto bytes = std::as_bytes(std::span(start));
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  std::string id;
  for (unsigned i = 0; header && is_elf64(*header) && id.empty() && i < header->e_phnum; ++i) {
    const auto segment = read_at<Elf64_Phdr>(bytes, header->e_phoff + std::uint64_t{i} * header->e_phentsize);
    if (!segment || segment->p_type != PT_NOTE || segment->p_filesz > kLargestNotes) continue;
    const bool at_start = segment->p_offset + segment->p_filesz <= start.size();
    id = build_id_in_notes(at_start ? start.substr(segment->p_offset, segment->p_filesz)
                                    : read_range(segment->p_offset, segment->p_filesz));
  }
  ::close(fd);
  return id;
}

std::vector<std::string> cubin_entries(std::span<const std::byte> cubin) {
  constexpr unsigned kEntryFlag = 0x10;  // in st_other: a function that can be launched
  std::vector<std::string> names;
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  if (!header || !is_elf64(*header)) return names;
  const auto section = [&](std::uint64_t index) {
    return read_at<Elf64_Shdr>(cubin, header->e_shoff + index * header->e_shentsize);
  };
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto table = section(i);
    if (!table || table->sh_type != SHT_SYMTAB || table->sh_entsize < sizeof(Elf64_Sym)) continue;
    const auto strings = section(table->sh_link);
    for (std::uint64_t at = 0; strings && at + sizeof(Elf64_Sym) <= table->sh_size; at += table->sh_entsize) {
      const auto symbol = read_at<Elf64_Sym>(cubin, table->sh_offset + at);
      if (!symbol) break;
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || (symbol->st_other & kEntryFlag) == 0) continue;
      const std::uint64_t start = strings->sh_offset + symbol->st_name;
      if (start >= cubin.size()) continue;
      const auto* text = reinterpret_cast<const char*>(cubin.data()) + start;
      names.emplace_back(text, ::strnlen(text, cubin.size() - start));
    }
  }
  return names;
}

std::vector<std::string> ptx_entries(std::span<const std::byte> ptx) {
  const std::string_view text(reinterpret_cast<const char*>(ptx.data()), ptx.size());
  constexpr std::string_view kEntry = ".entry";
  std::vector<std::string> names;
  for (std::size_t at = text.find(kEntry); at != std::string_view::npos; at = text.find(kEntry, at + 1)) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n", at + kEntry.size());
    if (begin == std::string_view::npos || begin == at + kEntry.size()) continue;
    const std::size_t end = text.find_first_of(" \t\r\n(", begin);
    const std::size_t body = text.find_first_of("{;", begin);
    if (end == std::string_view::npos || body == std::string_view::npos || text[body] == ';') continue;
    std::string name(text.substr(begin, end - begin));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace tare::detail
