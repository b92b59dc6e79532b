#include "cpu/driver/copy.hpp"

#include <cstring>
#include <vector>

#include "cpu/driver/api.hpp"
#include "cpu/driver/capped.hpp"
#include "cpu/runtime/fault_guard.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

// CUDA takes a copy of pageable memory up to this size and returns; a larger one it waits for.
constexpr std::size_t kStagedBytes = 64 * 1024;

void run_copy(const CopyShape& shape) {
  const bool dense_rows =
      shape.height == 1 || (shape.destination_pitch == shape.width && shape.source_pitch == shape.width);
  for (std::size_t z = 0; z < shape.depth; ++z) {
    std::byte* to = shape.destination + z * shape.destination_slice;
    const std::byte* from = shape.source + z * shape.source_slice;
    if (dense_rows) {
      std::memmove(to, from, shape.width * shape.height);
      continue;
    }
    for (std::size_t y = 0; y < shape.height; ++y) {
      std::memmove(to + y * shape.destination_pitch, from + y * shape.source_pitch, shape.width);
    }
  }
}

/// False if the memory is not there.
bool run_copy_guarded(const CopyShape& shape) {
  CopyShape argument = shape;
  return !run_guarded([](void* given) { run_copy(*static_cast<const CopyShape*>(given)); }, &argument)
              .happened;
}

/// Bytes from the first to the last one touched.
std::size_t extent(const CopyShape& shape, std::size_t pitch, std::size_t slice) {
  return capped_sum(
      capped_sum(capped_product(shape.depth - 1, slice), capped_product(shape.height - 1, pitch)),
      shape.width);
}

/// Whether `bytes` from there on end before the last address.
bool addressable(const std::byte* from, std::size_t bytes) {
  return bytes <= UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(from);
}

constexpr const char* kNoSuchMemory = "a copy met host memory that is not there";

}  // namespace

Result copy(StreamArgument argument, const CopyShape& shape, Side destination, Side source, bool wait) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    ResolvedStream target;
    if (const Result found = resolve(argument, target); found != abi::kSuccess) return found;
    if (shape.empty()) return abi::kSuccess;
    if (shape.destination == nullptr || shape.source == nullptr) return abi::kInvalidValue;
    const std::size_t to_bytes = extent(shape, shape.destination_pitch, shape.destination_slice);
    const std::size_t from_bytes = extent(shape, shape.source_pitch, shape.source_slice);
    if (!addressable(shape.destination, to_bytes) || !addressable(shape.source, from_bytes))
      return abi::kInvalidValue;
    const bool to_known =
        process.addresses.contains(reinterpret_cast<std::uintptr_t>(shape.destination), to_bytes);
    const bool from_known =
        process.addresses.contains(reinterpret_cast<std::uintptr_t>(shape.source), from_bytes);
    if ((destination == Side::device && !to_known) || (source == Side::device && !from_known))
      return abi::kInvalidValue;
    // A start inside an allocation and an end outside of it is an error whatever the side is called.
    if (!to_known && process.addresses.find(reinterpret_cast<std::uintptr_t>(shape.destination)))
      return abi::kInvalidValue;
    if (!from_known && process.addresses.find(reinterpret_cast<std::uintptr_t>(shape.source)))
      return abi::kInvalidValue;

    const std::size_t bytes = shape.width * shape.height * shape.depth;
    const bool staged = !wait && !from_known && to_known && bytes <= kStagedBytes;
    if (wait || !to_known || (!from_known && !staged)) {
      if (nothing_before(target))
        return run_copy_guarded(shape) ? abi::kSuccess : fail(abi::kInvalidValue, kNoSuchMemory);
      const auto whole = std::make_shared<bool>(true);
      const auto position =
          enqueue(target, operation([shape, whole](OperationContext&) { *whole = run_copy_guarded(shape); }));
      if (!target.stream->queue->wait(position)) return abi::kDeinitialized;
      target.context->services.flush();
      if (!*whole) return fail(abi::kInvalidValue, kNoSuchMemory);
      return target.context->failure();
    }
    if (staged) {
      CopyShape dense = shape;
      dense.source_pitch = shape.width;
      dense.source_slice = shape.width * shape.height;
      std::vector<std::byte> kept(bytes);
      CopyShape now = shape;
      now.destination = kept.data();
      now.destination_pitch = dense.source_pitch;
      now.destination_slice = dense.source_slice;
      if (!run_copy_guarded(now)) return fail(abi::kInvalidValue, kNoSuchMemory);
      enqueue(target, operation([dense, kept = std::move(kept)](OperationContext&) {
                CopyShape late = dense;
                late.source = kept.data();
                run_copy(late);
              }));
      return abi::kSuccess;
    }
    enqueue(target, operation([shape](OperationContext& context) {
              if (!run_copy_guarded(shape)) context.status.fail(abi::kIllegalAddress, kNoSuchMemory);
            }));
    return abi::kSuccess;
  });
}

