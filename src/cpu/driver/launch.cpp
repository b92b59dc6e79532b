// Launching: the checks that the driver makes, parameters copied, and an operation in the stream.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "cpu/driver/api.hpp"
#include "cpu/driver/attributes.hpp"
#include "cpu/driver/event.hpp"
#include "cpu/driver/module.hpp"
#include "cpu/driver/stream.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

struct Shape {
  std::array<unsigned, 3> grid{}, block{};
  unsigned shared_bytes = 0;
};

std::string triple(const std::uint32_t v[3]) {
  char text[40];
  std::snprintf(text, sizeof text, "(%u, %u, %u)", v[0], v[1], v[2]);
  return text;
}

/// ", 4 bytes behind the end of a buffer of 4096 bytes"; empty where nothing is near.
std::string nearest_to(std::uintptr_t address) {
  const auto found = Process::get().addresses.neighbour(address);
  if (!found) return {};
  if (found->side == Neighbour::Side::freed) return ", in memory that was freed";
  const std::string bytes = std::to_string(found->bytes) + " bytes";
  std::string what = "a buffer of " + bytes;
  if (found->kind == Allocation::Kind::module) what = "a module's variables (" + bytes + ")";
  if (found->kind == Allocation::Kind::host || found->kind == Allocation::Kind::registered)
    what = "page-locked memory of " + bytes;
  if (found->distance == 0) return ", right behind the end of " + what;
  const std::string distance =
      ", " + std::to_string(found->distance) + (found->distance == 1 ? " byte " : " bytes ");
  return distance + (found->side == Neighbour::Side::behind ? "behind the end of " : "before the start of ") +
         what;
}

/// An index is counted in 32 bits there: -1 comes as 2^32 - 1.
std::string outside_of_shared(std::int64_t offset) {
  if (offset > INT32_MAX && offset <= UINT32_MAX) offset = static_cast<std::int32_t>(offset);
  return (offset < 0 ? "before its start" : "beyond its end") + std::string(", at offset ") +
         std::to_string(offset);
}

/// Tells the context how a grid ended, where it did not end well.
void report(const GridOutcome& outcome, const FunctionObject& function, ContextStatus& status) {
  const std::string kernel = "kernel `" + function.entry.name + "`";
  if (outcome.no_scratch) {
    return status.fail(abi::kLaunchOutOfResources,
                       kernel + ": no host memory for its local and shared variables");
  }
  if (outcome.beyond_shared) {
    const auto base = reinterpret_cast<std::uintptr_t>(outcome.where.shared);
    const auto offset = static_cast<std::int64_t>(outcome.memory_fault.address - base);
    return status.fail(abi::kIllegalInstruction,
                       kernel + " accessed shared memory " + outside_of_shared(offset));
  }
  if (outcome.memory_fault.happened) {
    std::string where = "an address that no memory can have";
    if (const std::uintptr_t address = outcome.memory_fault.address; outcome.memory_fault.has_address) {
      char text[40];
      std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
      where = text + nearest_to(address);
    }
    return status.fail(abi::kIllegalAddress, kernel + " accessed memory that is not there, at " + where);
  }
  const std::string block = " in block " + triple(outcome.where.fault_block);
  const std::string where =
      block + ", thread " + triple(outcome.where.fault_thread) +
      (outcome.where.fault_line == 0 ? "" : ", PTX line " + std::to_string(outcome.where.fault_line));
  switch (outcome.fault) {
    case codegen::Fault::none:
      return;
    case codegen::Fault::trap:
      return status.fail(abi::kLaunchFailed, kernel + " executed a trap" + where);
    case codegen::Fault::barrier_never_completes:
      return status.fail(abi::kLaunchFailed, kernel + " waits for threads that never come," + where);
    case codegen::Fault::stack_overflow:  // on a GPU the stack is memory with an end
      return status.fail(abi::kIllegalAddress,
                         kernel + " calls more deeply than its stack allows (CU_LIMIT_STACK_SIZE)" + where);
    case codegen::Fault::misaligned:
      return status.fail(abi::kMisalignedAddress,
                         kernel +
                             " read or wrote at an address that is not a multiple of the access's bytes," +
                             (outcome.where.fault_line == 0 ? block : where));
    case codegen::Fault::yielded:
      break;
    case codegen::Fault::assertion:
      return status.fail(abi::kAssert, kernel + " failed an assertion" + where);
  }
  status.fail(abi::kLaunchFailed, kernel + " stopped" + where);
}

