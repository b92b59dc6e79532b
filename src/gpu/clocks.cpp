#include "tare/clocks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <utility>

#include "tare/driver.hpp"
#include "tare/error.hpp"

namespace tare {
namespace {

// From NVML's documentation (nvmlClockType_t, nvmlClocksEventReasons); its ABI has not changed in these.
constexpr unsigned kSmClock = 1, kMemoryClock = 2;
constexpr int kSuccess = 0;

constexpr std::array<std::pair<std::uint64_t, const char*>, 4> kReasons{{
    {0x04, "power cap"},
    {0x08, "hardware slowdown"},
    {0x20 | 0x40, "heat"},
    {0x80, "power brake"},
}};

}  // namespace

struct ClockReader::Nvml {
  using Handle = void*;
  using ClockInfo = int (*)(Handle, unsigned, unsigned*);
  using Reasons = int (*)(Handle, unsigned long long*);

  struct Closer {
    void operator()(void* library) const noexcept { dlclose(library); }
  };
  std::unique_ptr<void, Closer> library;
  int (*shutdown)() = nullptr;
  ClockInfo clock_info = nullptr;
  Reasons reasons = nullptr;
  Handle device = nullptr;

  template <class Function>
  bool find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(dlsym(library.get(), name));
    return function != nullptr;
  }

  /// Why the device cannot be read, empty if it can.
  std::string open(const std::string& uuid) {
    library.reset(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL));
    if (!library) return "NVML (libnvidia-ml.so.1) was not found";
    int (*init)() = nullptr;
    int (*by_uuid)(const char*, Handle*) = nullptr;
    if (!find(init, "nvmlInit_v2") || !find(by_uuid, "nvmlDeviceGetHandleByUUID") ||
        !find(clock_info, "nvmlDeviceGetClockInfo") ||
        !find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons") || !find(shutdown, "nvmlShutdown"))
      return "this NVML lacks a function";
    if (const int code = init(); code != kSuccess) {
      shutdown = nullptr;
      return fmt::format("nvmlInit answers {}", code);
    }
    if (const int code = by_uuid(uuid.c_str(), &device); code != kSuccess)
      return fmt::format("NVML does not know {} (answers {})", uuid, code);
    return {};
  }

  ~Nvml() {
    if (shutdown != nullptr) shutdown();
  }
};

ClockReader::ClockReader(const Device& device) try {
  if (driver_info().is_cpu_device) {
    why_ = "the CPU device has no clocks of its own";
    return;
  }
  nvml_ = std::make_unique<Nvml>();
  why_ = nvml_->open(device.uuid());
  if (why_.empty() && !read()) why_ = "the driver does not tell its clocks";
  if (!why_.empty()) nvml_.reset();
} catch (const Error& e) {
  nvml_.reset();
  why_ = e.what();
}

ClockReader::~ClockReader() = default;
ClockReader::ClockReader(ClockReader&&) noexcept = default;
ClockReader& ClockReader::operator=(ClockReader&&) noexcept = default;

std::optional<Clocks> ClockReader::read() const {
  if (!nvml_) return std::nullopt;
  unsigned sm = 0, memory = 0;
  unsigned long long reasons = 0;
  if (nvml_->clock_info(nvml_->device, kSmClock, &sm) != kSuccess ||
      nvml_->clock_info(nvml_->device, kMemoryClock, &memory) != kSuccess ||
      nvml_->reasons(nvml_->device, &reasons) != kSuccess)
    return std::nullopt;
  Clocks clocks{.sm_mhz = static_cast<int>(sm), .memory_mhz = static_cast<int>(memory), .slowed_by = {}};
  for (const auto& [bits, name] : kReasons)
    if ((reasons & bits) != 0) clocks.slowed_by.emplace_back(name);
  return clocks;
}

}  // namespace tare
