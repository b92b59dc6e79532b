// The owner's buffers: allocated once, filled, poisoned before each row, read back and held against the
// reference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/case/job.hpp"
#include "compare/case/reference.hpp"
#include "compare/child.hpp"
#include "compare/protocol.hpp"
#include "tare/buffer.hpp"

namespace tare::compare {

/// Difference::hint where a row does not repeat what it gave before.
inline constexpr const char* kDiffersBetweenLaunches = "its results differ from launch to launch";

/// Bytes of all buffers of the job together.
double buffer_bytes(const Job& job);

/// Throws tare::Error(out_of_memory), saying needed and available, where the job's buffers fit neither on
/// the device nor (with their copies for filling and checking) on the host.
void require_room(const PrimaryContext& context, const Job& job, bool device_is_host);

class OwnerMemory {
 public:
  /// Allocates and fills. `share` = false leaves IPC alone: workers use memory of their own.
  OwnerMemory(const PrimaryContext& context, const Job& job);
  const Device& device() const noexcept { return context_.device(); }
  ~OwnerMemory();
  OwnerMemory(const OwnerMemory&) = delete;
  OwnerMemory& operator=(const OwnerMemory&) = delete;

  /// Works out what the outputs must be. Blocks: it may compile and run a reference. Throws what
  /// compare::compute_reference() throws.
  void compute_reference(const ReferenceSettings& settings);
  /// How, in words; with no reference, which row's outputs the others are held against.
  const std::string& reference_how() const noexcept { return reference_.how; }

  /// Hex handles of all buffers. Throws tare::Error(unsupported) where the driver refuses.
  std::vector<std::string> ipc_handles() const;
  /// Where each argument lies in the shared host memory.
  const std::vector<std::uint64_t>& offsets() const noexcept { return offsets_; }
  std::uint64_t shared_bytes() const noexcept { return shared_bytes_; }
  /// The shared host memory's descriptor; made, with the inputs in it, at the first call.
  int shared_descriptor();

  /// Puts the inputs back as they were: after a row that may have written over them.
  void reload_inputs();
  /// Every output becomes 0xFF bytes, or its initial contents where it is an input too.
  void prepare_outputs(MemoryMode mode);
  /// Reads every compared output and holds it against the reference. With no reference, the first row
  /// that asks (`row` is its name) becomes it.
  std::vector<Difference> check(MemoryMode mode, const std::string& row);
  /// Of the compared outputs whose expected contents are known, those that equal bits say little about.
  std::vector<WeakCheck> weak_checks() const;
  bool has_in_out() const noexcept { return has_in_out_; }

 private:
  std::span<std::byte> shared(std::size_t argument);
  PrimaryContext context_;
  const Job& job_;
  std::vector<Buffer> buffers_;       // per argument; empty for scalars
  std::vector<HostBuffer> contents_;  // initial contents; empty for scalars and, later, pure outputs
  Reference reference_;
  std::vector<std::string> givers_;  // per argument: the row whose output is the reference, if one is
  std::vector<std::uint64_t> offsets_;
  std::uint64_t shared_bytes_ = 0;
  Descriptor shared_descriptor_;
  std::byte* shared_memory_ = nullptr;
  HostBuffer read_back_;
  bool has_in_out_ = false;
};

}  // namespace tare::compare
