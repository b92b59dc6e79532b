// The limits that the device tells and keeps, in one place: attributes, launch checks and occupancy
// read them here.
#pragma once

#include <cstddef>

namespace tare::cpu {

inline constexpr int kMaxThreadsPerBlock = 1024, kMaxBlockZ = 64, kMaxGridYZ = 65535;
inline constexpr int kMaxThreadsPerMultiprocessor = 2048, kMaxBlocksPerMultiprocessor = 32;
inline constexpr std::size_t kSharedBytesPerBlock = 48 * 1024;
inline constexpr std::size_t kSharedBytesOptIn = 227 * 1024;
inline constexpr std::size_t kSharedBytesPerMultiprocessor = 228 * 1024;
inline constexpr std::size_t kSharedBytesReserved = 1024;
inline constexpr std::size_t kMaxParameterBytes = 32764;

}  // namespace tare::cpu
