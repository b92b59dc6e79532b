// Environment variables set for one test, a folder of its own, and whether a compiler is there.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "tare/toolkit.hpp"

namespace tare::fixtures {

/// Sets variables (nullopt unsets) and puts them back.
class ScopedEnvironment {
 public:
  using Changes = std::map<std::string, std::optional<std::string>>;
  explicit ScopedEnvironment(const Changes& changes) {
    for (const auto& [name, value] : changes) {
      const char* old = std::getenv(name.c_str());
      before_[name] = old != nullptr ? std::optional<std::string>(old) : std::nullopt;
      set(name, value);
    }
  }
  ~ScopedEnvironment() {
    for (const auto& [name, value] : before_) set(name, value);
  }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

 private:
  static void set(const std::string& name, const std::optional<std::string>& value) {
    if (value)
      ::setenv(name.c_str(), value->c_str(), 1);
    else
      ::unsetenv(name.c_str());
  }
  Changes before_;
};

/// A folder below the test's temporary one, removed afterwards.
class Folder {
 public:
  Folder() {
    std::string pattern = ::testing::TempDir() + "tare-test-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text,
                              bool executable = false) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    if (executable) std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

 private:
  std::filesystem::path path_;
};

inline bool has_nvrtc() {
  return find_nvrtc().tool.has_value();
}
inline bool has_nvcc() {
  return find_nvcc().tool.has_value();
}
inline bool has_clang() {
  return find_clang().tool.has_value();
}

}  // namespace tare::fixtures

#define TARE_NEEDS(what) \
  if (!::tare::fixtures::has_##what()) GTEST_SKIP() << ::tare::find_##what().reason
