// Inputs and expected outputs of a job: filling, the reference, and comparing bits.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/case/job.hpp"

namespace tare::compare {

class Interrupts;

using HostBuffer = std::vector<std::byte>;

/// The buffer's initial contents as its Fill says (deterministic); 0xFF bytes (a NaN in every floating
/// type) for a pure output. Throws CaseError (npy of another shape or type).
HostBuffer fill_buffer(const JobArgument& argument);

/// Where the expected outputs come from.
enum class ReferenceKind { host_compiler, device_one_thread, npy, agreement };

struct Reference {
  ReferenceKind kind = ReferenceKind::agreement;
  std::string how;  // for table and record: "reference() compiled by g++ 12.2.0 -O2 -ffp-contract=off"
  std::vector<std::optional<HostBuffer>> outputs;  // per argument; nullopt where not an output or not known
};

/// Where, and for how long, a reference function is compiled and run.
struct ReferenceSettings {
  std::filesystem::path directory = {};  // for its files; empty: TMPDIR. Nothing stays there
  std::chrono::duration<double> limit =
      std::chrono::seconds(120);           // of it, and of its compiler if 20 or more
  const Interrupts* interrupts = nullptr;  // what ends both; null: nothing
};

/// Works out the expected outputs: the reference region through the host compiler (TARE_CXX, c++, g++,
/// clang++), else as a one-thread kernel on the loaded device, else .npy files, else agreement (no outputs).
/// `inputs` has one entry per argument (empty for scalars). Runs compilers in child processes; blocks.
/// Throws CaseError where the reference is at fault, and Interrupted.
Reference compute_reference(const Job& job, const std::vector<HostBuffer>& inputs,
                            const ReferenceSettings& settings = {});

/// Result of holding one output against its expected bits.
struct Difference {
  bool equal = true;
  std::uint64_t differing = 0;                // elements outside the check's tolerance
  std::uint64_t first_index = 0;              // of the first of them
  std::string got = {}, want = {};            // "%.9g" (or %.17g, %d ...) and hex: "2.5 (0x40200000)"
  std::optional<std::uint64_t> max_ulp = {};  // floating types; nullopt where NaN meets number
  std::string argument = {};                  // which output
  std::string giver = {};  // where there is no reference: the row whose output is the measure
  std::string hint = {};   // what is likely behind it, and what to do; empty: nothing to say
};
Difference compare_output(const JobArgument& argument, std::span<const std::byte> want,
                          std::span<const std::byte> got);

/// What is wrong with an output that there is nothing to hold against: a floating one that is NaN in every
/// element, of whatever payload. Nullopt where that is not so.
std::optional<Difference> without_a_number(const JobArgument& argument, std::span<const std::byte> got);

/// The value that all elements have, for a person, where there are several and their bits are alike.
std::optional<std::string> single_value(const JobArgument& argument, std::span<const std::byte> bytes);

}  // namespace tare::compare
