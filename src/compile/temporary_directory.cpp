// mkdtemp and its removal, and whole-file reads and writes that report what went wrong.
#include "compile/temporary_directory.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "store/size_limit.hpp"
#include "tare/error.hpp"

namespace tare::detail {

TemporaryDirectory::TemporaryDirectory(const std::filesystem::path& base) {
  const char* variable = std::getenv("TMPDIR");
  const std::filesystem::path otherwise = variable != nullptr && *variable != '\0' ? variable : "/tmp";
  // Absolute, because it becomes the TMPDIR of programs with a working directory of their own.
  std::string pattern = std::filesystem::absolute(base.empty() ? otherwise : base) / "tare-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr)
    throw Error(ErrorKind::io, "cannot make a private directory " + pattern + ": " + std::strerror(errno),
                "set TMPDIR to a directory that you may write");
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryDirectory::write(const std::string& name, std::string_view text) const {
  std::filesystem::path file = path_ / name;
  const store::NoSizeSignal no_signal;
  std::ofstream out(file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) throw Error(ErrorKind::io, "cannot write " + file.string() + ": " + std::strerror(errno));
  return file;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(ErrorKind::io, "cannot read " + path.string() + ": " + std::strerror(errno));
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace tare::detail
