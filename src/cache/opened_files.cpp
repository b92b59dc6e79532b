// Parses the rule and stats each file once.
#include "cache/opened_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "cache/digest.hpp"
#include "cache/store.hpp"
#include "store/file.hpp"

namespace tare::detail {
namespace fs = std::filesystem;

std::vector<std::string> rule_prerequisites(const std::string& rule) {
  std::vector<std::string> paths;
  std::string path;
  const auto end_path = [&] {
    if (!path.empty()) paths.push_back(std::exchange(path, {}));
  };
  const std::size_t colon = rule.find(": ");
  for (std::size_t i = colon == std::string::npos ? rule.size() : colon + 2; i < rule.size(); ++i) {
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\n';
    if (rule[i] == '\\' && (next == ' ' || next == '#' || next == '\\')) {
      path += next;
      ++i;
    } else if (rule[i] == '\\' && next == '\n') {
      end_path();
      ++i;
    } else if (rule[i] == '$' && next == '$') {
      path += '$';
      ++i;
    } else if (rule[i] == ' ' || rule[i] == '\t' || rule[i] == '\n' || rule[i] == '\r') {
      end_path();
    } else {
      path += rule[i];
    }
  }
  end_path();
  return paths;
}

std::vector<OpenedFile> opened_files(const std::string& rule, const std::vector<fs::path>& toolkit_dirs,
                                     std::chrono::system_clock::time_point start, std::string& doubt) {
  std::vector<std::string> toolkit;
  std::error_code error;
  for (const fs::path& dir : toolkit_dirs) toolkit.push_back(fs::weakly_canonical(dir, error).string() + "/");
  const std::int64_t start_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(start.time_since_epoch()).count();
  std::vector<OpenedFile> files;
  for (const std::string& path : rule_prerequisites(rule)) {
    const std::string canonical = fs::weakly_canonical(path, error).string();
    const bool from_toolkit = std::any_of(toolkit.begin(), toolkit.end(),
                                          [&](const std::string& dir) { return canonical.starts_with(dir); });
    if (!path.starts_with('/') || from_toolkit) continue;
    struct stat status = {};
    const auto content = store::read_whole(path);
    if (!content || ::stat(path.c_str(), &status) != 0) {
      doubt = path + " cannot be read any more";
      continue;
    }
    const std::int64_t mtime_ns =
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    if (mtime_ns >= start_ns) doubt = path + " changed during the compile";
    files.push_back({path, static_cast<std::uint64_t>(status.st_size), mtime_ns, hex(sha256(*content))});
  }
  return files;
}

}  // namespace tare::detail
