// The environment, Python's site-packages, the loader's cache and /usr/local, turned into folders.
#include "compile/toolkit_places.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

namespace tare::detail {
namespace fs = std::filesystem;
namespace {

/// Entries of a folder whose name starts with `prefix`, newest (by name, numbers as numbers) first.
std::vector<fs::path> entries(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().filename().string().starts_with(prefix)) found.push_back(it->path());
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
    return ::strverscmp(a.filename().c_str(), b.filename().c_str()) > 0;
  });
  return found;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// Toolkit roots that NVIDIA's wheels make in a site-packages folder: nvidia/cu13 since CUDA 13,
/// nvidia/cuda_nvrtc, nvidia/cuda_nvcc, ... before.
std::vector<fs::path> wheel_roots(const fs::path& site) {
  const fs::path nvidia = site / "nvidia";
  std::vector<fs::path> roots;
  for (const fs::path& entry : entries(nvidia, "cu")) {
    const std::string name = entry.filename();
    if (name.size() > 2 && std::isdigit(static_cast<unsigned char>(name[2])) != 0) roots.push_back(entry);
  }
  for (const char* old : {"cuda_nvrtc", "cuda_nvcc"})
    if (is_folder(nvidia / old)) roots.push_back(nvidia / old);
  return roots;
}

std::vector<fs::path> site_folders(const fs::path& prefix) {
  std::vector<fs::path> sites;
  for (const char* lib : {"lib", "lib64", "local/lib"})
    for (const fs::path& python : entries(prefix / lib, "python3"))
      for (const char* kind : {"site-packages", "dist-packages"})
        if (is_folder(python / kind)) sites.push_back(python / kind);
  return sites;
}

SearchStep step_python(const std::string& label, const fs::path& prefix, bool is_conda) {
  SearchStep step{label, {}, {}};
  if (prefix.empty()) {
    step.absent = "not set";
    return step;
  }
  if (is_conda && (is_folder(prefix / "nvvm") || !entries(prefix / "lib", "libnvrtc.so").empty() ||
                   is_folder(prefix / "targets/x86_64-linux")))
    step.roots.push_back(prefix);
  for (const fs::path& site : site_folders(prefix))
    for (fs::path& root : wheel_roots(site)) step.roots.push_back(std::move(root));
  if (step.roots.empty()) step.absent = "no NVIDIA wheels";
  return step;
}

/// The prefix of the python3 that PATH finds. A launcher script (pyenv's, say) does not tell, and is
/// not run: a search must not start programs.
SearchStep step_python_on_path() {
  SearchStep step{"python3 on PATH", {}, "no python3"};
  for (const fs::path& folder : path_folders()) {
    std::error_code error;
    if (!fs::exists(folder / "python3", error)) continue;
    char magic[2] = {};
    std::ifstream(folder / "python3", std::ios::binary).read(magic, sizeof magic);
    if (magic[0] == '#' && magic[1] == '!') {
      step.absent = "a script that does not say where its Python is";
      continue;
    }
    step = step_python(step.label, folder.parent_path(), false);
    return step;
  }
  return step;
}

SearchStep step_wheels_folder() {
  const std::string named = environment("TARE_WHEELS");
  if (!named.empty()) {
    SearchStep step{"TARE_WHEELS (" + named + ")", wheel_roots(named), "no NVIDIA wheels"};
    return step;
  }
  SearchStep step{"this build's .tools/nvidia", {}, "no such folder"};
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  constexpr int kLevels = 5;
  for (int level = 0; level < kLevels && folder.has_relative_path(); ++level) {
    if (is_folder(folder / ".tools/nvidia")) {
      step.roots = wheel_roots(folder / ".tools/nvidia");
      step.absent = "no NVIDIA wheels";
      return step;
    }
    folder = folder.parent_path();
  }
  return step;
}

SearchStep step_variable(const char* name) {
  SearchStep step{name, {}, "not set"};
  const std::string value = environment(name);
  if (value.empty()) return step;
  if (is_folder(value))
    step.roots.push_back(value);
  else
    step.absent = "no such folder: " + value;
  return step;
}

