// The primary context of a device: one, shared by all who retain it, gone when the last one releases.
#include "cpu/driver/api.hpp"
#include "cpu/driver/context.hpp"

namespace tare::cpu {

using abi::Result;

TARE_API Result cuDevicePrimaryCtxRetain(abi::Context* out, abi::Device device) {
  return entry([&](Process& process) -> Result {
    if (out == nullptr) return abi::kInvalidValue;
    if (!process.has_device(device)) return abi::kInvalidDevice;
    PrimaryContext& primary = *process.primaries[static_cast<std::size_t>(device)];
    const std::scoped_lock lock(primary.mutex);
    if (!primary.context) primary.context = make_context(device, primary.flags, true);
    ++primary.retained;
    *out = primary.context->handle();
    return abi::kSuccess;
  });
}

namespace {

Result release_primary(abi::Device device, bool reset) {
  return entry([&](Process& process) -> Result {
    if (!process.has_device(device)) return abi::kInvalidDevice;
    PrimaryContext& primary = *process.primaries[static_cast<std::size_t>(device)];
    const std::scoped_lock lock(primary.mutex);
    if (!reset) {
      if (primary.retained == 0) return abi::kInvalidContext;
      if (--primary.retained > 0) return abi::kSuccess;
    }
    if (primary.context) {
      destroy_context(*primary.context);
      primary.context.reset();
    }
    return abi::kSuccess;
  });
}

Result set_primary_flags(abi::Device device, unsigned flags) {
  return entry([&](Process& process) -> Result {
    if (!process.has_device(device)) return abi::kInvalidDevice;
    if (!valid_context_flags(flags)) return abi::kInvalidValue;
    PrimaryContext& primary = *process.primaries[static_cast<std::size_t>(device)];
    const std::scoped_lock lock(primary.mutex);
    primary.flags = flags;
    if (primary.context) {
      const std::scoped_lock settings_lock(primary.context->settings_mutex);
      primary.context->flags = flags;
    }
    return abi::kSuccess;
  });
}

}  // namespace

TARE_API Result cuDevicePrimaryCtxRelease(abi::Device device) {
  return release_primary(device, false);
}
TARE_API Result cuDevicePrimaryCtxRelease_v2(abi::Device device) {
  return release_primary(device, false);
}
TARE_API Result cuDevicePrimaryCtxReset(abi::Device device) {
  return release_primary(device, true);
}
TARE_API Result cuDevicePrimaryCtxReset_v2(abi::Device device) {
  return release_primary(device, true);
}
TARE_API Result cuDevicePrimaryCtxSetFlags(abi::Device device, unsigned flags) {
  return set_primary_flags(device, flags);
}
TARE_API Result cuDevicePrimaryCtxSetFlags_v2(abi::Device device, unsigned flags) {
  return set_primary_flags(device, flags);
}
TARE_API Result cuDevicePrimaryCtxGetState(abi::Device device, unsigned* flags, int* active) {
  return entry([&](Process& process) -> Result {
    if (!process.has_device(device)) return abi::kInvalidDevice;
    PrimaryContext& primary = *process.primaries[static_cast<std::size_t>(device)];
    const std::scoped_lock lock(primary.mutex);
    if (flags != nullptr) *flags = primary.flags;
    if (active != nullptr) *active = primary.context ? 1 : 0;
    return abi::kSuccess;
  });
}

}  // namespace tare::cpu
