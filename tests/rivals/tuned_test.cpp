#include "rivals/tuned.h"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>

#include "data/expect_error.h"
#include "m3lak/error.h"
#include "m3lak/evaluate.h"
#include "m3lak/simulate.h"

namespace m3lak {
namespace {

/// What a made-up rival saw.
struct Seen {
  std::mutex mutex;
  std::vector<Index> trained_on;
  std::vector<std::size_t> alone;  ///< settings that were trained by themselves
  std::vector<double> memory;      ///< that it was offered
};

/// The score is the first feature of the first view, its sign as the labels want it; setting 1
/// keeps it, the others turn it round.
class FirstFeature : public Rival {
 public:
  explicit FirstFeature(Seen& seen) : seen_(seen) {}

  std::size_t settings() const override { return 3; }
  std::string describe(std::size_t) const override { return ""; }
  double bytes(const Size& training, int threads) const override {
    return 1e6 * static_cast<double>(training.instances) + 1e3 * threads;
  }

  std::shared_ptr<const Rival> with_memory(double bytes) const override {
    seen_.memory.push_back(bytes);
    return nullptr;
  }

  std::vector<std::unique_ptr<Machine>> train(const Dataset& training, const Vector& y,
                                              std::span<const std::size_t> settings, Workers&,
                                              const std::function<bool()>& stop) const override {
    stop_if(stop);
    const std::lock_guard lock(seen_.mutex);
    seen_.trained_on.push_back(training.instances());
    if (settings.size() == 1) seen_.alone.push_back(settings[0]);
    EXPECT_EQ(y.size(), training.instances());
    const double sign = y.dot(training.views[0].dense().col(0)) > 0 ? 1 : -1;
    std::vector<std::unique_ptr<Machine>> machines;
    for (const std::size_t setting : settings) {
      machines.push_back(std::make_unique<Column>(setting == 1 ? sign : -sign));
    }
    return machines;
  }

 private:
  class Column : public Machine {
   public:
    explicit Column(double sign) : sign_(sign) {}
    Vector scores(const Dataset& data, Workers&) const override {
      return sign_ * data.views[0].dense().col(0);
    }

   private:
    double sign_;
  };

