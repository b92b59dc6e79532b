#include "cpu/runtime/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "cpu/runtime/host.hpp"
#include "cpu/runtime/visible_devices.hpp"

namespace tare::cpu {
namespace {

constexpr int kMostThreads = 1024;

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

/// Of "9.0", "10.3".
std::optional<const Capability*> capability(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto major = number(text.substr(0, dot));
  const auto minor = number(text.substr(dot + 1));
  if (!major || !minor || *major < 0 || *major > 99 || *minor < 0 || *minor > 9) return std::nullopt;
  const Capability* const found = find_capability(*major * 10 + *minor);
  return found == nullptr ? std::nullopt : std::optional(found);
}

std::optional<codegen::Tier> tier(std::string_view text) {
  if (text == "automatic") return codegen::Tier::automatic;
  if (text == "general") return codegen::Tier::general;
  if (text == "fast") return codegen::Tier::fast;
  return std::nullopt;
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
  // An empty variable is one that is not set.
  const auto take = [&settings](const char* name, const char* what, auto read, auto& setting) {
    const std::string_view text = variable(name);
    if (text.empty()) return;
    if (const auto value = read(text))
      setting = *value;
    else
      settings.not_understood.push_back(std::string(name) + "=" + std::string(text) + " is not " + what +
                                        "; it is passed over");
  };
  const auto within = [](int least, int most) {
    return [=](std::string_view text) {
      const auto value = number(text);
      return value && *value >= least && *value <= most ? value : std::nullopt;
    };
  };
  settings.threads = std::clamp(usable_cores(), 1, kMostThreads);
  take("TARE_CPU_DEVICES", "a number of devices from 1 to 64", within(1, 64), settings.devices);
  take("TARE_CPU_CC", "the compute capability of a GPU from 5.0 to 12.1", capability, settings.capability);
  take("TARE_CPU_THREADS", "a number of threads from 1 to 1024", within(1, kMostThreads), settings.threads);
  take("TARE_CPU_TIER", "automatic, general or fast", tier, settings.compile.tier);
  take("TARE_CPU_OPT", "a level from 0 to 2", within(0, 2), settings.compile.optimisation);
  take("TARE_CPU_FAULTS", "0 or 1", within(0, 1), settings.tell_faults);
  take("CUDA_CACHE_MAXSIZE", "a number of bytes", number<std::uint64_t>, settings.compile.object_cache_bytes);
  // This one means something when it is empty.
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const auto seen = visible_devices(
      visible == nullptr ? std::nullopt : std::optional<std::string_view>(visible), settings.devices);
  settings.visible_twice = !seen;
  settings.visible = seen.value_or(std::vector<int>{});
  settings.eager_loading = variable("CUDA_MODULE_LOADING") == "EAGER";
  settings.compile.use_object_cache = variable("CUDA_CACHE_DISABLE") != "1";
  if (settings.compile.use_object_cache) settings.compile.object_cache_directory = object_cache_directory();
  return settings;
}

}  // namespace tare::cpu
