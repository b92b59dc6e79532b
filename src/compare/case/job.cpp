// Puts the numbers into a case: values, launch shape, counts, scalars' bytes.
#include "compare/case/job.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>

#include "compare/case/complaint.hpp"
#include "compare/case/document.hpp"
#include "compare/case/expression.hpp"
#include "compare/case/plain_file.hpp"
#include "embedded/builtin_case.hpp"

namespace tare::compare {
namespace {

using Values = std::map<std::string, std::int64_t>;

const char* const kAxes[] = {"x", "y", "z"};
// Limits of every CUDA device since compute capability 3.0.
constexpr std::int64_t kMaxBlock[] = {1024, 1024, 64};
constexpr std::int64_t kMaxThreads = 1024;
constexpr std::int64_t kMaxGrid[] = {2147483647, 65535, 65535};

bool is_launch_name(const std::string& name) {
  return name.size() > 2 && (name.starts_with("block_") || name.starts_with("grid_")) &&
         name.find_first_not_of("xyz", name.size() - 1) == std::string::npos &&
         name.find('_') == name.size() - 2;
}

class Numbers {
 public:
  Numbers(const Case::Document& document, const CaseOverrides& overrides) : document_(document) {
    std::vector<std::string> known;
    for (const auto& [name, expression] : document.values) known.push_back(name);
    for (const auto& [name, value] : overrides.values) {
      if (!document.values.contains(name)) throw CaseError(document.file + ": " + no_value(name, known));
    }
    values_ = overrides.values;
    for (const auto& [name, expression] : document.values) {
      if (is_launch_name(name)) {
        fail_at(document.file, expression.line,
                "the value `" + name + "` has the name of a launch dimension");
      }
      value(name);
    }
  }

  const Values& values() const { return values_; }

  std::int64_t operator()(const LocatedExpression& expression) const {
    return located(document_.file, expression.line, [&] { return evaluate(expression.text, scope()); });
  }

  /// block_x .. grid_z, once they are known.
  void set_launch_values(const char* what, const std::array<unsigned, 3>& shape) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      launch_[std::string(what) + "_" + kAxes[axis]] = shape[axis];
    }
  }

  Values scope() const {
    Values all = values_;
    all.insert(launch_.begin(), launch_.end());
    return all;
  }

 private:
  static std::string no_value(const std::string& name, const std::vector<std::string>& known) {
    if (known.empty()) return "the case has no value `" + name + "`: it has no [values]";
    return "the case has no value `" + name + "`" + suggestion(name, known);
  }

  std::int64_t value(const std::string& name) {
    if (const auto found = values_.find(name); found != values_.end()) return found->second;
    const LocatedExpression& expression = document_.values.at(name);
    if (!open_.insert(name).second) {
      fail_at(document_.file, expression.line, "the value `" + name + "` is defined by itself");
    }
    const std::int64_t result = located(document_.file, expression.line, [&] {
      return evaluate(expression.text, [&](const std::string& other) {
        if (document_.values.contains(other)) return value(other);
        std::vector<std::string> known;
        for (const auto& [each, unused] : document_.values) known.push_back(each);
        throw Complaint("expression `" + expression.text + "`: " + unknown("value", other, known));
      });
    });
    open_.erase(name);
    values_[name] = result;
    return result;
  }

  const Case::Document& document_;
  Values values_, launch_;
  std::set<std::string> open_;
};

void set_block(Job& job, const Case::Document& document, const CaseOverrides& overrides, Numbers& numbers) {
  std::vector<std::int64_t> block;
  if (overrides.block) {
    block.assign(overrides.block->begin(), overrides.block->end());
  } else {
    for (const LocatedExpression& axis : document.block) block.push_back(numbers(axis));
  }
  if (block.empty() || block.size() > 3)
    throw CaseError(document.file + ": a block has one to three dimensions");
  std::int64_t threads = 1;
  for (std::size_t axis = 0; axis < block.size(); ++axis) {
    if (block[axis] < 1 || block[axis] > kMaxBlock[axis]) {
      fail_at(document.file, overrides.block ? 0 : document.block_line,
              "block." + std::string(kAxes[axis]) + " is " + std::to_string(block[axis]) +
                  "; it must be 1 to " + std::to_string(kMaxBlock[axis]));
    }
    threads *= block[axis];
    job.block[axis] = static_cast<unsigned>(block[axis]);
  }
  if (threads > kMaxThreads) {
    fail_at(document.file, overrides.block ? 0 : document.block_line,
            "the block has " + std::to_string(threads) + " threads; at most " + std::to_string(kMaxThreads));
  }
  numbers.set_launch_values("block", job.block);
}