namespace {

CopyShape line(void* destination, const void* source, std::size_t bytes) {
  CopyShape shape;
  shape.destination = static_cast<std::byte*>(destination);
  shape.source = static_cast<const std::byte*>(source);
  shape.width = bytes;
  return shape;
}
void* pointer(abi::DevicePointer address) {
  return reinterpret_cast<void*>(address);
}

Result copy_peer(StreamArgument argument, abi::DevicePointer to, abi::Context to_context,
                 abi::DevicePointer from, abi::Context from_context, std::size_t bytes, bool wait) {
  return entry([&](Process& process) -> Result {
    if (!process.contexts.find(to_context) || !process.contexts.find(from_context))
      return abi::kInvalidContext;
    return copy(argument, line(pointer(to), pointer(from), bytes), Side::device, Side::device, wait);
  });
}

/// One side of a copy descriptor.
struct Operand {
  std::byte* base = nullptr;
  Side side = Side::either;
  Result result = abi::kSuccess;
};

Operand operand(abi::Enum type, const void* host, abi::DevicePointer device) {
  switch (type) {
    case abi::memory_type::host:
      return {static_cast<std::byte*>(const_cast<void*>(host)), Side::host, abi::kSuccess};
    case abi::memory_type::device:
      return {static_cast<std::byte*>(pointer(device)), Side::device, abi::kSuccess};
    case abi::memory_type::unified:
      return {static_cast<std::byte*>(pointer(device)), Side::either, abi::kSuccess};
    case abi::memory_type::array:
      return {nullptr, Side::either, fail(abi::kNotSupported, "the CPU device has no arrays")};
    default:
      return {nullptr, Side::either, abi::kInvalidValue};
  }
}

/// Where a copy begins in its operand; the last address, from which nothing can be copied, where that wraps.
std::byte* origin(std::byte* base, std::size_t slices, std::size_t rows, std::size_t columns) {
  const std::size_t offset = capped_sum(capped_sum(slices, rows), columns);
  return reinterpret_cast<std::byte*>(capped_sum(reinterpret_cast<std::uintptr_t>(base), offset));
}

Result copy_3d(StreamArgument argument, const abi::Memcpy3D* given, bool wait) {
  if (given == nullptr) return abi::kInvalidValue;
  const abi::Memcpy3D& c = *given;
  const Operand from = operand(c.src_memory_type, c.src_host, c.src_device);
  const Operand to = operand(c.dst_memory_type, c.dst_host, c.dst_device);
  if (from.result != abi::kSuccess) return from.result;
  if (to.result != abi::kSuccess) return to.result;
  CopyShape shape;
  shape.width = c.width_in_bytes;
  shape.height = c.height;
  shape.depth = c.depth;
  if (!shape.empty()) {
    if (from.base == nullptr || to.base == nullptr) return abi::kInvalidValue;
    const bool rows = c.height > 1 || c.depth > 1 || c.src_y != 0 || c.dst_y != 0;
    if (rows && (c.src_pitch < capped_sum(c.src_x_in_bytes, c.width_in_bytes) ||
                 c.dst_pitch < capped_sum(c.dst_x_in_bytes, c.width_in_bytes))) {
      return abi::kInvalidValue;
    }
    const bool slices = c.depth > 1 || c.src_z != 0 || c.dst_z != 0;
    if (slices &&
        (c.src_height < capped_sum(c.src_y, c.height) || c.dst_height < capped_sum(c.dst_y, c.height)))
      return abi::kInvalidValue;
    shape.source_pitch = c.src_pitch;
    shape.destination_pitch = c.dst_pitch;
    shape.source_slice = capped_product(c.src_pitch, c.src_height);
    shape.destination_slice = capped_product(c.dst_pitch, c.dst_height);
    shape.source = origin(from.base, capped_product(c.src_z, shape.source_slice),
                          capped_product(c.src_y, c.src_pitch), c.src_x_in_bytes);
    shape.destination = origin(to.base, capped_product(c.dst_z, shape.destination_slice),
                               capped_product(c.dst_y, c.dst_pitch), c.dst_x_in_bytes);
  }
  return copy(argument, shape, to.side, from.side, wait);
}

Result copy_2d(StreamArgument argument, const abi::Memcpy2D* given, bool wait) {
  if (given == nullptr) return abi::kInvalidValue;
  abi::Memcpy3D c{};
  c.src_x_in_bytes = given->src_x_in_bytes;
  c.src_y = given->src_y;
  c.src_memory_type = given->src_memory_type;
  c.src_host = given->src_host;
  c.src_device = given->src_device;
  c.src_pitch = given->src_pitch;
  c.dst_x_in_bytes = given->dst_x_in_bytes;
  c.dst_y = given->dst_y;
  c.dst_memory_type = given->dst_memory_type;
  c.dst_host = given->dst_host;
  c.dst_device = given->dst_device;
  c.dst_pitch = given->dst_pitch;
  c.width_in_bytes = given->width_in_bytes;
  c.height = given->height;
  c.depth = 1;
  return copy_3d(argument, &c, wait);
}

Result copy_3d_peer(StreamArgument argument, const abi::Memcpy3D* given, bool wait) {
  if (given == nullptr) return abi::kInvalidValue;
  return entry([&](Process& process) -> Result {
    if (!process.contexts.find(given->src_reserved) || !process.contexts.find(given->dst_reserved)) {
      return abi::kInvalidContext;
    }
    return copy_3d(argument, given, wait);
  });
}

}  // namespace

