#include "cpu/runtime/host.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <string_view>

namespace tare::cpu {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// "32768K", "32M" as sysfs writes sizes.
std::size_t parse_size(const std::string& text) {
  char* end = nullptr;
  std::size_t value = std::strtoull(text.c_str(), &end, 10);
  if (end != nullptr && *end == 'K') value <<= 10;
  if (end != nullptr && *end == 'M') value <<= 20;
  return value;
}

std::size_t last_level_cache() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  std::set<std::string> seen;  // caches told apart by the cores that share them
  std::size_t total = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    const std::string base = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index";
    int best = -1, best_level = 0;
    for (int index = 0; index < 8; ++index) {
      const std::string dir = base + std::to_string(index);
      const int level = std::atoi(first_line(dir + "/level").c_str());
      if (level > best_level && first_line(dir + "/type") != "Instruction") {
        best_level = level;
        best = index;
      }
    }
    if (best < 0) continue;
    const std::string dir = base + std::to_string(best);
    if (seen.insert(first_line(dir + "/shared_cpu_list")).second)
      total += parse_size(first_line(dir + "/size"));
  }
  return total;
}

Processor read_processor() {
  Processor found;
  std::ifstream info("/proc/cpuinfo");
  double mhz = 0;
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    if (found.model.empty() && line.starts_with("model name")) found.model = line.substr(colon + 2);
    if (mhz == 0 && line.starts_with("cpu MHz")) mhz = std::atof(line.c_str() + colon + 2);
    if (!found.model.empty() && mhz != 0) break;
  }
  if (found.model.empty()) found.model = "unknown processor";
  const int max_khz = std::atoi(first_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").c_str());
  found.clock_khz = max_khz > 0 ? max_khz : static_cast<int>(mhz * 1000.0);
  if (found.clock_khz <= 0) found.clock_khz = 1'000'000;
  found.last_level_bytes = last_level_cache();
  return found;
}

/// A limit file of a control group: "max" or absent is no limit.
std::size_t limit_of(const std::string& path) {
  const std::string text = first_line(path);
  if (text.empty() || text == "max") return std::numeric_limits<std::size_t>::max();
  return std::strtoull(text.c_str(), nullptr, 10);
}

struct GroupMemory {
  std::size_t limit = std::numeric_limits<std::size_t>::max();
  std::size_t used = 0;
};

GroupMemory group_memory() {
  GroupMemory group;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    std::string dir, limit_name, used_name;
    if (line.starts_with("0::")) {
      dir = "/sys/fs/cgroup" + line.substr(3);
      limit_name = "/memory.max";
      used_name = "/memory.current";
    } else if (const auto at = line.find(":memory:"); at != std::string::npos) {
      dir = "/sys/fs/cgroup/memory" + line.substr(at + 8);
      limit_name = "/memory.limit_in_bytes";
      used_name = "/memory.usage_in_bytes";
    } else {
      continue;
    }
    const std::size_t limit = limit_of(dir + limit_name);
    if (limit < group.limit) {
      group.limit = limit;
      group.used = std::strtoull(first_line(dir + used_name).c_str(), nullptr, 10);
    }
  }
  return group;
}

std::uint64_t fnv1a(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325ull ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash ^ (hash >> 29);
}

}  // namespace

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

const Processor& processor() {
  static const Processor& found = *new Processor(read_processor());
  return found;
}

MemoryState memory_state() {
  std::size_t total = 0, available = 0;
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line) && (total == 0 || available == 0);) {
    std::istringstream words(line);
    std::string key;
    std::size_t kib = 0;
    words >> key >> kib;
    if (key == "MemTotal:") total = kib << 10;
    if (key == "MemAvailable:") available = kib << 10;
  }
  const GroupMemory group = group_memory();
  if (group.limit < total) {
    total = group.limit;
    available = std::min(available, group.limit > group.used ? group.limit - group.used : 0);
  }
  // Some memory is left to everything else on the machine, as a GPU's driver keeps some for itself.
  const std::size_t reserve = std::min<std::size_t>(total / 16, std::size_t{512} << 20);
  return {available > reserve ? available - reserve : 0, total};
}

std::size_t mapping_limit() {
  constexpr std::size_t kLinuxDefault = 65530;
  static const std::size_t limit = [] {
    const std::size_t told = std::strtoull(first_line("/proc/sys/vm/max_map_count").c_str(), nullptr, 10);
    return told == 0 ? kLinuxDefault : told;
  }();
  return limit;
}

std::size_t mapping_count() {
  std::ifstream maps("/proc/self/maps");
  return static_cast<std::size_t>(
      std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n'));
}

void machine_uuid(int ordinal, unsigned char out[16]) {
  std::string identity = first_line("/etc/machine-id");
  if (identity.empty()) {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    identity = name;
  }
  identity += "/tare-cpu/" + std::to_string(ordinal);
  const std::uint64_t words[2] = {fnv1a(identity, 1), fnv1a(identity, 2)};
  for (int i = 0; i < 16; ++i) out[i] = static_cast<unsigned char>(words[i / 8] >> (8 * (i % 8)));
}

std::int64_t now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace tare::cpu
