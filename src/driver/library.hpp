// One candidate for the driver: a shared library opened, asked whether it is the CPU device, its entry points
// looked up and initialised. A candidate that will not do is closed again and says why.
#pragma once

#include <memory>
#include <string>

#include "driver/abi.hpp"
#include "driver/cpu_query.hpp"

namespace tare::detail {

struct LibraryCloser {
  void operator()(void* handle) const noexcept;
};

/// What a place has to hold.
enum class Wanted { real_device, cpu_device, any };

struct DriverLibrary {
  std::unique_ptr<void, LibraryCloser> handle;
  std::string path;             // of the file that was really opened
  std::string cpu_device_info;  // empty: not the CPU device
  CpuLastErrorFunction last_error = nullptr;
  cu::Functions functions{};
};

/// Why a place was left. `init_result` and `init_text` are set where cuInit was reached and refused.
struct Refusal {
  std::string why;
  cu::Result init_result = cu::Result::success;
  std::string init_name;
};

/// Opens `place` (a path, or a name for the loader to search) and initialises it; blocks for as long as
/// cuInit takes. Null, with the reason in `refusal`, if it is not what is wanted or shows no device.
std::unique_ptr<DriverLibrary> open_driver(const std::string& place, Wanted wanted, Refusal& refusal);

}  // namespace tare::detail
