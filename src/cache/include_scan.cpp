// Resolves directives to files as the compilers do: beside the including file for quotes, then the
// folders in order.
#include "cache/include_scan.hpp"

#include <algorithm>
#include <deque>
#include <fstream>
#include <iterator>
#include <set>

#include "cache/compiler_identity.hpp"
#include "cache/digest.hpp"
#include "compile/include_options.hpp"
#include "compile/source_text.hpp"

namespace tare::detail {
namespace fs = std::filesystem;
namespace {

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_inside(const fs::path& path, const std::vector<fs::path>& folders) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
    const fs::path whole = fs::weakly_canonical(folder, error);
    return std::mismatch(whole.begin(), whole.end(), canonical.begin(), canonical.end()).first == whole.end();
  });
}

/// Files that are in both trees, as paths in `mine`.
void common_files(const fs::path& mine, const fs::path& theirs, std::vector<fs::path>& found) {
  std::error_code error;
  for (fs::directory_iterator it(mine, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const fs::path twin = theirs / it->path().filename();
    if (!fs::exists(twin, ignored)) continue;
    if (fs::is_directory(twin, ignored) && it->is_directory(ignored))
      common_files(it->path(), twin, found);
    else
      found.push_back(it->path());
  }
}

class Walk {
 public:
  Walk(const CompileOptions& options, const std::vector<fs::path>& toolkit_dirs)
      : options_(options), toolkit_dirs_(toolkit_dirs) {
    std::error_code error;
    for (const fs::path& dir : options.include_dirs) add_user_dir(fs::absolute(dir, error));
    IncludeOptions extra = parse_include_options(options.extra);
    for (const fs::path& dir : extra.dirs) add_user_dir(dir);
    if (!extra.reads_other_files.empty())
      scan_.unknowable = "the option " + extra.reads_other_files + " reads files that are not known";
  }

  IncludeScan run(const std::string& source) {
    follow(source, options_.file_name, quote_directory(options_));
    while (!queue_.empty() && scan_.unknowable.empty()) {
      const fs::path file = queue_.front();
      queue_.pop_front();
      std::ifstream in(file, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      scan_.inputs.push_back({"header " + file.string(), hex(sha256(text))});
      scan_.opened.push_back(file.string());
      follow(text, file.string(), file.parent_path());
    }
    if (uses_toolkit_) add_toolkit();
    return std::move(scan_);
  }

 private:
  void add_user_dir(const fs::path& dir) {
    if (!is_inside(dir, toolkit_dirs_)) user_dirs_.push_back(dir);
  }

  void follow(const std::string& text, const std::string& name, const fs::path& folder) {
    constexpr std::size_t kMostHeaders = 4096;
    const Directives directives = read_directives(text);
    if (!directives.unknowable.empty())
      scan_.unknowable = name + " has " + directives.unknowable + ", whose file is not known";
    for (const Directive& directive : directives.includes) {
      scan_.any = true;
      resolve(directive, folder);
    }
    if (seen_.size() > kMostHeaders)
      scan_.unknowable = "more than " + std::to_string(kMostHeaders) + " headers";
  }

  void resolve(const Directive& directive, const fs::path& folder) {
    const std::string spelled = directive.quoted ? '"' + directive.name + '"' : '<' + directive.name + '>';
    std::vector<fs::path> candidates;
    if (fs::path(directive.name).is_absolute()) {
      candidates.emplace_back(directive.name);
    } else {
      if (directive.quoted) candidates.push_back(folder / directive.name);
      for (const fs::path& dir : user_dirs_) candidates.push_back(dir / directive.name);
    }
    for (const fs::path& candidate : candidates) {
      if (is_file(candidate)) {
        const fs::path file = candidate.lexically_normal();
        if (is_inside(file, toolkit_dirs_)) {
          uses_toolkit_ = true;
        } else if (seen_.insert(file).second) {
          queue_.push_back(file);
        }
        scan_.inputs.push_back({"include " + spelled + " in " + folder.string(), file.string()});
        return;
      }
      scan_.probed_absent.push_back(candidate.string());
    }
    for (const fs::path& dir : toolkit_dirs_)
      if (is_file(dir / directive.name)) {
        uses_toolkit_ = true;
        scan_.inputs.push_back({"include " + spelled + " in " + folder.string(), "toolkit"});
        return;
      }
    scan_.inputs.push_back({"include " + spelled + " in " + folder.string(), "absent"});
  }

  void add_toolkit() {
    for (const fs::path& dir : toolkit_dirs_) {
      scan_.inputs.push_back({"toolkit headers " + dir.string(), package_identity(dir)});
      for (const fs::path& mine : user_dirs_) {
        std::vector<fs::path> hiding;
        common_files(mine, dir, hiding);
        std::sort(hiding.begin(), hiding.end());
        for (const fs::path& file : hiding)
          if (seen_.insert(file.lexically_normal()).second) {
            std::ifstream in(file, std::ios::binary);
            const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
            scan_.inputs.push_back({"hides a toolkit header " + file.string(), hex(sha256(text))});
          }
      }
    }
  }

  const CompileOptions& options_;
  const std::vector<fs::path>& toolkit_dirs_;
  std::vector<fs::path> user_dirs_;
  std::set<fs::path> seen_;
  std::deque<fs::path> queue_;
  bool uses_toolkit_ = false;
  IncludeScan scan_;
};

}  // namespace

IncludeScan scan_includes(const std::string& source, const CompileOptions& options,
                          const std::vector<fs::path>& toolkit_dirs) {
  return Walk(options, toolkit_dirs).run(source);
}

}  // namespace tare::detail
