#include "m3lak/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <set>
#include <thread>

#include "data/expect_error.h"
#include "m3lak/error.h"
#include "m3lak/folds.h"
#include "m3lak/simulate.h"
#include "numeric/clock.h"
#include "numeric/memory.h"
#include "study/plain_method.h"

namespace m3lak {
namespace {

Dataset example() {
  SimulationOptions options;
  options.instances = 120;
  options.views = {5, 6};
  options.unknown_labels = 0.1;
  return simulate(options);
}

/// Says the second class always, with certainty.
Prediction second_class(const Dataset& test) {
  const Index count = test.instances();
  Prediction prediction;
  prediction.label.assign(static_cast<std::size_t>(count), 1);
  prediction.score = Matrix::Ones(count, 1);
  prediction.probability = Matrix::Zero(count, 2);
  prediction.probability.col(1).setOnes();
  return prediction;
}

void expect_same(const Measures& a, const Measures& b) {
  EXPECT_EQ(a.accuracy, b.accuracy);
  EXPECT_EQ(a.balanced_accuracy, b.balanced_accuracy);
  EXPECT_EQ(a.auc, b.auc);
  EXPECT_EQ(a.log_loss, b.log_loss);
  EXPECT_EQ(a.calibration_error, b.calibration_error);
}

TEST(Evaluate, ShowsNoLabelsOfTheTestAndAllClassesOfTheTraining) {
  Dataset data = example();
  data.labels->classes = {"1", "2", "nobody"};
  std::mutex mutex;
  std::vector<Index> tested;
  const Method method =
      plain_method("spy", [&](const Dataset& training, const Dataset& test, int, const auto&) {
        const std::lock_guard lock(mutex);
        EXPECT_FALSE(test.labels.has_value());
        EXPECT_EQ(training.labels->classes, data.labels->classes);
        EXPECT_EQ(training.instances() + test.instances(), data.instances());
        tested.push_back(test.instances());
        Prediction prediction = second_class(test);
        prediction.probability.conservativeResize(Eigen::NoChange, 3);
        prediction.probability.col(2).setZero();
        return prediction;
      });
  evaluate(data, method, 4, 1);
  Index sum = 0;
  for (const Index count : tested) sum += count;
  EXPECT_EQ(sum, data.instances() - data.labels->unknown_count());
}

TEST(Evaluate, DoesNotDependOnThreads) {
  const Dataset data = example();
  const Evaluation one = evaluate(data, method_of("nearest-mean"), 5, 7, 1);
  EXPECT_GT(one.mean.accuracy, 0.6);
  ASSERT_EQ(one.folds.size(), 5U);
  for (const int threads : {2, 5, 8}) {
    const Evaluation many = evaluate(data, method_of("nearest-mean"), 5, 7, threads);
    for (std::size_t fold = 0; fold < 5; ++fold) expect_same(one.folds[fold], many.folds[fold]);
    expect_same(one.mean, many.mean);
    expect_same(one.deviation, many.deviation);
  }
}

TEST(Evaluate, SharesThreadsOut) {
  const auto threads_seen = [](int folds, int threads) {
    std::mutex mutex;
    std::set<int> seen;
    const Method method =
        plain_method("spy", [&](const auto&, const Dataset& test, int given, const auto&) {
          const std::lock_guard lock(mutex);
          seen.insert(given);
          return second_class(test);
        });
    evaluate(example(), method, folds, 1, threads);
    return seen;
  };
  EXPECT_EQ(threads_seen(4, 4), (std::set<int>{1}));
  EXPECT_EQ(threads_seen(4, 6), (std::set<int>{6}));
}

/// Says that it needs most of the memory, and looks whether others are at work meanwhile.
class Large : public Classifier {
 public:
  explicit Large(std::atomic<int>& at_work) : at_work_(at_work) {}

  double bytes(const Dataset&, int) const override { return 0.7 * available_memory(); }
  void fit(const Dataset&, int, const std::function<bool()>&) override {
    EXPECT_EQ(at_work_++, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    --at_work_;
  }
  Prediction predict(const Dataset& data, int) const override { return second_class(data); }

 private:
  std::atomic<int>& at_work_;
};

TEST(Evaluate, WhatIsTooLargeTogetherRunsOneAfterTheOther) {
  std::atomic<int> at_work = 0;
  const Method method = {"large", [&] { return std::make_unique<Large>(at_work); }};
  const Clock clock;
  const Evaluation evaluation = evaluate(example(), method, 6, 1, 3);
  const double passed = clock.seconds();
  EXPECT_EQ(evaluation.folds.size(), 6U);
  double sum = 0;  // of three at a time, if waiting were counted
  for (const Measures& fold : evaluation.folds) sum += fold.seconds;
  EXPECT_LE(sum, passed);
}

/// Finds too little memory unless it is alone.
class Refusing : public Large {
 public:
  explicit Refusing(std::atomic<int>& at_work) : Large(at_work), at_work_(at_work) {}

  double bytes(const Dataset&, int) const override { return 1e6; }
  void fit(const Dataset&, int, const std::function<bool()>&) override {
    const bool is_alone = at_work_++ == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    --at_work_;
    if (!is_alone) throw TooLarge("others have it");
  }

