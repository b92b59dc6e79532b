#include "cpu/runtime/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "cpu/runtime/host.hpp"

namespace tare::cpu {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

template <typename Number = int>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "9.0" -> 90, "10.3" -> 103.
std::optional<int> capability(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto major = number(text.substr(0, dot));
  const auto minor = number(text.substr(dot + 1));
  if (!major || !minor || *major < 5 || *major > 12 || *minor < 0 || *minor > 9) return std::nullopt;
  return *major * 10 + *minor;
}

std::string object_cache_directory() {
  if (const auto path = variable("CUDA_CACHE_PATH"); !path.empty()) return std::string(path) + "/tare-cpu";
  if (const auto path = variable("XDG_CACHE_HOME"); !path.empty()) {
    return std::string(path) + "/tare/cpu-objects";
  }
  if (const auto path = variable("HOME"); !path.empty()) {
    return std::string(path) + "/.cache/tare/cpu-objects";
  }
  return {};
}

}  // namespace

Settings read_settings() {
  Settings settings;
  settings.devices = std::clamp(number(variable("TARE_CPU_DEVICES")).value_or(1), 1, 64);
  settings.compute_capability = capability(variable("TARE_CPU_CC")).value_or(90);
  settings.threads = std::clamp(number(variable("TARE_CPU_THREADS")).value_or(usable_cores()), 1, 1024);
  settings.eager_loading = variable("CUDA_MODULE_LOADING") == "EAGER";

  const auto tier = variable("TARE_CPU_TIER");
  if (tier == "general") settings.compile.tier = codegen::Tier::general;
  if (tier == "fast") settings.compile.tier = codegen::Tier::fast;
  const int level = number(variable("TARE_CPU_OPT")).value_or(settings.compile.optimisation);
  if (level >= 0 && level <= 2) settings.compile.optimisation = level;
  settings.compile.use_object_cache = variable("CUDA_CACHE_DISABLE") != "1";
  if (settings.compile.use_object_cache) settings.compile.object_cache_directory = object_cache_directory();
  settings.compile.object_cache_bytes =
      number<std::uint64_t>(variable("CUDA_CACHE_MAXSIZE")).value_or(settings.compile.object_cache_bytes);
  return settings;
}

}  // namespace tare::cpu
