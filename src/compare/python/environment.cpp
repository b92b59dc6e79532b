// Choosing among pinned sets, and the names of packages.
#include "compare/python/environment.hpp"

#include <algorithm>

#include "compare/case/complaint.hpp"

namespace tare::compare {

const PinSet* find_pins(const PythonEnvironment& environment, int cuda, const std::string& version) {
  const auto fits = [&](const PinSet& pins) {
    return pins.cuda == cuda &&
           (pins.versions.empty() ||
            std::find(pins.versions.begin(), pins.versions.end(), version) != pins.versions.end());
  };
  const auto found = std::find_if(environment.pins.begin(), environment.pins.end(), fits);
  return found == environment.pins.end() ? nullptr : &*found;
}

std::string normalized_package(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool separator = c == '-' || c == '_' || c == '.';
    if (separator && !text.empty() && text.back() == '-') continue;
    text += separator ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

Pin parse_pin(const std::string& text) {
  const std::size_t at = text.find("==");
  const auto is_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  const auto is_version = [&](char c) { return is_name(c) || c == '+' || c == '!'; };
  if (at == std::string::npos || at == 0 || at + 2 == text.size() ||
      !std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), is_name) ||
      !std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 2, text.end(), is_version) ||
      text[0] == '-' || text[at + 2] == '-')
    throw Complaint("`" + text + "` is not an exact version: NAME==VERSION");
  return {normalized_package(text.substr(0, at)), text.substr(at + 2)};
}

}  // namespace tare::compare
