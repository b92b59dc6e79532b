// Which pieces of a range are free. It knows offsets only, so that whoever has the memory behind them cannot
// damage it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

namespace tare::cpu {

/// The free pieces of [0, bytes), in bytes. Not thread-safe.
class FreeList {
 public:
  explicit FreeList(std::size_t bytes) : free_{{0, bytes}} {}
  /// The offset of `size` bytes, from the first piece that has them; nullopt where none has.
  std::optional<std::size_t> take(std::size_t size);
  /// What take() gave out, of the same size.
  void give_back(std::size_t offset, std::size_t size);
  /// Of all that was taken.
  std::size_t used() const { return used_; }

 private:
  std::map<std::size_t, std::size_t> free_;  // offset -> bytes
  std::size_t used_ = 0;
};

}  // namespace tare::cpu
