// What the kernels of one context ask for while they run: printing, which is kept until the host
// synchronises, and a heap.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

#include "cpu/codegen/kernel.hpp"
#include "cpu/runtime/device_heap.hpp"

namespace tare::cpu {

/// The text of CUDA's printf for a format and a buffer of arguments, each aligned by its size: ints of 4
/// bytes, longs, pointers and doubles of 8. `count` receives how many arguments the format takes.
std::string format_device_text(const char* format, const std::byte* arguments, std::int32_t& count);

class ContextServices final : public codegen::DeviceServices {
 public:
  std::int32_t print(const char* format, const std::byte* arguments) override;
  void* allocate(std::uint64_t bytes) override { return heap_.allocate(bytes); }
  void release(void* memory) override { heap_.release(memory); }
  void assertion_failed(const char* text) override;

  /// CU_LIMIT_PRINTF_FIFO_SIZE and CU_LIMIT_MALLOC_HEAP_SIZE, in bytes.
  void set_print_limit(std::size_t bytes) { print_limit_.store(bytes); }
  void set_heap_limit(std::size_t bytes) { heap_.set_limit(bytes); }

  /// That a kernel which prints or allocates was launched.
  void will_print() { has_printed_.store(true, std::memory_order_relaxed); }
  void will_allocate() { has_allocated_.store(true, std::memory_order_relaxed); }
  bool has_printed() const { return has_printed_.load(std::memory_order_relaxed); }
  bool has_allocated() const { return has_allocated_.load(std::memory_order_relaxed); }

  /// Writes to stdout what was printed since the last time. Cheap where nothing was.
  void flush();

 private:
  std::atomic<std::size_t> print_limit_{0};  // bytes
  std::atomic<bool> has_text_{false}, has_printed_{false}, has_allocated_{false};
  std::mutex print_mutex_;
  std::deque<std::string> printed_;  // the oldest is dropped where there is no room
  std::size_t printed_bytes_ = 0;
  DeviceHeap heap_;
};

}  // namespace tare::cpu
