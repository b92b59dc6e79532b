#include "tare/buffer.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "driver/check.hpp"
#include "driver/loader.hpp"
#include "gpu/quiet_scope.hpp"
#include "tare/error.hpp"

namespace tare {

using detail::check;
using detail::driver_table;

namespace {

void require_room(const char* what, std::size_t bytes, std::size_t offset, std::size_t room) {
  if (offset > room || bytes > room - offset)
    throw Error(ErrorKind::argument,
                fmt::format("{} {} bytes at offset {} does not fit in a buffer of {} bytes", what, bytes,
                            offset, room),
                "sizes and offsets are in bytes, not in elements");
}

/// The copies below are queued on the legacy default stream and may return before the device has done them
/// (pageable memory, memset, device to device); a non-blocking stream would not wait for them.
void finish() {
  check(driver_table.stream_synchronize(nullptr), "cuStreamSynchronize", "the default stream");
}

}  // namespace

Buffer::Buffer(const PrimaryContext& context, std::size_t bytes)
    : context_(std::make_shared<PrimaryContext>(context)), bytes_(bytes) {
  if (bytes == 0) return;
  const auto scope = context_->enter();
  cu::DevicePtr address = 0;
  const auto result = driver_table.mem_alloc(&address, bytes);
  if (result == cu::Result::out_of_memory) {
    const auto memory = context_->memory();
    throw Error(ErrorKind::out_of_memory,
                fmt::format("device memory: {} bytes are needed, {} of {} are available", bytes,
                            memory.free_bytes, memory.total_bytes),
                "use a smaller problem, or free memory held by other processes", static_cast<int>(result),
                detail::code_name(result));
  }
  check(result, "cuMemAlloc");
  address_ = address;
}

Buffer Buffer::open(const PrimaryContext& context, const IpcHandle& handle, std::size_t bytes) {
  Buffer buffer;
  buffer.context_ = std::make_shared<PrimaryContext>(context);
  buffer.bytes_ = bytes;
  buffer.opened_ = true;
  const auto scope = buffer.context_->enter();
  cu::IpcMemHandle raw;
  static_assert(sizeof raw == sizeof handle);
  std::memcpy(&raw, handle.data(), sizeof raw);
  cu::DevicePtr address = 0;
  const auto result = driver_table.ipc_open_mem_handle(&address, raw, cu::kIpcMemLazyEnablePeerAccess);
  if (result == cu::Result::invalid_context)
    detail::fail(result, "cuIpcOpenMemHandle", "a memory handle",
                 "a handle cannot be opened in the process that made it");
  if (result == cu::Result::not_found)
    detail::fail(cu::Result::not_supported, "cuIpcOpenMemHandle", "a memory handle");
  check(result, "cuIpcOpenMemHandle", "a memory handle");
  buffer.address_ = address;
  return buffer;
}

Buffer::~Buffer() {
  if (address_ == 0) return;
  const detail::QuietScope scope(context_->handle());
  if (opened_)
    driver_table.ipc_close_mem_handle(address_);
  else
    driver_table.mem_free(address_);
}

Buffer::Buffer(Buffer&& other) noexcept
    : context_(std::move(other.context_)),
      address_(std::exchange(other.address_, 0)),
      bytes_(std::exchange(other.bytes_, 0)),
      opened_(std::exchange(other.opened_, false)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(context_, other.context_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  std::swap(opened_, other.opened_);
  return *this;
}

IpcHandle Buffer::ipc_handle() const {
  if (address_ == 0)
    throw Error(ErrorKind::argument, "an empty buffer has no handle for other processes",
                "it was made with 0 bytes, or moved from: send the handle of one that has memory");
  const auto scope = context_->enter();
  cu::IpcMemHandle raw{};
  const auto result = driver_table.ipc_get_mem_handle(&raw, address_);
  if (result != cu::Result::success) {
    const bool refused = result == cu::Result::invalid_value || result == cu::Result::not_found ||
                         result == cu::Result::not_permitted || result == cu::Result::map_failed;
    if (refused)
      throw Error(
          ErrorKind::unsupported,
          fmt::format("the driver refuses to share memory with other processes: cuIpcGetMemHandle failed: "
                      "{}",
                      detail::code_name(result)),
          "give each process memory of its own", static_cast<int>(result), detail::code_name(result));
    detail::fail(result, "cuIpcGetMemHandle");
  }
  IpcHandle handle;
  std::memcpy(handle.data(), &raw, sizeof raw);
  return handle;
}

void Buffer::copy_from(std::span<const std::byte> host, std::size_t offset) const {
  require_room("copying", host.size(), offset, bytes_);
  if (host.empty()) return;
  const auto scope = context_->enter();
  check(driver_table.memcpy_host_to_device(address_ + offset, host.data(), host.size()), "cuMemcpyHtoD");
  finish();
}

void Buffer::copy_to(std::span<std::byte> host, std::size_t offset) const {
  require_room("reading", host.size(), offset, bytes_);
  if (host.empty()) return;
  const auto scope = context_->enter();
  check(driver_table.memcpy_device_to_host(host.data(), address_ + offset, host.size()), "cuMemcpyDtoH");
}

void Buffer::copy_from(const Buffer& other) const {
  require_room("copying", other.bytes_, 0, bytes_);
  if (other.bytes_ == 0) return;
  const auto scope = context_->enter();
  check(driver_table.memcpy_device_to_device(address_, other.address_, other.bytes_), "cuMemcpyDtoD");
  finish();
}

void Buffer::fill(std::uint8_t value) const {
  if (bytes_ == 0) return;
  const auto scope = context_->enter();
  check(driver_table.memset_bytes(address_, value, bytes_), "cuMemsetD8");
  finish();
}

void Buffer::fill(std::uint8_t value, StreamRef stream) const {
  if (bytes_ == 0) return;
  const auto scope = context_->enter();
  check(driver_table.memset_bytes_async(address_, value, bytes_, stream.handle()), "cuMemsetD8Async");
}

}  // namespace tare
