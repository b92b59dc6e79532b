// Case files written for one test, in a directory that goes with it.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "compare/case/case.hpp"

namespace tare::compare::test {

class CaseFiles {
 public:
  CaseFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tare-case-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~CaseFiles() { std::filesystem::remove_all(directory_); }
  CaseFiles(const CaseFiles&) = delete;
  CaseFiles& operator=(const CaseFiles&) = delete;

  std::filesystem::path path(const std::string& name) const { return directory_ / name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  Case load(const std::string& toml) const {
    write("k.toml", toml);
    return Case::load(path("k.toml"));
  }
  Job job(const std::string& toml, const CaseOverrides& overrides = {}) const {
    return load(toml).job(overrides);
  }
  /// What is wrong with the case, with the directory taken off file names; "" if nothing is.
  std::string complaint(const std::string& toml, const CaseOverrides& overrides = {}) const {
    try {
      job(toml, overrides);
    } catch (const CaseError& error) {
      std::string message = error.what();
      const std::string prefix = directory_.string() + "/";
      for (std::size_t at; (at = message.find(prefix)) != std::string::npos;)
        message.erase(at, prefix.size());
      return message;
    }
    return {};
  }

 private:
  std::filesystem::path directory_;
};

/// A kernel and the case for it, to be changed by each test.
inline constexpr const char* kKernel = "__global__ void k(float* out, int n) {}\n";
inline constexpr const char* kHead =
    "[kernel]\nfile = \"k.cu\"\nname = \"k\"\n"
    "[values]\nn = 1000\n"
    "[launch]\nblock = [256]\ncovers = [\"n\"]\n";

/// kHead and one scalar argument `x`.
inline std::string with_scalar(const std::string& type, const std::string& value) {
  return std::string(kHead) + "[[arguments]]\nname = \"x\"\ntype = \"" + type + "\"\n" + value + "\n";
}

}  // namespace tare::compare::test
