// cuMemset: device memory filled with 1, 2 or 4 bytes repeated, in rows where asked for.
#include <cstring>

#include "cpu/driver/api.hpp"
#include "cpu/driver/capped.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/runtime/fault_guard.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

struct Fill {
  std::byte* to = nullptr;
  std::size_t pitch = 0, columns = 0, rows = 1;  // columns: elements in a row
  std::uint32_t value = 0;
  std::size_t element_bytes = 1;
};

template <typename Word>
void fill_row(std::byte* to, std::size_t count, std::uint32_t value) {
  auto* words = reinterpret_cast<Word*>(to);
  for (std::size_t i = 0; i < count; ++i) words[i] = static_cast<Word>(value);
}

void run_fill(const Fill& fill) {
  for (std::size_t y = 0; y < fill.rows; ++y) {
    std::byte* row = fill.to + y * fill.pitch;
    switch (fill.element_bytes) {
      case 1:
        std::memset(row, static_cast<int>(fill.value & 0xff), fill.columns);
        break;
      case 2:
        fill_row<std::uint16_t>(row, fill.columns, fill.value);
        break;
      default:
        fill_row<std::uint32_t>(row, fill.columns, fill.value);
        break;
    }
  }
}

void run_fill_in_stream(const Fill& fill, ContextStatus& status) {
  Fill argument = fill;
  const auto fault = run_guarded([](void* given) { run_fill(*static_cast<const Fill*>(given)); }, &argument);
  if (fault.happened) status.fail(abi::kIllegalAddress, "a memset met memory that is not there");
}

/// A memset of device memory may return before it is done, the forms without Async too; of host
/// memory it is waited for.
Result fill(StreamArgument argument, Fill given, bool asynchronous) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    ResolvedStream target;
    if (const Result found = resolve(argument, target); found != abi::kSuccess) return found;
    if (given.columns == 0 || given.rows == 0) return abi::kSuccess;
    const auto address = reinterpret_cast<std::uintptr_t>(given.to);
    const std::size_t row_bytes = capped_product(given.columns, given.element_bytes);
    if (given.rows > 1 && given.pitch < row_bytes) return abi::kInvalidValue;
    if (address % given.element_bytes != 0 || (given.rows > 1 && given.pitch % given.element_bytes != 0)) {
      return abi::kInvalidValue;
    }
    if (!process.addresses.contains(address,
                                    capped_sum(capped_product(given.rows - 1, given.pitch), row_bytes)))
      return abi::kInvalidValue;
    const auto allocation = process.addresses.find(address);
    const auto position = enqueue(
        target, operation([given](OperationContext& context) { run_fill_in_stream(given, context.status); }));
    if (!asynchronous && allocation->is_host()) {
      target.stream->queue->wait(position);
      return target.context->failure();
    }
    return abi::kSuccess;
  });
}

Fill line(abi::DevicePointer to, std::uint32_t value, std::size_t element_bytes, std::size_t count) {
  return {reinterpret_cast<std::byte*>(to), 0, count, 1, value, element_bytes};
}
Fill plane(abi::DevicePointer to, std::size_t pitch, std::uint32_t value, std::size_t element_bytes,
           std::size_t width, std::size_t height) {
  return {reinterpret_cast<std::byte*>(to), pitch, width, height, value, element_bytes};
}

}  // namespace

#define TARE_FILL(bits, word, suffix_sync, suffix_async, per_thread)                                         \
  TARE_API Result cuMemsetD##bits##_v2##suffix_sync(abi::DevicePointer to, word value, std::size_t count) {  \
    return fill({nullptr, per_thread}, line(to, value, sizeof(word), count), false);                         \
  }                                                                                                          \
  TARE_API Result cuMemsetD##bits##Async##suffix_async(abi::DevicePointer to, word value, std::size_t count, \
                                                       abi::Stream s) {                                      \
    return fill({s, per_thread}, line(to, value, sizeof(word), count), true);                                \
  }                                                                                                          \
  TARE_API Result cuMemsetD2D##bits##_v2##suffix_sync(abi::DevicePointer to, std::size_t pitch, word value,  \
                                                      std::size_t width, std::size_t height) {               \
    return fill({nullptr, per_thread}, plane(to, pitch, value, sizeof(word), width, height), false);         \
  }                                                                                                          \
  TARE_API Result cuMemsetD2D##bits##Async##suffix_async(abi::DevicePointer to, std::size_t pitch,           \
                                                         word value, std::size_t width, std::size_t height,  \
                                                         abi::Stream s) {                                    \
    return fill({s, per_thread}, plane(to, pitch, value, sizeof(word), width, height), true);                \
  }

TARE_FILL(8, std::uint8_t, , , false)
TARE_FILL(8, std::uint8_t, _ptds, _ptsz, true)
TARE_FILL(16, std::uint16_t, , , false)
TARE_FILL(16, std::uint16_t, _ptds, _ptsz, true)
TARE_FILL(32, std::uint32_t, , , false)
TARE_FILL(32, std::uint32_t, _ptds, _ptsz, true)

}  // namespace tare::cpu
