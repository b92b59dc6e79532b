// `tare rows` and `tare doctor`: what can run here, with what, and why the rest cannot.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "compare/report/reasons.hpp"
#include "compare/report/text.hpp"
#include "tare/device.hpp"
#include "tare/driver.hpp"
#include "tare/error.hpp"
#include "tare/toolkit.hpp"

namespace tare::cli {
namespace {

using compare::Painter;
using compare::Style;

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

std::string search_text(const std::string& what, const Search& search) {
  std::string text = fmt::format("{:<10}", what);
  if (search.tool && !search.tool->version.empty()) text += search.tool->version + ", ";
  text += search.tool ? search.tool->path.string() : search.reason;
  text += '\n';
  for (const Looked& looked : search.tool ? search.tool->looked : search.looked)
    text += fmt::format("{:<10}  {}: {}\n", "", looked.place, looked.result);
  return text;
}

std::string driver_text(const DriverInfo& driver) {
  std::string text = fmt::format("driver    {}.{}, {}{}\n", driver.version / 1000, driver.version % 1000 / 10,
                                 driver.path, driver.is_cpu_device ? " (the CPU device)" : "");
  for (const std::string& place : driver.looked_in) text += "            before that: " + place + '\n';
  for (int i = 0; i < device_count(); ++i) {
    const Device device(i);
    text += fmt::format("device {:<3}{}, compute capability {}.{}, {} of memory\n", i, device.name(),
                        device.compute_capability() / 10, device.compute_capability() % 10,
                        compare::binary_bytes(static_cast<double>(device.total_memory_bytes())));
  }
  return text;
}

using json = nlohmann::ordered_json;

json row_json(const compare::RowAvailability& row) {
  json object{{"row", row.row},       {"title", row.title},     {"moment", row.moment}, {"ready", row.ready},
              {"reason", row.reason}, {"details", row.details}, {"python", nullptr}};
  if (row.python)
    object["python"] = {{"interpreter", row.python->program.string()},
                        {"origin", row.python->origin},
                        {"version", row.python->version},
                        {"packages", row.python->packages}};
  return object;
}

/// What the words under the rows mean, those of them that stand there.
std::string legend(const std::vector<compare::RowAvailability>& rows, unsigned width) {
  constexpr std::pair<const char*, const char*> kMoments[] = {
      {"explicit", "its compile step is called by its user"},
      {"eager", "making the kernel object compiles"},
      {"deferred", "the first launch compiles"},
      {"ahead of time", "compiled before the program starts"}};
  std::string text;
  for (const auto& [moment, meaning] : kMoments)
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const auto& row) { return row.ready && row.moment == moment; }))
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", moment, meaning);
  return text.empty() ? "" : '\n' + compare::wrapped(text, width, 2, 0) + '\n';
}

int exit_code_of(const std::vector<compare::RowAvailability>& rows) {
  const bool any = std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.ready; });
  return any ? compare::kAllMatched : compare::kNothingRan;
}

}  // namespace

int rows_command(const CommandLine& line) {
  const std::vector<compare::RowAvailability> rows = compare::list_rows(line.compare);
  if (line.rows_json) {
    json list = json::array();
    for (const auto& row : rows) list.push_back(row_json(row));
    print(list.dump(1, ' ', false, json::error_handler_t::replace) + '\n');
    return exit_code_of(rows);
  }
  const Painter paint{!line.no_color && colour_wanted(STDOUT_FILENO)};
  std::size_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, row.row.size());
  std::vector<std::string> reasons;
  // Lines for other programs are left whole.
  const unsigned width = isatty(STDOUT_FILENO) == 1 ? width_of(STDOUT_FILENO) : 0;
  const auto indent = static_cast<unsigned>(longest) + 11;
  for (const auto& row : rows) {
    const std::string state = row.ready ? paint(Style::good, "ready  ") : paint(Style::dim, "skipped");
    print(fmt::format("{:<{}}  {}  {}\n", row.row, longest, state,
                      compare::wrapped(row.title, width, indent, indent)));
    std::string below = row.ready ? row.details : compare::short_reason(row.reason);
    if (!row.ready) reasons.push_back(row.reason);
    if (row.ready && !row.moment.empty()) below = row.moment + (below.empty() ? "" : "; " + below);
    if (!below.empty())
      print(std::string(indent, ' ') + compare::wrapped(below, width, indent, indent) + '\n');
  }
  print(legend(rows, width));
  for (const std::string& places : compare::places_left_out(reasons))
    print('\n' + compare::wrapped(places, width, 2, 0) + '\n');
  return exit_code_of(rows);
}

int doctor_command(const CommandLine& line) {
  if (line.compare.device == "gpu" || line.compare.device == "cpu") choose_driver(line.compare.device);
  std::string failure;
  try {
    print(driver_text(driver_info()));
  } catch (const Error& error) {
    failure = error.what();
    print("driver    none: " + failure + '\n');
  }
  print(search_text("nvrtc", find_nvrtc()));
  print(search_text("nvcc", find_nvcc()));
  print(search_text("libnvvm", find_nvvm()));
  print(search_text("clang", find_clang()));
  return failure.empty() ? compare::kAllMatched : compare::kNothingRan;
}

}  // namespace tare::cli
