// Why a launch was refused, worked out after the driver has refused it: which axis, which limit, and what to
// do.
#include <fmt/format.h>

#include <array>

#include "driver/check.hpp"
#include "driver/loader.hpp"
#include "gpu/state.hpp"
#include "tare/error.hpp"

namespace tare::detail {

namespace {

using cu::DeviceAttribute;
using cu::FunctionAttribute;

struct Diagnosis {
  std::string message;  // empty: nothing in the shape explains the code
  std::string hint;
};

constexpr std::array kAxes{"x", "y", "z"};

std::array<unsigned, 3> axes(const Dim3& size) {
  return {size.x, size.y, size.z};
}

std::uint64_t volume(const Dim3& size) {
  return std::uint64_t{size.x} * size.y * size.z;
}

class Inspector {
 public:
  Inspector(const PrimaryContext& context, cu::Function function, const std::string& name,
            const Launch& shape)
      : device_(context.device()), function_(function), kernel_("kernel `" + name + "`"), shape_(shape) {}

  Diagnosis explain() const {
    for (const auto check : {&Inspector::empty_axis, &Inspector::block_limits, &Inspector::grid_limits,
                             &Inspector::kernel_limit, &Inspector::clusters, &Inspector::cooperative})
      if (auto diagnosis = (this->*check)(); !diagnosis.message.empty()) return diagnosis;
    return {};
  }

 private:
  int limit(DeviceAttribute attribute) const { return device_.attribute(static_cast<int>(attribute)); }

  int own(FunctionAttribute attribute) const {
    int value = 0;
    return driver_table.function_get_attribute(&value, attribute, function_) == cu::Result::success ? value
                                                                                                    : 0;
  }

  Diagnosis empty_axis() const {
    for (const auto& [what, size] : {std::pair{"grid", shape_.grid}, std::pair{"block", shape_.block}})
      for (std::size_t i = 0; i < 3; ++i)
        if (axes(size)[i] == 0)
          return {fmt::format("{}.{} of {} is 0", what, kAxes[i], kernel_),
                  "every axis needs at least 1; skip the launch where there is no work"};
    return {};
  }

  Diagnosis axis_limits(const char* what, const char* unit, const Dim3& size, DeviceAttribute first,
                        const std::string& remedy) const {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto most = limit(static_cast<DeviceAttribute>(static_cast<int>(first) + static_cast<int>(i)));
      if (const auto got = axes(size)[i]; got > static_cast<unsigned>(most))
        return {fmt::format("{}.{} of {} is {} {}, the device allows {}", what, kAxes[i], kernel_, got, unit,
                            most),
                i == 0 ? remedy : fmt::format("{}.x may be larger than {}.{}", what, what, kAxes[i])};
    }
    return {};
  }

  Diagnosis block_limits() const {
    const auto most = limit(DeviceAttribute::max_threads_per_block);
    const std::string remedy = fmt::format("use at most {} threads per block, and more blocks", most);
    if (auto axis = axis_limits("block", "threads", shape_.block, DeviceAttribute::max_block_dim_x, remedy);
        !axis.message.empty())
      return axis;
    if (const auto threads = volume(shape_.block); threads > static_cast<std::uint64_t>(most))
      return {fmt::format("the block of {} has {} threads, the device allows {}", kernel_, threads, most),
              remedy};
    return {};
  }

  Diagnosis grid_limits() const {
    return axis_limits("grid", "blocks", shape_.grid, DeviceAttribute::max_grid_dim_x,
                       "use fewer blocks, each doing more");
  }

  /// Registers per thread, or a limit declared in the source, make the kernel's own limit lower than the
  /// device's.
  Diagnosis kernel_limit() const {
    const auto threads = volume(shape_.block);
    const auto most = own(FunctionAttribute::max_threads_per_block);
    if (most <= 0 || threads <= static_cast<std::uint64_t>(most)) return {};
    const auto registers = static_cast<std::uint64_t>(own(FunctionAttribute::num_regs));
    const auto available = static_cast<std::uint64_t>(limit(DeviceAttribute::max_registers_per_block));
    if (registers * threads > available)
      return {fmt::format("{} uses {} registers per thread: {} threads need {}, a block has {}", kernel_,
                          registers, threads, registers * threads, available),
              fmt::format("use at most {} threads per block, or compile with a register limit of {} "
                          "(max_registers or __launch_bounds__({}))",
                          most, available / threads / 8 * 8, threads)};
    return {fmt::format("{} allows at most {} threads per block ({} registers per thread), the block has {}",
                        kernel_, most, registers, threads),
            fmt::format("use at most {} threads per block, or compile the kernel for larger ones "
                        "(max_registers or __launch_bounds__({}))",
                        most, threads)};
  }

  Diagnosis clusters() const {
    Dim3 cluster{static_cast<unsigned>(own(FunctionAttribute::required_cluster_width)),
                 static_cast<unsigned>(own(FunctionAttribute::required_cluster_height)),
                 static_cast<unsigned>(own(FunctionAttribute::required_cluster_depth))};
    if (shape_.cluster) {
      cluster = *shape_.cluster;
    } else if (volume(cluster) == 0) {
      return {};
    }
    for (std::size_t i = 0; i < 3; ++i)
      if (const auto side = axes(cluster)[i]; side == 0 || axes(shape_.grid)[i] % side != 0)
        return {fmt::format("grid.{} of {} is {} blocks, which is not a multiple of the cluster's {}",
                            kAxes[i], kernel_, axes(shape_.grid)[i], side),
                "the grid is counted in blocks, not in clusters"};
    constexpr std::uint64_t kPortableBlocks = 8;
    if (const auto blocks = volume(cluster); blocks > kPortableBlocks)
      return {fmt::format("the cluster of {} has {} blocks, {} is the portable limit", kernel_, blocks,
                          kPortableBlocks),
              fmt::format("use a cluster of at most {} blocks", kPortableBlocks)};
    return {};
  }

  Diagnosis cooperative() const {
    if (!shape_.cooperative) return {};
    int per_multiprocessor = 0;
    if (driver_table.occupancy_blocks(&per_multiprocessor, function_, static_cast<int>(volume(shape_.block)),
                                      shape_.dynamic_shared_bytes) != cu::Result::success)
      return {};
    const auto most = static_cast<std::uint64_t>(per_multiprocessor) *
                      static_cast<std::uint64_t>(limit(DeviceAttribute::multiprocessor_count));
    if (const auto blocks = volume(shape_.grid); blocks > most)
      return {fmt::format("the cooperative grid of {} has {} blocks, the device holds {} at once", kernel_,
                          blocks, most),
              "a cooperative grid has to fit the device: use fewer blocks, each doing more"};
    return {};
  }

  const Device& device_;
  cu::Function function_;
  std::string kernel_;
  const Launch& shape_;
};

/// Whether the code can come from the launch's shape; any other is about the device or an earlier launch.
bool speaks_of_shape(cu::Result result) {
  return result == cu::Result::invalid_value || result == cu::Result::launch_out_of_resources ||
         result == cu::Result::cooperative_launch_too_large || result == cu::Result::invalid_cluster_size;
}

}  // namespace

void fail_launch(cu::Result result, const char* call, const PrimaryContext& context, cu::Function function,
                 const std::string& name, const Launch& shape) {
  if (speaks_of_shape(result)) {
    const auto scope = context.enter();
    if (const auto [message, hint] = Inspector(context, function, name, shape).explain(); !message.empty())
      throw Error(ErrorKind::argument, message, hint, static_cast<int>(result), code_name(result));
  }
  fail(result, call, "kernel `" + name + "`");
}

}  // namespace tare::detail
