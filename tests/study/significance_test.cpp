#include "study/significance.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace m3lak {
namespace {

/// P(min(W₊, W₋) <= w) by counting all signs of the ranks 1 … n.
double by_counting(const std::vector<double>& differences) {
  const auto n = differences.size();
  const auto smaller_sum = [&](auto positive) {
    double plus = 0, minus = 0;
    for (std::size_t i = 0; i < n; ++i) {
      (positive(i) ? plus : minus) += std::abs(differences[i]);  // which are ranks here
    }
    return std::min(plus, minus);
  };
  const double seen = smaller_sum([&](std::size_t i) { return differences[i] > 0; });
  double as_far = 0;
  for (unsigned signs = 0; signs < (1U << n); ++signs) {
    as_far += smaller_sum([&](std::size_t i) { return (signs >> i & 1) != 0; }) <= seen;
  }
  return as_far / static_cast<double>(1U << n);
}

TEST(Wilcoxon, CountsAllSigns) {
  for (const std::vector<double>& ranks :
       {std::vector<double>{1, 2, 3, 4, 5}, {-1, 2, 3, -4, 5, 6}, {-1, 2, -3, 4, -5, 6, -7, 8}}) {
    EXPECT_NEAR(wilcoxon(ranks), by_counting(ranks), 1e-12);
  }
}

TEST(Wilcoxon, KnowsOrderAlone) {
  EXPECT_EQ(wilcoxon({0.1, -0.2, 0.7, 3}), wilcoxon({1, -2, 3, 4}));
  EXPECT_EQ(wilcoxon({0.1, -0.2, 0.7, 3}), wilcoxon({-0.1, 0.2, -0.7, -3}));
  EXPECT_EQ(wilcoxon({0, 1, -2, 0, 3, 4}), wilcoxon({1, -2, 3, 4}));
}

TEST(Wilcoxon, OfNothingIsOne) {
  EXPECT_EQ(wilcoxon({}), 1);
  EXPECT_EQ(wilcoxon({0, 0, 0}), 1);
  EXPECT_EQ(wilcoxon({1}), 1);
}

// The value is that of scipy.stats.wilcoxon(…, correction=True, method="approx").
TEST(Wilcoxon, TiesShareTheirRanks) {
  EXPECT_NEAR(wilcoxon({1, 1, 2, 2, 2, 3, -1, 4, 5, -2, 6}), 0.0252010155, 1e-9);
}

TEST(Wilcoxon, NormalApproximationIsNearTheExactOne) {
  std::vector<double> many;
  for (int i = 1; i <= 25; ++i) many.push_back(i % 3 == 0 ? -i : i);
  const double exact = wilcoxon(many);
  many[23] = -25;  // a tie: now by the approximation
  EXPECT_NEAR(wilcoxon(many), exact, 0.01);
  EXPECT_NE(wilcoxon(many), exact);
}

TEST(StudentTails, AreBoosts) {
  for (const double degrees : {1.0, 2.0, 9.0, 29.0, 300.0}) {
    for (const double t : {0.0, 0.01, 0.5, 1.0, -2.3, 8.0, 40.0}) {
      const boost::math::students_t law(degrees);
      const double expected = 2 * boost::math::cdf(boost::math::complement(law, std::abs(t)));
      EXPECT_NEAR(student_tails(t, degrees), expected, 1e-12 + 1e-9 * expected) << degrees << t;
    }
  }
}

TEST(ResampledT, IsThePlainOneWithoutSharedTraining) {
  const std::vector<double> differences = {1, 2, 3, 4};
  const double plain = student_tails(2.5 / std::sqrt(5.0 / 3 / 4), 3);
  EXPECT_NEAR(resampled_t(differences, 0), plain, 1e-12);
  EXPECT_GT(resampled_t(differences, 1.0 / 9), plain);
  EXPECT_EQ(resampled_t({0, 0, 0}, 0.1), 1);
  EXPECT_EQ(resampled_t({0.5, 0.5, 0.5}, 0.1), 0);
  EXPECT_EQ(resampled_t({3}, 0.1), 1);
}

}  // namespace
}  // namespace m3lak
