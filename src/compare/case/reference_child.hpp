// What both ways of running a reference share: a child process with a time limit, and memory that it works
// in.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/case/reference.hpp"
#include "compile/child_process.hpp"

namespace tare::compare {

/// Copies of a job's arguments in memory without a name in the file system, which a child opens by path()
/// and maps: nothing that it does there can hurt us.
class ReferenceMemory {
 public:
  static constexpr std::size_t kFirst = 256;  // bytes in front of the first argument, for the child to use
  struct Place {
    std::size_t offset = 0, bytes = 0;
  };
  /// Where each argument lies: a buffer's elements or a scalar's bytes.
  static std::vector<Place> places_of(const Job& job);

  /// Throws tare::Error(out_of_memory).
  ReferenceMemory(const Job& job, const std::vector<HostBuffer>& inputs);
  ~ReferenceMemory();
  ReferenceMemory(const ReferenceMemory&) = delete;
  ReferenceMemory& operator=(const ReferenceMemory&) = delete;

  std::string path() const;
  const std::byte* header() const { return data_; }
  /// Per argument, as it is now; nullopt where it is no output.
  std::vector<std::optional<HostBuffer>> outputs(const Job& job) const;

 private:
  std::vector<Place> places_;
  std::size_t bytes_ = 0;
  int fd_ = -1;
  std::byte* data_ = nullptr;
};

/// The least time that a compiler gets: a short limit is meant for what runs.
inline constexpr std::chrono::seconds kLeastForCompiler{20};

/// Runs a program to its end within `limit`, with `folder` as its TMPDIR and `changes` to its environment.
/// Throws Interrupted, tare::Error(io).
tare::detail::ChildResult run_reference_child(std::vector<std::string> argv,
                                              const ReferenceSettings& settings,
                                              std::chrono::duration<double> limit,
                                              const std::filesystem::path& folder,
                                              std::map<std::string, std::string> changes = {});

/// "k.cu:5: reference() ".
std::string reference_place(const Job& job);
/// "did not finish within 120 s; --timeout SECONDS gives it longer".
std::string too_long(const tare::detail::ChildResult& result);

}  // namespace tare::compare