 private:
  std::atomic<int>& at_work_;
};

TEST(Evaluate, WhatFitsAloneIsNotRefusedBecauseOfOthers) {
  std::atomic<int> at_work = 0;
  const Method method = {"refusing", [&] { return std::make_unique<Refusing>(at_work); }};
  EXPECT_EQ(evaluate(example(), method, 6, 1, 3).folds.size(), 6U);
}

TEST(Evaluate, SumsUpTheFolds) {
  const Dataset data = example();
  const Evaluation found = evaluate(data, method_of("nearest-mean"), 3, 2);
  double mean = 0, variance = 0;
  for (const Measures& fold : found.folds) mean += fold.accuracy / 3;
  for (const Measures& fold : found.folds) variance += std::pow(fold.accuracy - mean, 2) / 2;
  EXPECT_DOUBLE_EQ(found.mean.accuracy, mean);
  EXPECT_NEAR(found.deviation.accuracy, std::sqrt(variance), 1e-12);
  EXPECT_FALSE(found.stopped);
  EXPECT_GT(found.seconds, 0);
  EXPECT_GT(found.mean.seconds, 0);
  double tested = 0, right = 0;
  for (const Reliability::Bin& bin : found.reliability.bins) {
    tested += bin.instances;
    right += bin.right;
  }
  const auto unknown = std::ranges::count(data.labels->of, Labels::unknown);
  ASSERT_GT(unknown, 0);
  EXPECT_EQ(tested, static_cast<double>(data.instances() - unknown));
  EXPECT_NEAR(right / tested, mean, 0.01);  // folds differ in size by an instance or two
}

TEST(Evaluate, MeasuresWhatWasTested) {
  const Dataset data = example();
  const Method method = plain_method("second", [](const auto&, const Dataset& test, int,
                                                  const auto&) { return second_class(test); });
  const Evaluation found = evaluate(data, method, 6, 3);
  const Folds folds = stratified_folds(*data.labels, 6, 3);
  for (int fold = 0; fold < 6; ++fold) {
    double right = 0;
    const auto tested = folds.test(fold);
    for (const Index n : tested) right += data.labels->of[static_cast<std::size_t>(n)] == 1;
    EXPECT_DOUBLE_EQ(found.folds[static_cast<std::size_t>(fold)].accuracy,
                     right / static_cast<double>(tested.size()));
  }
}

TEST(Evaluate, ReportsProgressInOrder) {
  for (const int threads : {1, 3}) {
    std::vector<int> seen;
    EvaluateCallbacks callbacks;
    callbacks.progress = [&](int done, int total) {
      seen.push_back(done);
      EXPECT_EQ(total, 4);
    };
    evaluate(example(), method_of("nearest-mean"), 4, 1, threads, callbacks);
    EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 4}));
  }
}

TEST(Evaluate, StopsBetweenFolds) {
  int finished = 0;
  EvaluateCallbacks callbacks;
  callbacks.progress = [&](int done, int) { finished = done; };
  callbacks.stop = [&] { return finished == 2; };
  const Evaluation found = evaluate(example(), method_of("nearest-mean"), 5, 1, 1, callbacks);
  EXPECT_TRUE(found.stopped);
  EXPECT_EQ(found.folds.size(), 2U);
  EXPECT_FALSE(std::isnan(found.mean.accuracy));
}

TEST(Evaluate, StopsInsideOfAFoldAndLeavesItOut) {
  std::atomic<int> asked = 0;
  EvaluateCallbacks callbacks;
  callbacks.stop = [&] { return ++asked > 10; };
  for (const bool throws : {false, true}) {
    asked = 0;
    const Method slow =
        plain_method("slow", [&](const auto&, const Dataset& test, int, const auto& stop) {
          for (int i = 0; i < 6; ++i) {
            if (!stop()) continue;
            if (throws) throw Stopped("nothing was drawn yet");
            break;
          }
          return second_class(test);
        });
    const Evaluation found = evaluate(example(), slow, 5, 1, 1, callbacks);
    EXPECT_TRUE(found.stopped);
    EXPECT_EQ(found.folds.size(), 1U);
  }
}

TEST(Evaluate, PassesOnWhatAMethodThrows) {
  const Method broken =
      plain_method("broken", [](const auto&, const auto&, int, const auto&) -> Prediction {
        throw BadUsage("no such thing");
      });
  expect_error<BadUsage>([&] { evaluate(example(), broken, 3, 1); }, {"no such thing"});
}

TEST(Evaluate, SaysWhereAClassIsNotTested) {
  Dataset data = example();
  int left = 2;
  for (int& label : data.labels->of) {
    if (label == 1 && left-- <= 0) label = 0;
  }
  const Evaluation found = evaluate(data, method_of("nearest-mean"), 4, 1);
  ASSERT_EQ(found.notes.size(), 2U);
  EXPECT_NE(found.notes[1].find("2 fold(s) have no AUC"), std::string::npos) << found.notes[1];
  EXPECT_FALSE(std::isnan(found.mean.auc));
}

TEST(Evaluate, NeedsLabels) {
  Dataset data = example();
  data.labels.reset();
  expect_error<BadData>([&] { evaluate(data, method_of("nearest-mean"), 3, 1); }, {"no labels"});
}

}  // namespace
}  // namespace m3lak
