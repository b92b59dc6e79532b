// A device and its primary context: the only context libtare ever uses.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

struct CUctx_st;

namespace tare {

/// One device of the loaded driver, by ordinal. A value; queries do not need a context.
class Device {
 public:
  /// Throws Error(argument) where there is no such device, and as driver_info().
  explicit Device(int ordinal = 0);

  int ordinal() const noexcept { return ordinal_; }
  int handle() const noexcept { return handle_; }  // CUdevice
  std::string name() const;
  std::string uuid() const;  // "GPU-xxxxxxxx-..."
  /// Compute capability as one number: 90 for 9.0.
  int compute_capability() const;
  std::size_t total_memory_bytes() const;
  /// A CUdevice_attribute by its number in cuda.h.
  int attribute(int number) const;
  std::size_t l2_bytes() const;
  int multiprocessors() const;
  /// Peak memory bandwidth worked out from clock and bus width, 0 where the driver does not tell.
  double peak_bytes_per_second() const;

 private:
  int ordinal_;
  int handle_;
};

/// Keeps the device's primary context retained. Copies share it; the last one releases it. Never
/// throws from its destructor; a driver that is already torn down counts as released.
class PrimaryContext {
 public:
  explicit PrimaryContext(const Device& device = Device());

  const Device& device() const noexcept;
  CUctx_st* handle() const noexcept;

  /// While alive, this context is the calling thread's current one; afterwards what was current before is
  /// again.
  class [[nodiscard]] Scope {
   public:
    explicit Scope(CUctx_st* context);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    bool pushed_;
  };
  Scope enter() const { return Scope(handle()); }

  /// Free and total device memory in bytes, now.
  struct Memory {
    std::size_t free_bytes, total_bytes;
  };
  Memory memory() const;
  /// Blocks until all work of the context is done.
  void synchronize() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tare

#ifdef TARE_PACKAGED_CPU_DEVICE
#include "tare/packaged_cpu_device.hpp"  // IWYU pragma: export
#endif
