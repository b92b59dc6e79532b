// CUDA_VISIBLE_DEVICES: which of the machine's devices a process sees, and in which order.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace tare::cpu {

/// The machine's ordinals of the devices that are seen, by the rules of the CUDA programming guide: a list of
/// ordinals and of UUIDs ("GPU-..." or so much of its beginning as no other device's has), separated by
/// commas, that ends before the first entry which is neither. Without a list: all `devices`. nullopt where
/// one is named twice: an H200's driver answers CUDA_ERROR_INVALID_DEVICE then.
std::optional<std::vector<int>> visible_devices(std::optional<std::string_view> list, int devices);

}  // namespace tare::cpu
