// Searches that start no program and load no library: what a look-up in the compile cache may afford.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tare/toolkit.hpp"

namespace tare::detail {

/// As find_nvrtc; the version is that in the builtins' file name, "13.0".
Search locate_nvrtc(const std::filesystem::path& explicit_path);
/// As find_nvcc, with an empty version.
Search locate_nvcc(const std::filesystem::path& explicit_path);
/// As find_nvvm.
Search locate_nvvm(const std::filesystem::path& explicit_path);

/// The builtins library that belongs to `nvrtc`, in the same folder; empty where there is none.
std::filesystem::path builtins_beside(const std::filesystem::path& nvrtc);
/// Programs that nvcc calls and whose identity decides what it makes (cicc, ptxas), where they are found.
std::vector<std::filesystem::path> nvcc_companions(const std::filesystem::path& nvcc);

/// Every program that find_clang might run, in its order; which of them is clang 19 only running them tells.
std::vector<std::filesystem::path> clang_candidates(const std::filesystem::path& explicit_path);
/// The libraries beside a clang that hold most of what it is: libLLVM and libclang-cpp, where it has them.
std::vector<std::filesystem::path> clang_companions(const std::filesystem::path& clang);

/// The tool, or Error(not_found) with the search's reason and a hint.
Tool require(const Search& search, const std::string& hint);

}  // namespace tare::detail
