// What a native worker works with once it is open: the primary context, a stream, the arguments' memory
// and the shape of the launch.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "compare/protocol.hpp"
#include "tare/buffer.hpp"
#include "tare/kernel.hpp"
#include "tare/stream.hpp"

namespace tare::compare {

/// The owner's memory could not be opened by its handle; another way of sharing may still work.
class MemoryRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Session {
 public:
  /// Retains the primary context, makes it current and maps or allocates every buffer.
  /// Throws tare::Error, MemoryRefused.
  explicit Session(Task task);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Task& task() const noexcept { return task_; }
  const PrimaryContext& context() const noexcept { return context_; }
  const Stream& stream() const noexcept { return stream_; }
  const Launch& shape() const noexcept { return shape_; }
  /// One pointer and one size per parameter, valid as long as the session.
  std::span<void*> arguments() noexcept { return arguments_; }
  std::span<const std::size_t> argument_sizes() const noexcept { return sizes_; }

  /// With memory of one's own: shared host memory to outputs, and outputs to shared host memory.
  void refill() const;
  void collect() const;

 private:
  void open_buffers();
  std::span<std::byte> shared(std::size_t argument) const;

  Task task_;
  PrimaryContext context_;
  PrimaryContext::Scope current_;
  Stream stream_;
  Launch shape_;
  std::byte* shared_memory_ = nullptr;
  std::vector<Buffer> buffers_;
  std::vector<std::uint64_t> addresses_;
  std::vector<void*> arguments_;
  std::vector<std::size_t> sizes_;
};

}  // namespace tare::compare
