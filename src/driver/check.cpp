#include "driver/check.hpp"

#include <fmt/format.h>

#include <string_view>

#include "driver/loader.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"

namespace tare::detail {

namespace {

using cu::Result;

ErrorKind kind_of(Result result) {
  switch (result) {
    case Result::out_of_memory:
      return ErrorKind::out_of_memory;
    case Result::not_found:
      return ErrorKind::not_found;
    case Result::not_supported:
      return ErrorKind::unsupported;
    case Result::invalid_device:
      return ErrorKind::argument;
    default:
      return ErrorKind::driver;
  }
}

/// Whether the calling thread's current context is another than its device's primary one. Only asked after a
/// call has failed in a way that this explains.
bool foreign_context_is_current() {
  cu::Context current = nullptr;
  cu::Device device = 0;
  const auto& call = driver_table;
  if (call.context_get_current(&current) != Result::success || current == nullptr) return false;
  if (call.context_get_device(&device) != Result::success) return false;
  cu::Context primary = nullptr;
  if (call.primary_context_retain(&primary, device) != Result::success) return false;
  call.primary_context_release(device);
  return primary != current;
}

std::string context_hint() {
  if (foreign_context_is_current())
    return "the calling thread's current context is not the device's primary context, so another library "
           "made "
           "it: enter the primary context (PrimaryContext::enter()) around this call";
  return "the calling thread has no current context or the object belongs to another one: enter the primary "
         "context (PrimaryContext::enter()) around this call";
}

/// Where a fault in a kernel can be looked for: not on the device it has just happened on.
std::string other_place() {
  return driver_info().is_cpu_device ? "check its bounds and the sizes of its buffers, or run it under "
                                       "compute-sanitizer on a GPU"
                                     : "look for the fault with compute-sanitizer or on the CPU device";
}

/// A kernel's failure, after which its context takes no more calls: each is answered with the same code.
bool loses_context(Result result) {
  switch (result) {
    case Result::illegal_address:
    case Result::launch_timeout:
    case Result::assert_triggered:
    case Result::hardware_stack_error:
    case Result::illegal_instruction:
    case Result::misaligned_address:
    case Result::invalid_address_space:
    case Result::invalid_pc:
    case Result::launch_failed:
      return true;
    default:
      return false;
  }
}

/// Does the call wait for kernels, so that what it reports may have happened just now?
bool waits_for_kernels(std::string_view call) {
  return call.find("Synchronize") != call.npos || call.find("Query") != call.npos ||
         call.find("Memcpy") != call.npos || call.find("ElapsedTime") != call.npos;
}

std::string hint_for(Result result) {
  switch (result) {
    case Result::out_of_memory:
      return "use a smaller problem, or free memory held by other processes";
    case Result::invalid_image:
      return "the image is damaged or is not PTX, a cubin or a fat binary";
    case Result::no_binary_for_gpu:
      return "compile for this device's own architecture, or to PTX";
    case Result::unsupported_ptx_version:
      return "compile to a cubin for this device, use an older compiler, or a newer driver";
    case Result::jit_compiler_not_found:
      return "the driver's PTX compiler (libnvidia-ptxjitcompiler) is not installed: compile to a cubin";
    case Result::invalid_context:
    case Result::invalid_handle:
    case Result::context_is_destroyed:
      return context_hint();
    case Result::illegal_address:
      return "a kernel read or wrote outside its memory and the context is lost: start a new process, and " +
             other_place();
    case Result::misaligned_address:
    case Result::invalid_address_space:
    case Result::illegal_instruction:
    case Result::invalid_pc:
    case Result::hardware_stack_error:
    case Result::launch_failed:
      return "an earlier kernel failed and the context is lost: start a new process, and " + other_place();
    case Result::assert_triggered:
      return "an assert() in a kernel failed and the context is lost: start a new process";
    case Result::launch_timeout:
      return "the kernel ran longer than the display's watchdog allows";
    case Result::launch_out_of_resources:
      return "use a smaller block, or compile the kernel with a register limit";
    case Result::not_supported:
      return "this device or driver does not do it";
    case Result::system_driver_mismatch:
      return "the loaded libcuda and the kernel driver are of different versions: restart after the update";
    default:
      return {};
  }
}

}  // namespace

std::string code_name(Result result) {
  const char* text = nullptr;
  driver_table.get_error_name(result, &text);
  return text != nullptr ? text : fmt::format("CUDA error {}", static_cast<int>(result));
}

std::string version_text(int driver_version) {
  return fmt::format("{}.{}", driver_version / 1000, driver_version % 1000 / 10);
}

void fail(Result result, const char* call, const std::string& about, const std::string& hint,
          const std::string& tail) {
  if (result == kForkedResult) throw_forked();
  const std::string detail = driver_error_detail();  // before any further call replaces it
  const std::string name = code_name(result);
  const char* text = nullptr;
  driver_table.get_error_string(result, &text);
  std::string message = call;
  if (!about.empty()) message += " on " + about;
  message += loses_context(result) && !waits_for_kernels(call)
                 ? fmt::format(" was refused, because an earlier failure has lost the context: {}", name)
                 : fmt::format(" failed: {}", name);
  if (text != nullptr) message += fmt::format(" ({})", text);
  if (!detail.empty() && tail.find(detail) == std::string::npos) message += ": " + detail;
  if (!tail.empty()) message += ": " + tail;
  throw Error(kind_of(result), message, hint.empty() ? hint_for(result) : hint, static_cast<int>(result),
              name);
}

}  // namespace tare::detail
