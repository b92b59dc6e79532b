// The searches for NVRTC, nvcc, libNVVM and clang. Each remembers every place and what was there, so that
// "not found" can say where it looked.
#include "tare/toolkit.hpp"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

#include "compile/child_process.hpp"
#include "compile/locate.hpp"
#include "compile/toolkit_places.hpp"
#include "tare/error.hpp"

namespace tare {
namespace fs = std::filesystem;
namespace detail {
namespace {

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_program(const fs::path& path) {
  return is_file(path) && ::access(path.c_str(), X_OK) == 0;
}

/// What looking at one candidate gives: the tool, or what is wrong with it.
struct Candidate {
  fs::path path;
  std::string version;
  std::string wrong;  // "no such file", "libnvrtc.so.13 without its builtins"; empty where usable
};

using LookInto = std::function<Candidate(const fs::path& folder)>;

/// The name's version numbers: "libnvrtc.so.13" -> {"13"}, "libnvrtc-builtins.so.13.0" -> {"13", "0"}.
std::string version_after(const std::string& name, std::string_view stem) {
  return name.size() > stem.size() && name.starts_with(stem) ? name.substr(stem.size()) : "";
}

std::string major_of(const std::string& version) {
  return version.substr(0, version.find('.'));
}

/// Names in a folder that go on after `stem`, newest version first.
std::vector<std::string> names_in(const fs::path& folder, std::string_view stem) {
  std::vector<std::string> names;
  // readdir, because a toolkit's folder may hold hundreds of files and every cache look-up comes here.
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), &::closedir);
  if (!open) return names;
  while (const dirent* entry = ::readdir(open.get()))
    if (std::string_view(entry->d_name).starts_with(stem) && entry->d_name[stem.size()] != '\0')
      names.emplace_back(entry->d_name);
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return ::strverscmp(a.c_str(), b.c_str()) > 0; });
  return names;
}

constexpr std::string_view kNvrtcStem = "libnvrtc.so.";
constexpr std::string_view kBuiltinsStem = "libnvrtc-builtins.so.";

Candidate nvrtc_pair(const fs::path& library) {
  const std::string version = version_after(library.filename(), kNvrtcStem);
  const std::vector<std::string> builtins = names_in(library.parent_path(), kBuiltinsStem);
  const std::string major = major_of(version);
  std::string others;
  for (const std::string& name : builtins) {
    const std::string its = version_after(name, kBuiltinsStem);
    if (version.empty() || major_of(its) == major) return {library, its, {}};
    others += (others.empty() ? "" : ", ") + name;
  }
  if (others.empty())
    return {
        {}, {}, library.filename().string() + " without its builtins (libnvrtc-builtins.so." + major + ".*)"};
  return {{}, {}, library.filename().string() + " beside builtins of another major version (" + others + ")"};
}

Candidate nvrtc_in(const fs::path& folder) {
  std::string wrong;
  for (const std::string& name : names_in(folder, kNvrtcStem)) {
    Candidate candidate = nvrtc_pair(folder / name);
    if (candidate.wrong.empty()) return candidate;
    if (wrong.empty()) wrong = candidate.wrong;
  }
  return {{}, {}, wrong.empty() ? "no libnvrtc" : wrong};
}

Candidate nvrtc_in_root(const fs::path& root) {
  std::string wrong;
  for (const char* lib : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
    Candidate candidate = nvrtc_in(root / lib);
    if (candidate.wrong.empty()) return candidate;
    if (wrong.empty() || wrong == "no libnvrtc") wrong = candidate.wrong;
  }
  return {{}, {}, wrong};
}

Candidate nvrtc_explicit(const fs::path& path) {
  if (is_file(path)) return nvrtc_pair(path);
  if (!is_folder(path)) return {{}, {}, "no such file: " + path.string()};
  Candidate here = nvrtc_in(path);
  return here.wrong == "no libnvrtc" ? nvrtc_in_root(path) : here;
}

constexpr std::string_view kNvvmStem = "libnvvm.so";

Candidate nvvm_in(const fs::path& folder) {
  for (const std::string& name : names_in(folder, "libnvvm.so."))
    return {folder / name, version_after(name, "libnvvm.so."), {}};
  // NVIDIA's wheels for CUDA 12 have it without a version.
  if (is_file(folder / kNvvmStem)) return {folder / kNvvmStem, {}, {}};
  return {{}, {}, "no libnvvm"};
}

