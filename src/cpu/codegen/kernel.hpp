// A kernel compiled for this processor, and the contract between its machine code and the runtime
// that runs it. No LLVM in this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::codegen {

/// What kernels ask of the runtime while they run; called by several threads at a time. Addresses are
/// generic.
class DeviceServices {
 public:
  virtual ~DeviceServices() = default;
  /// vprintf: how many arguments the format takes, or -1 for none.
  virtual std::int32_t print(const char* format, const std::byte* arguments) = 0;
  /// Of 16 bytes' alignment; null where the heap has no room.
  virtual void* allocate(std::uint64_t bytes) = 0;
  virtual void release(void* memory) = 0;
  /// A failed assertion, in words.
  virtual void assertion_failed(const char* text) = 0;
};

/// What does not change during a launch. One per launch, read by all workers; the code reads it only.
struct LaunchContext {
  const std::byte* params = nullptr;  // the parameter buffer, laid out as Function::parameters says
  std::byte* base = nullptr;          // always null: the opaque base of every global access
  std::byte* globals = nullptr;       // the module's .global segment, as laid out by layout_module()
  std::byte* constants = nullptr;     // the module's .const segment
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint64_t stack_bytes = 0;  // of each thread of a kernel with a stack; a multiple of 16
  std::uint32_t grid_id = 0;
  std::uint32_t workers = 1;          // how many host threads share the launch, for %nsmid
  std::uint32_t resident_warps = 64;  // that a multiprocessor has room for, for %nwarpid
  std::uint32_t shared_unit =
      128;  // bytes in which shared memory is given, a power of two, for %total_smem_size
  std::byte* grid_workspace = nullptr;  // zeroed memory of a cooperative launch, for %envreg1 and %envreg2
  DeviceServices* services = nullptr;   // null: printing does nothing and the heap is empty
};

/// Memory private to one worker (host thread), reused from block to block. The runtime allocates it
/// from the sizes in CompiledKernel; alignment of every pointer is at least 128.
struct Scratch {
  std::byte* shared = nullptr;  // static_shared_bytes + dynamic; NOT cleared between blocks
  std::byte* local = nullptr;   // local_bytes() * threads of a block
  std::byte* frames = nullptr;  // frame_bytes_per_thread * threads of a block; resumable state
  std::uint32_t worker = 0;     // index of this worker, for %smid
  // The state of a block that has stopped to let others run: its number, and that the next call begins
  // with it where it stopped.
  std::uint32_t resume = 0;
  std::uint64_t stopped_block = 0;
  std::uint32_t arrived[16] = {};  // by bar.arrive, per barrier
  // Filled by the code when it returns non-zero: who stopped, and where.
  std::uint32_t fault_block[3] = {0, 0, 0};
  std::uint32_t fault_thread[3] = {0, 0, 0};
  std::uint32_t fault_line = 0;  // PTX line
};

/// 0, or why the blocks stopped.
enum class Fault : std::int32_t {
  none = 0,
  trap = 1,
  barrier_never_completes = 2,  // or a warp operation
  assertion = 3,
  yielded = 4,  // no fault: every thread of Scratch::stopped_block waits for other blocks
  stack_overflow = 5,
  misaligned = 6,  // without a line: seen only at the end of a block, of which only fault_block tells
};

/// Runs the blocks [first, last) of the grid, in order, x fastest; called concurrently by several
/// workers on disjoint ranges. Never throws, never changes the floating-point environment. After `yielded`
/// the caller may run other blocks with other scratch, and goes on by a call with the same scratch and
/// `first` the block that stopped.
using BlocksFunction = std::int32_t (*)(const LaunchContext*, Scratch*, std::uint64_t first,
                                        std::uint64_t last);

/// Where the module-scope variables live: offsets are written into Module::variables[i].offset.
struct ModuleLayout {
  std::uint64_t global_bytes = 0, constant_bytes = 0;  // segment sizes; shared offsets are per kernel
};
ModuleLayout layout_module(ptx::Module& module);

enum class Tier : std::uint8_t {
  automatic,  // barrier-free kernels get the vectorised thread loop, others the resumable regions
  general,    // resumable regions always: the oracle
  fast,       // the vectorised thread loop; refused for a kernel with barriers
};

struct CompileOptions {
  Tier tier = Tier::automatic;
  int optimisation = 1;  // 0, 1, 2
  bool use_object_cache = true;
  std::string object_cache_directory;                         // empty: no disk cache
  std::uint64_t object_cache_bytes = std::uint64_t{1} << 30;  // what the directory's entries may have in all
};

/// Owns its machine code; immutable, safe to run from several threads.
struct CompiledKernel {
  BlocksFunction run = nullptr;
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t local_bytes_per_thread = 0;  // without the stack
  std::uint64_t frame_bytes_per_thread = 0;
  bool has_barriers = false;               // or other places where threads wait for each other
  bool has_stack = false;                  // device functions that run on LaunchContext::stack_bytes
  bool prints = false, allocates = false;  // calls DeviceServices
  bool from_object_cache = false;
  std::shared_ptr<void> code;  // keeps the machine code alive

  /// Of one thread, in a launch with so much stack.
  std::uint64_t local_bytes(std::uint64_t stack_bytes) const {
    return local_bytes_per_thread + (has_stack ? stack_bytes : 0);
  }
};

struct CompileError {
  /// Valid, but this device, or the tier that was asked for, does not run it: CUDA_ERROR_NOT_SUPPORTED.
  bool unsupported = false;
  std::uint32_t line = 0;
  std::string message;  // "tex.2d.v4.f32.f32 at line 41 of kernel `k` is not supported by the CPU device"
};

/// Compiles one entry of the module (already laid out). Blocks for milliseconds; thread-safe.
std::variant<CompiledKernel, CompileError> compile(const ptx::Module& module, const ptx::Function& entry,
                                                   const CompileOptions& options);

/// What a launch needs to know about an entry before it is compiled: its static shared and local
/// bytes, as cuFuncGetAttribute tells them. Cheap.
struct KernelSizes {
  std::uint64_t static_shared_bytes = 0, local_bytes_per_thread = 0, constant_bytes = 0;
};
KernelSizes sizes_of(const ptx::Module& module, const ptx::Function& entry);

}  // namespace tare::cpu::codegen