/// One launch in a stream. Used again by later launches of the same stream.
class LaunchOperation final : public Operation {
 public:
  void run(OperationContext& context) override {
    const codegen::CompiledKernel& kernel = *kernel_;
    const std::uint64_t threads = std::uint64_t{launch_.block[0]} * launch_.block[1] * launch_.block[2];
    Grid grid;
    grid.run = kernel.run;
    grid.context = &launch_;
    grid.blocks = std::uint64_t{launch_.grid[0]} * launch_.grid[1] * launch_.grid[2];
    // The dynamic part begins at a multiple of 16 after the static one.
    constexpr std::size_t kDynamicAlignment = 16;
    grid.shared_bytes = kernel.static_shared_bytes + kDynamicAlignment + launch_.dynamic_shared_bytes;
    grid.local_bytes = kernel.local_bytes(launch_.stack_bytes) * threads;
    grid.stack_bytes = kernel.has_stack ? launch_.stack_bytes * threads : 0;
    grid.frame_bytes = kernel.frame_bytes_per_thread * threads;
    const GridOutcome outcome = Process::get().pool.run(grid, function_->pace, context.scratch);
    if (!outcome.ok()) report(outcome, *function_, context.status);
  }

  bool recycle() override {
    function_.reset();
    large_.clear();
    return true;
  }

  /// Room for the parameters; filled by the caller before the operation is queued.
  std::byte* prepare(std::shared_ptr<FunctionObject> function, const codegen::CompiledKernel& kernel,
                     const Shape& shape, ContextObject& context, bool cooperative) {
    const std::size_t bytes = function->entry.parameter_bytes;
    if (bytes > small_.size()) large_.resize(bytes);
    std::byte* const parameters = bytes > small_.size() ? large_.data() : small_.data();
    launch_ = {};
    launch_.params = parameters;
    const auto& module = *function->module;
    launch_.globals = module.globals ? module.globals->base : nullptr;
    launch_.constants = module.constants ? module.constants->base : nullptr;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      launch_.grid[axis] = shape.grid[axis];
      launch_.block[axis] = shape.block[axis];
    }
    launch_.dynamic_shared_bytes = shape.shared_bytes;
    launch_.stack_bytes = context.stack_bytes();
    launch_.grid_id = context.grids_launched.fetch_add(1, std::memory_order_relaxed) + 1;
    const Settings& settings = Process::get().settings;
    launch_.workers = static_cast<std::uint32_t>(settings.threads);
    launch_.resident_warps = static_cast<std::uint32_t>(settings.capability->threads / kWarp);
    launch_.shared_unit = static_cast<std::uint32_t>(settings.capability->shared_unit());
    launch_.services = &context.services;
    if (kernel.prints) context.services.will_print();
    if (kernel.allocates) context.services.will_allocate();
    grid_workspace_.fill(0);
    if (cooperative) launch_.grid_workspace = reinterpret_cast<std::byte*>(grid_workspace_.data());
    kernel_ = &kernel;
    function_ = std::move(function);
    return parameters;
  }

 private:
  codegen::LaunchContext launch_;
  const codegen::CompiledKernel* kernel_ = nullptr;
  std::shared_ptr<FunctionObject> function_;
  std::array<std::uint32_t, 4> grid_workspace_{};  // where a cooperative grid's blocks meet
  alignas(64) std::array<std::byte, 512> small_;
  std::vector<std::byte> large_;
};

Result check_shape(const Shape& shape, const FunctionObject& function) {
  const auto& [grid, block, shared_bytes] = shape;
  if (std::ranges::count(grid, 0u) != 0 || std::ranges::count(block, 0u) != 0) {
    return fail(abi::kInvalidValue, "a dimension of the grid or the block is 0");
  }
  constexpr unsigned kMaxGridX = 0x7fffffff;
  if (grid[0] > kMaxGridX || grid[1] > kMaxGridYZ || grid[2] > kMaxGridYZ) {
    return fail(abi::kInvalidValue, "the grid is larger than 2147483647 x 65535 x 65535");
  }
  const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2];
  if (block[0] > kMaxThreadsPerBlock || block[1] > kMaxThreadsPerBlock || block[2] > kMaxBlockZ ||
      threads > kMaxThreadsPerBlock) {
    return fail(abi::kInvalidValue, "the block is larger than 1024 threads, or than 1024 x 1024 x 64");
  }
  const ptx::Function& entry = function.entry;
  if (entry.reqntid[0] != 0) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (block[axis] != std::max(entry.reqntid[axis], 1u)) {
        return fail(abi::kInvalidValue,
                    "kernel `" + entry.name + "` must be launched with the block of its .reqntid");
      }
    }
  } else if (threads > static_cast<std::uint64_t>(function.max_threads_per_block())) {
    // Not 701, which is for registers: an H200 (driver 580.159.04) answers 1 to a block over .maxntid.
    return fail(abi::kInvalidValue, "the block has more threads than the .maxntid of kernel `" + entry.name +
                                        "`: " + std::to_string(function.max_threads_per_block()));
  }
  const std::size_t limit = function.dynamic_shared_limit.load(std::memory_order_relaxed);
  if (shared_bytes > limit) {
    return fail(abi::kInvalidValue,
                "kernel `" + entry.name + "` may use " + std::to_string(limit) +
                    " bytes of dynamic shared memory, " + std::to_string(shared_bytes) +
                    " asked for (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES allows more)");
  }
  return abi::kSuccess;
}

