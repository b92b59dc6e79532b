// A GPU's bits, kept as one hash for each kernel and compiler: gpu/*.json.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tare::kernels {

/// What one run on one device gave. The program in runner/ writes it.
struct Recording {
  std::string device;  // "NVIDIA H200"
  int compute_capability = 0;
  int driver_version = 0;                                            // 13000 is 13.0
  std::string date;                                                  // UTC, "2026-01-31"
  std::map<std::string, std::string> compilers;                      // "nvrtc" -> "NVRTC 13.0"
  std::map<std::string, std::map<std::string, std::string>> hashes;  // kernel -> compiler -> hash; exact ones
  std::map<std::string, std::map<std::string, unsigned long long>>
      ulps;                                                            // the others: distance from the oracle
  std::map<std::string, std::map<std::string, std::string>> failures;  // what went wrong, if anything
};

/// Throws Error(io) where the file cannot be written.
void write_recording(const std::string& path, const Recording& recording);
/// All of `folder`, in the order of their names; none where there is no such folder. Throws Error(io) for a
/// file that is not a recording.
std::vector<Recording> read_recordings(const std::string& folder);

}  // namespace tare::kernels
