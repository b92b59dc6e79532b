// `tare sweep`: the flow of a comparison, once per size, and what its steady states say about the cost of a
// call and the cost of a byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/options.hpp"
#include "compare/report/crossing.hpp"

namespace tare::compare {

struct SweepOptions {
  CompareOptions compare;           // `overrides.values["n"]` and `steady_only` are set for each size
  std::vector<std::int64_t> sizes;  // ascending
};

struct SweepSize {
  std::int64_t n = 0;
  Record record;  // of one pass, "cold"
};

struct RowCrossing {
  std::string row;
  Crossing crossing;
  double bytes_per_element = 0;  // that a launch moves; 0: not known
};

struct Sweep {
  std::vector<SweepSize> sizes;
  std::vector<RowCrossing> crossings;  // of every row that was measured, but for check rows
  std::vector<std::string> doubts;     // sentences: rows whose times cannot be those of their work
};

/// Powers of two times `low` up to `high`, and `high` itself; with `points` (at least 2) that many sizes
/// instead, evenly spaced on a logarithmic scale. 1 <= low <= high.
std::vector<std::int64_t> sweep_sizes(std::int64_t low, std::int64_t high, int points);

/// Blocks for minutes. Throws as run_comparison does; a case without a value `n` is a CaseError.
Sweep run_sweep(const SweepOptions& options, Progress& progress);

/// Works out `crossings` and `doubts` from `sizes`.
void find_crossings(Sweep& sweep);

/// The worst of the sizes' codes.
ExitCode exit_code(const Sweep& sweep);

std::string render(const Sweep& sweep, bool colour, unsigned width);

/// Schema "tare.sweep/1", ending in a newline.
std::string to_json(const Sweep& sweep);

}  // namespace tare::compare
