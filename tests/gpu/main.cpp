// tare_gpu_check: what libtare relies on, tried on a real GPU. It needs a driver and nothing else; run it by
// hand.
#include <string>
#include <vector>

#include "checks.hpp"
#include "tare/driver.hpp"
#include "tare/version.hpp"

int main(int argc, char** argv) {
  using namespace tare;
  using namespace tare::gpu_check;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  int exit_code = 0;
  if (run_role(arguments, exit_code)) return exit_code;

  Report report;
  try {
    const auto& driver = driver_info();
    const PrimaryContext context;
    const auto& device = context.device();
    fmt::print("# tare {}, driver {} at {}{}\n", version(), driver.version, driver.path,
               driver.is_cpu_device ? ", which is the CPU device and not a GPU" : "");
    fmt::print("# {} {}, sm_{}, {} MiB, {} multiprocessors, L2 {} MiB, peak {:.0f} GB/s, devices {}\n",
               device.name(), device.uuid(), device.compute_capability(), device.total_memory_bytes() >> 20,
               device.multiprocessors(), device.l2_bytes() >> 20, device.peak_bytes_per_second() / 1e9,
               device_count());
    const auto scope = context.enter();
    using Check = void (*)(Report&, const PrimaryContext&);
    const std::pair<const char*, Check> groups[] = {
        {"arguments", check_arguments},
        {"launch limits", check_limits},
        {"shared memory", check_shared_memory},
        {"registers", check_registers},
        {"cooperative launches", check_cooperative},
        {"clusters", check_clusters},
        {"modules", check_modules},
        {"stream gate", check_gate},
        {"a foreign context", check_foreign_context},
        {"memory shared with another process", check_ipc},
        {"fork", check_fork},
        {"clocks", check_clocks},
    };
    for (const auto& [name, check] : groups)
      report.group(name, [&, check = check](Report& to) { check(to, context); });
    report.group("illegal address", check_illegal_address);
    report.group("faults", check_faults);
    report.group("objects that outlive main", check_exit);
  } catch (const Error& error) {
    report.expect("a device can be used", false, error.what());
  }
  return report.finish();
}
