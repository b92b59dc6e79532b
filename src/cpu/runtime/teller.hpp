// Lines on stderr about calls that were refused, for programs that do not know how to ask for the text.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tare::cpu {

class Teller {
 public:
  /// Quiet for good unless `aloud`.
  explicit Teller(bool aloud) : aloud_(aloud) {}
  /// Writes "tare CPU device: TEXT", once for each text, and kMost texts at most: programs probe. Takes no
  /// lock, so that a forked child may call it too.
  void tell(std::string_view text) noexcept;

  static constexpr std::size_t kMost = 64;

 private:
  const bool aloud_;
  std::array<std::atomic<std::uint64_t>, kMost> told_{};  // hashes; 0: a free place
};

}  // namespace tare::cpu