/// All blocks of a cooperative grid must be on the device at a time.
Result check_residency(const Shape& shape, const FunctionObject& function, const Process& process) {
  if (!process.settings.capability->has_cooperative_launches())
    return fail(abi::kNotSupported, "cooperative launches need compute capability 6.0 or later");
  const auto threads = static_cast<int>(shape.block[0] * shape.block[1] * shape.block[2]);
  const std::uint64_t blocks = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  const auto room =
      static_cast<std::uint64_t>(blocks_per_multiprocessor(function, threads, shape.shared_bytes)) *
      static_cast<std::uint64_t>(process.settings.threads);
  if (blocks <= room) return abi::kSuccess;
  return fail(abi::kCooperativeLaunchTooLarge, "a cooperative launch of kernel `" + function.entry.name +
                                                   "` may have " + std::to_string(room) +
                                                   " blocks of this size, not " + std::to_string(blocks));
}

/// The two ways that parameters are given: an array of addresses, or one buffer ("extra").
struct Parameters {
  void** array = nullptr;
  void** extra = nullptr;
};

Result copy_parameters(const ptx::Function& entry, const Parameters& given, std::byte* to) {
  if (given.extra != nullptr) {
    const void* buffer = nullptr;
    const std::size_t* bytes = nullptr;
    for (void** item = given.extra; reinterpret_cast<std::uintptr_t>(*item) != abi::launch_param::end;
         item += 2) {
      switch (reinterpret_cast<std::uintptr_t>(*item)) {
        case abi::launch_param::buffer_pointer:
          buffer = item[1];
          break;
        case abi::launch_param::buffer_size:
          bytes = static_cast<const std::size_t*>(item[1]);
          break;
        default:
          return abi::kInvalidValue;
      }
    }
    if (buffer == nullptr || bytes == nullptr || *bytes < entry.parameter_bytes) {
      return fail(abi::kInvalidValue, "kernel `" + entry.name + "` takes " +
                                          std::to_string(entry.parameter_bytes) + " bytes of parameters");
    }
    std::memcpy(to, buffer, entry.parameter_bytes);
    return abi::kSuccess;
  }
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    const ptx::Variable& parameter = entry.parameters[i];
    if (given.array[i] == nullptr) return abi::kInvalidValue;
    std::memcpy(to + parameter.offset, given.array[i], parameter.size);
  }
  return abi::kSuccess;
}

Result check_parameters(const ptx::Function& entry, const Parameters& given) {
  if (given.array != nullptr && given.extra != nullptr) return abi::kInvalidValue;
  if (!entry.parameters.empty() && given.array == nullptr && given.extra == nullptr) {
    return fail(abi::kInvalidValue, "kernel `" + entry.name + "` takes parameters and was given none");
  }
  return entry.parameter_bytes <= kMaxParameterBytes ? abi::kSuccess : abi::kInvalidValue;
}

/// What cuLaunchKernelEx may add to a launch.
struct Extras {
  abi::Event completion = nullptr;
  bool cooperative = false;
};

Result launch(StreamArgument argument, abi::Function handle, const Shape& shape, const Parameters& given,
              const Extras& extras = {}) {
  return entry([&](Process& process) -> Result {
    ResolvedStream target;
    if (const Result found = resolve(argument, target); found != abi::kSuccess) return found;
    std::shared_ptr<FunctionObject> function;
    if (const Result found = find_function(handle, function); found != abi::kSuccess) return found;
    if (function->module->context.lock() != target.context) return abi::kInvalidHandle;
    if (const Result wrong = check_shape(shape, *function); wrong != abi::kSuccess) return wrong;
    const ptx::Function& entry = function->entry;
    if (const Result wrong = check_parameters(entry, given); wrong != abi::kSuccess) return wrong;
    if (std::ranges::any_of(entry.reqnctapercluster, [](std::uint32_t n) { return n > 1; })) {
      return fail(abi::kNotSupported,
                  "kernel `" + entry.name + "` asks for clusters, which the CPU device does not have");
    }
    if (extras.cooperative) {
      if (const Result wrong = check_residency(shape, *function, process); wrong != abi::kSuccess)
        return wrong;
    }
    std::shared_ptr<EventObject> completion;
    if (extras.completion != nullptr && !(completion = process.events.find(extras.completion)))
      return abi::kInvalidHandle;
    const codegen::CompiledKernel* kernel = function->compiled();
    if (kernel == nullptr) {
      return fail(function->error.unsupported ? abi::kNotSupported : abi::kInvalidPtx,
                  function->error.message);
    }

    StreamQueue& queue = *target.stream->queue;
    std::unique_ptr<Operation> reused = queue.take_recycled();
    std::unique_ptr<LaunchOperation> operation(reused ? static_cast<LaunchOperation*>(reused.release())
                                                      : new LaunchOperation);
    std::byte* const to = operation->prepare(function, *kernel, shape, *target.context, extras.cooperative);
    if (const Result copied = copy_parameters(entry, given, to); copied != abi::kSuccess) return copied;
    const StreamQueue::Position position = enqueue(target, std::move(operation));
    if (completion) {
      auto record = std::make_shared<EventRecord>();
      record->queue = target.stream->queue;
      record->position = position;
      completion->set_latest(std::move(record));
    }
    return abi::kSuccess;
  });
}

