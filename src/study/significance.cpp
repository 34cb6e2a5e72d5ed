#include "study/significance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace m3lak {

namespace {

/// Ranks of absolute values from 1, mean ranks where they are equal, and Σ (t³ - t) over ties.
struct Ranks {
  std::vector<double> of;
  double ties = 0;
};

Ranks ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto size = [&](std::size_t i) { return std::abs(values[i]); };
  std::ranges::sort(order, {}, size);
  Ranks ranks{std::vector<double>(values.size()), 0};
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    end = begin;
    // What differs by rounding alone is equal.
    while (end < order.size() && size(order[end]) <= size(order[begin]) * (1 + 1e-12)) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      ranks.of[order[i]] = static_cast<double>(begin + end + 1) / 2;
    }
    const auto count = static_cast<double>(end - begin);
    ranks.ties += count * count * count - count;
  }
  return ranks;
}

/// P(W <= w) where each rank 1 … n counts or not, with probability 1/2.
double exact_tail(std::size_t n, double w) {
  std::vector<double> ways(n * (n + 1) / 2 + 1, 0);
  ways[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t sum = ways.size(); sum-- > rank;) ways[sum] += ways[sum - rank];
  }
  const auto last = ways.begin() + static_cast<std::ptrdiff_t>(w) + 1;
  return std::accumulate(ways.begin(), last, 0.0) / std::pow(2, static_cast<double>(n));
}

/// The regularised incomplete beta function, by its continued fraction (Lentz).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, 1 - x);
  constexpr double tiny = 1e-300;
  const auto away = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  double c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), product = d;
  for (int k = 1; k < 1000; ++k) {
    const double even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    product *= c * d;
    const double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    product *= c * d;
    if (std::abs(c * d - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  const double front =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  return std::exp(front) * product / a;
}

}  // namespace

double wilcoxon(std::vector<double> differences) {
  std::erase(differences, 0.0);
  if (differences.empty()) return 1;
  const Ranks ranks = ranks_of(differences);
  double positive = 0, negative = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    (differences[i] > 0 ? positive : negative) += ranks.of[i];
  }
  const double w = std::min(positive, negative);
  constexpr std::size_t most_exact = 25;
  if (ranks.ties == 0 && differences.size() <= most_exact) {
    return std::min(1.0, 2 * exact_tail(differences.size(), w));
  }
  const auto n = static_cast<double>(differences.size());
  const double variance = n * (n + 1) * (2 * n + 1) / 24 - ranks.ties / 48;
  if (variance <= 0) return 1;
  const double z = std::max(0.0, n * (n + 1) / 4 - w - 0.5) / std::sqrt(variance);
  return std::erfc(z / std::sqrt(2.0));
}

double student_tails(double t, double degrees_of_freedom) {
  if (std::isinf(t)) return 0;
  return incomplete_beta(degrees_of_freedom / 2, 0.5,
                         degrees_of_freedom / (degrees_of_freedom + t * t));
}

double resampled_t(const std::vector<double>& differences, double test_share) {
  const auto n = static_cast<double>(differences.size());
  if (n < 2) return 1;
  const double mean = std::accumulate(differences.begin(), differences.end(), 0.0) / n;
  double squares = 0;
  for (const double d : differences) squares += (d - mean) * (d - mean);
  const double variance = squares / (n - 1);
  if (mean == 0) return 1;
  return student_tails(mean / std::sqrt((1 / n + test_share) * variance), n - 1);
}

}  // namespace m3lak