Candidate nvvm_in_root(const fs::path& root) {
  for (const char* lib : {"nvvm/lib64", "nvvm/lib", "lib64", "lib"}) {
    Candidate candidate = nvvm_in(root / lib);
    if (candidate.wrong.empty()) return candidate;
  }
  return {{}, {}, "no libnvvm"};
}

Candidate nvvm_explicit(const fs::path& path) {
  if (is_file(path)) return {path, version_after(path.filename(), "libnvvm.so."), {}};
  if (!is_folder(path)) return {{}, {}, "no such file: " + path.string()};
  Candidate here = nvvm_in(path);
  return here.wrong.empty() ? here : nvvm_in_root(path);
}

Candidate program_at(const fs::path& path) {
  if (is_program(path)) return {path, {}, {}};
  return {{}, {}, is_file(path) ? path.string() + " is not executable" : "no " + path.filename().string()};
}

Candidate nvcc_in_root(const fs::path& root) {
  Candidate candidate = program_at(root / "bin/nvcc");
  if (!candidate.wrong.empty()) return candidate;
  // The wheels come apart: nvcc's own has neither cicc nor the headers it always includes.
  const bool from_wheel = root.parent_path().filename() == "nvidia";
  const char* needed[] = {"nvvm/bin/cicc", "bin/ptxas", "include/cuda_runtime.h",
                          "include/crt/host_config.h"};
  for (const char* file : needed)
    if (from_wheel && !is_file(root / file)) return {{}, {}, "nvcc without " + std::string(file)};
  return candidate;
}

Candidate program_explicit(const fs::path& path, const char* name) {
  if (is_folder(path)) {
    Candidate here = program_at(path / name);
    return here.wrong.empty() ? here : program_at(path / "bin" / name);
  }
  if (is_program(path)) return {path, {}, {}};
  return {{}, {}, (is_file(path) ? "not executable: " : "no such file: ") + path.string()};
}

class Searcher {
 public:
  explicit Searcher(std::string name) : name_(std::move(name)) {}

  /// True where the search is over, found or not.
  bool try_explicit(const fs::path& argument, const char* variable, const LookInto& look) {
    const std::string named = environment(variable);
    if (argument.empty() && named.empty()) {
      search_.looked.push_back({variable, "not set"});
      if (only_explicit()) search_.looked.push_back({"nowhere else", "TARE_TOOLKIT_SEARCH=explicit"});
      return only_explicit();
    }
    search_.is_explicit = true;
    take(argument.empty() ? variable : "the given path", look(argument.empty() ? fs::path(named) : argument));
    return true;
  }
  bool try_step(const SearchStep& step, const LookInto& look) {
    if (step.roots.empty()) {
      search_.looked.push_back({step.label, step.absent});
      return false;
    }
    return try_folders(step.label, step.roots, look);
  }
  /// Looks into each; where all are wrong, remembers the first that had something.
  bool try_folders(const std::string& label, const std::vector<fs::path>& folders, const LookInto& look) {
    Candidate best{{}, {}, "nothing"};
    for (const fs::path& folder : folders) {
      Candidate candidate = look(folder);
      if (candidate.wrong.empty()) return take(label, std::move(candidate));
      if (best.wrong == "nothing" || best.wrong.starts_with("no ")) best = std::move(candidate);
    }
    return take(label, std::move(best));
  }
  Search finish() {
    if (search_.tool)
      search_.tool->looked = search_.looked;
    else
      search_.reason = reason_not_found(name_, search_.looked);
    return std::move(search_);
  }

 private:
  bool take(const std::string& label, Candidate candidate) {
    const bool usable = candidate.wrong.empty();
    search_.looked.push_back({label, usable ? "found" : candidate.wrong});
    if (usable) search_.tool = Tool{std::move(candidate.path), std::move(candidate.version), {}};
    return usable;
  }

  std::string name_;
  Search search_;
};

