// Names first, then axes: an extent has a name that people give to extents, and an axis is one that the text
// reads an index of.
#include "compare/case/launch_guess.hpp"

#include <algorithm>
#include <array>

#include "compare/case/tokens.hpp"

namespace tare::compare {
namespace {

using Names = std::vector<std::string>;

constexpr std::array kLengthNames{"n",           "size",     "count", "len",   "length",
                                  "num",         "elements", "numel", "total", "num_elements",
                                  "numelements", "nelem",    "sz"};
constexpr std::array kWidthNames{"w", "width", "cols", "columns", "nx", "ncols", "numcols", "num_cols"};
constexpr std::array kHeightNames{"h", "height", "rows", "ny", "nrows", "numrows", "num_rows"};
constexpr std::array kDepthNames{"d", "depth", "nz", "slices"};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The first of `integers` whose name is one of `names`; empty where there is none.
template <std::size_t N>
std::string called(const Names& integers, const std::array<const char*, N>& names) {
  for (const std::string& each : integers)
    if (std::find(names.begin(), names.end(), lower(each)) != names.end()) return each;
  return {};
}

std::string called(const Names& integers, const char* name) {
  return called(integers, std::array{name});
}

std::string product(const Names& factors) {
  std::string text;
  for (const std::string& factor : factors) text += (text.empty() ? "" : " * ") + factor;
  return text;
}

/// How many axes the text reads of the named index: 0 where it reads none.
int axes_of(const std::vector<Token>& tokens, std::string_view index) {
  int axes = 0;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].text != index || tokens[i + 1].text != ".") continue;
    const std::string_view axis = tokens[i + 2].text;
    axes = std::max(axes, axis == "z" ? 3 : axis == "y" ? 2 : 1);
  }
  return axes;
}

class Guesser {
 public:
  Guesser(const Names& integers, const Names& buffers) : integers_(integers), buffers_(buffers) {}

  LaunchGuess guess(std::string_view body, std::string_view region) {
    name_extents();
    count_axes(body, region);
    set_values();
    set_launch();
    set_counts();
    return std::move(guess_);
  }

 private:
  /// Fills along_ with the value of each axis, and extents of no axis after them.
  void name_extents() {
    const std::string width = called(integers_, kWidthNames), height = called(integers_, kHeightNames);
    const std::string m = called(integers_, "m"), n = called(integers_, "n"), k = called(integers_, "k");
    const std::string length = called(integers_, kLengthNames);
    is_matrix_ = !m.empty() && !n.empty() && width.empty() && height.empty();
    if (is_matrix_) {  // of m rows and n columns, as the matrix libraries call them
      along("n", n), along("m", m), along("k", k);
    } else if (!width.empty() || !height.empty()) {
      along("w", width), along("h", height), along("d", called(integers_, kDepthNames));
      along("n", length);
    } else if (!length.empty()) {
      along("n", length);
    }
    named_axes_ = is_matrix_ || (!width.empty() && !height.empty() && length.empty()) ? 2 : 1;
  }

  void along(const std::string& value, const std::string& parameter) {
    if (parameter.empty() || guess_.extents.contains(parameter)) return;
    guess_.extents[parameter] = value;
    along_.push_back(value);
  }

  void count_axes(std::string_view body, std::string_view region) {
    for (const std::string_view text : {body, region}) {
      const std::vector<Token> tokens = tokens_of(text);
      thread_axes_ = axes_of(tokens, "threadIdx");
      block_axes_ = axes_of(tokens, "blockIdx");
      if (thread_axes_ + block_axes_ > 0) break;
    }
    if (thread_axes_ + block_axes_ == 0) thread_axes_ = named_axes_;
    axes_ = std::max({thread_axes_, block_axes_, 1});
    // Integers without a name that says so: as many as there are axes, in their order.
    for (std::size_t i = 0; guess_.extents.empty() && i < integers_.size(); ++i) {
      along("n", integers_[i]);
      if (axes_ > 1 && i + 1 < integers_.size()) along("m", integers_[i + 1]);
    }
    if (along_.empty()) along_.emplace_back("n");
  }

  void set_values() {
    const std::size_t factors = std::max(along_.size(), static_cast<std::size_t>(axes_));
    constexpr std::array<const char*, 3> kSides[] = {
        {"1000003", "", ""}, {"1025", "771", ""}, {"257", "129", "65"}};
    for (std::size_t i = 0; i < along_.size(); ++i)
      guess_.values.emplace_back(along_[i],
                                 kSides[std::min<std::size_t>(factors, 3) - 1][std::min<std::size_t>(i, 2)]);
  }

  void set_launch() {
    guess_.block = thread_axes_ >= 3 ? "[8, 8, 4]" : thread_axes_ == 2 ? "[16, 16]" : "[256]";
    guess_.threads = thread_axes_ >= 3   ? "block_x * block_y * block_z"
                     : thread_axes_ == 2 ? "block_x * block_y"
                                         : "block_x";
    if (axes_ == 1) {
      guess_.covers = {product(is_matrix_ ? Names{"n", "m"} : along_)};
      return;
    }
    // One extent for all axes: a square.
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes_); ++axis)
      guess_.covers.push_back(axis < along_.size() ? along_[axis] : along_.front());
  }

  /// Enough for every index that the extents make.
  void set_counts() {
    Names factors = along_;
    while (factors.size() < static_cast<std::size_t>(axes_)) factors.push_back(along_.front());
    for (const std::string& buffer : buffers_) {
      const std::string name = lower(buffer);
      std::string& count = guess_.counts[buffer];
      count = product(factors);
      if (!is_matrix_ || along_.size() != 3) continue;
      if (name == "a") count = "m * k";
      if (name == "b") count = "k * n";
      if (name == "c" || name == "d") count = "m * n";
    }
  }

  const Names& integers_;
  const Names& buffers_;
  LaunchGuess guess_;
  Names along_;  // the values
  int named_axes_ = 1, thread_axes_ = 0, block_axes_ = 0, axes_ = 1;
  bool is_matrix_ = false;
};

}  // namespace

LaunchGuess guess_launch(const Names& integers, const Names& buffers, std::string_view body,
                         std::string_view region) {
  return Guesser(integers, buffers).guess(body, region);
}

}  // namespace tare::compare
