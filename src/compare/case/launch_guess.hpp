// Which of a kernel's integers are extents, and the launch that goes with them: guessed for `tare init` from
// their names and from the axes that the kernel's text uses.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tare::compare {

struct LaunchGuess {
  std::vector<std::pair<std::string, std::string>> values;  // of [values], in order: "n", "1000003"
  std::map<std::string, std::string> extents;               // parameter -> the value that it gets
  std::string block;                                        // "[16, 16]"
  std::string threads;                                      // of a block, as an expression: "block_x"
  std::vector<std::string> covers;                          // per axis
  std::map<std::string, std::string> counts;                // buffer -> its elements, as an expression
};

/// `integers` and `buffers` are the names of the kernel's parameters of these kinds, in order; `body` is the
/// kernel's text, `region` all that is compiled with it.
LaunchGuess guess_launch(const std::vector<std::string>& integers, const std::vector<std::string>& buffers,
                         std::string_view body, std::string_view region);

}  // namespace tare::compare
