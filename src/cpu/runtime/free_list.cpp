#include "cpu/runtime/free_list.hpp"

#include <iterator>

namespace tare::cpu {

std::optional<std::size_t> FreeList::take(std::size_t size) {
  for (auto piece = free_.begin(); piece != free_.end(); ++piece) {
    if (piece->second < size) continue;
    const auto [offset, available] = *piece;
    free_.erase(piece);
    if (available > size) free_.emplace(offset + size, available - size);
    used_ += size;
    return offset;
  }
  return std::nullopt;
}

void FreeList::give_back(std::size_t offset, std::size_t size) {
  used_ -= size;
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && next->first == offset + size) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      offset = previous->first;
      size += previous->second;
      free_.erase(previous);
    }
  }
  free_.emplace(offset, size);
}

}  // namespace tare::cpu
