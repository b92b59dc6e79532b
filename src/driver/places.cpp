#include "driver/places.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "tare/packaged_cpu_device.hpp"

namespace tare::detail {

namespace fs = std::filesystem;

namespace {

constexpr const char* kBelowPrefix = "lib/tare/cpu/libcuda.so.1";
constexpr const char* kBelowLibraryFolder = "tare/cpu/libcuda.so.1";

}  // namespace

std::vector<std::string> real_driver_places() {
  return {"libcuda.so.1",
          "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
          "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
          "/usr/lib64/libcuda.so.1",
          "/usr/local/nvidia/lib64/libcuda.so.1",
          "/usr/lib/wsl/lib/libcuda.so.1",
          "/run/opengl-driver/lib/libcuda.so.1"};
}

std::vector<std::string> cpu_device_places(const CpuDeviceSearch& search) {
  if (!search.environment.empty()) return {search.environment};
  std::vector<std::string> places;
  auto add = [&](const fs::path& path) {
    if (std::string text = path.lexically_normal().string();
        std::find(places.begin(), places.end(), text) == places.end())
      places.push_back(std::move(text));
  };
  if (!search.executable.empty()) add(search.executable.parent_path() / ".." / kBelowPrefix);
  if (!search.library.empty()) {
    add(search.library.parent_path() / ".." / kBelowPrefix);
    add(search.library.parent_path() / kBelowLibraryFolder);
  }
  if (!search.packaged_device.empty()) add(search.packaged_device);
  if (!search.installed_device.empty()) add(search.installed_device);
  return places;
}

CpuDeviceSearch this_process() {
  CpuDeviceSearch search;
  if (const char* file = std::getenv("TARE_CPU_DEVICE")) search.environment = file;
  std::error_code ignored;
  search.executable = fs::read_symlink("/proc/self/exe", ignored);
  Dl_info object{};
  if (dladdr(reinterpret_cast<void*>(&this_process), &object) != 0 && object.dli_fname != nullptr)
    search.library = fs::weakly_canonical(object.dli_fname, ignored);
  if (&packaged_cpu_device != nullptr) search.packaged_device = packaged_cpu_device;
#ifdef TARE_INSTALLED_CPU_DEVICE
  search.installed_device = TARE_INSTALLED_CPU_DEVICE;
#endif
  return search;
}

}  // namespace tare::detail
