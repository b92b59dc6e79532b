// Recordings as JSON, keys sorted, so that two of them differ only where their devices do.
#include "records.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tare/error.hpp"

namespace tare::kernels {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

Recording read(const fs::path& path) {
  try {
    std::ifstream in(path);
    const json text = json::parse(in);
    Recording recording;
    recording.device = text.at("device");
    recording.compute_capability = text.at("compute_capability");
    recording.driver_version = text.at("driver_version");
    recording.date = text.at("date");
    recording.compilers = text.at("compilers");
    recording.hashes = text.at("hashes");
    recording.ulps = text.at("ulps");
    recording.failures = text.at("failures");
    return recording;
  } catch (const json::exception& error) {
    throw Error(ErrorKind::io, path.string() + " is not a recording: " + error.what());
  }
}

}  // namespace

void write_recording(const std::string& path, const Recording& recording) {
  const json text{{"device", recording.device},
                  {"compute_capability", recording.compute_capability},
                  {"driver_version", recording.driver_version},
                  {"date", recording.date},
                  {"compilers", recording.compilers},
                  {"hashes", recording.hashes},
                  {"ulps", recording.ulps},
                  {"failures", recording.failures}};
  std::ofstream out(path);
  out << text.dump(1) << "\n";
  if (!out.flush()) throw Error(ErrorKind::io, "cannot write " + path);
}

std::vector<Recording> read_recordings(const std::string& folder) {
  std::vector<fs::path> paths;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Recording> all;
  for (const fs::path& path : paths) all.push_back(read(path));
  return all;
}

}  // namespace tare::kernels
