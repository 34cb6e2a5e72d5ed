#include "study/tune.h"

#include <gtest/gtest.h>

#include <cmath>

#include "numeric/distributions.h"

namespace m3lak {
namespace {

TEST(Link, FindsTheLogisticThatMadeTheLabels) {
  Stream stream({.seed = 3});
  std::vector<double> scores;
  std::vector<int> signs;
  for (int i = 0; i < 50000; ++i) {
    scores.push_back(normal(stream));
    const double p = 1 / (1 + std::exp(-(2.5 * scores.back() - 0.7)));
    signs.push_back(stream.uniform() < p ? 1 : -1);
  }
  const Link link = fit_link(scores, signs);
  EXPECT_NEAR(link.slope, 2.5, 0.1);
  EXPECT_NEAR(link.intercept, -0.7, 0.05);
}

TEST(Link, StaysFiniteWhereScoresSeparate) {
  const Link link = fit_link({-2, -1, 1, 2}, {-1, -1, 1, 1});
  EXPECT_TRUE(std::isfinite(link.slope));
  EXPECT_GT(link.slope, 0);
  EXPECT_NEAR(link.intercept, 0, 1e-6);
}

TEST(Link, IgnoresScoresThatSayNothing) {
  const Link link = fit_link({1, 1, 1, 1}, {1, -1, 1, -1});
  EXPECT_NEAR(link.slope + link.intercept, 0, 1e-6);
}

}  // namespace
}  // namespace m3lak
