// What rows need, looked for on this machine. No context is created.
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "compare/row.hpp"

namespace tare::compare {
namespace {

namespace fs = std::filesystem;

Search find_host_compiler() {
  Search search;
  const char* const explicit_path = std::getenv("NVCC_CCBIN");
  const bool is_explicit = explicit_path && *explicit_path;
  const std::vector<std::string> names =
      is_explicit ? std::vector<std::string>{explicit_path} : std::vector<std::string>{"gcc", "g++"};
  for (const std::string& name : names) {
    const fs::path path = find_program(name);
    search.looked.push_back({is_explicit ? "NVCC_CCBIN" : "PATH", path.empty() ? "no " + name : "found"});
    if (path.empty()) {
      search.reason = "nvcc needs a host compiler: " +
                      (is_explicit ? "NVCC_CCBIN is " + name + ", which is not there"
                                   : "no " + name + " on PATH, and NVCC_CCBIN is not set");
      return search;
    }
    search.tool = Tool{path, "", search.looked};
  }
  return search;
}

/// The search for it; null where it is no compiler.
const Search* search_for(Toolbox& toolbox, const std::string& need) {
  if (need == "nvrtc") return &toolbox.nvrtc();
  if (need == "nvcc") return &toolbox.nvcc();
  if (need == "nvvm") return &toolbox.nvvm();
  if (need == "clang") return &toolbox.clang();
  if (need == "host-compiler") return &toolbox.host_compiler();
  return nullptr;
}

std::string unmet_alternative(Toolbox& toolbox, const std::string& need) {
  if (const Search* const search = search_for(toolbox, need)) return search->reason;
  if (need == "gpu") return toolbox.is_gpu() ? "" : "needs a GPU";
  if (need.starts_with("program ")) {
    const std::string program = need.substr(8);
    return find_program(program).empty() ? program + " not found: looked in PATH" : "";
  }
  return "the row asks for something unknown: `" + need + "`";
}

}  // namespace

fs::path find_program(const std::string& name) {
  const auto executable = [](const fs::path& path) {
    std::error_code none;
    return fs::is_regular_file(path, none) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return executable(name) ? fs::path(name) : fs::path();
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (executable(candidate)) return candidate;
  }
  return {};
}

fs::path own_executable() {
  if (const char* const path = std::getenv("TARE_EXECUTABLE"); path && *path) return path;
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none);
}

const Search& Toolbox::nvrtc() {
  const auto [at, fresh] = found_.try_emplace("nvrtc");
  if (fresh) at->second = find_nvrtc();
  return at->second;
}

const Search& Toolbox::nvcc() {
  const auto [at, fresh] = found_.try_emplace("nvcc");
  if (fresh) at->second = find_nvcc({}, interrupts_.descriptor());
  interrupts_.check();
  return at->second;
}

const Search& Toolbox::nvvm() {
  const auto [at, fresh] = found_.try_emplace("nvvm");
  if (fresh) at->second = find_nvvm();
  return at->second;
}

const Search& Toolbox::clang() {
  const auto [at, fresh] = found_.try_emplace("clang");
  if (fresh) at->second = find_clang({}, interrupts_.descriptor());
  interrupts_.check();
  return at->second;
}

const Search& Toolbox::host_compiler() {
  const auto [at, fresh] = found_.try_emplace("host-compiler");
  if (fresh) at->second = find_host_compiler();
  return at->second;
}

std::string Toolbox::unmet(const std::string& need) {
  std::string reasons;
  for (std::size_t at = 0; at <= need.size();) {
    const std::size_t end = std::min(need.find(" or ", at), need.size());
    const std::string alternative = need.substr(at, end - at);
    const std::string reason = unmet_alternative(*this, alternative);
    if (reason.empty()) return {};
    // Who names a compiler wants no other one.
    if (const Search* const search = search_for(*this, alternative); search != nullptr && search->is_explicit)
      return reason;
    reasons += (reasons.empty() ? "" : "; ") + reason;
    at = end + 4;
  }
  return reasons;
}

std::string Toolbox::unmet(const RowDescription& row) {
  if (!row.no_gpu.empty() && !is_gpu_) return row.no_gpu;
  for (const std::string& need : row.needs)
    if (std::string reason = unmet(need); !reason.empty()) return reason;
  return {};
}

}  // namespace tare::compare
