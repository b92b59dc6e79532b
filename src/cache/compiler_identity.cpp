// stat(2) and the ELF note, put into one line of text per file.
#include "cache/compiler_identity.hpp"

#include <sys/stat.h>

#include "cache/digest.hpp"
#include "compile/elf.hpp"
#include "compile/temporary_directory.hpp"

namespace tare::detail {
namespace fs = std::filesystem;
namespace {

std::string stat_text(const struct stat& status) {
  return "size " + std::to_string(status.st_size) + " mtime " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec) + " inode " + std::to_string(status.st_ino);
}

}  // namespace

std::string file_identity(const fs::path& file) {
  constexpr long kSmall = 64 * 1024;
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) return file.string() + " absent";
  std::string text = file.string() + " " + stat_text(status);
  if (const std::string id = elf_build_id(file); !id.empty())
    text += " build-id " + id;
  else if (S_ISREG(status.st_mode) && status.st_size <= kSmall)
    text += " sha256 " + hex(sha256(read_file(file)));
  return text;
}

std::string compiler_identity(const fs::path& compiler, const std::vector<fs::path>& companions) {
  std::string text = file_identity(compiler);
  for (const fs::path& companion : companions) text += "; " + file_identity(companion);
  return text;
}

std::string package_identity(const fs::path& include_dir) {
  std::string text;
  for (const char* part : {"", "cuda.h", "cuda_runtime_api.h", "cuda_fp16.hpp", "crt", "cub/version.cuh",
                           "cuda/std/version", "cuda/std/__cccl"}) {
    struct stat status = {};
    if (::stat((include_dir / part).c_str(), &status) == 0)
      text += std::string(part) + " " + stat_text(status) + "; ";
  }
  return text;
}

}  // namespace tare::detail
