#include <gtest/gtest.h>

#include <cmath>

#include "data/expect_error.h"
#include "m3lak/error.h"
#include "m3lak/evaluate.h"
#include "numeric/random.h"

namespace m3lak {
namespace {

/// Made-up predictions with many ties.
struct Example {
  std::vector<int> truth, label;
  Matrix score, probability;

  Example(Index count, int classes, std::uint64_t seed) {
    Stream stream({.seed = seed});
    const auto any = [&] {
      return static_cast<int>(stream.below(static_cast<std::uint64_t>(classes)));
    };
    score.resize(count, classes == 2 ? 1 : classes);
    probability.resize(count, classes);
    for (Index n = 0; n < count; ++n) {
      truth.push_back(any());
      label.push_back(any());
      for (Index c = 0; c < score.cols(); ++c) score(n, c) = static_cast<double>(stream.below(9));
      for (int c = 0; c < classes; ++c) probability(n, c) = stream.uniform();
      probability.row(n) /= probability.row(n).sum();
    }
  }
  Measures measured() const { return measure(truth, label, score, probability); }
};

/// The share of (member, other) pairs in the right order.
double auc_by_pairs(const Example& example, Index column, int positive) {
  double pairs = 0, right = 0;
  for (std::size_t a = 0; a < example.truth.size(); ++a) {
    for (std::size_t b = 0; b < example.truth.size(); ++b) {
      if (example.truth[a] != positive || example.truth[b] == positive) continue;
      const double difference = example.score(static_cast<Index>(a), column) -
                                example.score(static_cast<Index>(b), column);
      pairs += 1;
      right += difference > 0 ? 1 : difference == 0 ? 0.5 : 0;
    }
  }
  return right / pairs;
}

TEST(Measures, OfAPerfectPrediction) {
  const Measures found =
      measure({0, 1, 1}, {0, 1, 1}, Vector{{-1, 2, 3}}, Matrix{{1, 0}, {0, 1}, {0, 1}});
  EXPECT_EQ(found.accuracy, 1);
  EXPECT_EQ(found.balanced_accuracy, 1);
  EXPECT_EQ(found.auc, 1);
  EXPECT_EQ(found.log_loss, 0);
  EXPECT_EQ(found.calibration_error, 0);
}

TEST(Measures, AreWhatTheyAreCalled) {
  const Measures found = measure({0, 0, 0, 1}, {0, 0, 1, 1}, Vector{{-2, -1, 1, 0.5}},
                                 Matrix{{0.9, 0.1}, {0.8, 0.2}, {0.25, 0.75}, {0.4, 0.6}});
  EXPECT_DOUBLE_EQ(found.accuracy, 0.75);
  EXPECT_DOUBLE_EQ(found.balanced_accuracy, (2.0 / 3 + 1) / 2);
  EXPECT_DOUBLE_EQ(found.auc, 2.0 / 3);
  EXPECT_DOUBLE_EQ(found.log_loss,
                   -(std::log(0.9) + std::log(0.8) + std::log(0.25) + std::log(0.6)) / 4);
  // Bins [.9, 1], [.8, .9), [.7, .8) and [.6, .7), one instance in each.
  EXPECT_DOUBLE_EQ(found.calibration_error, (0.1 + 0.2 + 0.75 + 0.4) / 4);
}

TEST(Measures, CalibrationComparesWithinABin) {
  // Confidence .75 and right three times of four: nothing to complain about.
  const Matrix probability = Matrix::Constant(4, 2, 0.25) + Matrix{{0, 0.5}}.replicate(4, 1);
  const Measures found = measure({1, 1, 1, 0}, {1, 1, 1, 1}, Vector::Ones(4), probability);
  EXPECT_NEAR(found.calibration_error, 0, 1e-15);
}

TEST(Measures, ReliabilityCountsByConfidence) {
  const Measures found = measure({0, 0, 0, 1}, {0, 0, 1, 1}, Vector{{-2, -1, 1, 0.5}},
                                 Matrix{{0.95, 0.05}, {1, 0}, {0.25, 0.75}, {0.4, 0.6}});
  const auto& bins = found.reliability.bins;
  EXPECT_EQ(bins[9].instances, 2);  // a whole 1 is in the last one
  EXPECT_DOUBLE_EQ(bins[9].confidence, 1.95);
  EXPECT_EQ(bins[9].right, 2);
  EXPECT_EQ(bins[7].instances, 1);
  EXPECT_EQ(bins[7].confidence, 0.75);
  EXPECT_EQ(bins[7].right, 0);
  double all = 0;
  for (const Reliability::Bin& bin : bins) all += bin.instances;
  EXPECT_EQ(all, 4);
}

TEST(Measures, ReliabilitiesAddUp) {
  const Example whole(50, 3, 7);
  Example first = whole, second = whole;
  for (std::size_t n = 0; n < 50; ++n) (n < 20 ? second : first).truth[n] = Labels::unknown;
  Reliability sum = first.measured().reliability;
  sum += second.measured().reliability;
  const Reliability expected = whole.measured().reliability;
  for (std::size_t i = 0; i < sum.bins.size(); ++i) {
    EXPECT_EQ(sum.bins[i].instances, expected.bins[i].instances);
    EXPECT_NEAR(sum.bins[i].confidence, expected.bins[i].confidence, 1e-12);
    EXPECT_EQ(sum.bins[i].right, expected.bins[i].right);
  }
  EXPECT_NEAR(sum.error(), whole.measured().calibration_error, 1e-13);
  EXPECT_TRUE(std::isnan(Reliability{}.error()));
}

TEST(Measures, AucCountsPairs) {
  const Example two(60, 2, 1);
  EXPECT_NEAR(two.measured().auc, auc_by_pairs(two, 0, 1), 1e-14);
  const Example three(60, 3, 2);
  const double mean =
      (auc_by_pairs(three, 0, 0) + auc_by_pairs(three, 1, 1) + auc_by_pairs(three, 2, 2)) / 3;
  EXPECT_NEAR(three.measured().auc, mean, 1e-14);
}

TEST(Measures, LeaveOutClassesThatDoNotOccur) {
  Example example(60, 3, 3);
  for (int& truth : example.truth) truth = truth == 2 ? 0 : truth;
  const double mean = (auc_by_pairs(example, 0, 0) + auc_by_pairs(example, 1, 1)) / 2;
  EXPECT_NEAR(example.measured().auc, mean, 1e-14);
  EXPECT_GT(example.measured().balanced_accuracy, 0.1);
}

TEST(Measures, LeaveOutUnknownLabels) {
  Example example(40, 2, 4), part = example;
  part.truth.resize(30);
  part.label.resize(30);
  part.score = Matrix(example.score.topRows(30));
  part.probability = Matrix(example.probability.topRows(30));
  for (std::size_t n = 30; n < 40; ++n) example.truth[n] = Labels::unknown;
  EXPECT_EQ(example.measured().accuracy, part.measured().accuracy);
  EXPECT_EQ(example.measured().auc, part.measured().auc);
  EXPECT_EQ(example.measured().log_loss, part.measured().log_loss);
  EXPECT_EQ(example.measured().calibration_error, part.measured().calibration_error);
}

TEST(Measures, ThatCannotBeAreNoNumbers) {
  Example example(10, 2, 5);
  std::fill(example.truth.begin(), example.truth.end(), 1);
  EXPECT_TRUE(std::isnan(example.measured().auc));
  EXPECT_FALSE(std::isnan(example.measured().accuracy));
  std::fill(example.truth.begin(), example.truth.end(), Labels::unknown);
  EXPECT_TRUE(std::isnan(example.measured().accuracy));
  Example spoilt(10, 2, 5);
  spoilt.score(3, 0) = std::nan("");
  EXPECT_TRUE(std::isnan(spoilt.measured().auc));
  spoilt.probability.row(4).setConstant(std::nan(""));
  EXPECT_TRUE(std::isnan(spoilt.measured().calibration_error));
  EXPECT_TRUE(std::isnan(spoilt.measured().reliability.error()));
}

TEST(Measures, LogLossIsFinite) {
  const Measures found = measure({0, 1}, {1, 1}, Vector{{1, 1}}, Matrix{{0, 1}, {0, 1}});
  EXPECT_DOUBLE_EQ(found.log_loss, -std::log(1e-15) / 2);
}

TEST(Measures, RefuseWhatDoesNotFit) {
  Example example(10, 3, 6);
  example.truth.pop_back();
  expect_error<BadUsage>([&] { example.measured(); }, {"9 true classes", "10"});
  Example columns(10, 3, 6);
  columns.score.resize(10, 2);
  expect_error<BadUsage>([&] { columns.measured(); }, {"2 columns of scores"});
  Example classes(10, 3, 6);
  classes.truth[0] = 3;
  expect_error<BadUsage>([&] { classes.measured(); }, {"none of the 3"});
}

}  // namespace
}  // namespace m3lak
