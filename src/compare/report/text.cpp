// Laying text out. A table is measured once with its spare notes and once without; the first that fits the
// width is printed.
#include "compare/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tare::compare {
namespace {

constexpr std::size_t kGap = 2;  // between columns

std::string pad_left(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}
std::string pad_right(const std::string& text, std::size_t width) {
  return text.size() >= width ? text : text + std::string(width - text.size(), ' ');
}

void strip_trailing_spaces(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
}

}  // namespace

std::string fixed(double value, int decimals) {
  if (std::isnan(value)) return "-";
  const double smallest = std::pow(10.0, -decimals);
  if (value > 0 && value < smallest / 2) return "<" + fmt::format("{:.{}f}", smallest, decimals);
  return fmt::format("{:.{}f}", value, decimals);
}

std::string significant(double value, int digits) {
  const double size = std::abs(value);
  if (size == 0 || size < 1e-5 || !(size < 1e15)) return fmt::format("{:.{}g}", value, digits);
  const std::string rounded = fmt::format("{:.{}e}", value, digits - 1);
  const double kept = std::stod(rounded);
  const int leading = static_cast<int>(std::floor(std::log10(std::abs(kept))));
  std::string text = fmt::format("{:.{}f}", kept, std::max(0, digits - 1 - leading));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string grouped(unsigned long long value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string plural(int count, const std::string& what) {
  return std::to_string(count) + " " + what +
         (count == 1                                    ? ""
          : what.ends_with("s") || what.ends_with("ch") ? "es"
                                                        : "s");
}

std::string binary_bytes(double bytes) {
  const char* unit = "bytes";
  for (const char* larger : {"KiB", "MiB", "GiB", "TiB"}) {
    if (bytes < 1024) break;
    bytes /= 1024;
    unit = larger;
  }
  return unit[0] == 'b' ? fmt::format("{:.0f} {}", bytes, unit) : fmt::format("{:.1f} {}", bytes, unit);
}

std::string Painter::operator()(Style style, const std::string& text) const {
  if (!on || style == Style::plain || text.empty()) return text;
  const char* code = style == Style::bold   ? "1"
                     : style == Style::dim  ? "2"
                     : style == Style::good ? "32"
                     : style == Style::bad  ? "31"
                                            : "33";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::string wrapped(std::string_view text, unsigned width, unsigned indent, unsigned column) {
  if (width == 0) return std::string(text);
  std::string result;
  std::size_t used = column;
  bool first_word = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!first_word && used + 1 + word.size() > width) {
      result += '\n' + std::string(indent, ' ');
      used = indent;
    } else if (!first_word) {
      result += ' ';
      ++used;
    }
    result += word;
    used += word.size();
    first_word = false;
  }
  return result;
}

std::string indented(std::string_view text, unsigned indent) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line = std::string(indent, ' ') + std::string(text.substr(0, end));
    strip_trailing_spaces(line);
    result += line + '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

void Table::add_row(std::vector<Cell> cells) {
  lines_.push_back({std::move(cells), {}, {}, Style::plain});
}

void Table::add_line(std::string name, std::string text, Style style) {
  lines_.push_back({{}, std::move(name), std::move(text), style});
}

void Table::add_remark(std::string text, Style style) {
  lines_.push_back({{}, {}, std::move(text), style});
}

std::vector<Table::Layout> Table::layout(bool with_spare) const {
  std::vector<Layout> columns(headings_.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Layout& column = columns[i];
    column.shown = i == 0;
    for (const Line& line : lines_) {
      if (i == 0) column.text = std::max(column.text, line.name.size());
      if (line.cells.empty()) continue;
      const Cell& cell = line.cells[i];
      if (!cell.text.empty() && cell.text != "-") column.shown = true;
      column.text = std::max(column.text, cell.text.size());
      if (!cell.spare || with_spare) column.note = std::max(column.note, cell.note.size());
    }
    if (column.total() < headings_[i].size()) column.text += headings_[i].size() - column.total();
  }
  return columns;
}

std::string Table::print_row(const Line& line, const std::vector<Layout>& columns, bool with_spare,
                             Painter paint) const {
  std::string result;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].shown) continue;
    const Cell& cell = line.cells[i];
    if (i == 0) {
      result += pad_right(cell.text, columns[i].text);
      continue;
    }
    const std::string note = cell.spare && !with_spare ? "" : cell.note;
    result += std::string(kGap, ' ');
    result += std::string(columns[i].text - std::min(columns[i].text, cell.text.size()), ' ');
    result += paint(cell.style, cell.text);
    if (columns[i].note > 0) result += ' ' + pad_right(note, columns[i].note);
  }
  strip_trailing_spaces(result);
  return result + '\n';
}

std::string Table::print(unsigned width, Painter paint, bool& left_out) const {
  const auto total = [](const std::vector<Layout>& columns) {
    std::size_t sum = 0;
    for (const Layout& column : columns)
      if (column.shown) sum += column.total() + kGap;
    return sum - kGap;
  };
  std::vector<Layout> columns = layout(true);
  const bool with_spare = width == 0 || total(columns) <= width;
  left_out = !with_spare;
  if (!with_spare) columns = layout(false);

  std::string head;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].shown) continue;
    if (i == 0)
      head += pad_right(headings_[i], columns[i].text);
    else  // over the figures, not over their notes
      head += std::string(kGap, ' ') + pad_right(pad_left(headings_[i], columns[i].text), columns[i].total());
  }
  strip_trailing_spaces(head);
  const bool any_figures =
      std::any_of(lines_.begin(), lines_.end(), [](const Line& line) { return !line.cells.empty(); });
  std::string result = any_figures ? paint(Style::bold, head) + '\n' : "";
  for (const Line& line : lines_) {
    if (!line.cells.empty())
      result += print_row(line, columns, with_spare, paint);
    else if (!line.name.empty())
      result += pad_right(line.name, columns[0].text) + std::string(kGap, ' ') +
                paint(line.style, line.text) + '\n';
    else
      result += std::string(kGap, ' ') + paint(line.style, line.text) + '\n';
  }
  return result;
}

}  // namespace tare::compare