  Seen& seen_;
};

/// The first feature tells the classes, in order.
Dataset example(int classes, double unknown = 0) {
  SimulationOptions options;
  options.instances = 120;
  options.views = {3, 2};
  options.unknown_labels = unknown;
  Dataset data = simulate(options);
  if (classes > 2) data.labels->classes = {"a", "b", "c", "nobody"};
  for (std::size_t n = 0; n < 120; ++n) {
    const double x = data.views[0].dense()(static_cast<Index>(n), 0);
    int& label = data.labels->of[n];
    if (label != Labels::unknown) label = x > 0 ? 1 : classes > 2 && x < -0.7 ? 2 : 0;
  }
  return data;
}

TEST(Tuned, TakesTheSettingThatPredictsBest) {
  Seen seen;
  const auto classifier = tuned("first", std::make_shared<FirstFeature>(seen));
  const Dataset data = example(2);
  classifier->fit(data, 2, {});
  EXPECT_EQ(seen.alone, (std::vector<std::size_t>{1}));
  EXPECT_EQ(seen.trained_on.size(), 6U);  // five folds, then all
  EXPECT_EQ(seen.trained_on.back(), 120);
  const Prediction prediction = classifier->predict(data, 1);
  EXPECT_EQ(prediction.label, data.labels->of);
  EXPECT_TRUE(prediction.probability.rowwise().sum().isApproxToConstant(1, 1e-12));
  const Measures measures =
      measure(data.labels->of, prediction.label, prediction.score, prediction.probability);
  EXPECT_LT(measures.log_loss, 0.3);
}

TEST(Tuned, TakesTheMiddleOneWithoutTuning) {
  Seen seen;
  const auto classifier = tuned("first", std::make_shared<FirstFeature>(seen), {.folds = 0});
  classifier->fit(example(2), 1, {});
  EXPECT_EQ(seen.alone, (std::vector<std::size_t>{1}));
  EXPECT_EQ(seen.trained_on, (std::vector<Index>{120}));
}

TEST(Tuned, LeavesOutUnknownLabels) {
  Seen seen;
  const Dataset data = example(2, 0.25);
  tuned("first", std::make_shared<FirstFeature>(seen))->fit(data, 1, {});
  EXPECT_EQ(seen.trained_on.back(), 120 - data.labels->unknown_count());
}

TEST(Tuned, SeveralClassesAreOneAgainstTheRest) {
  Seen seen;
  const auto classifier = tuned("first", std::make_shared<FirstFeature>(seen));
  const Dataset data = example(3);
  classifier->fit(data, 1, {});
  EXPECT_EQ(seen.alone.size(), 3U);  // nobody is of the fourth class
  const Prediction prediction = classifier->predict(data, 1);
  ASSERT_EQ(prediction.score.cols(), 4);
  ASSERT_EQ(prediction.probability.cols(), 4);
  for (std::size_t n = 0; n < 120; ++n) {
    EXPECT_NE(prediction.label[n], 3);
    if (data.labels->of[n] == 1) {
      EXPECT_EQ(prediction.label[n], 1);
    }
  }
  EXPECT_TRUE(prediction.probability.allFinite());
}

TEST(Tuned, RefusesWhatDoesNotFitIntoMemory) {
  Seen seen;
  const auto classifier = tuned("first", std::make_shared<FirstFeature>(seen), {.memory = 50e6});
  expect_error<TooLarge>([&] { classifier->fit(example(2), 1, {}); },
                         {"first: training on 120 instances needs 120 MB of memory, have 50 MB"});
  EXPECT_TRUE(seen.trained_on.empty());
  // With more threads, more folds at once.
  EXPECT_EQ(classifier->bytes(example(2), 1), 120e6 + 1e3);
  EXPECT_EQ(classifier->bytes(example(2), 4), 4 * (96e6 + 1e3));
  EXPECT_EQ(classifier->bytes(example(2), 64), 5 * (96e6 + 1e3));
  // Four classes have 20 machines to tune; in the end there are the views of three besides.
  EXPECT_EQ(classifier->bytes(example(3), 1), 120e6 + 1e3 + 3 * 8 * 120 * 5);
  EXPECT_EQ(classifier->bytes(example(3), 16), 16 * (96e6 + 1e3));
  EXPECT_EQ(classifier->bytes(example(3), 64), 20 * (96e6 + 1e3));
  // What has no label is not trained on.
  const Dataset data = example(2, 0.25);
  const auto known = static_cast<double>(120 - data.labels->unknown_count());
  EXPECT_EQ(classifier->bytes(data, 1), 1e6 * known + 1e3);
  // Without tuning, threads work together.
  EXPECT_EQ(
      tuned("first", std::make_shared<FirstFeature>(seen), {.folds = 0})->bytes(example(2), 4),
      120e6 + 4e3);
}

// Half of what there is, shared by what is trained at the same time.
TEST(Tuned, OffersMemory) {
  Seen seen;
  const auto classifier = tuned("first", std::make_shared<FirstFeature>(seen), {.memory = 1e9});
  classifier->bytes(example(2), 4);
  EXPECT_EQ(seen.memory, (std::vector<double>{5e8, 5e8 / 4}));
}

/// So many of each class, which the first feature tells.
Dataset few(Index first, Index second) {
  const Dataset all = example(2);
  std::vector<Index> some;
  for (Index n = 0; n < all.instances(); ++n) {
    Index& left = all.labels->of[static_cast<std::size_t>(n)] == 0 ? first : second;
    if (left-- > 0) some.push_back(n);
  }
  return all.select(some);
}

TEST(Tuned, TunesOnAsManyFoldsAsThereAreInstances) {
  Seen seen;
  const auto classifier = tuned("first", std::make_shared<FirstFeature>(seen));
  const Dataset data = few(2, 2);
  classifier->fit(data, 1, {});
  EXPECT_EQ(seen.trained_on, (std::vector<Index>{3, 3, 3, 3, 4}));
  EXPECT_EQ(seen.alone, (std::vector<std::size_t>{1}));
  EXPECT_EQ(classifier->predict(data, 1).label, data.labels->of);
}

TEST(Tuned, TakesTheMiddleOneOfWhatCannotBeTuned) {
  Seen seen;
  const auto classifier = tuned("first", std::make_shared<FirstFeature>(seen));
  const Dataset data = few(1, 3);
  classifier->fit(data, 1, {});
  EXPECT_EQ(seen.trained_on, (std::vector<Index>{4}));
  EXPECT_EQ(seen.alone, (std::vector<std::size_t>{1}));
  EXPECT_TRUE(classifier->predict(data, 1).probability.allFinite());
}

TEST(Tuned, NeedsTwoClasses) {
  Seen seen;
  const auto classifier = tuned("first", std::make_shared<FirstFeature>(seen));
  Dataset data = example(2);
  std::ranges::fill(data.labels->of, 1);
  expect_error<BadData>([&] { classifier->fit(data, 1, {}); }, {"first", "one class"});
  data.labels.reset();
  expect_error<BadData>([&] { classifier->fit(data, 1, {}); }, {"first", "no labels"});
}

TEST(Tuned, CanBeStopped) {
  Seen seen;
  const auto classifier = tuned("first", std::make_shared<FirstFeature>(seen));
  EXPECT_THROW(classifier->fit(example(2), 1, [] { return true; }), Stopped);
}

}  // namespace
}  // namespace m3lak
