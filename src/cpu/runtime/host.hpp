// Facts about the machine that the CPU device runs on: cores, processor, caches, memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tare::cpu {

/// Cores that this process may run on (sched_getaffinity).
int usable_cores();

struct Processor {
  std::string model;                 // "AMD EPYC ..."; "unknown processor" where the system does not say
  std::size_t last_level_bytes = 0;  // of one last-level cache, times the number that our cores share
  int clock_khz = 0;                 // nominal or highest, whichever the system tells
};
const Processor& processor();

struct MemoryState {
  std::size_t free_bytes = 0;  // what may be allocated without anything being killed
  std::size_t total_bytes = 0;
};
/// Reads /proc/meminfo and the limits of the control group, a few tens of microseconds.
MemoryState memory_state();

/// How many memory mappings this process may have (vm.max_map_count, read once), and how many it has: reads
/// all of /proc/self/maps.
std::size_t mapping_limit();
std::size_t mapping_count();

/// 16 bytes that stay the same on this machine and differ between machines and ordinals.
void machine_uuid(int ordinal, unsigned char out[16]);

/// CLOCK_MONOTONIC in nanoseconds.
std::int64_t now_ns();

}  // namespace tare::cpu
