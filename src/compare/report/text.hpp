// Text for a terminal: numbers, colour, wrapping, and tables whose columns line up. ASCII only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tare::compare {

/// "16.94" with that many decimals; "<0.01" for what would otherwise print as zero; "-" for NaN.
std::string fixed(double value, int decimals);
/// With so many significant digits, zeros for the rest, and no exponent between 1e-5 and 1e15.
std::string significant(double value, int digits);
/// "4,194,915".
std::string grouped(unsigned long long value);
/// "1 row", "2 rows", "3 processes".
std::string plural(int count, const std::string& what);
/// "48.0 MiB".
std::string binary_bytes(double bytes);

enum class Style { plain, bold, dim, good, bad, unsure };

/// Paints text with terminal colours, or leaves it as it is.
struct Painter {
  bool on = false;
  std::string operator()(Style style, const std::string& text) const;
};

/// Breaks `text` at spaces so that no line is wider than `width` (0: never), every line but the first
/// beginning with `indent` spaces. `column` is where the first line already stands.
std::string wrapped(std::string_view text, unsigned width, unsigned indent, unsigned column);

/// Every line of `text` with `indent` spaces before it, ending in a newline; nothing for no text.
std::string indented(std::string_view text, unsigned indent);

/// A table of right-aligned figures after a left-aligned first column. A cell's note stands left-aligned
/// behind its figure; notes that are `spare` are left out where the table would be too wide.
class Table {
 public:
  struct Cell {
    std::string text = {}, note = {};
    bool spare = false;
    Style style = Style::plain;
  };

  explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}
  /// One cell per heading.
  void add_row(std::vector<Cell> cells);
  /// A row of which only the first column lines up: `name`, then `text` unbroken.
  void add_line(std::string name, std::string text, Style style);
  /// Text of its own under the last row, indented.
  void add_remark(std::string text, Style style);

  /// `left_out` says whether spare notes had to go. Columns after the first that hold nothing but "-" or
  /// nothing in every row are dropped.
  std::string print(unsigned width, Painter paint, bool& left_out) const;

 private:
  struct Line {
    std::vector<Cell> cells;  // empty: name and text, or a remark without a name
    std::string name, text;
    Style style = Style::plain;
  };
  struct Layout {
    std::size_t text = 0, note = 0;
    bool shown = true;
    std::size_t total() const { return text + (note > 0 ? note + 1 : 0); }
  };
  std::vector<Layout> layout(bool with_spare) const;
  std::string print_row(const Line& line, const std::vector<Layout>& columns, bool with_spare,
                        Painter paint) const;

  std::vector<std::string> headings_;
  std::vector<Line> lines_;
};

}  // namespace tare::compare
