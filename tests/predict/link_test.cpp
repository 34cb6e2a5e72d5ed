#include "predict/link.h"

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

TEST(Link, WithoutInterceptKeepsTheSign) {
  const std::vector<double> scores = {-2, -1, -0.5, 0.5, 1, 2};
  const Link link = fit_link(scores, {-1, 1, 1, 1, 1, 1}, false);
  EXPECT_EQ(link.intercept, 0);
  EXPECT_GT(link.slope, 0);
  EXPECT_GT(fit_link(scores, {-1, 1, 1, 1, 1, 1}).intercept, 0.1);
}

TEST(Link, ProbabilitiesOfTwoClassesKeepTheirLogOdds) {
  for (const double f : {-300.0, -40.0, 0.3, 40.0, 300.0}) {
    const Vector p = probabilities({2, 0.5}, Vector::Constant(1, f));
    EXPECT_NEAR(std::log(p[1]) - std::log(p[0]), 2 * f + 0.5, 1e-9 * std::abs(f) + 1e-9);
  }
}

/// Small normal changes of the scores, and what they do to the probabilities.
TEST(Link, SpreadsOfProbabilitiesAreThoseOfScoresToFirstOrder) {
  Stream stream({.seed = 8});
  for (const Index classes : {1, 3, 4}) {
    const Link link{1.7, -0.3};
    Vector score(classes), spread(classes);
    for (double& value : score) value = normal(stream);
    for (double& value : spread) value = 1e-4 * (0.2 + stream.uniform());
    constexpr int count = 40000;
    const Vector centre = probabilities(link, score);
    Vector squares = Vector::Zero(centre.size());
    for (int i = 0; i < count; ++i) {
      Vector moved = score;
      for (Index c = 0; c < classes; ++c) moved[c] += spread[c] * normal(stream);
      squares += (probabilities(link, moved) - centre).cwiseAbs2();
    }
    const Vector expected = (squares / count).cwiseSqrt();
    // The standard error of each is 1/√(2 count) of it, 0.35 %: five of them.
    const Vector found = probability_spreads(link, score, spread);
    for (Index c = 0; c < found.size(); ++c) EXPECT_NEAR(found[c] / expected[c], 1, 0.018) << c;
  }
}

double log_score(const Matrix& p, const Vector& w) { return (p * w).array().log().sum(); }

TEST(Stacking, FindsTheBestAverage) {
  Stream stream({.seed = 5});
  Matrix p(300, 3);
  for (double& value : p.reshaped()) value = 0.05 + 0.9 * stream.uniform();
  p.col(2) *= 0.1;
  const Vector w = stacking_weights(p);
  EXPECT_NEAR(w.sum(), 1, 1e-12);
  EXPECT_LT(w[2], 1e-3);
  // No other average is better.
  for (int i = 0; i < 200; ++i) {
    Vector other(3);
    for (double& value : other) value = stream.uniform();
    EXPECT_LE(log_score(p, other / other.sum()), log_score(p, w) + 1e-6);
  }
}

TEST(Stacking, OfEqualsIsEven) {
  const Matrix p = Vector::Constant(10, 0.7).replicate(1, 4);
  EXPECT_TRUE(stacking_weights(p).isApprox(Vector::Constant(4, 0.25), 1e-12));
  EXPECT_EQ(stacking_weights(p.leftCols(1))[0], 1);
}

TEST(Stacking, IsDrawnTowardsEvenWeights) {
  Matrix p(100, 2);
  p.col(0).setConstant(0.9);
  p.col(1).setConstant(0.3);
  EXPECT_LT(stacking_weights(p)[1], 1e-6);
  // Of 100 labels none speaks for the second, but 10 do beforehand for each.
  const double drawn = stacking_weights(p, 10)[1];
  EXPECT_GT(drawn, 10.0 / 120);
  EXPECT_LT(drawn, 0.3);
  EXPECT_NEAR(stacking_weights(p, 1e6)[1], 0.5, 1e-3);
}

TEST(OrderOfGain, PutsWhatIsNearlyTheSameBehindWhatTellsSomethingElse) {
  // The first two are right about the same labels, the third about the others, the last about none.
  Matrix p(40, 4);
  p.topRows(30).leftCols(2).setConstant(0.9);
  p.bottomRows(10).leftCols(2).setConstant(0.2);
  p.col(1) *= 0.99;
  p.col(2).head(30).setConstant(0.4);
  p.col(2).tail(10).setConstant(0.9);
  p.col(3).setConstant(0.3);
  EXPECT_EQ(order_of_gain(p), (std::vector<Index>{0, 2, 1, 3}));
  EXPECT_EQ(order_of_gain(p.rightCols(1)), std::vector<Index>{0});
}

TEST(Judgement, SaysWhatScoresOfTwoClassesAreWorth) {
  const Matrix scores = (Matrix(6, 1) << -3, -1, 0.5, 1, 2, 3).finished();
  const Judgement judgement = judge(scores, {0, 0, 0, 1, 1, 1});
  EXPECT_EQ(judgement.accuracy, 1);  // the intercept moves the boundary above 0.5
  EXPECT_LT(judge(scores, {0, 0, 0, 1, 1, 1}, false).accuracy, 1);
  EXPECT_NEAR(judgement.log_loss, -judgement.p.array().log().mean(), 1e-12);
  EXPECT_GT(judgement.p[5], judgement.p[3]);
  EXPECT_GT(judgement.p[0], judgement.p[2]);
  EXPECT_GT(judge(scores, {1, 0, 1, 0, 1, 0}).log_loss, judgement.log_loss);
}

TEST(Judgement, SaysWhatScoresOfThreeClassesAreWorth) {
  const Matrix scores = (Matrix(4, 3) << 2, -1, -1, -1, 2, -1, -1, -1, 2, -1, 2, -1).finished();
  EXPECT_EQ(judge(scores, {0, 1, 2, 1}).accuracy, 1);
  const Judgement judgement = judge(scores, {0, 1, 2, 0});
  EXPECT_EQ(judgement.accuracy, 0.75);
  EXPECT_LT(judgement.p[3], judgement.p[1]);
}

}  // namespace
}  // namespace m3lak
