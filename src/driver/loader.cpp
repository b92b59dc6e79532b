#include "driver/loader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>

#include "driver/check.hpp"
#include "driver/library.hpp"
#include "driver/places.hpp"
#include "driver/stub.hpp"
#include "tare/error.hpp"

namespace tare::detail {

constinit cu::Functions driver_table = answering_always<cu::Result::not_initialized>();

namespace {

struct LoadedDriver {
  DriverInfo info;
  CpuLastErrorFunction last_error = nullptr;
};

constinit std::mutex load_mutex;
// Never freed: destructors of static objects may still call the driver.
constinit std::atomic<const LoadedDriver*> loaded{nullptr};
constinit std::string* chosen = nullptr;  // guarded by load_mutex
constinit std::atomic<bool> in_use{false};
constinit std::atomic<bool> forked{false};
constexpr cu::Functions kRefusals = answering_always<kForkedResult>();

/// Runs in the child, where only the forking thread is left: plain stores.
void after_fork_in_child() {
  if (!in_use.load(std::memory_order_relaxed)) return;
  forked.store(true, std::memory_order_relaxed);
  driver_table = kRefusals;
}

struct Choice {
  std::string text;  // "", "gpu", "cpu" or a path
  std::string from;  // how an error message names where it comes from
};

bool is_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.find(".so") != std::string::npos;
}

Choice effective_choice() {
  Choice choice;
  if (chosen != nullptr && !chosen->empty()) {
    choice = {*chosen, "choose_driver"};
  } else if (const char* variable = std::getenv("TARE_DRIVER"); variable != nullptr && *variable != '\0') {
    choice = {variable, "TARE_DRIVER"};
  }
  if (!choice.text.empty() && choice.text != "gpu" && choice.text != "cpu" && !is_path(choice.text))
    throw Error(ErrorKind::argument, fmt::format("{}: `{}` is not a driver", choice.from, choice.text),
                "give gpu, cpu or the path of a libcuda.so.1");
  return choice;
}

/// Tries places one after the other and keeps why each was left.
class Search {
 public:
  std::unique_ptr<DriverLibrary> first_of(const std::vector<std::string>& places, Wanted wanted) {
    for (const auto& place : places)
      if (auto library = try_place(place, wanted)) return library;
    return nullptr;
  }

  std::unique_ptr<DriverLibrary> try_place(const std::string& place, Wanted wanted) {
    std::error_code error;
    if (place.starts_with('/')) {
      const auto file = std::filesystem::canonical(place, error);
      if (error) {
        looked_in_.push_back(place + ": no such file");
        return nullptr;
      }
      if (!tried_.insert(file.string()).second) return nullptr;
    }
    Refusal refusal;
    auto library = open_driver(place, wanted, refusal);
    if (library) return library;
    if (refusal.init_result != cu::Result::success && init_refusal_.init_result == cu::Result::success)
      init_refusal_ = refusal;
    looked_in_.push_back(place + ": " + refusal.why);
    return nullptr;
  }

  std::vector<std::string>&& looked_in() && { return std::move(looked_in_); }

  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    const auto places = fmt::format("{}", fmt::join(looked_in_, "; "));
    if (init_refusal_.init_result != cu::Result::success)
      throw Error(ErrorKind::driver, fmt::format("{} can be used: {}", what, places), hint,
                  static_cast<int>(init_refusal_.init_result), init_refusal_.init_name);
    throw Error(ErrorKind::not_found, fmt::format("{} found: looked in {}", what, places), hint);
  }

 private:
  std::vector<std::string> looked_in_;
  std::set<std::string> tried_;
  Refusal init_refusal_;
};

std::unique_ptr<DriverLibrary> find_driver(const Choice& choice, Search& search) {
  if (choice.text == "gpu") {
    if (auto library = search.first_of(real_driver_places(), Wanted::real_device)) return library;
    search.fail("no GPU's CUDA driver",
                "install NVIDIA's driver, or take the CPU device with TARE_DRIVER=cpu");
  }
  if (choice.text == "cpu") {
    if (auto library = search.first_of(cpu_device_places(this_process()), Wanted::cpu_device)) return library;
    search.fail("no CPU device", "name its libcuda.so.1 in TARE_CPU_DEVICE");
  }
  if (!choice.text.empty()) {
    if (auto library = search.try_place(choice.text, Wanted::any)) return library;
    search.fail(choice.from + ": no CUDA driver", "give gpu, cpu or the path of a libcuda.so.1");
  }
  // A CPU device that the loader itself finds first was put there on purpose (LD_LIBRARY_PATH): it is taken.
  auto places = real_driver_places();
  if (auto library = search.try_place(places.front(), Wanted::any)) return library;
  places.erase(places.begin());
  if (auto library = search.first_of(places, Wanted::real_device)) return library;
  if (auto library = search.first_of(cpu_device_places(this_process()), Wanted::cpu_device)) return library;
  search.fail("no CUDA driver",
              "install NVIDIA's driver, or name the CPU device's libcuda.so.1 in TARE_CPU_DEVICE");
}

