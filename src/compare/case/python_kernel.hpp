// The Python file that a case names: what is wrong with it that its text alone shows, before anything is
// started. Python itself finds out the rest.
#pragma once

#include <filesystem>
#include <string>

namespace tare::compare {

/// Why `function` cannot be the kernel: the file cannot be read, or does not mention the name and imports
/// nothing whole (`import *`). One line; empty where nothing is against it.
std::string why_no_python_kernel(const std::filesystem::path& file, const std::string& function);

}  // namespace tare::compare