/// The text after `marker` in what `program --version` prints, up to white space or a comma.
std::string version_printed(const fs::path& program, const std::string& marker, int stop_descriptor) {
  constexpr std::chrono::seconds kLimit{20};
  try {
    const ChildResult result = run_child({.argv = {fs::absolute(program).string(), "--version"},
                                          .directory = {},
                                          .environment = {{"LC_ALL", "C"}},
                                          .timeout = kLimit,
                                          .stop_descriptor = stop_descriptor});
    const std::size_t at = result.output.find(marker);
    if (!result.ok() || at == std::string::npos) return {};
    const std::size_t begin = at + marker.size();
    return result.output.substr(begin, result.output.find_first_of(" \t\r\n,(", begin) - begin);
  } catch (const Error&) {
    return {};
  }
}

constexpr int kClangMajor = 19;
constexpr const char* kClangNames[] = {"clang-19", "clang"};
constexpr const char* kClangFolder = "/usr/lib/llvm-19/bin";  // after PATH

Candidate clang_checked(Candidate candidate, int stop_descriptor) {
  if (!candidate.wrong.empty()) return candidate;
  candidate.version = version_printed(candidate.path, "clang version ", stop_descriptor);
  if (candidate.version.empty())
    candidate.wrong = candidate.path.string() + " does not say its version";
  else if (std::atoi(candidate.version.c_str()) < kClangMajor)
    candidate.wrong = candidate.path.string() + " is clang " + candidate.version + ", older than " +
                      std::to_string(kClangMajor);
  return candidate;
}

Candidate clang_in(const fs::path& folder, int stop_descriptor) {
  Candidate last;
  for (const char* name : kClangNames) {
    last = clang_checked(program_at(folder / name), stop_descriptor);
    if (last.wrong.empty()) return last;
  }
  return last;
}

}  // namespace

Search locate_nvrtc(const fs::path& explicit_path) {
  Searcher searcher("NVRTC");
  if (searcher.try_explicit(explicit_path, "TARE_NVRTC", nvrtc_explicit)) return searcher.finish();
  for (const auto step : kStepsBeforeSystem)
    if (searcher.try_step(step(), nvrtc_in_root)) return searcher.finish();
  if (!searcher.try_folders("the loader's search path", loader_folders(kNvrtcStem), nvrtc_in))
    searcher.try_step(step_usr_local(), nvrtc_in_root);
  return searcher.finish();
}

Search locate_nvcc(const fs::path& explicit_path) {
  Searcher searcher("nvcc");
  const auto look = [](const fs::path& path) { return program_explicit(path, "nvcc"); };
  if (searcher.try_explicit(explicit_path, "TARE_NVCC", look)) return searcher.finish();
  for (const auto step : kStepsBeforeSystem)
    if (searcher.try_step(step(), nvcc_in_root)) return searcher.finish();
  if (!searcher.try_folders("PATH", path_folders(), [](const fs::path& f) { return program_at(f / "nvcc"); }))
    searcher.try_step(step_usr_local(), nvcc_in_root);
  return searcher.finish();
}

Search locate_nvvm(const fs::path& explicit_path) {
  Searcher searcher("libNVVM");
  if (searcher.try_explicit(explicit_path, "TARE_NVVM", nvvm_explicit)) return searcher.finish();
  for (const auto step : kStepsBeforeSystem)
    if (searcher.try_step(step(), nvvm_in_root)) return searcher.finish();
  if (!searcher.try_folders("the loader's search path", loader_folders(kNvvmStem), nvvm_in))
    searcher.try_step(step_usr_local(), nvvm_in_root);
  return searcher.finish();
}

fs::path builtins_beside(const fs::path& nvrtc) {
  const std::string major = major_of(version_after(nvrtc.filename(), kNvrtcStem));
  for (const std::string& name : names_in(nvrtc.parent_path(), kBuiltinsStem))
    if (major.empty() || major_of(version_after(name, kBuiltinsStem)) == major)
      return nvrtc.parent_path() / name;
  return {};
}

std::vector<fs::path> nvcc_companions(const fs::path& nvcc) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const char* name : {"nvvm/bin/cicc", "bin/ptxas"})
    for (const fs::path& root : roots_of(nvcc))
      if (is_file(root / name)) {
        found.push_back(root / name);
        break;
      }
  return found;
}

std::vector<fs::path> clang_candidates(const fs::path& explicit_path) {
  const fs::path named = explicit_path.empty() ? fs::path(environment("TARE_CLANG")) : explicit_path;
  std::vector<fs::path> folders;
  if (!named.empty()) {
    if (!is_folder(named)) return is_program(named) ? std::vector{named} : std::vector<fs::path>();
    folders = {named, named / "bin"};
  } else if (!only_explicit()) {
    folders = path_folders();
    folders.emplace_back(kClangFolder);
  }
  std::vector<fs::path> found;
  for (const fs::path& folder : folders)
    for (const char* name : kClangNames)
      if (is_program(folder / name)) found.push_back(folder / name);
  return found;
}

