#include "cpu/runtime/address_range.hpp"

#include <sys/mman.h>

namespace tare::cpu {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30;

struct Size {
  std::size_t given_out,
      margin;  // the margin is on either side, and what a 32-bit index of 8 bytes can reach
};
/// The largest that the process may have (RLIMIT_AS) is taken.
constexpr Size kSizes[] = {{256 * kGiB, 16 * kGiB}, {16 * kGiB, 4 * kGiB}};

std::byte* reserve(void* at, std::size_t bytes, int flags) {
  void* const made = mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  return made == MAP_FAILED ? nullptr : static_cast<std::byte*>(made);
}

}  // namespace

AddressRange& AddressRange::get() {
  static AddressRange* const range = new AddressRange;
  return *range;
}

AddressRange::AddressRange() {
  for (const Size& size : kSizes) {
    std::byte* const whole = reserve(nullptr, size.given_out + 2 * size.margin, 0);
    if (whole == nullptr) continue;
    start_ = whole + size.margin;
    bytes_ = size.given_out;
    free_.emplace(bytes_);
    return;
  }
}

std::byte* AddressRange::take(std::size_t bytes) {
  {
    const std::scoped_lock lock(mutex_);
    if (free_) {
      if (const auto offset = free_->take(bytes)) return start_ + *offset;
    }
  }
  return reserve(nullptr, bytes, 0);
}

void AddressRange::give_back(std::byte* start, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (start_ == nullptr || start < start_ || start >= start_ + bytes_) {
    munmap(start, bytes);
    return;
  }
  // Where the system refuses, the addresses are not handed out again: something may still be mapped there.
  if (reserve(start, bytes, MAP_FIXED) == nullptr) return;
  free_->give_back(static_cast<std::size_t>(start - start_), bytes);
}

}  // namespace tare::cpu
