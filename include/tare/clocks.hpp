// A GPU's clocks as it runs, and what holds them back. Read through NVML, which comes with NVIDIA's driver
// and is loaded with dlopen at the first need.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tare/device.hpp"

namespace tare {

/// One reading. Idle clocks are not held back: a GPU with nothing to do lowers them by itself.
struct Clocks {
  int sm_mhz = 0;      // of the multiprocessors, now
  int memory_mhz = 0;  // of the memory, now
  std::vector<std::string>
      slowed_by;  // "power cap", "heat", "hardware slowdown", "power brake"; empty: nothing
};

/// Reads one device's clocks. Move-only; one thread at a time.
class ClockReader {
 public:
  /// Never throws: where NVML or the device in it is not to be had, why() says so in one line.
  explicit ClockReader(const Device& device);
  ~ClockReader();
  ClockReader(ClockReader&&) noexcept;
  ClockReader& operator=(ClockReader&&) noexcept;

  /// nullopt where the clocks cannot be read. Blocks for tens of microseconds.
  std::optional<Clocks> read() const;
  /// Why they cannot; empty if they can.
  const std::string& why() const noexcept { return why_; }

 private:
  struct Nvml;
  std::unique_ptr<Nvml> nvml_;
  std::string why_;
};

}  // namespace tare