std::vector<fs::path> clang_companions(const fs::path& clang) {
  std::error_code error;
  const fs::path lib = fs::weakly_canonical(clang, error).parent_path().parent_path() / "lib";
  std::vector<fs::path> found;
  for (const char* stem : {"libLLVM", "libclang-cpp.so"})
    for (const std::string& name : names_in(lib, stem))
      if (name.find(".so") != std::string::npos) found.push_back(lib / name);
  return found;
}

Tool require(const Search& search, const std::string& hint) {
  if (!search.tool) throw Error(ErrorKind::not_found, search.reason, hint);
  return *search.tool;
}

}  // namespace detail

Search find_nvrtc(const fs::path& explicit_path) {
  return detail::locate_nvrtc(explicit_path);
}

Search find_nvcc(const fs::path& explicit_path) {
  return find_nvcc(explicit_path, -1);
}

Search find_clang(const fs::path& explicit_path) {
  return find_clang(explicit_path, -1);
}

Search find_nvcc(const fs::path& explicit_path, int stop_descriptor) {
  Search search = detail::locate_nvcc(explicit_path);
  if (search.tool) {
    std::string version = detail::version_printed(search.tool->path, "release ", stop_descriptor);
    const std::string full = detail::version_printed(search.tool->path, ", V", stop_descriptor);
    search.tool->version = full.empty() ? version : full;
  }
  return search;
}

Search find_nvvm(const fs::path& explicit_path) {
  return detail::locate_nvvm(explicit_path);
}

fs::path libdevice_of(const Tool& nvvm) {
  std::error_code error;
  for (const fs::path& form : {nvvm.path, fs::weakly_canonical(nvvm.path, error)}) {
    const fs::path above = form.parent_path().parent_path();  // a toolkit, or its nvvm folder
    for (const char* place : {"libdevice/libdevice.10.bc", "nvvm/libdevice/libdevice.10.bc"})
      if (detail::is_file(above / place)) return above / place;
  }
  return {};
}

Search find_clang(const fs::path& explicit_path, int stop_descriptor) {
  using namespace detail;
  Searcher searcher("clang");
  const auto look_in = [&](const fs::path& folder) { return clang_in(folder, stop_descriptor); };
  const auto look = [&](const fs::path& path) {
    if (!is_folder(path)) return clang_checked(program_explicit(path, "clang"), stop_descriptor);
    Candidate here = look_in(path);
    return here.wrong.empty() ? here : look_in(path / "bin");
  };
  if (searcher.try_explicit(explicit_path, "TARE_CLANG", look)) return searcher.finish();
  if (!searcher.try_folders("PATH", path_folders(), look_in))
    searcher.try_folders("/usr/lib/llvm-19", {kClangFolder}, look_in);
  return searcher.finish();
}

std::vector<fs::path> toolkit_include_dirs(const Tool& tool) {
  std::vector<fs::path> candidates;
  for (const fs::path& root : detail::roots_of(tool.path)) {
    candidates.push_back(root / "include");
    candidates.push_back(root / "targets/x86_64-linux/include");
    for (const char* wheel : {"cuda_runtime", "cuda_nvcc", "cuda_cccl"})
      candidates.push_back(root.parent_path() / wheel / "include");
  }
  std::vector<fs::path> dirs;
  const auto add = [&](const fs::path& dir) {
    std::error_code error;
    for (const fs::path& have : dirs)
      if (fs::equivalent(have, dir, error)) return;
    dirs.push_back(dir);
  };
  for (const fs::path& dir : candidates) {
    if (dir == "/usr/include")  // the host's own headers: NVRTC must not see them
      continue;
    if (detail::is_file(dir / "cuda_runtime.h") || detail::is_file(dir / "cuda_fp16.h") ||
        detail::is_folder(dir / "cuda/std"))
      add(dir);
    if (detail::is_folder(dir / "cccl/cuda/std")) {
      add(dir);
      add(dir / "cccl");
    }
  }
  return dirs;
}

}  // namespace tare
