// For each shape p and each crossing x on a logarithmic grid the best b is a median, so that the whole fit is
// a search over two numbers.
#include "compare/report/crossing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "compare/report/statistics.hpp"
#include "compare/report/text.hpp"

namespace tare::compare {

std::string size_text(double n) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(n, 1.0))) - 2));
  return grouped(static_cast<unsigned long long>(std::llround(std::round(n / unit) * unit)));
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kShapes{1.0, 2.0, kInfinity};
constexpr double kGridStep = 0.01;  // of log x: crossings are found to 1 %
constexpr std::size_t kCoarse = 10;
constexpr double kBeyond = 64;  // the grid reaches this factor beyond the sizes
constexpr double kLargestMisfit = 0.25, kWidestInterval = 4;
constexpr std::size_t kFewestSizes = 5;

// log((x^p + n^p)^(1/p)), which is log t - log b.
double log_form(double p, double log_x, double log_n) {
  const double high = std::max(log_x, log_n), low = std::min(log_x, log_n);
  return p == kInfinity ? high : high + std::log1p(std::exp(p * (low - high))) / p;
}

struct Fit {
  double loss = kInfinity, log_x = 0, log_b = 0, shape = 1;
};

/// The forms at all sizes, for every shape and crossing: worked out once for all resamples.
class Forms {
 public:
  explicit Forms(const std::vector<SizeTimes>& times) {
    std::vector<double> log_n;
    for (const SizeTimes& size : times) log_n.push_back(std::log(size.n));
    const double first = log_n.front() - std::log(kBeyond), last = log_n.back() + std::log(kBeyond);
    for (const double shape : kShapes) {
      Grid& grid = grids_.emplace_back();
      grid.shape = shape;
      for (double log_x = first; log_x <= last; log_x += kGridStep) {
        grid.points.push_back({log_x, {}});
        for (const double n : log_n) grid.points.back().values.push_back(log_form(shape, log_x, n));
      }
    }
  }

  /// Looks at every kCoarse-th crossing of each shape first, then at all those beside the best of them.
  Fit fit(const std::vector<double>& log_t) const {
    Fit best;
    for (const Grid& grid : grids_) {
      Fit coarse;
      std::size_t at = 0;
      for (std::size_t i = 0; i < grid.points.size(); i += kCoarse)
        if (improve(coarse, grid, i, log_t)) at = i;
      const std::size_t end = std::min(at + kCoarse, grid.points.size());
      for (std::size_t i = at - std::min(at, kCoarse); i < end; ++i) improve(coarse, grid, i, log_t);
      if (coarse.loss < best.loss) best = coarse;
    }
    return best;
  }

  /// Median of the distances between the times and the fit, on the logarithmic scale.
  static double misfit(const Fit& fit, const std::vector<SizeTimes>& times,
                       const std::vector<double>& log_t) {
    std::vector<double> distances;
    for (std::size_t i = 0; i < log_t.size(); ++i)
      distances.push_back(
          std::abs(log_t[i] - fit.log_b - log_form(fit.shape, fit.log_x, std::log(times[i].n))));
    return median(distances);
  }

 private:
  struct Point {
    double log_x;
    std::vector<double> values;
  };
  struct Grid {
    double shape = 1;
    std::vector<Point> points;
  };

  bool improve(Fit& best, const Grid& grid, std::size_t index, const std::vector<double>& log_t) const {
    const Point& point = grid.points[index];
    std::vector<double>& residuals = residuals_;
    residuals.resize(log_t.size());
    for (std::size_t i = 0; i < log_t.size(); ++i) residuals[i] = log_t[i] - point.values[i];
    const double log_b = median(residuals);
    double loss = 0;
    for (const double residual : residuals) loss += std::abs(residual - log_b);
    if (loss >= best.loss) return false;
    best = {loss, point.log_x, log_b, grid.shape};
    return true;
  }

  std::vector<Grid> grids_;
  mutable std::vector<double> residuals_;
};

std::string why_undecided(const Crossing& crossing, const std::vector<SizeTimes>& times) {
  const double second = times[1].n, last_but_one = times[times.size() - 2].n;
  if (crossing.misfit > kLargestMisfit)
    return fmt::format("the times have no such form: half of the sizes lie more than {:.0f} % off it",
                       100 * std::expm1(crossing.misfit));
  if (crossing.high > last_but_one && crossing.low < second) return "the times do not show where";
  if (crossing.high > last_but_one)
    return fmt::format("up to n = {} the cost per call is the greater one, as far as these sizes show",
                       size_text(crossing.low < last_but_one ? crossing.low : times.back().n));
  if (crossing.low < second)
    return fmt::format("from n = {} on the cost per byte is the greater one, as far as these sizes show",
                       size_text(crossing.high > second ? crossing.high : times.front().n));
  if (crossing.high > kWidestInterval * crossing.low)
    return fmt::format("somewhere between n = {} and {}", size_text(crossing.low), size_text(crossing.high));
  return {};
}

}  // namespace

Crossing find_crossing(const std::vector<SizeTimes>& all, std::uint64_t seed) {
  std::vector<SizeTimes> times;
  std::vector<double> log_t;
  for (const SizeTimes& size : all)
    if (const double middle = median(size.rounds_ms); size.n > 0 && middle > 0) {
      times.push_back(size);
      log_t.push_back(std::log(middle));
    }
  Crossing crossing;
  if (times.size() < kFewestSizes) {
    crossing.reason = fmt::format("{} measured, at least {} are needed",
                                  plural(static_cast<int>(times.size()), "size"), kFewestSizes);
    return crossing;
  }
  const Forms forms(times);
  const Fit best = forms.fit(log_t);
  crossing.n = std::exp(best.log_x);
  crossing.per_element_ms = std::exp(best.log_b);
  crossing.per_call_ms = crossing.n * crossing.per_element_ms;
  crossing.shape = best.shape;
  crossing.misfit = Forms::misfit(best, times, log_t);

  std::vector<double> crossings, drawn;
  Draws draws(seed);
  for (int i = 0; i < kSweepResamples; ++i) {
    for (std::size_t size = 0; size < times.size(); ++size) {
      drawn.resize(times[size].rounds_ms.size());
      for (double& each : drawn) each = times[size].rounds_ms[draws.below(drawn.size())];
      log_t[size] = std::log(std::max(median(drawn), std::numeric_limits<double>::min()));
    }
    crossings.push_back(std::exp(forms.fit(log_t).log_x));
  }
  const Interval interval = percentile_interval(std::move(crossings), 0.95);
  crossing.low = std::min(interval.low, crossing.n);
  crossing.high = std::max(interval.high, crossing.n);
  crossing.reason = why_undecided(crossing, times);
  crossing.decided = crossing.reason.empty();
  return crossing;
}

}  // namespace tare::compare
