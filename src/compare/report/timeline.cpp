// Events onto columns. What ends in one column stands side by side, in its order.
#include "compare/report/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "compare/report/figures.hpp"

namespace tare::compare {
namespace {

constexpr unsigned kNarrowest = 30, kWidest = 100;

struct Moment {
  std::string_view event, mark, words;
};
constexpr std::array<Moment, 8> kMoments{{{"imported", "I", "imported"},
                                          {"opened", "O", "opened"},
                                          {"trace", "T", "traced"},
                                          {"ir", "N", "NVVM IR written"},
                                          {"compiler", "C", "compiled"},
                                          {"load", "L", "loaded"},
                                          {"build", "B", "built"},
                                          {"first", "F", "first launch"}}};

// What a line is made of until an event of that name; ASCII and box-drawing.
struct Stroke {
  std::string_view ascii, box;
};
Stroke stroke_before(std::string_view event) {
  if (event == "imported") return {".", "\u2508"};
  if (event == "opened") return {"-", "\u2500"};
  return {"=", "\u2501"};
}

const Moment* moment_of(const std::string& event) {
  const auto found =
      std::find_if(kMoments.begin(), kMoments.end(), [&](const Moment& each) { return each.event == event; });
  return found == kMoments.end() ? nullptr : &*found;
}

struct Line {
  const RowResult* row;
  std::vector<RowEvent> events;  // known ones, in the order of time
};

std::vector<Line> lines_of(const PassResult& pass) {
  std::vector<Line> lines;
  for (const RowResult& row : pass.rows) {
    if (row.samples.empty()) continue;
    Line line{&row, {}};
    for (const RowEvent& event : row.samples.front().events)
      if (moment_of(event.what)) line.events.push_back(event);
    std::stable_sort(line.events.begin(), line.events.end(),
                     [](const RowEvent& one, const RowEvent& other) { return one.t_ms < other.t_ms; });
    if (!line.events.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

/// 1, 2 or 5 times a power of ten: the step between ticks, at most eight of them.
double tick_step(double longest_ms) {
  double step = std::pow(10, std::floor(std::log10(longest_ms / 8)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (longest_ms / (step * factor) <= 8) return step * factor;
  return step * 10;
}

class Scale {
 public:
  Scale(double longest_ms, unsigned columns) : longest_ms_(longest_ms), columns_(columns) {}
  std::size_t column(double t_ms) const {
    return static_cast<std::size_t>(std::lround(std::max(t_ms, 0.0) / longest_ms_ * (columns_ - 1)));
  }
  /// The numbers above the lines, and the ticks below the numbers.
  std::string numbers() const {
    std::string text;
    for (double t = 0, step = tick_step(longest_ms_); t <= longest_ms_; t += step) {
      const std::string number = fmt::format("{:g}", t);
      if (text.size() > column(t)) continue;
      text.resize(column(t), ' ');
      text += number + ' ';
    }
    return text + "ms";
  }
  std::string ticks(bool utf8) const {
    std::string text;
    std::vector<bool> is_tick(columns_);
    for (double t = 0, step = tick_step(longest_ms_); t <= longest_ms_; t += step) is_tick[column(t)] = true;
    for (const bool tick : is_tick) text += tick ? (utf8 ? "\u253c" : "+") : (utf8 ? "\u2500" : "-");
    return text;
  }

 private:
  double longest_ms_;
  unsigned columns_;
};

std::string drawn(const Line& line, const Scale& scale, bool utf8) {
  std::string text;
  std::size_t at = 0;
  for (const RowEvent& event : line.events) {
    const Stroke stroke = stroke_before(event.what);
    for (const std::size_t column = scale.column(event.t_ms); at < column; ++at)
      text += utf8 ? stroke.box : stroke.ascii;
    text += moment_of(event.what)->mark;
    ++at;
  }
  return text + (line.row->mean_ms ? ">" : "");
}

std::string in_words(const Line& line) {
  std::string text;
  const std::string where = compile_phase(*line.row);
  for (const RowEvent& event : line.events) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", moment_of(event.what)->words,
                        event.t_ms < 100 ? fixed(event.t_ms, 1) : fixed(event.t_ms, 0));
    if (event.what == "compiler" && !where.empty()) text += " (in " + where + ")";
  }
  if (line.row->mean_ms) text += fmt::format("; steady {} ms a launch", significant(*line.row->mean_ms, 3));
  return text;
}

}  // namespace

std::string timeline(const Record& record, unsigned width, bool utf8, Painter paint) {
  const PassResult* const cold = find_pass(record, "cold");
  const std::vector<Line> lines = cold ? lines_of(*cold) : std::vector<Line>();
  if (lines.empty()) return {};
  std::size_t names = 0;
  double longest_ms = 0;
  for (const Line& line : lines) {
    names = std::max(names, line.row->row.size());
    longest_ms = std::max(longest_ms, line.events.back().t_ms);
  }
  if (longest_ms <= 0) return {};
  const auto indent = static_cast<unsigned>(names) + 2;
  // Room for marks that had to stand beside one another.
  const unsigned room = width > indent + 8 ? width - indent - 8 : 0;
  const Scale scale(longest_ms, std::clamp(room, kNarrowest, kWidest));
  std::string text =
      '\n' + paint(Style::bold, "time line: the first process of each row, cold, from its start") + '\n';
  text += std::string(indent, ' ') + scale.numbers() + '\n';
  text += std::string(indent, ' ') + paint(Style::dim, scale.ticks(utf8)) + '\n';
  for (const Line& line : lines) {
    text += fmt::format("{:<{}}{}\n", line.row->row, indent, drawn(line, scale, utf8));
    text +=
        std::string(indent, ' ') + paint(Style::dim, wrapped(in_words(line), width, indent, indent)) + '\n';
  }
  const bool any_traced = std::any_of(lines.begin(), lines.end(), [](const Line& line) {
    return std::any_of(line.events.begin(), line.events.end(),
                       [](const RowEvent& event) { return event.what == "trace"; });
  });
  return text +
         wrapped(std::string("I imported, O opened (context and buffers), ") +
                     (any_traced ? "T traced, N its NVVM IR written, " : "") +
                     "C compiled, L loaded, B built, F first launch "
                     "done, > steady from here; each mark is where that had ended",
                 width, 2, 0) +
         '\n' +
         wrapped(
             fmt::format("{0} until its library is imported, {1} until the context is open, {2} compiling, "
                         "loading and launching; marks of one column stand side by side",
                         utf8 ? "\u2508" : ".", utf8 ? "\u2500" : "-", utf8 ? "\u2501" : "="),
             width, 2, 0) +
         '\n';
}

}  // namespace tare::compare