const LoadedDriver* load() {
  Search search;
  auto library = find_driver(effective_choice(), search);
  auto driver = std::make_unique<LoadedDriver>();
  driver->info.path = library->path;
  driver->info.is_cpu_device = !library->cpu_device_info.empty();
  driver->info.loads_ptx_only = takes_ptx_only(library->cpu_device_info);
  driver->info.cpu_device_info = library->cpu_device_info;
  driver->info.looked_in = std::move(search).looked_in();
  driver->last_error = library->last_error;
  library->functions.driver_get_version(&driver->info.version);
  driver_table = library->functions;
  library->handle.release();  // stays loaded for the life of the process
  return driver.release();
}

const LoadedDriver& loaded_driver() {
  refuse_forked_child();
  if (const auto* driver = loaded.load(std::memory_order_acquire)) return *driver;
  const std::lock_guard lock(load_mutex);
  if (const auto* driver = loaded.load(std::memory_order_relaxed)) return *driver;
  const bool was_in_use = in_use.load();
  driver_is_in_use();
  try {
    const auto* driver = load();
    loaded.store(driver, std::memory_order_release);
    return *driver;
  } catch (...) {
    in_use.store(was_in_use);
    throw;
  }
}

bool is_what_was_chosen(const DriverInfo& info, const std::string& choice) {
  if (choice.empty()) return true;
  if (choice == "gpu") return !info.is_cpu_device;
  if (choice == "cpu") return info.is_cpu_device;
  std::error_code error;
  return std::filesystem::equivalent(choice, info.path, error) && !error;
}

}  // namespace

const cu::Functions& load_driver() {
  loaded_driver();
  return driver_table;
}

std::string driver_error_detail() {
  const auto* driver = loaded.load(std::memory_order_acquire);
  if (driver == nullptr || driver->last_error == nullptr) return {};
  const char* text = driver->last_error();
  return text != nullptr ? text : "";
}

void driver_is_in_use() {
  static const int registered = pthread_atfork(nullptr, nullptr, after_fork_in_child);
  if (registered != 0) throw Error(ErrorKind::io, "pthread_atfork failed: no memory for a handler");
  in_use.store(true);
}

void refuse_forked_child() {
  if (forked.load(std::memory_order_relaxed)) [[unlikely]]
    throw_forked();
}

void throw_forked() {
  throw Error(
      ErrorKind::forked,
      "this process was forked after the CUDA driver was initialised, so it cannot use the driver: start "
      "workers with spawn or exec instead of fork");
}

}  // namespace tare::detail

namespace tare {

void choose_driver(std::string_view choice) {
  detail::refuse_forked_child();
  const std::string text(choice);
  const std::lock_guard lock(detail::load_mutex);
  if (const auto* driver = detail::loaded.load(std::memory_order_relaxed);
      driver != nullptr && !detail::is_what_was_chosen(driver->info, text))
    throw Error(ErrorKind::argument,
                fmt::format("driver `{}` was chosen after {} had been loaded", text, driver->info.path),
                "choose the driver before the first use of a device");
  if (detail::chosen == nullptr) detail::chosen = new std::string;
  *detail::chosen = text;
}

const DriverInfo& driver_info() {
  return detail::loaded_driver().info;
}

int device_count() {
  const auto& call = detail::load_driver();
  int count = 0;
  detail::check(call.device_get_count(&count), "cuDeviceGetCount");
  return count;
}

std::string module_loading() {
  constexpr int kEager = 1, kLazy = 2;  // CUmoduleLoadingMode
  int mode = 0;
  if (detail::load_driver().module_get_loading_mode(&mode) != cu::Result::success) return {};
  return mode == kLazy ? "lazy" : mode == kEager ? "eager" : "";
}

}  // namespace tare
