// Devices: how many, what they are called, how two of them reach each other.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "cpu/driver/api.hpp"
#include "cpu/runtime/host.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

template <typename Body>
Result with_device(abi::Device device, Body body) {
  return entry([&](Process& process) -> Result {
    if (!process.has_device(device)) return abi::kInvalidDevice;
    return body(process);
  });
}

Result uuid(abi::Uuid* out, abi::Device device) {
  return with_device(device, [&](Process& process) -> Result {
    if (out == nullptr) return abi::kInvalidValue;
    machine_uuid(process.machine_ordinal(device), out->bytes);
    return abi::kSuccess;
  });
}

}  // namespace

TARE_API Result cuDeviceGetCount(int* count) {
  return entry([&](Process& process) -> Result {
    if (count == nullptr) return abi::kInvalidValue;
    *count = process.device_count();
    return abi::kSuccess;
  });
}

TARE_API Result cuDeviceGet(abi::Device* device, int ordinal) {
  return with_device(ordinal, [&](Process&) -> Result {
    if (device == nullptr) return abi::kInvalidValue;
    *device = ordinal;
    return abi::kSuccess;
  });
}

TARE_API Result cuDeviceGetName(char* name, int length, abi::Device device) {
  return with_device(device, [&](Process& process) -> Result {
    if (name == nullptr || length <= 0) return abi::kInvalidValue;
    const int cores = process.settings.threads;
    const std::string full = "Tare CPU device (" + std::to_string(cores) +
                             (cores == 1 ? " core, " : " cores, ") + processor().model + ")";
    std::snprintf(name, static_cast<std::size_t>(length), "%s", full.c_str());
    return abi::kSuccess;
  });
}

TARE_API Result cuDeviceGetUuid(abi::Uuid* out, abi::Device device) {
  return uuid(out, device);
}
TARE_API Result cuDeviceGetUuid_v2(abi::Uuid* out, abi::Device device) {
  return uuid(out, device);
}

TARE_API Result cuDeviceTotalMem_v2(std::size_t* bytes, abi::Device device) {
  return with_device(device, [&](Process&) -> Result {
    if (bytes == nullptr) return abi::kInvalidValue;
    *bytes = memory_state().total_bytes;
    return abi::kSuccess;
  });
}

TARE_API Result cuDeviceGetPCIBusId(char* text, int length, abi::Device device) {
  return with_device(device, [&](Process& process) -> Result {
    if (text == nullptr || length < 13) return abi::kInvalidValue;
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0",
                  static_cast<unsigned>(process.machine_ordinal(device) + 1));
    return abi::kSuccess;
  });
}

TARE_API Result cuDeviceGetByPCIBusId(abi::Device* device, const char* text) {
  return entry([&](Process& process) -> Result {
    if (device == nullptr || text == nullptr) return abi::kInvalidValue;
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    const bool with_domain = std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) >= 3;
    if (!with_domain) {
      domain = 0;
      if (std::sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2) return abi::kInvalidValue;
    }
    if (domain != 0 || slot != 0 || function != 0) return abi::kInvalidDevice;
    const auto& visible = process.settings.visible;
    const auto found = std::ranges::find(visible, static_cast<int>(bus) - 1);
    if (found == visible.end()) return abi::kInvalidDevice;
    *device = static_cast<int>(found - visible.begin());
    return abi::kSuccess;
  });
}

TARE_API Result cuDeviceGetExecAffinitySupport(int* supported, abi::Enum, abi::Device device) {
  return with_device(device, [&](Process&) -> Result {
    if (supported == nullptr) return abi::kInvalidValue;
    *supported = 0;
    return abi::kSuccess;
  });
}

TARE_API Result cuDeviceCanAccessPeer(int* can, abi::Device device, abi::Device peer) {
  return with_device(device, [&](Process& process) -> Result {
    if (can == nullptr) return abi::kInvalidValue;
    if (!process.has_device(peer)) return abi::kInvalidDevice;
    *can = device != peer ? 1 : 0;
    return abi::kSuccess;
  });
}

TARE_API Result cuDeviceGetP2PAttribute(int* value, abi::Enum number, abi::Device device, abi::Device peer) {
  return with_device(device, [&](Process& process) -> Result {
    if (value == nullptr || number < 1 || number > 5) return abi::kInvalidValue;
    if (!process.has_device(peer) || device == peer) return abi::kInvalidDevice;
    constexpr int kAccess = 2, kAtomics = 3;
    *value = number == kAccess || number == kAtomics ? 1 : 0;
    return abi::kSuccess;
  });
}

TARE_API Result cuCtxEnablePeerAccess(abi::Context peer, unsigned flags) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>& context) -> Result {
    if (flags != 0) return abi::kInvalidValue;
    const auto other = process.contexts.find(peer);
    if (!other) return abi::kInvalidContext;
    if (other->device == context->device) return abi::kInvalidDevice;
    const std::scoped_lock lock(context->settings_mutex);
    return context->peers.insert(other->device).second ? abi::kSuccess : abi::kPeerAccessAlreadyEnabled;
  });
}

TARE_API Result cuCtxDisablePeerAccess(abi::Context peer) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>& context) -> Result {
    const auto other = process.contexts.find(peer);
    if (!other) return abi::kInvalidContext;
    const std::scoped_lock lock(context->settings_mutex);
    return context->peers.erase(other->device) == 1 ? abi::kSuccess : abi::kPeerAccessNotEnabled;
  });
}

TARE_API Result cuProfilerStart(void) {
  return entry([](Process&) -> Result { return abi::kSuccess; });
}
TARE_API Result cuProfilerStop(void) {
  return entry([](Process&) -> Result { return abi::kSuccess; });
}

}  // namespace tare::cpu
