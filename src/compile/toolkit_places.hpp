// Where CUDA toolkits may be: the places, in the order in which they are tried, without looking into them.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tare/toolkit.hpp"

namespace tare::detail {

/// A folder laid out like a toolkit (bin, lib64 or lib, include), and where we have it from.
struct ToolkitRoot {
  std::string label;  // "CUDA_PATH", "wheels in /venv/lib/python3.11/site-packages", "/usr/local/cuda*"
  std::filesystem::path path;
};

/// A step of the search: its label, and either its roots or why there are none.
struct SearchStep {
  std::string label;
  std::vector<std::filesystem::path> roots;
  std::string absent;  // "not set", "no such folder", "no NVIDIA wheels"; used where roots is empty
};

/// The steps before the loader's search path or PATH, in order: CUDA_PATH, CUDA_HOME, the wheels. Functions,
/// because most searches end at an early one and later ones list folders.
extern const std::array<SearchStep (*)(), 6> kStepsBeforeSystem;
/// The step after it: /usr/local/cuda, then /usr/local/cuda-*, newest first.
SearchStep step_usr_local();

/// Include folders of every toolkit in these places; none where only explicit paths count.
std::vector<std::filesystem::path> all_toolkit_include_dirs();

/// TARE_TOOLKIT_SEARCH=explicit: nothing but explicit paths counts.
bool only_explicit();

/// The variable's value; empty where it is not set.
std::string environment(const char* name);

/// Folders of PATH, in order.
std::vector<std::filesystem::path> path_folders();
/// Folders where the dynamic loader finds `prefix`*: LD_LIBRARY_PATH, its cache, its standard folders.
std::vector<std::filesystem::path> loader_folders(std::string_view prefix);

/// "nvcc not found: looked in A (why), B (why)".
std::string reason_not_found(std::string_view tool, const std::vector<Looked>& looked);

/// Root of the toolkit that a program in ROOT/bin or a library in ROOT/lib belongs to.
std::vector<std::filesystem::path> roots_of(const std::filesystem::path& file);

}  // namespace tare::detail
