// Asking the terminal what it is, and drawing the progress line on it.
#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tare::cli {
namespace {

constexpr unsigned kWidthElsewhere = 140;

bool is_dumb() {
  const char* term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) == "dumb";
}

}  // namespace

bool colour_wanted(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(descriptor) == 1 && (no_color == nullptr || *no_color == '\0') && !is_dumb();
}

bool utf8_wanted() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale(value);
    for (const char* utf8 : {"UTF-8", "utf-8", "UTF8", "utf8"})
      if (locale.find(utf8) != std::string_view::npos) return true;
    return false;
  }
  return false;
}

unsigned width_of(int descriptor) {
  winsize size{};
  if (isatty(descriptor) == 1 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return kWidthElsewhere;
}

ProgressLine::ProgressLine() : shown_(isatty(STDERR_FILENO) == 1 && !is_dumb()) {}

void ProgressLine::step(int done, int total, const std::string& what) {
  if (!shown_) return;
  std::string line = "[" + std::to_string(done) + "/" + std::to_string(total) + "] " + what;
  // A line that wraps could not be cleared.
  if (const unsigned width = width_of(STDERR_FILENO); line.size() >= width) line.resize(width - 1);
  std::fprintf(stderr, "\r%s\033[K", line.c_str());
  std::fflush(stderr);
  written_ = true;
}

void ProgressLine::clear() {
  if (!written_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  written_ = false;
}

}  // namespace tare::cli
