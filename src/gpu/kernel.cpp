// Kernel: what it knows about itself, the checks of its arguments, and launching. launch_unchecked() is the
// path that `make bench` holds against a bare cuLaunchKernel: whatever can wait for an error waits for it.
#include "tare/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "driver/check.hpp"
#include "driver/loader.hpp"
#include "gpu/ptx_text.hpp"
#include "gpu/state.hpp"
#include "tare/error.hpp"

namespace tare {

using cu::DeviceAttribute;
using cu::FunctionAttribute;
using detail::driver_table;

namespace {

[[noreturn]] void fail_empty() {
  throw Error(ErrorKind::argument, "the kernel is empty: it was default-constructed or moved from",
              "take one from a Module or a Program");
}

std::string arguments(std::size_t count) {
  return fmt::format("{} argument{}", count, count == 1 ? "" : "s");
}

/// What the driver (12.4 and later) says about the parameters; nullopt where it has no such function.
std::optional<std::vector<Parameter>> parameters_by_driver(cu::Function function) {
  std::vector<Parameter> parameters;
  for (;;) {
    Parameter parameter;
    const auto result =
        driver_table.function_get_param_info(function, parameters.size(), &parameter.offset, &parameter.size);
    if (result == cu::Result::invalid_value) return parameters;  // one past the last
    if (result == cu::Result::not_found || result == cu::Result::not_supported) return std::nullopt;
    detail::check(result, "cuFuncGetParamInfo");
    parameters.push_back(parameter);
  }
}

std::string hint_for_size(std::size_t given, std::size_t wanted) {
  const bool scalars = given <= 8 && wanted <= 8;
  if (scalars)
    return fmt::format("pass a value whose C++ type has exactly {} byte{}, for example static_cast<{}>",
                       wanted, wanted == 1 ? "" : "s",
                       wanted == 8   ? "double or std::int64_t"
                       : wanted == 4 ? "float or std::int32_t"
                       : wanted == 2 ? "std::uint16_t (a half's bits)"
                                     : "char or bool");
  return "a struct must have the same members, alignment and padding on the host as in the kernel";
}

}  // namespace

int Kernel::State::attribute(FunctionAttribute attribute) const {
  int value = 0;
  detail::check(driver_table.function_get_attribute(&value, attribute, function), "cuFuncGetAttribute",
                quoted().c_str());
  return value;
}

const std::string& Kernel::name() const noexcept {
  static const std::string kNone;
  return state_ ? state_->name : kNone;
}

CUfunc_st* Kernel::handle() const noexcept {
  return state_ ? state_->function : nullptr;
}

const std::optional<std::vector<Parameter>>& Kernel::parameters() const {
  if (!state_) fail_empty();
  auto& state = *state_;
  if (state.parameters_known.load(std::memory_order_acquire)) return state.parameters;
  detail::refuse_forked_child();  // whose parent may hold the lock for ever
  const std::lock_guard lock(state.parameters_mutex);
  if (!state.parameters_known.load(std::memory_order_relaxed)) {
    const auto scope = state.context.enter();
    auto found = parameters_by_driver(state.function);
    state.parameters = found ? std::move(found) : detail::ptx_parameters(state.module_ptx, state.name);
    state.parameters_known.store(true, std::memory_order_release);
  }
  return state.parameters;
}

KernelAttributes Kernel::attributes() const {
  if (!state_) fail_empty();
  const auto scope = state_->context.enter();
  KernelAttributes all;
  all.max_threads_per_block = state_->attribute(FunctionAttribute::max_threads_per_block);
  all.registers = state_->attribute(FunctionAttribute::num_regs);
  all.static_shared_bytes = state_->attribute(FunctionAttribute::shared_size_bytes);
  all.local_bytes = state_->attribute(FunctionAttribute::local_size_bytes);
  all.constant_bytes = state_->attribute(FunctionAttribute::const_size_bytes);
  all.ptx_version = state_->attribute(FunctionAttribute::ptx_version);
  all.binary_version = state_->attribute(FunctionAttribute::binary_version);
  return all;
}

void Kernel::allow_dynamic_shared(unsigned bytes) const {
  if (!state_) fail_empty();
  auto& state = *state_;
  detail::refuse_forked_child();
  const std::lock_guard lock(state.shared_limit_mutex);
  const auto scope = state.context.enter();
  const auto& device = state.context.device();
  // Static and dynamic bytes share the block's allowance, so that either alone says nothing.
  const auto fixed = static_cast<std::size_t>(state.attribute(FunctionAttribute::shared_size_bytes));
  const auto allowed = static_cast<std::size_t>(
      device.attribute(static_cast<int>(DeviceAttribute::max_shared_memory_per_block_optin)));
  if (fixed + bytes > allowed)
    throw Error(
        ErrorKind::argument,
        fmt::format("{} needs {} bytes of shared memory per block ({} static and {} dynamic), the device "
                    "allows {}",
                    state.quoted(), fixed + bytes, fixed, bytes, allowed),
        "use fewer dynamic_shared_bytes");
  const int now = state.attribute(FunctionAttribute::max_dynamic_shared_size_bytes);
  if (now < 0 || static_cast<unsigned>(now) < bytes)
    detail::check(
        driver_table.function_set_attribute(state.function, FunctionAttribute::max_dynamic_shared_size_bytes,
                                            static_cast<int>(bytes)),
        "cuFuncSetAttribute", state.quoted().c_str());
  const auto limit = std::max(bytes, static_cast<unsigned>(std::max(now, 0)));
  if (limit > state.dynamic_shared_limit.load()) state.dynamic_shared_limit.store(limit);
}

const std::size_t* Kernel::checked_sizes() const noexcept {
  return state_ ? state_->checked_sizes.load(std::memory_order_relaxed) : nullptr;
}

void Kernel::check(const std::size_t* sizes, std::size_t count) const {
  check(std::span(sizes, count));
  // The list's address stands for its content: it is an array of static storage duration, one per list of
  // types.
  state_->checked_sizes.store(sizes, std::memory_order_relaxed);
}

void Kernel::check(std::span<const std::size_t> sizes) const {
  const auto& wanted = parameters();
  if (!wanted) return;
  if (wanted->size() != sizes.size())
    throw Error(ErrorKind::argument,
                fmt::format("{} takes {}, {} {} given", state_->quoted(), arguments(wanted->size()),
                            sizes.size(), sizes.size() == 1 ? "was" : "were"),
                "give one for each parameter that the kernel's source has, in that order");
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (const auto& parameter = (*wanted)[i]; parameter.size != sizes[i])
      throw Error(
          ErrorKind::argument,
          fmt::format("argument {} of {} is {} byte{}, the kernel's parameter is {} byte{} at offset {}",
                      i + 1, state_->quoted(), sizes[i], sizes[i] == 1 ? "" : "s", parameter.size,
                      parameter.size == 1 ? "" : "s", parameter.offset),
          hint_for_size(sizes[i], parameter.size));
}

void Kernel::launch(StreamRef stream, const Launch& shape, std::span<void* const> pointers,
                    std::span<const std::size_t> sizes) const {
  if (pointers.size() != sizes.size())
    throw Error(ErrorKind::argument,
                fmt::format("{} argument pointers were given with {} sizes", pointers.size(), sizes.size()),
                "each pointer needs the size of what it points to, in bytes");
  check(sizes);
  launch_unchecked(stream, shape, pointers.empty() ? nullptr : const_cast<void**>(pointers.data()));
}

void Kernel::launch_unchecked(StreamRef stream, const Launch& shape, void** pointers) const {
  if (!state_) [[unlikely]]
    fail_empty();
  const State& state = *state_;
  if (shape.dynamic_shared_bytes > state.dynamic_shared_limit.load(std::memory_order_relaxed)) [[unlikely]]
    allow_dynamic_shared(shape.dynamic_shared_bytes);
  const auto& [grid, block, shared, cooperative, cluster] = shape;
  if (!cooperative && !cluster) [[likely]] {
    const auto result = driver_table.launch_kernel(state.function, grid.x, grid.y, grid.z, block.x, block.y,
                                                   block.z, shared, stream.handle(), pointers, nullptr);
    if (result != cu::Result::success) [[unlikely]]
      detail::fail_launch(result, "cuLaunchKernel", state.context, state.function, state.name, shape);
    return;
  }
  cu::LaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (cooperative) {
    attributes[count].id = cu::LaunchAttributeId::cooperative;
    attributes[count++].value.cooperative = 1;
  }
  if (cluster) {
    attributes[count].id = cu::LaunchAttributeId::cluster_dimension;
    attributes[count++].value.cluster_dimension = {cluster->x, cluster->y, cluster->z};
  }
  const cu::LaunchConfig config{grid.x,  grid.y, grid.z,          block.x,    block.y,
                                block.z, shared, stream.handle(), attributes, count};
  const auto result = driver_table.launch_kernel_ex(&config, state.function, pointers, nullptr);
  if (result != cu::Result::success) [[unlikely]]
    detail::fail_launch(result, "cuLaunchKernelEx", state.context, state.function, state.name, shape);
}

}  // namespace tare
