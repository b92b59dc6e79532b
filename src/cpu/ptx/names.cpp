// Scopes as one dictionary with a list per scope of what to undo when it ends: look-up costs the same
// at any depth.
#include "cpu/ptx/names.hpp"

#include <charconv>

namespace tare::cpu::ptx::detail {

namespace {

// The range's index that `digits` spell; false where they are not how it would be written.
bool range_index(std::string_view digits, std::uint64_t& index) {
  if (digits.size() > 1 && digits[0] == '0') return false;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  return code == std::errc() && end == digits.data() + digits.size();
}

}  // namespace

void Names::leave() {
  for (const std::string_view name : scopes_.back().names) {
    std::uint32_t& entry = names_.find(name)->second;
    entry = entries_[entry].shadowed;
  }
  for (const std::string_view prefix : scopes_.back().prefixes) ranges_.find(prefix)->second.pop_back();
  if (!scopes_.back().prefixes.empty()) range_depths_.pop_back();
  scopes_.pop_back();
}

Symbol* Names::insert(std::string_view name, const Symbol& symbol, std::size_t depth) {
  std::uint32_t& entry = names_.try_emplace(name, kNoId).first->second;
  entries_.push_back({symbol, static_cast<std::uint32_t>(depth), entry});
  entry = static_cast<std::uint32_t>(entries_.size() - 1);
  scopes_[depth - 1].names.push_back(name);
  return &entries_.back().symbol;
}

bool Names::declare(std::string_view name, const Symbol& symbol) {
  const std::uint32_t entry = entry_of(name);
  if (entry != kNoId && entries_[entry].depth == depth()) return false;
  if (const Range* range = find_range(name, depth() - 1); range != nullptr) return false;
  insert(name, symbol, depth());
  return true;
}

bool Names::declare_range(std::string_view prefix, std::uint64_t count, Type type, std::uint8_t width) {
  std::vector<Range>& same = ranges_[prefix];
  if (!same.empty() && same.back().depth == depth()) return false;
  same.push_back({count, type, width, static_cast<std::uint32_t>(depth())});
  if (scopes_.back().prefixes.empty()) range_depths_.push_back(static_cast<std::uint32_t>(depth()));
  scopes_.back().prefixes.push_back(prefix);
  return true;
}

// The innermost range, deeper than `above`, that has the name.
const Names::Range* Names::find_range(std::string_view name, std::size_t above) const {
  if (range_depths_.empty() || range_depths_.back() <= above) return nullptr;
  constexpr std::size_t kMostDigits = 10;
  const Range* best = nullptr;
  for (std::size_t at = name.size(); at > 1 && name.size() - at < kMostDigits;) {
    --at;
    if (name[at] < '0' || name[at] > '9') break;
    std::uint64_t index = 0;
    if (!range_index(name.substr(at), index)) continue;
    const auto it = ranges_.find(name.substr(0, at));
    if (it == ranges_.end() || it->second.empty()) continue;
    const Range& range = it->second.back();
    if (range.depth > above && index < range.count && (best == nullptr || range.depth > best->depth))
      best = &range;
  }
  return best;
}

std::uint32_t Names::entry_of(std::string_view name) const {
  const auto it = names_.find(name);
  return it == names_.end() ? kNoId : it->second;
}

Symbol* Names::find(std::string_view name) {
  const std::uint32_t entry = entry_of(name);
  const std::size_t depth = entry == kNoId ? 0 : entries_[entry].depth;
  if (const Range* range = find_range(name, depth); range != nullptr) {
    return insert(name, {Symbol::Kind::reg, kNoId, range->type, range->width}, range->depth);
  }
  return entry == kNoId ? nullptr : &entries_[entry].symbol;
}

}  // namespace tare::cpu::ptx::detail
