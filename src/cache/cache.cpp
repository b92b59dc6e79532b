// The public face of the cache: one shared state per directory, and what the command line asks of it.
#include "tare/cache.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "cache/store.hpp"
#include "compile/toolkit_places.hpp"

namespace tare {
namespace fs = std::filesystem;
namespace {

std::shared_ptr<Cache::State> shared_state(const fs::path& directory, std::uint64_t max_bytes) {
  static std::mutex mutex;
  static std::map<std::pair<fs::path, std::uint64_t>, std::shared_ptr<Cache::State>> states;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Cache::State>& state = states[{directory, max_bytes}];
  if (!state) {
    state = std::make_shared<Cache::State>();
    state->directory = directory;
    state->max_bytes = max_bytes;
  }
  return state;
}

std::map<std::string, std::string> by_name(const std::vector<CacheInput>& inputs, bool shorten) {
  std::map<std::string, std::string> named;
  for (const CacheInput& input : inputs)
    named[input.name] = shorten ? detail::short_form(input.value) : input.value;
  return named;
}

std::vector<CacheExplanation::Difference> differences(const std::map<std::string, std::string>& wanted,
                                                      const std::map<std::string, std::string>& kept) {
  std::set<std::string> names;
  for (const auto& [name, value] : wanted) names.insert(name);
  for (const auto& [name, value] : kept) names.insert(name);
  const auto value_in = [](const auto& values, const std::string& name) {
    const auto it = values.find(name);
    return it == values.end() ? std::string() : it->second;
  };
  std::vector<CacheExplanation::Difference> found;
  for (const std::string& name : names) {
    std::string a = value_in(wanted, name), b = value_in(kept, name);
    if (a != b || wanted.contains(name) != kept.contains(name))
      found.push_back({name, std::move(a), std::move(b)});
  }
  return found;
}

}  // namespace

fs::path Cache::default_directory() {
  std::error_code error;
  if (const std::string named = detail::environment("TARE_CACHE_DIR"); !named.empty())
    return fs::absolute(named, error);
  // The XDG base directory specification: a relative path is to be ignored.
  if (const fs::path xdg = detail::environment("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "tare";
  if (const fs::path home = detail::environment("HOME"); home.is_absolute()) return home / ".cache" / "tare";
  return {};
}

Cache::Cache(fs::path directory, std::uint64_t max_bytes)
    : state_(shared_state(std::move(directory), max_bytes)) {}

Cache::~Cache() = default;

const fs::path& Cache::directory() const noexcept {
  return state_->directory;
}

CacheCounters Cache::counters() const {
  const std::lock_guard lock(state_->mutex);
  return state_->counters;
}

CacheCounters Cache::stats() const {
  return detail::read_counters(state_->directory);
}

std::string Cache::unusable() const {
  return detail::directory_fault(state_->directory);
}

std::vector<CacheEntry> Cache::entries() const {
  return detail::list_entries(state_->directory);
}

std::uint64_t Cache::total_bytes() const {
  std::uint64_t total = 0;
  for (const CacheEntry& entry : entries()) total += entry.bytes;
  return total;
}

std::size_t Cache::clear() const {
  return unusable().empty() ? detail::remove_all_entries(state_->directory) : 0;
}

CacheExplanation Cache::explain(const std::vector<CacheInput>& inputs) const {
  CacheExplanation explanation;
  explanation.key = detail::hex(detail::key_of(inputs));
  const auto wanted = by_name(inputs, true);
  for (const CacheEntry& entry : entries()) {
    if (entry.key == explanation.key) {
      explanation.present = true;
      explanation.nearest = entry.key;
      explanation.differences.clear();
      return explanation;
    }
    const auto bytes = detail::read_entry(entry.path);
    const auto kept = bytes ? detail::decode_inputs(*bytes) : std::vector<CacheInput>();
    if (kept.empty()) continue;
    auto found = differences(wanted, by_name(kept, false));
    if (explanation.nearest.empty() || found.size() < explanation.differences.size()) {
      explanation.nearest = entry.key;
      explanation.differences = std::move(found);
    }
  }
  return explanation;
}

}  // namespace tare
