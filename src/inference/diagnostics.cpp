#include "inference/diagnostics.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "numeric/distributions.h"

namespace m3lak {

namespace {

using Index = Eigen::Index;
using Array = Eigen::ArrayXXd;  // one column a chain

/// Each chain cut in two, so that one that drifts disagrees with itself. Empty if there are too few
/// draws, or any that are not finite.
Array split(const Chains& chains) {
  if (chains.empty()) return {};
  std::size_t length = chains.front().size();
  for (const auto& chain : chains) length = std::min(length, chain.size());
  const auto half = static_cast<Index>(length / 2);
  if (half < 2) return {};
  Array halves(half, 2 * static_cast<Index>(chains.size()));
  for (std::size_t c = 0; c < chains.size(); ++c) {
    const Eigen::Map<const Eigen::ArrayXd> draws(chains[c].data() + chains[c].size() - length,
                                                 static_cast<Index>(length));
    if (!draws.isFinite().all()) return {};
    // With an odd number of draws, the one in the middle belongs to neither half.
    halves.col(2 * static_cast<Index>(c)) = draws.head(half);
    halves.col(2 * static_cast<Index>(c) + 1) = draws.tail(half);
  }
  return halves;
}

bool is_constant(const Array& draws) { return draws.minCoeff() == draws.maxCoeff(); }

/// Ranks over all chains, the mean rank where values are equal, turned into normal quantiles.
Array rank_normalised(const Array& draws) {
  const auto count = static_cast<std::size_t>(draws.size());
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index{0});
  const double* values = draws.data();
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return values[a] < values[b]; });
  Array scores(draws.rows(), draws.cols());
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && values[order[end]] == values[order[begin]]) ++end;
    const double rank = 0.5 * static_cast<double>(begin + 1 + end);
    const double score = normal_quantile((rank - 0.375) / (static_cast<double>(count) + 0.25));
    for (std::size_t i = begin; i < end; ++i) scores.data()[order[i]] = score;
  }
  return scores;
}

/// Distances from the median.
Array folded(const Array& draws) {
  std::vector<double> sorted(draws.data(), draws.data() + draws.size());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;  // halves come in pairs: the number is even
  return (draws - 0.5 * (sorted[middle - 1] + sorted[middle])).abs();
}

/// W, the mean variance within a chain, and var⁺, which adds what the chains' means differ by.
struct Variances {
  double within = 0;
  double pooled = 0;

  explicit Variances(const Array& draws) {
    const auto n = static_cast<double>(draws.rows());
    const Eigen::ArrayXd means = draws.colwise().mean();
    within = (draws.rowwise() - means.transpose()).square().sum() / (n - 1) /
             static_cast<double>(draws.cols());
    const double between =
        (means - means.mean()).square().sum() / static_cast<double>(draws.cols() - 1);
    pooled = (n - 1) / n * within + between;
  }
};

double split_r_hat(const Array& scores) {
  if (is_constant(scores)) return 1;
  const Variances variances(scores);
  return std::sqrt(variances.pooled / variances.within);
}

/// Mean over chains of the autocovariance at a lag.
double autocovariance(const Array& centred, Index lag) {
  const Index overlap = centred.rows() - lag;
  return (centred.topRows(overlap) * centred.bottomRows(overlap)).sum() /
         static_cast<double>(centred.size());
}

/// 1 + 2 Σ ρ_t, by Geyer's initial monotone sequence: sums of two neighbours, each at most as large
/// as the one before, until one is negative. Of that one, the first half counts once.
double autocorrelation_time(const Array& scores) {
  const Array centred = scores.rowwise() - scores.colwise().mean();
  const Variances variances(scores);
  const auto correlation = [&](Index lag) {
    return 1 - (variances.within - autocovariance(centred, lag)) / variances.pooled;
  };
  double pair = 1 + correlation(1);
  double sum = pair;
  for (Index lag = 2; lag + 1 < scores.rows(); lag += 2) {
    const double even = correlation(lag), odd = correlation(lag + 1);
    if (even + odd < 0) return 2 * sum - 1 + std::max(even, 0.0);
    pair = std::min(pair, even + odd);
    sum += pair;
  }
  return 2 * sum - 1;
}

}  // namespace

double r_hat(const Chains& chains) {
  const Array draws = split(chains);
  if (draws.size() == 0) return std::numeric_limits<double>::infinity();
  if (is_constant(draws)) return 1;
  return std::max(split_r_hat(rank_normalised(draws)), split_r_hat(rank_normalised(folded(draws))));
}

double effective_samples(const Chains& chains) {
  const Array draws = split(chains);
  if (draws.size() == 0) return 0;
  const auto count = static_cast<double>(draws.size());
  if (is_constant(draws)) return count;
  // Chains that swing to both sides by turns are worth more than independent draws, but their
  // worth cannot be told beyond a bound.
  const double most = count * std::log10(count);
  const double time = autocorrelation_time(rank_normalised(draws));
  return time > count / most ? count / time : most;
}

}  // namespace m3lak
