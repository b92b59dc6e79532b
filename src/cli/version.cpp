// The version with what is needed to judge a copied binary: how it was built, and what it needs from the
// machine it runs on, read from the running process rather than promised by the build.
#include "cli/version.hpp"

#include <link.h>

#include <string_view>

#include "tare/version.hpp"

namespace tare::cli {
namespace {

int add_library(dl_phdr_info* info, std::size_t, void* list) {
  std::string_view path = info->dlpi_name;
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return 0;  // the program itself, and the kernel's own page
  path.remove_prefix(slash + 1);
  std::string& names = *static_cast<std::string*>(list);
  names += (names.empty() ? "" : ", ") + std::string(path);
  return 0;
}

}  // namespace

std::string version_text() {
  std::string libraries;
  dl_iterate_phdr(add_library, &libraries);
#ifdef NDEBUG
  const char* const build = "release";
#else
  const char* const build = "with assertions";
#endif
#ifdef __clang__
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  return "tare " + std::string(version()) + "\nbuilt   " + build + ", " + compiler + "\nlinked  " +
         (libraries.empty() ? "statically" : "statically, but for " + libraries);
}

}  // namespace tare::cli
