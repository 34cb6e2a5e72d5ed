// Tests of random draws. Each gives a p-value: the chance that a right sampler looks as bad as this
// one. Seeds are fixed, so a test that passed once always passes; `error_rate` says how likely it
// was that the first run (or a change of seed) blamed a right sampler.
#pragma once

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "numeric/random.h"

namespace m3lak {

/// Sanitizers slow long chains down tenfold, and look at memory, not at numbers: under them, fewer
/// replicates do. What such few cannot show is left to the other builds.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// Of each single comparison. There are a few hundred, so one false alarm in some thousand seeds.
constexpr double error_rate = 1e-6;

/// `count` draws of `draw(stream)`.
template <class Draw>
std::vector<double> sample(std::size_t count, std::uint64_t seed, const Draw& draw) {
  Stream stream({.seed = seed});
  std::vector<double> values(count);
  for (double& value : values) value = draw(stream);
  return values;
}

/// Kolmogorov-Smirnov: are these draws from the distribution of function `cdf`? The limit law with
/// Stephens' correction, which is good for 100 draws and more.
template <class Cdf>
double kolmogorov_p(std::vector<double> draws, const Cdf& cdf) {
  if (std::ranges::any_of(draws, [](double x) { return std::isnan(x); })) return 0;
  std::ranges::sort(draws);
  const auto n = static_cast<double>(draws.size());
  double distance = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double p = cdf(draws[i]), below = static_cast<double>(i);
    distance = std::max({distance, p - below / n, (below + 1) / n - p});
  }
  const double t = distance * (std::sqrt(n) + 0.12 + 0.11 / std::sqrt(n));
  if (t < 0.3) return 1;  // where the series below converges slowly
  double p = 0;
  for (int k = 1; k <= 100; ++k) p += (k % 2 == 1 ? 2 : -2) * std::exp(-2 * k * k * t * t);
  return p;
}

/// The z-score of the draws' mean, two-sided: is it `expected`?
inline double mean_p(const std::vector<double>& draws, double expected) {
  const auto n = static_cast<double>(draws.size());
  double mean = 0, square = 0;
  for (const double x : draws) mean += (x - expected) / n;
  for (const double x : draws) square += (x - expected - mean) * (x - expected - mean);
  const double z = mean / std::sqrt(square / (n - 1) / n);
  return std::isnan(z) ? 0 : std::erfc(std::abs(z) / std::numbers::sqrt2);
}

/// Pearson's χ²: are these the counts of cells with such probabilities?
inline double counts_p(const std::vector<double>& counts,
                       const std::vector<double>& probabilities) {
  double total = 0, statistic = 0;
  for (const double count : counts) total += count;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * probabilities[i];
    statistic += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  const boost::math::chi_squared law(static_cast<double>(counts.size()) - 1);
  return boost::math::cdf(boost::math::complement(law, statistic));
}

}  // namespace m3lak
