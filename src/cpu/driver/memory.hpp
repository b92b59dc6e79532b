// The addresses that this driver knows: device memory, page-locked host memory, memory of other
// processes. Every call that is given an address asks here whether it may be used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "cpu/driver/abi.hpp"
#include "cpu/runtime/device_memory.hpp"

namespace tare::cpu {

struct ContextObject;

struct Allocation {
  enum class Kind : std::uint8_t { device, host, registered, imported, module };
  Kind kind = Kind::device;
  std::byte* base = nullptr;
  std::size_t bytes = 0;
  std::weak_ptr<ContextObject> context;
  int device = 0;
  unsigned flags = 0;    // of host memory: as given to cuMemHostAlloc or cuMemHostRegister
  std::uint64_t id = 0;  // unique in the process
  MemoryBlock block;     // device, module: what DeviceMemory gave; imported: the other process's segment
  int opened = 0;        // imported: how many times
  std::size_t mapped_bytes = 0;  // host: bytes of its own mapping

  bool is_host() const { return kind == Kind::host || kind == Kind::registered; }
  Allocation() = default;
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;
};

/// What lies near an address that is in no allocation.
struct Neighbour {
  enum class Side : std::uint8_t { behind, before, freed };  // of, or in, the allocation
  Side side = Side::behind;
  std::size_t distance = 0;  // bytes from its end, or to its start
  Allocation::Kind kind = Allocation::Kind::device;
  std::size_t bytes = 0;  // of the allocation
};

class AddressMap {
 public:
  /// False if it overlaps what is there.
  bool add(const std::shared_ptr<Allocation>& allocation);
  std::shared_ptr<Allocation> find(std::uintptr_t address) const;
  /// Whether [address, address + bytes) lies in one allocation.
  bool contains(std::uintptr_t address, std::size_t bytes) const;
  std::shared_ptr<Allocation> remove(std::uintptr_t base);
  std::shared_ptr<Allocation> find_imported(std::uint64_t identity, std::size_t offset) const;
  std::vector<std::shared_ptr<Allocation>> remove_of(const ContextObject& context);
  /// The nearest allocation within 64 KiB, or memory that had the address and was among the last freed. None
  /// for an address in a live allocation.
  std::optional<Neighbour> neighbour(std::uintptr_t address) const;

 private:
  struct Freed {
    std::uintptr_t base;
    std::size_t bytes;
  };
  void note_freed(const Allocation& allocation);
  static constexpr std::size_t kFreedKept = 64;
  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, std::shared_ptr<Allocation>> by_base_;
  std::deque<Freed> freed_;  // the last ones, but for those whose addresses were handed out again
};

/// Device memory of a context, entered in the map. Null where there is none, with the reason given
/// to the calling thread (tareCpuLastError).
std::shared_ptr<Allocation> allocate_device(ContextObject& context, std::size_t bytes, Allocation::Kind kind);

}  // namespace tare::cpu
