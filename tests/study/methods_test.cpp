#include <gtest/gtest.h>

#include <atomic>

#include "data/expect_error.h"
#include "m3lak/error.h"
#include "m3lak/evaluate.h"
#include "m3lak/simulate.h"
#include "m3lak/study.h"

namespace m3lak {
namespace {

Dataset example() {
  SimulationOptions options;
  options.instances = 150;
  options.views = {6, 8};
  options.latent = 3;
  return simulate(options);
}

Options quick() {
  Options options;
  options.latent = 4;
  options.features = 20;
  options.iterations = 60;
  options.burn_in = 40;
  options.scaling = Scaling::standardize;
  options.calibrate = false;
  return options;
}

TEST(M3lakMethod, LearnsTheSameForAnyNumberOfThreads) {
  const Dataset data = example();
  const Evaluation one = evaluate(data, method_of("m3lak", quick()), 3, 1, 1);
  EXPECT_GT(one.mean.accuracy, 0.75);
  for (const int threads : {2, 4}) {  // folds in parallel, then threads inside of each fit
    const Evaluation other = evaluate(data, method_of("m3lak", quick()), 3, 1, threads);
    for (std::size_t fold = 0; fold < 3; ++fold) {
      EXPECT_EQ(one.folds[fold].auc, other.folds[fold].auc);
      EXPECT_EQ(one.folds[fold].log_loss, other.folds[fold].log_loss);
    }
  }
}

TEST(M3lakMethod, StopsInTheMiddleOfAFit) {
  std::atomic<int> asked = 0;
  EvaluateCallbacks callbacks;
  callbacks.stop = [&] { return ++asked > 100; };  // the second fit is under way
  const Evaluation found = evaluate(example(), method_of("m3lak", quick()), 3, 1, 1, callbacks);
  EXPECT_TRUE(found.stopped);
  EXPECT_EQ(found.folds.size(), 1U);
}

TEST(Methods, AllLearn) {
  const Dataset data = example();
  for (const std::string& name : method_names()) {
    if (name == "m3lak-paper") continue;  // the same code, ten times as long
    const Method method = method_of(name, {.options = quick(), .tune = false});
    EXPECT_GT(evaluate(data, method, 3, 1, 2).mean.accuracy, 0.7) << name;
  }
}

TEST(Methods, TakeFewerInstancesThanTheyTuneOn) {
  SimulationOptions options;
  options.instances = 8;
  options.views = {3, 4};
  const NamedData few = {"few", simulate(options)};
  CompareOptions comparison;
  comparison.folds = 2;
  comparison.threads = 2;
  for (const std::string& name : method_names()) {
    if (name.starts_with("m3lak")) continue;
    comparison.methods.push_back({name, name, {}});
  }
  const std::vector<Cell> cells = compare({few}, comparison);
  ASSERT_EQ(cells.size(), 2 * comparison.methods.size());
  for (const Cell& cell : cells) EXPECT_EQ(cell.failure, "") << cell.method;
}

TEST(Methods, ThatDoNotExistAreRefused) {
  expect_error<BadUsage>([] { method_of("svn"); }, {"--method svn", "m3lak|m3lak-paper|bm2smvl"});
}

}  // namespace
}  // namespace m3lak