/// Folders named in the loader's cache for libraries whose name starts with `prefix`. The format is
/// glibc's, since 2.32 the only one: a header, entries of 24 bytes, then the strings.
std::vector<fs::path> loader_cache_folders(std::string_view prefix) {
  constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";
  constexpr std::size_t kHeader = 48, kEntry = 24;
  std::ifstream in("/etc/ld.so.cache", std::ios::binary);
  const std::string cache{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::vector<fs::path> folders;
  if (cache.size() < kHeader || !cache.starts_with(kMagic)) return folders;
  const auto word = [&](std::size_t at) {
    std::uint32_t value;
    std::memcpy(&value, cache.data() + at, sizeof value);
    return std::size_t{value};
  };
  const std::size_t count = std::min(word(kMagic.size()), (cache.size() - kHeader) / kEntry);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t key = word(kHeader + i * kEntry + 4), value = word(kHeader + i * kEntry + 8);
    if (key < cache.size() && value < cache.size() &&
        std::string_view(cache.c_str() + key).starts_with(prefix))
      folders.push_back(fs::path(cache.c_str() + value).parent_path());
  }
  return folders;
}

std::vector<fs::path> split_folders(const std::string& list) {
  std::vector<fs::path> folders;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) folders.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool only_explicit() {
  return environment("TARE_TOOLKIT_SEARCH") == "explicit";
}

std::vector<fs::path> path_folders() {
  return split_folders(environment("PATH"));
}

std::vector<fs::path> loader_folders(std::string_view prefix) {
  std::vector<fs::path> all = split_folders(environment("LD_LIBRARY_PATH"));
  for (fs::path& folder : loader_cache_folders(prefix)) all.push_back(std::move(folder));
  for (const char* standard :
       {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"})
    all.emplace_back(standard);
  std::vector<fs::path> distinct;
  std::set<fs::path> seen;
  for (fs::path& folder : all)
    if (seen.insert(folder).second) distinct.push_back(std::move(folder));
  return distinct;
}

const std::array<SearchStep (*)(), 6> kStepsBeforeSystem{
    [] { return step_variable("CUDA_PATH"); },
    [] { return step_variable("CUDA_HOME"); },
    [] { return step_python("VIRTUAL_ENV", environment("VIRTUAL_ENV"), false); },
    [] { return step_python("CONDA_PREFIX", environment("CONDA_PREFIX"), true); },
    [] { return step_python_on_path(); },
    [] { return step_wheels_folder(); },
};

SearchStep step_usr_local() {
  SearchStep step{"/usr/local/cuda*", {}, "no such folder"};
  if (is_folder("/usr/local/cuda")) step.roots.emplace_back("/usr/local/cuda");
  for (const fs::path& entry : entries("/usr/local", "cuda-")) step.roots.push_back(entry);
  return step;
}

std::vector<fs::path> all_toolkit_include_dirs() {
  std::vector<fs::path> dirs;
  if (only_explicit()) return dirs;
  std::vector<SearchStep> steps;
  for (const auto step : kStepsBeforeSystem) steps.push_back(step());
  steps.push_back(step_usr_local());
  for (const SearchStep& step : steps)
    for (const fs::path& root : step.roots)
      for (const char* part : {"include", "include/cccl"})
        if (is_folder(root / part)) dirs.push_back(root / part);
  return dirs;
}

std::string reason_not_found(std::string_view tool, const std::vector<Looked>& looked) {
  std::string reason = std::string(tool) + " not found: looked in ";
  for (std::size_t i = 0; i < looked.size(); ++i)
    reason += (i > 0 ? ", " : "") + looked[i].place + " (" + looked[i].result + ")";
  return reason;
}

std::vector<fs::path> roots_of(const fs::path& file) {
  std::vector<fs::path> roots;
  std::error_code error;
  for (const fs::path& form : {file, fs::weakly_canonical(file, error)}) {
    fs::path root = form.parent_path().parent_path();
    if (root.parent_path().filename() == "targets") roots.push_back(root.parent_path().parent_path());
    roots.push_back(std::move(root));
  }
  return roots;
}

}  // namespace tare::detail
