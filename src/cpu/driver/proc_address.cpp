// cuGetProcAddress: a function by its base name, as it was in a given version of CUDA, with or
// without the default stream per thread. And cuGetExportTable, which has nothing to give.
#include <cstring>
#include <string_view>

#include "cpu/driver/api.hpp"
#include "cpu/driver/exports.h"

namespace tare::cpu {

using abi::Result;

namespace {

// The table without which cudart answers every call with cudaErrorSymbolNotFound:
// 6bd5fb6c-5bf4-e74a-8987-d93912fd9df9.
constexpr unsigned char kFirstOfCudart[16] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                              0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};

struct Name {
  std::string_view base;
  bool per_thread = false;
};

/// "cuMemcpyHtoD_v2_ptds" -> cuMemcpyHtoD, per thread.
Name split(std::string_view symbol) {
  Name name{symbol, false};
  for (const std::string_view suffix : {"_ptsz", "_ptds"}) {
    if (name.base.ends_with(suffix)) {
      name.base.remove_suffix(suffix.size());
      name.per_thread = true;
    }
  }
  const std::size_t at = name.base.rfind("_v");
  if (at != std::string_view::npos && at + 3 == name.base.size() && name.base.back() >= '2' &&
      name.base.back() <= '9') {
    name.base = name.base.substr(0, at);
  }
  return name;
}

struct Search {
  const tare_export* found = nullptr;
  bool name_known = false;
};

/// The latest form of `base` that CUDA `version` had.
Search search(std::string_view base, int version, bool per_thread) {
  Search result;
  bool found_per_thread = false;
  for (int i = 0; i < tare_export_count; ++i) {
    const tare_export& candidate = tare_exports[i];
    if (!std::string_view(candidate.symbol).starts_with(base)) continue;
    const Name name = split(candidate.symbol);
    if (name.base != base || (name.per_thread && !per_thread)) continue;
    result.name_known = true;
    if (candidate.since > version) continue;
    const bool better = result.found == nullptr || (name.per_thread && !found_per_thread) ||
                        (name.per_thread == found_per_thread && candidate.since > result.found->since);
    if (!better) continue;
    result.found = &candidate;
    found_per_thread = name.per_thread;
  }
  return result;
}

Result look_up(const char* symbol, void** address, int version, std::uint64_t flags, abi::Enum* status) {
  if (symbol == nullptr || *symbol == '\0' || address == nullptr) return abi::kInvalidValue;
  if (flags > (abi::proc_address::legacy_stream | abi::proc_address::per_thread_default_stream)) {
    return abi::kInvalidValue;
  }
  *address = nullptr;
  if (version > 13000) return abi::kInvalidValue;
  const std::string_view base(symbol);
  const Search result = search(base, version, (flags & abi::proc_address::per_thread_default_stream) != 0);
  if (result.found != nullptr) {
    *address = reinterpret_cast<void*>(result.found->address);
    if (status != nullptr) *status = abi::proc_address::success;
    return abi::kSuccess;
  }
  if (status != nullptr) {
    *status =
        result.name_known ? abi::proc_address::version_not_sufficient : abi::proc_address::symbol_not_found;
  }
  return abi::kNotFound;
}

}  // namespace

/// The first form, of CUDA 11.3: a name that is not found is an error.
TARE_API Result cuGetProcAddress(const char* symbol, void** address, int version, std::uint64_t flags) {
  return look_up(symbol, address, version, flags, nullptr);
}

/// Since CUDA 12 a name that is not found is told by the status.
TARE_API Result cuGetProcAddress_v2(const char* symbol, void** address, int version, std::uint64_t flags,
                                    abi::Enum* status) {
  const Result result = look_up(symbol, address, version, flags, status);
  return result == abi::kNotFound ? Result{abi::kSuccess} : result;
}

/// NVIDIA's private tables: this device has none. NVRTC asks for one too, and goes on without it; for cudart
/// its first is the end.
TARE_API Result cuGetExportTable(const void** table, const abi::Uuid* id) {
  if (table == nullptr || id == nullptr) return fail(abi::kInvalidValue);
  *table = nullptr;
  if (std::memcmp(id->bytes, kFirstOfCudart, sizeof kFirstOfCudart) != 0) return fail(abi::kNotFound);
  return fail(abi::kNotFound,
              "this program uses the CUDA runtime library (cudart), which needs NVIDIA's driver: "
              "see docs/with-cpu.md");
}

extern "C" int tare_not_here(const char* symbol) {
  try {
    return fail(abi::kNotSupported, std::string(split(symbol).base) +
                                        ": the CPU device does not have this call (docs/cpu-device.md)");
  } catch (...) {
    return abi::kNotSupported;
  }
}

}  // namespace tare::cpu
