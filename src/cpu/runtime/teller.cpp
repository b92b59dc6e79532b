#include "cpu/runtime/teller.hpp"

#include <cstdio>
#include <functional>

namespace tare::cpu {

void Teller::tell(std::string_view text) noexcept {
  if (!aloud_) return;
  const std::uint64_t hash = std::hash<std::string_view>{}(text) | 1;
  for (std::size_t i = 0; i < kMost; ++i) {
    std::uint64_t there = 0;
    if (told_[i].compare_exchange_strong(there, hash)) {
      std::fprintf(stderr, "tare CPU device: %.*s\n%s", static_cast<int>(text.size()), text.data(),
                   i + 1 == kMost ? "tare CPU device: further refusals are not told\n" : "");
      return;
    }
    if (there == hash) return;
  }
}

}  // namespace tare::cpu
