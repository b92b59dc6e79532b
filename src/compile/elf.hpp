// The little of ELF that we need: a library's build id, and the kernels inside a cubin.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tare::detail {

/// The GNU build id in hex, read from the program headers only; empty where the file has none or is no
/// 64-bit ELF file. Reads a few kilobytes whatever the file's size.
std::string elf_build_id(const std::filesystem::path& file);

/// Symbols of the kernels in a cubin, in symbol table order; empty for anything else.
std::vector<std::string> cubin_entries(std::span<const std::byte> cubin);

/// Names of the `.entry` functions in PTX text that have a body, in order, each once.
std::vector<std::string> ptx_entries(std::span<const std::byte> ptx);

}  // namespace tare::detail