/// Attributes that ask for what this device has not are refused; hints are passed over.
Result read_attributes(const abi::LaunchConfig& config, Extras& extras) {
  namespace attribute = abi::launch_attribute;
  if (config.attribute_count != 0 && config.attributes == nullptr) return fail(abi::kInvalidValue);
  for (unsigned i = 0; i < config.attribute_count; ++i) {
    const abi::LaunchAttribute& given = config.attributes[i];
    const auto& dimensions = given.value.dimensions;
    switch (given.id) {
      case attribute::cooperative:
        extras.cooperative = given.value.number != 0;
        break;
      case attribute::cluster_dimension:
        if (dimensions.x == 0 || dimensions.y == 0 || dimensions.z == 0) return fail(abi::kInvalidValue);
        if (dimensions.x != 1 || dimensions.y != 1 || dimensions.z != 1) {
          return fail(abi::kNotSupported, "the CPU device has no clusters");
        }
        break;
      case attribute::programmatic_event:
      case attribute::launch_completion_event:
        extras.completion = given.value.programmatic_event.event;
        break;
      case attribute::device_updatable_kernel_node:
        return fail(abi::kNotSupported, "the CPU device has no graphs");
      default:
        if (given.id < 0) return fail(abi::kInvalidValue);
        break;
    }
  }
  return abi::kSuccess;
}

Result launch_with_config(const abi::LaunchConfig* config, abi::Function handle, const Parameters& given,
                          bool per_thread) {
  if (config == nullptr) return fail(abi::kInvalidValue);
  Extras extras;
  if (const Result wrong = read_attributes(*config, extras); wrong != abi::kSuccess) return wrong;
  const Shape shape{{config->grid[0], config->grid[1], config->grid[2]},
                    {config->block[0], config->block[1], config->block[2]},
                    config->shared_bytes};
  return launch({config->stream, per_thread}, handle, shape, given, extras);
}

const Extras kCooperative{.cooperative = true};

}  // namespace

TARE_API Result cuLaunchKernel(abi::Function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                               unsigned by, unsigned bz, unsigned shared, abi::Stream s, void** parameters,
                               void** extra) {
  return launch({s, false}, f, {{gx, gy, gz}, {bx, by, bz}, shared}, {parameters, extra});
}
TARE_API Result cuLaunchKernel_ptsz(abi::Function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                    unsigned by, unsigned bz, unsigned shared, abi::Stream s,
                                    void** parameters, void** extra) {
  return launch({s, true}, f, {{gx, gy, gz}, {bx, by, bz}, shared}, {parameters, extra});
}
TARE_API Result cuLaunchKernelEx(const abi::LaunchConfig* config, abi::Function f, void** parameters,
                                 void** extra) {
  return launch_with_config(config, f, {parameters, extra}, false);
}
TARE_API Result cuLaunchKernelEx_ptsz(const abi::LaunchConfig* config, abi::Function f, void** parameters,
                                      void** extra) {
  return launch_with_config(config, f, {parameters, extra}, true);
}
TARE_API Result cuLaunchCooperativeKernel(abi::Function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                          unsigned by, unsigned bz, unsigned shared, abi::Stream s,
                                          void** parameters) {
  return launch({s, false}, f, {{gx, gy, gz}, {bx, by, bz}, shared}, {parameters, nullptr}, kCooperative);
}
TARE_API Result cuLaunchCooperativeKernel_ptsz(abi::Function f, unsigned gx, unsigned gy, unsigned gz,
                                               unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                               abi::Stream s, void** parameters) {
  return launch({s, true}, f, {{gx, gy, gz}, {bx, by, bz}, shared}, {parameters, nullptr}, kCooperative);
}

}  // namespace tare::cpu
