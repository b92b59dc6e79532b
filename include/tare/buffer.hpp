// Device memory, and its handles for other processes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tare/device.hpp"
#include "tare/stream.hpp"

namespace tare {

/// CUipcMemHandle: 64 opaque bytes that another process can open.
using IpcHandle = std::array<std::byte, 64>;

/// An address in device memory (CUdeviceptr). As a kernel argument it is passed as the pointer it is.
struct DevicePointer {
  std::uint64_t address = 0;
};

/// A plain cuMemAlloc allocation, or one opened from another process's handle. Move-only.
/// 0 bytes is an empty buffer with address 0.
class Buffer {
 public:
  Buffer() = default;
  /// Throws Error(out_of_memory) saying the bytes needed and available.
  Buffer(const PrimaryContext& context, std::size_t bytes);
  /// Maps the allocation that `handle` names; the exporting process keeps owning it.
  static Buffer open(const PrimaryContext& context, const IpcHandle& handle, std::size_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;

  std::uint64_t address() const noexcept { return address_; }
  DevicePointer pointer() const noexcept { return {address_}; }
  std::size_t bytes() const noexcept { return bytes_; }
  /// For another process. Throws Error(unsupported) where the driver refuses IPC.
  IpcHandle ipc_handle() const;

  // Synchronous copies between host and device; throw Error(argument) if a span does not fit.
  void copy_from(std::span<const std::byte> host, std::size_t offset = 0) const;
  void copy_to(std::span<std::byte> host, std::size_t offset = 0) const;
  void copy_from(const Buffer& other) const;
  /// Every byte becomes `value`; returns when that is done.
  void fill(std::uint8_t value) const;
  /// The same, queued on `stream`; returns at once.
  void fill(std::uint8_t value, StreamRef stream) const;

 private:
  std::shared_ptr<PrimaryContext> context_;
  std::uint64_t address_ = 0;
  std::size_t bytes_ = 0;
  bool opened_ = false;
};

}  // namespace tare
