// Waiting in a stream for a value in memory, and writing one: cuStreamWaitValue, cuStreamWriteValue,
// and several of them by cuStreamBatchMemOp.
// A wait holds back its own stream only.
#include <time.h>

#include <atomic>

#include "cpu/driver/api.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/runtime/worker_pool.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

template <typename Word>
bool satisfied(Word now, Word value, unsigned how) {
  using Signed = std::make_signed_t<Word>;
  switch (how) {
    case abi::wait_value::geq:
      return static_cast<Signed>(static_cast<Word>(now - value)) >= 0;
    case abi::wait_value::eq:
      return now == value;
    case abi::wait_value::and_:
      return (now & value) != 0;
    default:
      return static_cast<Word>(~(now | value)) != 0;
  }
}

/// Memory that a stream may wait on: known to the driver, and aligned to the word.
template <typename Word>
bool usable(Process& process, abi::DevicePointer address) {
  return address % sizeof(Word) == 0 &&
         process.addresses.contains(static_cast<std::uintptr_t>(address), sizeof(Word));
}

template <typename Word>
Result wait_value(StreamArgument argument, abi::DevicePointer address, Word value, unsigned flags) {
  return entry([&](Process& process) -> Result {
    ResolvedStream target;
    if (const Result found = resolve(argument, target); found != abi::kSuccess) return found;
    const unsigned how = flags & ~abi::wait_value::flush;
    if (how > abi::wait_value::nor || !usable<Word>(process, address)) return abi::kInvalidValue;
    const auto allocation = process.addresses.find(static_cast<std::uintptr_t>(address));
    enqueue(target, operation([word = reinterpret_cast<const Word*>(address), value, how,
                               allocation](OperationContext& context) {
              const auto open = [&] {
                return satisfied(__atomic_load_n(word, __ATOMIC_ACQUIRE), value, how) ||
                       context.status.cancelled() || context.status.draining();
              };
              // Whoever writes the value tells nobody, so this watches: closely at first, then ever
              // less often, up to 50 microseconds apart.
              for (int i = 0; i < 2000; ++i) {
                if (open()) return;
                pause_briefly();
              }
              for (long pause_ns = 1000; !open(); pause_ns = pause_ns < 50'000 ? pause_ns * 2 : pause_ns) {
                const timespec pause{0, pause_ns};
                nanosleep(&pause, nullptr);
              }
            }));
    return abi::kSuccess;
  });
}

template <typename Word>
Result write_value(StreamArgument argument, abi::DevicePointer address, Word value, unsigned flags) {
  return entry([&](Process& process) -> Result {
    ResolvedStream target;
    if (const Result found = resolve(argument, target); found != abi::kSuccess) return found;
    if ((flags & ~abi::write_value::no_memory_barrier) != 0 || !usable<Word>(process, address)) {
      return abi::kInvalidValue;
    }
    const auto allocation = process.addresses.find(static_cast<std::uintptr_t>(address));
    enqueue(target, operation([word = reinterpret_cast<Word*>(address), value, allocation](
                                  OperationContext&) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }));
    return abi::kSuccess;
  });
}

Result batch(StreamArgument argument, unsigned count, const abi::StreamMemoryOperation* operations,
             unsigned flags) {
  namespace kind = abi::stream_memory_operation;
  constexpr unsigned kMost = 256;
  if (operations == nullptr || count == 0 || count > kMost || flags != 0) return abi::kInvalidValue;
  for (unsigned i = 0; i < count; ++i) {
    const abi::StreamMemoryOperation& o = operations[i];
    Result result = abi::kSuccess;
    switch (o.operation) {
      case kind::wait_value_32:
        result = wait_value(argument, o.address, static_cast<std::uint32_t>(o.value), o.flags);
        break;
      case kind::wait_value_64:
        result = wait_value(argument, o.address, o.value, o.flags);
        break;
      case kind::write_value_32:
        result = write_value(argument, o.address, static_cast<std::uint32_t>(o.value), o.flags);
        break;
      case kind::write_value_64:
        result = write_value(argument, o.address, o.value, o.flags);
        break;
      // The host's memory is coherent, and a stream's operations are ordered as it is.
      case kind::flush_remote_writes:
      case kind::barrier:
        break;
      default:
        return abi::kInvalidValue;
    }
    if (result != abi::kSuccess) return result;
  }
  return abi::kSuccess;
}

}  // namespace

#define TARE_STREAM_BATCH(suffix, per_thread)                                                                \
  TARE_API Result cuStreamBatchMemOp##suffix(abi::Stream s, unsigned count,                                  \
                                             const abi::StreamMemoryOperation* operations, unsigned flags) { \
    return batch({s, per_thread}, count, operations, flags);                                                 \
  }
TARE_STREAM_BATCH(, false)
TARE_STREAM_BATCH(_ptsz, true)
TARE_STREAM_BATCH(_v2, false)
TARE_STREAM_BATCH(_v2_ptsz, true)

#define TARE_STREAM_VALUE(bits, suffix, per_thread)                                             \
  TARE_API Result cuStreamWaitValue##bits##suffix(abi::Stream s, abi::DevicePointer address,    \
                                                  std::uint##bits##_t value, unsigned flags) {  \
    return wait_value<std::uint##bits##_t>({s, per_thread}, address, value, flags);             \
  }                                                                                             \
  TARE_API Result cuStreamWriteValue##bits##suffix(abi::Stream s, abi::DevicePointer address,   \
                                                   std::uint##bits##_t value, unsigned flags) { \
    return write_value<std::uint##bits##_t>({s, per_thread}, address, value, flags);            \
  }

TARE_STREAM_VALUE(32, , false)
TARE_STREAM_VALUE(32, _ptsz, true)
TARE_STREAM_VALUE(32, _v2, false)
TARE_STREAM_VALUE(32, _v2_ptsz, true)
TARE_STREAM_VALUE(64, , false)
TARE_STREAM_VALUE(64, _ptsz, true)
TARE_STREAM_VALUE(64, _v2, false)
TARE_STREAM_VALUE(64, _v2_ptsz, true)

}  // namespace tare::cpu
