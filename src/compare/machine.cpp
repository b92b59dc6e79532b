// Reads the machine's own descriptions: /etc/os-release, /proc/cpuinfo, the driver.
#include "compare/machine.hpp"

#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <fstream>

#include "tare/clocks.hpp"

namespace tare::compare {
namespace {

// The value behind `key` in a file of "key<separator>value" lines; empty where there is none.
std::string value_in(const char* file, const std::string& key, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    std::string value = line.substr(at + 1);
    const std::size_t begin = value.find_first_not_of(" \t\"");
    const std::size_t end = value.find_last_not_of(" \t\"");
    return begin == std::string::npos ? "" : value.substr(begin, end - begin + 1);
  }
  return {};
}

std::string tool_text(const Search& search) {
  return search.tool ? search.tool->version + " " + search.tool->path.string() : search.reason;
}

}  // namespace

MachineInfo describe_machine(const Device& device, const DriverInfo& driver, Toolbox& toolbox) {
  MachineInfo machine;
  machine.device = device.name();
  machine.driver_path = driver.path;
  machine.driver_version =
      std::to_string(driver.version / 1000) + "." + std::to_string(driver.version % 1000 / 10);
  machine.is_cpu_device = driver.is_cpu_device;
  machine.compute_capability = device.compute_capability();
  machine.module_loading = module_loading();
  machine.clocks_note = ClockReader(device).why();
  machine.l2_bytes = device.l2_bytes();
  // The CPU device has a clock and a bus to answer with, but no memory of its own behind them.
  if (!driver.is_cpu_device) machine.peak_bytes_per_second = device.peak_bytes_per_second();
  utsname system{};
  uname(&system);
  const std::string distribution = value_in("/etc/os-release", "PRETTY_NAME", '=');
  machine.os = (distribution.empty() ? system.sysname : distribution) + std::string(", ") + system.sysname +
               " " + system.release;
  machine.processor = value_in("/proc/cpuinfo", "model name", ':');
  if (machine.processor.empty()) machine.processor = system.machine;
  machine.processors = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  machine.toolkit["nvrtc"] = tool_text(toolbox.nvrtc());
  machine.toolkit["nvcc"] = tool_text(toolbox.nvcc());
  machine.toolkit["nvvm"] = tool_text(toolbox.nvvm());
  machine.toolkit["clang"] = tool_text(toolbox.clang());
  return machine;
}

std::string utc_now() {
  const time_t now = time(nullptr);
  tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace tare::compare