// Every form twice: with the legacy default stream, and with one default stream per thread.
#define TARE_COPY(suffix_sync, suffix_async, per_thread)                                                     \
  TARE_API Result cuMemcpy##suffix_sync(abi::DevicePointer to, abi::DevicePointer from, std::size_t bytes) { \
    return copy({nullptr, per_thread}, line(pointer(to), pointer(from), bytes), Side::either, Side::either,  \
                true);                                                                                       \
  }                                                                                                          \
  TARE_API Result cuMemcpyAsync##suffix_async(abi::DevicePointer to, abi::DevicePointer from,                \
                                              std::size_t bytes, abi::Stream s) {                            \
    return copy({s, per_thread}, line(pointer(to), pointer(from), bytes), Side::either, Side::either,        \
                false);                                                                                      \
  }                                                                                                          \
  TARE_API Result cuMemcpyHtoD_v2##suffix_sync(abi::DevicePointer to, const void* from, std::size_t bytes) { \
    return copy({nullptr, per_thread}, line(pointer(to), from, bytes), Side::device, Side::host, true);      \
  }                                                                                                          \
  TARE_API Result cuMemcpyHtoDAsync_v2##suffix_async(abi::DevicePointer to, const void* from,                \
                                                     std::size_t bytes, abi::Stream s) {                     \
    return copy({s, per_thread}, line(pointer(to), from, bytes), Side::device, Side::host, false);           \
  }                                                                                                          \
  TARE_API Result cuMemcpyDtoH_v2##suffix_sync(void* to, abi::DevicePointer from, std::size_t bytes) {       \
    return copy({nullptr, per_thread}, line(to, pointer(from), bytes), Side::host, Side::device, true);      \
  }                                                                                                          \
  TARE_API Result cuMemcpyDtoHAsync_v2##suffix_async(void* to, abi::DevicePointer from, std::size_t bytes,   \
                                                     abi::Stream s) {                                        \
    return copy({s, per_thread}, line(to, pointer(from), bytes), Side::host, Side::device, false);           \
  }                                                                                                          \
  TARE_API Result cuMemcpyDtoD_v2##suffix_sync(abi::DevicePointer to, abi::DevicePointer from,               \
                                               std::size_t bytes) {                                          \
    return copy({nullptr, per_thread}, line(pointer(to), pointer(from), bytes), Side::device, Side::device,  \
                true);                                                                                       \
  }                                                                                                          \
  TARE_API Result cuMemcpyDtoDAsync_v2##suffix_async(abi::DevicePointer to, abi::DevicePointer from,         \
                                                     std::size_t bytes, abi::Stream s) {                     \
    return copy({s, per_thread}, line(pointer(to), pointer(from), bytes), Side::device, Side::device,        \
                false);                                                                                      \
  }                                                                                                          \
  TARE_API Result cuMemcpyPeer##suffix_sync(abi::DevicePointer to, abi::Context to_context,                  \
                                            abi::DevicePointer from, abi::Context from_context,              \
                                            std::size_t bytes) {                                             \
    return copy_peer({nullptr, per_thread}, to, to_context, from, from_context, bytes, true);                \
  }                                                                                                          \
  TARE_API Result cuMemcpyPeerAsync##suffix_async(abi::DevicePointer to, abi::Context to_context,            \
                                                  abi::DevicePointer from, abi::Context from_context,        \
                                                  std::size_t bytes, abi::Stream s) {                        \
    return copy_peer({s, per_thread}, to, to_context, from, from_context, bytes, false);                     \
  }                                                                                                          \
  TARE_API Result cuMemcpy2D_v2##suffix_sync(const abi::Memcpy2D* given) {                                   \
    return copy_2d({nullptr, per_thread}, given, true);                                                      \
  }                                                                                                          \
  TARE_API Result cuMemcpy2DUnaligned_v2##suffix_sync(const abi::Memcpy2D* given) {                          \
    return copy_2d({nullptr, per_thread}, given, true);                                                      \
  }                                                                                                          \
  TARE_API Result cuMemcpy2DAsync_v2##suffix_async(const abi::Memcpy2D* given, abi::Stream s) {              \
    return copy_2d({s, per_thread}, given, false);                                                           \
  }                                                                                                          \
  TARE_API Result cuMemcpy3D_v2##suffix_sync(const abi::Memcpy3D* given) {                                   \
    return copy_3d({nullptr, per_thread}, given, true);                                                      \
  }                                                                                                          \
  TARE_API Result cuMemcpy3DAsync_v2##suffix_async(const abi::Memcpy3D* given, abi::Stream s) {              \
    return copy_3d({s, per_thread}, given, false);                                                           \
  }                                                                                                          \
  TARE_API Result cuMemcpy3DPeer##suffix_sync(const abi::Memcpy3D* given) {                                  \
    return copy_3d_peer({nullptr, per_thread}, given, true);                                                 \
  }                                                                                                          \
  TARE_API Result cuMemcpy3DPeerAsync##suffix_async(const abi::Memcpy3D* given, abi::Stream s) {             \
    return copy_3d_peer({s, per_thread}, given, false);                                                      \
  }

TARE_COPY(, , false)
TARE_COPY(_ptds, _ptsz, true)

}  // namespace tare::cpu
