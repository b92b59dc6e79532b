// The record's figures by pass, row and name, each with the resamples that carry its noise: what claims are
// judged on and findings are worked out from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "compare/record.hpp"
#include "compare/report/claim_expression.hpp"

namespace tare::compare {

/// The pass of that name, or null.
const PassResult* find_pass(const Record& record, const std::string& name);
/// The row of that name in `pass`, or null (also for a null pass).
const RowResult* find_row(const PassResult* pass, const std::string& name);

/// As the record spells it: "ok", "skipped", "failed", "wrong", "incomparable".
const char* status_name(Status status);

/// Whether it ran to its end, be its output right or not.
bool has_figures(const RowResult& row);

/// The row that repeats another one, its twin, on memory of its own: no way to launch by itself, so it takes
/// no part in claims and comparisons.
bool is_check_row(const RowResult& row);

/// "nvrtc", "nvrtc and raw", "nvrtc, raw and nvcc".
std::string join_names(const std::vector<std::string>& names);

/// Elements outside the check's tolerance, over all compared outputs: the worse of the two comparisons
/// (after the first launch, after the timed ones). False where nothing was compared.
bool outputs_compared(const RowResult& row);
/// Without a reference: whether all its outputs were held against what it gave itself; and whether any was
/// held against what a row gave.
bool is_only_held_against_itself(const RowResult& row);
bool outputs_given_by_a_row(const RowResult& row);
std::uint64_t elements_differing(const RowResult& row);

/// Where a row's compiler ran, from the events of its first process: "open" (beside the opening of the
/// device), "build", "first", or empty where no compiler ran or the events do not say.
std::string compile_phase(const RowResult& row);

/// Lazily resamples the figures of one record. Index 0 of a series is the figure itself, the others are its
/// bootstrap resamples: rounds are drawn alike for all rows of a pass, because they were interleaved, and
/// processes are drawn for each row apart.
class Figures {
 public:
  using Series = std::vector<double>;

  /// `record` must outlive this.
  Figures(const Record& record, std::uint64_t seed) : record_(record), seed_(seed) {}

  const Record& record() const { return record_; }
  /// Null where there is no such figure; why_missing() then says why.
  const Series* find(const std::string& pass, const std::string& row, Figure figure);
  /// "first_ms was measured in one process only", where nothing says how much it varies; else empty. Only of
  /// figures that find() has.
  std::string measured_once(const std::string& pass, const std::string& row, Figure figure) const;
  /// "skipped", "failed", "no mean_ms"; to be read after the row's name.
  std::string why_missing(const std::string& pass, const std::string& row, Figure figure) const;

 private:
  Series resample(const std::string& pass, std::size_t row_index, const RowResult& row, Figure figure,
                  double value) const;
  const Record& record_;
  std::uint64_t seed_;
  std::map<std::tuple<std::string, std::string, Figure>, Series> series_;
};

}  // namespace tare::compare