void set_grid(Job& job, const Case::Document& document, Numbers& numbers) {
  const bool by_cover = document.grid.empty();
  const std::vector<LocatedExpression>& axes = by_cover ? document.covers : document.grid;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::int64_t given = numbers(axes[axis]);
    const std::string what = (by_cover ? "covers." : "grid.") + std::string(kAxes[axis]);
    if (given < 0)
      fail_at(document.file, axes[axis].line, what + " is " + std::to_string(given) + ", below 0");
    if (given == 0 && !by_cover) {
      fail_at(document.file, axes[axis].line, what + " is 0; a grid needs at least one block per axis");
    }
    std::int64_t blocks = given;
    if (by_cover) {
      if (given == 0) job.empty = true;
      blocks = given == 0 ? 1 : (given - 1) / job.block[axis] + 1;
    }
    if (blocks > kMaxGrid[axis]) {
      fail_at(document.file, axes[axis].line,
              "the grid needs " + std::to_string(blocks) + " blocks along " + kAxes[axis] + "; at most " +
                  std::to_string(kMaxGrid[axis]));
    }
    job.grid[axis] = static_cast<unsigned>(blocks);
  }
  numbers.set_launch_values("grid", job.grid);
}

JobArgument put_in(const ArgumentDocument& document, const std::string& file, const Numbers& numbers) {
  JobArgument argument = document.argument;
  if (argument.is_buffer) {
    const std::int64_t count = numbers(*document.count);
    const std::string named = "`count` of `" + argument.name + "` is " + std::to_string(count);
    if (count < 0) fail_at(file, document.count->line, named + ", below 0");
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(count, static_cast<std::int64_t>(argument.element.size), &bytes)) {
      fail_at(file, document.count->line, named + ": its bytes do not fit in 64 bits");
    }
    argument.count = static_cast<std::uint64_t>(count);
    return argument;
  }
  const Values scope = numbers.scope();
  const ValueOf value_of = [&](const std::string& name) { return evaluate(name, scope); };
  if (document.is_struct) {
    argument.value = encode_struct(document.fields, argument.element, file, value_of);
  } else {
    argument.value = located(file, document.value->line, [&] {
      try {
        return encode(*document.value, argument.element, value_of);
      } catch (const Complaint& complaint) {
        throw Complaint("argument `" + argument.name + "`: " + complaint.what());
      }
    });
  }
  return argument;
}

/// Inputs read once, outputs written once.
double default_moved_bytes(const Job& job) {
  double bytes = 0;
  for (const JobArgument& argument : job.arguments) {
    if (argument.is_buffer) bytes += static_cast<double>(argument.bytes()) * (argument.is_in_out() ? 2 : 1);
  }
  return bytes;
}

}  // namespace

std::vector<std::string> Job::values_in_order() const {
  std::vector<std::string> names;
  for (const std::string& name : value_names)
    if (values.contains(name)) names.push_back(name);
  for (const auto& [name, value] : values)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  return names;
}

Job Case::job(const CaseOverrides& overrides) const {
  const Document& document = *document_;
  Job job = document.job;
  Numbers numbers(document, overrides);
  job.values = numbers.values();
  set_block(job, document, overrides, numbers);
  set_grid(job, document, numbers);
  if (document.dynamic_shared_bytes) {
    const std::int64_t bytes = numbers(*document.dynamic_shared_bytes);
    if (bytes < 0 || bytes > std::numeric_limits<int>::max()) {
      fail_at(document.file, document.dynamic_shared_bytes->line,
              "`dynamic_shared_bytes` is " + std::to_string(bytes));
    }
    job.dynamic_shared_bytes = static_cast<unsigned>(bytes);
  }
  for (const ArgumentDocument& argument : document.arguments) {
    job.arguments.push_back(put_in(argument, document.file, numbers));
  }
  if (document.moved) {
    const std::int64_t bytes = numbers(*document.moved);
    if (bytes < 0)
      fail_at(document.file, document.moved->line, "moved bytes are " + std::to_string(bytes) + ", below 0");
    job.moved_bytes = static_cast<double>(bytes);
  } else {
    job.moved_bytes = default_moved_bytes(job);
  }
  return job;
}

const std::vector<Claim>& Case::claims() const {
  return document_->claims;
}
const std::string& Case::name() const {
  return document_->job.case_name;
}

std::string read_text_file(const std::filesystem::path& file) {
  try {
    return read_plain_text(file);
  } catch (const Complaint& complaint) {
    throw CaseError("cannot read " + file.string() + ": " + complaint.what());
  }
}

Case Case::load(const std::filesystem::path& toml) {
  return Case(read_document({read_text_file(toml), toml.string(), toml.parent_path(), std::nullopt}));
}

Case Case::builtin() {
  CaseText text{{}, "examples/vector_add/vector_add.toml", "examples/vector_add", std::string()};
  for (std::size_t i = 0; i < embedded::builtin_case_count; ++i) {
    const embedded::File& file = embedded::builtin_case[i];
    if (file.path.ends_with(".toml")) text.toml = file.text;
    if (file.path.ends_with(".cu")) text.kernel = std::string(file.text);
  }
  return Case(read_document(text));
}

std::filesystem::path write_builtin_python(const std::filesystem::path& directory) {
  for (std::size_t i = 0; i < embedded::builtin_case_count; ++i) {
    const embedded::File& file = embedded::builtin_case[i];
    if (!file.path.ends_with(".py")) continue;
    const std::filesystem::path path = directory / std::filesystem::path(file.path).filename();
    std::ofstream out(path, std::ios::binary);
    out << file.text;
    if (!out.flush()) throw CaseError("cannot write " + path.string());
    return path;
  }
  return {};
}

}  // namespace tare::compare
