#include "cpu/runtime/device_heap.hpp"

#include <string>

namespace tare::cpu {
namespace {

constexpr std::size_t kAlignment = 16;

}  // namespace

void DeviceHeap::set_limit(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  limit_ = bytes;
}

void* DeviceHeap::allocate(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (bytes == 0 || bytes > limit_) return nullptr;
  if (segment_ == nullptr) {
    std::string why;  // a kernel's malloc has nobody to tell
    segment_ = Segment::create(limit_, Segment::Pages::on_demand, why);
    if (segment_ == nullptr) return nullptr;
    free_.emplace(segment_->bytes());
  }
  const std::size_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const auto offset = free_->take(size);
  if (!offset) return nullptr;
  void* block = segment_->at(*offset);
  blocks_.emplace(block, size);
  return block;
}

void DeviceHeap::release(void* memory) {
  const std::scoped_lock lock(mutex_);
  const auto found = blocks_.find(memory);
  if (found == blocks_.end()) return;
  free_->give_back(static_cast<std::size_t>(static_cast<std::byte*>(memory) - segment_->at(0)),
                   found->second);
  blocks_.erase(found);
}

}  // namespace tare::cpu
