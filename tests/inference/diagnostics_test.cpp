#include "inference/diagnostics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "numeric/distributions.h"

namespace m3lak {
namespace {

/// AR(1) chains of variance 1: x_t = φ x_{t-1} + sqrt(1 - φ²) e_t. φ = 0: independent normals.
Chains autoregressive(std::size_t chains, std::size_t length, double phi, std::uint64_t seed = 1) {
  Chains result(chains);
  for (std::size_t c = 0; c < chains; ++c) {
    Stream stream({.seed = seed, .chain = static_cast<std::uint32_t>(c)});
    double x = normal(stream);
    for (std::size_t t = 0; t < length; ++t) {
      result[c].push_back(x);
      x = phi * x + std::sqrt(1 - phi * phi) * normal(stream);
    }
  }
  return result;
}

// The definitions once more, written down word by word and without any economy.

double mean(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

double autocovariance(const std::vector<double>& x, std::size_t lag) {
  double sum = 0;
  for (std::size_t t = 0; t + lag < x.size(); ++t) sum += (x[t] - mean(x)) * (x[t + lag] - mean(x));
  return sum / static_cast<double>(x.size());
}

Chains halved(const Chains& chains) {
  Chains halves;
  for (const auto& chain : chains) {
    const auto half = static_cast<std::ptrdiff_t>(chain.size() / 2);
    halves.emplace_back(chain.begin(), chain.begin() + half);
    halves.emplace_back(chain.end() - half, chain.end());
  }
  return halves;
}

Chains normal_scores(const Chains& chains) {
  Chains scores = chains;
  double count = 0;
  for (const auto& chain : chains) count += static_cast<double>(chain.size());
  for (auto& chain : scores) {
    for (double& value : chain) {
      double smaller = 0, equal = 0;
      for (const auto& other : chains) {
        for (const double x : other) {
          smaller += x < value;
          equal += x == value;
        }
      }
      value = normal_quantile((smaller + (equal + 1) / 2 - 0.375) / (count + 0.25));
    }
  }
  return scores;
}

struct Brute {
  double within = 0, pooled = 0;
  explicit Brute(const Chains& z) {
    const auto n = static_cast<double>(z[0].size()), m = static_cast<double>(z.size());
    std::vector<double> means;
    for (const auto& chain : z) {
      within += autocovariance(chain, 0) * n / (n - 1) / m;
      means.push_back(mean(chain));
    }
    pooled = (n - 1) / n * within + autocovariance(means, 0) * m / (m - 1);
  }
};

double brute_r_hat(const Chains& z) {
  const Brute variances(z);
  return std::sqrt(variances.pooled / variances.within);
}

double brute_folded_r_hat(const Chains& chains) {
  Chains far = halved(chains);
  std::vector<double> all;
  for (const auto& chain : far) all.insert(all.end(), chain.begin(), chain.end());
  std::sort(all.begin(), all.end());
  const double median = (all[all.size() / 2 - 1] + all[all.size() / 2]) / 2;
  for (auto& chain : far) {
    for (double& value : chain) value = std::abs(value - median);
  }
  return brute_r_hat(normal_scores(far));
}

double brute_effective_samples(const Chains& chains) {
  const Chains z = normal_scores(halved(chains));
  const Brute variances(z);
  const std::size_t n = z[0].size();
  std::vector<double> rho;
  for (std::size_t lag = 0; lag < n; ++lag) {
    double covariance = 0;
    for (const auto& chain : z) {
      covariance += autocovariance(chain, lag) / static_cast<double>(z.size());
    }
    rho.push_back(lag == 0 ? 1 : 1 - (variances.within - covariance) / variances.pooled);
  }
  double time = -1, last = 1e300;
  for (std::size_t lag = 0; lag + 1 < n; lag += 2) {
    if (rho[lag] + rho[lag + 1] < 0) {
      time += std::max(rho[lag], 0.0);
      break;
    }
    last = std::min(last, rho[lag] + rho[lag + 1]);
    time += 2 * last;
  }
  return static_cast<double>(n * z.size()) / time;
}

TEST(Diagnostics, EqualTheirDefinitions) {
  for (const double phi : {0.0, 0.5, 0.95, -0.3}) {
    for (const std::size_t length : {40U, 101U}) {
      const Chains chains = autoregressive(3, length, phi);
      const double expected =
          std::max(brute_r_hat(normal_scores(halved(chains))), brute_folded_r_hat(chains));
      EXPECT_NEAR(r_hat(chains), expected, 1e-12);
      const double samples = brute_effective_samples(chains);
      EXPECT_NEAR(effective_samples(chains), samples, 1e-9 * samples);
    }
  }
}

TEST(Diagnostics, EqualTheirDefinitionsWithTies) {
  Chains chains = autoregressive(2, 60, 0.5);
  for (auto& chain : chains) {
    for (double& value : chain) value = std::round(2 * value);
  }
  EXPECT_NEAR(r_hat(chains),
              std::max(brute_r_hat(normal_scores(halved(chains))), brute_folded_r_hat(chains)),
              1e-12);
  EXPECT_NEAR(effective_samples(chains), brute_effective_samples(chains), 1e-9);
}

TEST(Diagnostics, OfIndependentDrawsFindNoFault) {
  for (const std::size_t chains : {1U, 4U}) {
    const Chains draws = autoregressive(chains, 4000 / chains, 0);
    EXPECT_LT(r_hat(draws), 1.01);
    EXPECT_NEAR(effective_samples(draws), 4000, 800);
  }
}

TEST(Diagnostics, KnowTheWorthOfCorrelatedDraws) {
  const double phi = 0.9;
  const Chains draws = autoregressive(4, 20000, phi);
  const double expected = 80000 * (1 - phi) / (1 + phi);
  EXPECT_NEAR(effective_samples(draws), expected, 0.1 * expected);
  // Draws that swing are worth more than independent ones, but not without bound.
  EXPECT_GT(effective_samples(autoregressive(1, 4000, -0.5)), 6000);
  EXPECT_LE(effective_samples(autoregressive(1, 4000, -0.999)), 4000 * std::log10(4000) + 1e-6);
}

TEST(Diagnostics, DoNotDependOnTheScaleOfTheQuantity) {
  Chains draws = autoregressive(2, 500, 0.5);
  const double samples = effective_samples(draws);
  for (auto& chain : draws) {
    for (double& value : chain) value = std::exp(5 * value);
  }
  EXPECT_EQ(effective_samples(draws), samples);
}

TEST(Diagnostics, SeeChainsThatDisagree) {
  Chains shifted = autoregressive(4, 500, 0);
  for (double& value : shifted[2]) value += 2;
  EXPECT_GT(r_hat(shifted), 1.1);
  EXPECT_LT(effective_samples(shifted), 50);

  Chains wider = autoregressive(4, 500, 0);
  for (double& value : wider[2]) value *= 5;
  EXPECT_GT(r_hat(wider), 1.1) << "the places agree, the widths do not";

  Chains drifting = autoregressive(1, 500, 0);
  for (std::size_t t = 0; t < 500; ++t) drifting[0][t] += 0.01 * static_cast<double>(t);
  EXPECT_GT(r_hat(drifting), 1.1) << "one chain against itself";
}

TEST(Diagnostics, GiveNumbersForChainsThatStandStill) {
  const Chains still(3, std::vector<double>(20, 7.0));
  EXPECT_EQ(r_hat(still), 1);
  EXPECT_EQ(effective_samples(still), 60);

  const Chains apart = {std::vector<double>(20, 1.0), std::vector<double>(20, 2.0)};
  EXPECT_TRUE(std::isinf(r_hat(apart)));
  EXPECT_LT(effective_samples(apart), 5);

  // Two values at the same distance from the median: the distances are constant.
  Chains coin = autoregressive(2, 200, 0);
  for (auto& chain : coin) {
    for (double& value : chain) value = value < 0 ? -1 : 1;
  }
  EXPECT_LT(r_hat(coin), 1.1);
}

TEST(Diagnostics, SayWhenNothingCanBeSaid) {
  const double nan = std::nan("");
  for (const Chains& chains :
       {Chains{}, Chains{{}}, Chains{{1, 2, 3}}, Chains{{1, 2, nan, 4, 5}}}) {
    EXPECT_TRUE(std::isinf(r_hat(chains)));
    EXPECT_EQ(effective_samples(chains), 0);
  }
}

TEST(Diagnostics, CutChainsToTheShortest) {
  Chains chains = autoregressive(2, 300, 0.3);
  const Chains equal = chains;
  chains[1].insert(chains[1].begin(), {1e9, 1e9, 1e9});
  EXPECT_EQ(r_hat(chains), r_hat(equal));
  EXPECT_EQ(effective_samples(chains), effective_samples(equal));
}

}  // namespace
}  // namespace m3lak
