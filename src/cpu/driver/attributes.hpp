// The limits that are the same for every compute capability, in one place: attributes, launch checks and
// occupancy read them here. The others: cpu/runtime/capability.hpp.
#pragma once

#include <cstddef>

namespace tare::cpu {

inline constexpr int kMaxThreadsPerBlock = 1024, kMaxBlockZ = 64, kMaxGridYZ = 65535;
inline constexpr std::size_t kSharedBytesPerBlock = 48 * 1024;
inline constexpr int kRegistersPerMultiprocessor = 65536;
inline constexpr int kWarp = 32;
inline constexpr std::size_t kMaxParameterBytes = 32764;

}  // namespace tare::cpu
