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
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kShapes{1.0, 2.0, kInfinity};
constexpr double kGridStep = 0.02;  // of log x: crossings are found to 2 %
constexpr double kBeyond = 64;      // the grid reaches this factor beyond the sizes
constexpr double kLargestMisfit = 0.25, kWidestInterval = 4;
constexpr std::size_t kFewestSizes = 5;

// log((x^p + n^p)^(1/p)), which is log t - log b.
double log_form(double p, double log_x, double log_n) {
  const double high = std::max(log_x, log_n), low = std::min(log_x, log_n);
  return p == kInfinity ? high : high + std::log1p(std::exp(p * (low - high))) / p;
}

struct Fit {
  double loss = kInfinity, log_x = 0, log_b = 0, shape = 1;
  std::vector<double> residuals;
};

/// The forms at all sizes, for every shape and crossing: worked out once for all resamples.
class Forms {
 public:
  explicit Forms(const std::vector<SizeTimes>& times) {
    std::vector<double> log_n;
    for (const SizeTimes& size : times) log_n.push_back(std::log(size.n));
    const double first = log_n.front() - std::log(kBeyond), last = log_n.back() + std::log(kBeyond);
    for (const double shape : kShapes)
      for (double log_x = first; log_x <= last; log_x += kGridStep) {
        forms_.push_back({shape, log_x, {}});
        for (const double n : log_n) forms_.back().values.push_back(log_form(shape, log_x, n));
      }
  }

  Fit fit(const std::vector<double>& log_t) const {
    Fit best;
    std::vector<double> residuals(log_t.size());
    for (const Form& form : forms_) {
      for (std::size_t i = 0; i < log_t.size(); ++i) residuals[i] = log_t[i] - form.values[i];
      const double log_b = median(residuals);
      double loss = 0;
      for (const double residual : residuals) loss += std::abs(residual - log_b);
      if (loss >= best.loss) continue;
      best = {loss, form.log_x, log_b, form.shape, {}};
      for (const double residual : residuals) best.residuals.push_back(std::abs(residual - log_b));
    }
    return best;
  }

 private:
  struct Form {
    double shape, log_x;
    std::vector<double> values;
  };
  std::vector<Form> forms_;
};

std::string sized(double n) {
  return grouped(static_cast<unsigned long long>(std::llround(std::max(n, 0.0))));
}

std::string why_undecided(const Crossing& crossing, const std::vector<SizeTimes>& times) {
  const double second = times[1].n, last_but_one = times[times.size() - 2].n;
  if (crossing.misfit > kLargestMisfit)
    return fmt::format("the times have no such form: half of the sizes lie more than {:.0f} % off it",
                       100 * std::expm1(crossing.misfit));
  if (crossing.high > last_but_one && crossing.low < second) return "the times do not show where";
  if (crossing.high > last_but_one)
    return fmt::format("up to n = {} the cost per call is the greater one, as far as these sizes show",
                       sized(crossing.low < last_but_one ? crossing.low : times.back().n));
  if (crossing.low < second)
    return fmt::format("from n = {} on the cost per byte is the greater one, as far as these sizes show",
                       sized(crossing.high > second ? crossing.high : times.front().n));
  if (crossing.high > kWidestInterval * crossing.low)
    return fmt::format("somewhere between n = {} and {}", sized(crossing.low), sized(crossing.high));
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
    crossing.reason = fmt::format("{} were measured, at least {} are needed",
                                  plural(static_cast<int>(times.size()), "size"), kFewestSizes);
    return crossing;
  }
  const Forms forms(times);
  Fit best = forms.fit(log_t);
  crossing.n = std::exp(best.log_x);
  crossing.per_element_ms = std::exp(best.log_b);
  crossing.per_call_ms = crossing.n * crossing.per_element_ms;
  crossing.shape = best.shape;
  crossing.misfit = median(best.residuals);

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
