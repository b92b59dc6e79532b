#include "driver/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <filesystem>

#include "driver/shared_library.hpp"
#include "driver/stub.hpp"

namespace tare::detail {

namespace {

template <class Function>
Function symbol(void* handle, const char* name) {
  return reinterpret_cast<Function>(dlsym(handle, name));
}

std::string path_of(void* handle, const std::string& place) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map->l_name == nullptr || *map->l_name == '\0')
    return place;
  std::error_code error;
  const auto canonical = std::filesystem::canonical(map->l_name, error);
  return error ? map->l_name : canonical.string();
}

/// Looks functions up by cuGetProcAddress, so that each has the signature of the version asked for; a driver
/// before 11.3 has none, and one that does not know a version is asked for the exact symbol.
class Lookup {
 public:
  explicit Lookup(void* handle)
      : handle_(handle),
        newest_(symbol<cu::GetProcAddress>(handle, "cuGetProcAddress_v2")),
        first_(symbol<cu::GetProcAddressV1>(handle, "cuGetProcAddress")) {}

  void* find(const char* name, int version, const char* exact_symbol) const {
    void* address = nullptr;
    auto result = cu::Result::not_found;
    if (newest_ != nullptr) {
      int status = 0;
      result = newest_(name, &address, version, cu::kGetProcAddressLegacyStream, &status);
    } else if (first_ != nullptr) {
      result = first_(name, &address, version, cu::kGetProcAddressLegacyStream);
    }
    if (result == cu::Result::success && address != nullptr) return address;
    return dlsym(handle_, exact_symbol);
  }

 private:
  void* handle_;
  cu::GetProcAddress newest_;
  cu::GetProcAddressV1 first_;
};

/// The name of the first function that is missing and needed, or null.
const char* fill(cu::Functions& table, const Lookup& lookup) {
#define TARE_FILL(member, name, version, exact_symbol, required, parameters) \
  if (void* address = lookup.find(name, version, exact_symbol))              \
    table.member = reinterpret_cast<decltype(table.member)>(address);        \
  else if (required)                                                         \
    return name;                                                             \
  else                                                                       \
    table.member = Answer<cu::Result::not_found, decltype(table.member)>::call;
  TARE_CUDA_FUNCTIONS(TARE_FILL)
#undef TARE_FILL
  return nullptr;
}

std::string describe(const cu::Functions& call, cu::Result result, std::string& name) {
  const char* name_text = nullptr;
  const char* text = nullptr;
  call.get_error_name(result, &name_text);
  call.get_error_string(result, &text);
  name = name_text != nullptr ? name_text : fmt::format("CUDA error {}", static_cast<int>(result));
  return fmt::format("cuInit: {} ({})", name, text != nullptr ? text : "no description");
}

}  // namespace

void LibraryCloser::operator()(void* handle) const noexcept {
  dlclose(handle);
}

std::unique_ptr<DriverLibrary> open_driver(const std::string& place, Wanted wanted, Refusal& refusal) {
  auto library = std::make_unique<DriverLibrary>();
  library->handle.reset(open_shared_library(place, refusal.why));
  if (!library->handle) return nullptr;
  void* handle = library->handle.get();
  library->path = path_of(handle, place);

  if (const auto query = symbol<CpuDeviceInfoFunction>(handle, kCpuDeviceInfoSymbol)) {
    if (const char* answer = query()) library->cpu_device_info = answer;
    library->last_error = symbol<CpuLastErrorFunction>(handle, kCpuLastErrorSymbol);
  }
  const bool is_cpu_device = !library->cpu_device_info.empty();
  if (wanted == Wanted::real_device && is_cpu_device) {
    refusal.why = "is the CPU device, not a GPU's driver";
    return nullptr;
  }
  if (wanted == Wanted::cpu_device && !is_cpu_device) {
    refusal.why = fmt::format("is not the CPU device (it does not export {})", kCpuDeviceInfoSymbol);
    return nullptr;
  }

  if (const char* missing = fill(library->functions, Lookup(handle))) {
    refusal.why = fmt::format("is not a CUDA driver that can be used: it has no {}", missing);
    return nullptr;
  }
  const auto& call = library->functions;
  refusal.init_result = call.init(0);
  if (refusal.init_result != cu::Result::success) {
    refusal.why = describe(call, refusal.init_result, refusal.init_name);
    // The CPU device says more than a code does.
    const std::string more = library->last_error != nullptr ? library->last_error() : "";
    if (!more.empty()) refusal.why += ": " + more;
    return nullptr;
  }
  int count = 0;
  if (call.device_get_count(&count) != cu::Result::success || count == 0) {
    refusal.why = "shows no device";
    return nullptr;
  }
  return library;
}

}  // namespace tare::detail
