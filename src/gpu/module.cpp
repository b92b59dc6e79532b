#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstring>

#include "driver/check.hpp"
#include "driver/loader.hpp"
#include "gpu/ptx_text.hpp"
#include "gpu/quiet_scope.hpp"
#include "gpu/state.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"

namespace tare {

using detail::driver_table;

namespace {

constexpr const char* kNotLoaded = "it was default-constructed or moved from: load it with Module::load()";

/// The driver's text, without the padding that some drivers leave.
std::string trimmed(const char* text, std::size_t size) {
  std::string log(text, strnlen(text, size));
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  return log;
}

/// The newest PTX that the driver takes: from the log's "current version is '9.0'", else from its own
/// version.
std::string newest_ptx(const std::string& log) {
  constexpr std::string_view kMarker = "current version is '";
  if (const auto at = log.find(kMarker); at != std::string::npos) {
    const auto rest = log.substr(at + kMarker.size());
    return rest.substr(0, rest.find('\''));
  }
  // PTX 8.5 served both 12.5 and 12.6; otherwise major and minor go up with the driver's.
  const int version = driver_info().version;
  const int major = version / 1000;
  const int minor = version % 1000 / 10;
  return fmt::format("{}.{}", major - 4, major == 12 && minor >= 6 ? minor - 1 : minor);
}

[[noreturn]] void fail_load(cu::Result result, const PrimaryContext& context, const std::string& ptx,
                            std::size_t bytes, const std::string& log) {
  constexpr const char* kCall = "cuModuleLoadDataEx";
  if (ptx.empty()) {
    const int capability = context.device().compute_capability();
    const auto hint = driver_info().loads_ptx_only
                          ? std::string("this driver loads PTX only: compile to PTX")
                          : fmt::format("compile for this device (sm_{}), or to PTX", capability);
    detail::fail(result, kCall, fmt::format("{} bytes of machine code", bytes), hint, log);
  }
  const auto version = detail::ptx_version(ptx);
  const auto producer = detail::ptx_producer(ptx);
  const auto about = fmt::format("PTX {}{}", version.empty() ? "without a version" : version,
                                 producer.empty() ? "" : fmt::format(" ({})", producer));
  if (result != cu::Result::unsupported_ptx_version) detail::fail(result, kCall, about, {}, log);
  detail::fail(result, kCall, about, {},
               fmt::format("the text is PTX {}, the driver ({}) takes PTX up to {}{}{}", version,
                           detail::version_text(driver_info().version), newest_ptx(log),
                           log.empty() ? "" : "\n", log));
}

}  // namespace

Module::State::~State() {
  if (module == nullptr) return;
  const detail::QuietScope scope(context.handle());
  driver_table.module_unload(module);
}

Module Module::load(const PrimaryContext& context, std::span<const std::byte> image,
                    std::string_view ptx_for_parameters) {
  auto state = std::make_shared<State>(context);
  const std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
  const bool is_text = detail::is_ptx(text);
  if (image.empty())
    throw Error(ErrorKind::argument, "there is nothing to load: the image has 0 bytes",
                "give the PTX, cubin or fat binary that a compiler made");
  // PTX has to end in NUL; machine code is read where it is.
  state->ptx = is_text ? text.substr(0, text.find('\0')) : ptx_for_parameters;
  const void* data = is_text ? static_cast<const void*>(state->ptx.c_str()) : image.data();

  std::array<char, 8192> info{};
  std::array<char, 8192> errors{};
  std::array options{cu::JitOption::info_log_buffer, cu::JitOption::info_log_buffer_size_bytes,
                     cu::JitOption::error_log_buffer, cu::JitOption::error_log_buffer_size_bytes};
  std::array<void*, 4> values{info.data(), reinterpret_cast<void*>(info.size()), errors.data(),
                              reinterpret_cast<void*>(errors.size())};
  const auto scope = context.enter();
  const auto result =
      driver_table.module_load_data_ex(&state->module, data, options.size(), options.data(), values.data());
  if (result != cu::Result::success) {
    state->module = nullptr;
    fail_load(result, context, is_text ? state->ptx : std::string(), image.size(),
              trimmed(errors.data(), errors.size()));
  }
  state->log = trimmed(info.data(), info.size());
  Module module;
  module.state_ = std::move(state);
  return module;
}

std::vector<std::string> Module::State::kernel_names() const {
  unsigned count = 0;
  if (driver_table.module_get_function_count(&count, module) != cu::Result::success)
    return detail::ptx_kernels(ptx);
  std::vector<cu::Function> functions(count);
  if (driver_table.module_enumerate_functions(functions.data(), count, module) != cu::Result::success)
    return detail::ptx_kernels(ptx);
  std::vector<std::string> names;
  for (const auto function : functions) {
    const char* name = nullptr;
    if (driver_table.function_get_name(&name, function) != cu::Result::success || name == nullptr)
      return detail::ptx_kernels(ptx);
    names.emplace_back(name);
  }
  return names;
}

Kernel Module::kernel(const std::string& name) const {
  if (!state_) throw Error(ErrorKind::argument, "an empty module has no kernels", kNotLoaded);
  detail::refuse_forked_child();
  Kernel kernel;
  const std::lock_guard lock(state_->kernels_mutex);
  auto& known = state_->kernels[name];
  if (!known) {
    const auto scope = state_->context.enter();
    cu::Function function = nullptr;
    const auto result = driver_table.module_get_function(&function, state_->module, name.c_str());
    if (result != cu::Result::success) {
      state_->kernels.erase(name);
      if (result != cu::Result::not_found)
        detail::fail(result, "cuModuleGetFunction", "kernel `" + name + "`");
      const auto names = state_->kernel_names();
      throw Error(ErrorKind::not_found,
                  names.empty() ? fmt::format("the module has no kernel `{}`: it has none at all", name)
                                : fmt::format("the module has no kernel `{}`: it has `{}`", name,
                                              fmt::join(names, "`, `")),
                  "declare the kernel extern \"C\", or use its lowered name", static_cast<int>(result),
                  detail::code_name(result));
    }
    known = std::make_unique<Kernel::State>(state_->context, function, name, state_->ptx);
  }
  kernel.state_ = std::shared_ptr<Kernel::State>(state_, known.get());
  return kernel;
}

std::pair<DevicePointer, std::size_t> Module::global(const std::string& name) const {
  if (!state_) throw Error(ErrorKind::argument, "an empty module has no variables", kNotLoaded);
  const auto scope = state_->context.enter();
  cu::DevicePtr address = 0;
  std::size_t bytes = 0;
  const auto result = driver_table.module_get_global(&address, &bytes, state_->module, name.c_str());
  if (result == cu::Result::not_found)
    throw Error(ErrorKind::not_found, fmt::format("the module has no variable `{}`", name),
                "declare it extern \"C\", or use its lowered name", static_cast<int>(result),
                detail::code_name(result));
  detail::check(result, "cuModuleGetGlobal");
  return {DevicePointer{address}, bytes};
}

const std::string& Module::log() const noexcept {
  static const std::string kNothing;
  return state_ ? state_->log : kNothing;
}

}  // namespace tare
