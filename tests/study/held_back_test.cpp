#include "study/held_back.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "m3lak/simulate.h"
#include "numeric/distributions.h"
#include "predict/link.h"
#include "study/enough_of.h"
#include "study/tune.h"

namespace m3lak {
namespace {

/// Instances that know who they are: their only feature is their number.
Dataset numbered(Index instances, int classes) {
  Dataset data;
  data.views.resize(1);
  data.views[0].name = "number";
  data.views[0].values = DenseMatrix(Vector::LinSpaced(instances, 0, double(instances - 1)));
  Labels labels;
  for (int c = 0; c < classes; ++c) labels.classes.push_back(std::string(1, char('a' + c)));
  // Class c has twice as many members as class c + 1.
  for (Index n = 0; n < instances; ++n) {
    int c = 0;
    while (c + 1 < classes && (n >> c) % 2 == 1) ++c;
    labels.of.push_back(c);
  }
  data.labels = labels;
  return data;
}

std::set<Index> numbers_of(const Dataset& data) {
  std::set<Index> numbers;
  for (const double number : data.views[0].dense().reshaped()) numbers.insert(Index(number));
  return numbers;
}

TEST(EnoughOf, IsAllWhereThereIsLittle) {
  const Dataset data = numbered(700, 3);
  EXPECT_EQ(enough_of(data, whole(data), 700, 1).instances(), 700);
}

TEST(EnoughOf, HasClassesInTheirProportions) {
  for (const Index instances : {1500, 40'000, 300'000}) {
    const Dataset data = numbered(instances, 4);
    const Dataset some = enough_of(data, whole(data), 1000, 3);
    // To within one of the pieces that the data is cut into: hundredths, or of a hundred instances.
    const double piece = std::min(100.0, static_cast<double>(instances) / 100);
    EXPECT_NEAR(double(some.instances()), 1000, piece + 1);
    // Each of them has one member of a class too many or too few, at most.
    const std::vector<Index> counts = some.labels->counts();
    for (int c = 0; c < 4; ++c) {
      const double share = c == 3 ? 0.125 : std::pow(0.5, c + 1);
      EXPECT_NEAR(double(counts[std::size_t(c)]), share * double(some.instances()), 1000 / piece);
    }
  }
}

TEST(HoldBack, TakesLabelsButNotInstances) {
  Dataset data = numbered(5000, 3);
  data.labels->of[7] = Labels::unknown;
  const std::vector<int> labels = data.labels->of;
  Dataset training = data;
  const Dataset held = hold_back(training, whole(data), 500, 1);
  EXPECT_EQ(training.instances(), 5000);
  EXPECT_NEAR(double(held.instances()), 500, 50);
  EXPECT_EQ(training.labels->unknown_count(), held.instances() + 1);
  Index row = 0;
  for (const Index n : numbers_of(held)) {
    EXPECT_EQ(held.labels->of[std::size_t(row++)], labels[std::size_t(n)]);
    EXPECT_EQ(training.labels->of[std::size_t(n)], Labels::unknown);
  }
  // Others than those by which was chosen.
  const std::set<Index> chosen = numbers_of(enough_of(data, whole(data), 1000, 1));
  for (const Index n : numbers_of(held)) EXPECT_FALSE(chosen.contains(n)) << n;
}

TEST(HoldBack, LeavesRareClassesTheirLabels) {
  // Wherever the few of a third class come to lie among the pieces.
  int spared = 0;
  for (Index shift = 0; shift < 100; ++shift) {
    Dataset training = numbered(10'000, 2);
    training.labels->classes.push_back("rare");
    for (Index n = 0; n < shift; ++n) training.labels->of[std::size_t(n)] = Labels::unknown;
    for (Index n = 9000; n < 9005; ++n) training.labels->of[std::size_t(n)] = 2;
    const Dataset held = hold_back(training, whole(training), 1000, 1);
    EXPECT_GE(training.labels->counts()[2], 3);
    EXPECT_NEAR(double(held.instances()), 1000, 50);
    spared += training.labels->counts()[2] == 5 ? 1 : 0;
  }
  EXPECT_GT(spared, 80);
  EXPECT_LT(spared, 100) << "no rare label was among those that could be held back";
}

TEST(HoldBack, SparesSmallDataAndWhoWantsNoCalibration) {
  Options options;
  Dataset small = numbered(9999, 2), large = numbered(10'000, 2), huge = numbered(90'000, 2);
  EXPECT_FALSE(hold_back(small, whole(small), options));
  EXPECT_NEAR(double(hold_back(large, whole(large), options)->instances()), 1000, 50);
  EXPECT_NEAR(double(hold_back(huge, whole(huge), options)->instances()), 2000, 50);
  options.calibrate = false;
  Dataset again = numbered(10'000, 2);
  EXPECT_FALSE(hold_back(again, whole(again), options));
}

struct NoisyTask {
  Dataset training, test;
};

/// Labels that are wrong now and then, and so many instances that the fits of the cross-validation
/// are far smaller than the final one.
NoisyTask noisy_task() {
  SimulationOptions simulation;
  simulation.instances = 12'000;
  simulation.views = {3, 4};
  simulation.latent = 2;
  simulation.noise = 0.5;
  Dataset data = simulate(simulation);
  Stream stream({.seed = 5});
  for (int& label : data.labels->of) {
    if (stream.uniform() < 0.2) label = 1 - label;
  }
  std::vector<Index> rows(12'000);
  std::iota(rows.begin(), rows.end(), Index{0});
  return {data.select({rows.begin(), rows.begin() + 10'500}),
          data.select({rows.begin() + 10'500, rows.end()})};
}

Options few_iterations() {
  Options options;
  options.latent = 2;
  options.features = 10;
  options.iterations = 24;
  options.burn_in = 12;
  options.thin = 1;
  options.threads = 2;
  options.tuning_folds = 2;
  options.scaling = Scaling::standardize;
  return options;
}

TEST(HeldBack, DecidesHowSureThePredictionsAre) {
  const NoisyTask task = noisy_task();
  const Model model = fit(task.training, few_iterations());
  // The same by hand: what the fit says of those whose labels it has not seen.
  Dataset training = task.training;
  Dataset held = *hold_back(training, whole(training), few_iterations());
  Options plain = few_iterations();
  plain.calibrate = false;
  const Model alone = fit(training, plain);
  const std::vector<int> truth = held.labels->of;
  held.labels.reset();
  const Link link = judge(alone.predict(held).score, truth).link;
  const Prediction found = model.predict(task.test), scores = alone.predict(task.test);
  EXPECT_EQ(found.score, scores.score);
  for (Index n = 0; n < task.test.instances(); ++n) {
    const double z = link.slope * scores.score(n, 0) + link.intercept;
    EXPECT_NEAR(found.probability(n, 1), 1 / (1 + std::exp(-z)), 1e-12);
  }
  // Calibrated: as many are of the second class as the probabilities say, within three standard
  // errors of these 1,500 labels, and of the 1,000 that the link was fitted to.
  double expected = 0, variance = 0, actual = 0;
  for (Index n = 0; n < task.test.instances(); ++n) {
    const double p = found.probability(n, 1);
    expected += p;
    variance += p * (1 - p);
    actual += task.test.labels->of[std::size_t(n)];
  }
  EXPECT_NEAR(actual, expected, 3 * std::sqrt(variance) + 3 * std::sqrt(1000 * 0.25) * 1.5);
}

TEST(HeldBack, WeighsFits) {
  const NoisyTask task = noisy_task();
  Options options = few_iterations();
  options.scaling = Scaling::automatic;
  options.follow_ridge = false;
  const Model model = fit(task.training, options);
  const std::vector<Model> members = model.members();
  ASSERT_EQ(members.size(), 2U);
  // By hand: what each says of the labels that it has not seen.
  NoisyTask again = task;
  Dataset held = *hold_back(again.training, whole(again.training), options);
  const std::vector<int> truth = held.labels->of;
  held.labels.reset();
  Matrix p(held.instances(), 2);
  for (Index k = 0; k < 2; ++k) {
    const Prediction said = members[std::size_t(k)].predict(held);
    for (Index n = 0; n < p.rows(); ++n) p(n, k) = said.probability(n, truth[std::size_t(n)]);
  }
  const Vector weights = weights_of_fits(p);
  double sum = 0, tried = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(members[k].weight(), weights[Index(k)], 1e-6);
    EXPECT_LE(members[k].weight(), members.front().weight());
    sum += members[k].weight();
  }
  for (const Tried& each : model.tried()) tried += each.weight;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(tried, 1, 1e-12);
}

}  // namespace
}  // namespace m3lak
