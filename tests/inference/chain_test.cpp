#include "inference/chain.h"

#include <gtest/gtest.h>

#include "inference/diagnostics.h"
#include "m3lak/error.h"
#include "m3lak/scaling.h"
#include "m3lak/simulate.h"
#include "model/rule.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

Problem small_problem(Index instances, double gaps) {
  SimulationOptions simulation;
  simulation.instances = instances;
  simulation.views = {4, 6};
  simulation.latent = 2;
  simulation.missing_views = gaps;
  simulation.missing_cells = gaps;
  simulation.unknown_labels = gaps;
  Dataset data = simulate(simulation);
  Scaler::fit(data, Scaling::standardize).apply(data);
  return prepare(std::move(data));
}

TEST(Chain, TheSameBitsForAnyNumberOfThreads) {
  const Problem problem = small_problem(900, 0.1);
  for (const Sweep sweep : {Sweep::one_by_one, Sweep::together}) {
    Options options;
    options.label_weight = 1;
    options.latent = 112;  // so that the sweep one by one is shared out too
    options.features = 5;
    options.sweep = sweep;
    options.burn_in = 2;
    std::vector<Draw> last;
    for (const int threads : {1, 2, 3}) {
      Workers workers(threads);
      Chain chain(problem, options, workers, 0);
      for (int i = 0; i < 4; ++i) chain.iterate();
      last.push_back(chain.draw());
    }
    for (const Draw& draw : last) {
      EXPECT_EQ(draw.frequencies, last[0].frequencies);
      EXPECT_EQ(draw.weights, last[0].weights);
      EXPECT_EQ(draw.views[1].projection, last[0].views[1].projection);
    }
  }
}

TEST(Chain, LongChainsFromDifferentStartsAgree) {
  if (sanitized) GTEST_SKIP() << "takes longer chains than a sanitizer has time for";
  const Problem problem = small_problem(40, 0);
  Options options;
  options.label_weight = 1;
  options.latent = 2;
  options.features = 4;
  options.C = 0.5;
  options.relevance_shape = options.relevance_rate = 2;
  options.noise_shape = options.noise_rate = 2;
  options.base = Base::isotropic;
  options.base_dof = 10;
  options.base_scale = 7;
  options.burn_in = 2000;
  constexpr int kept = 20000;
  Workers workers(2);
  std::map<std::string, Chains> followed;
  std::vector<std::map<std::string, std::vector<double>>> runs(4);
  workers.run(4, [&](Index number) {
    Workers alone(1);
    Options own = options;
    own.start = number < 2 ? Start::svd : Start::random;
    Chain chain(problem, own, alone, static_cast<int>(number));
    auto& run = runs[static_cast<std::size_t>(number)];
    for (int i = 0; i < options.burn_in + kept; ++i) {
      const TraceRow row = chain.iterate();
      if (i < options.burn_in) continue;
      run["log joint"].push_back(row.log_joint);
      const Draw draw = chain.draw();
      const Rule<double> rule(problem, {rule_draw(draw)});
      Rule<double>::Scored scored;
      rule.score({0, 5, 0, true}, scored);
      for (Index n = 0; n < 5; ++n) run["score " + std::to_string(n)].push_back(scored.f(n, 0));
    }
  });
  for (const auto& run : runs) {
    for (const auto& [name, values] : run) followed[name].push_back(values);
  }
  for (const auto& [name, chains] : followed) EXPECT_LT(r_hat(chains), 1.01) << name;
}

TEST(Chain, WithoutLabelWeightLabelsDoNotReachTheLatents) {
  Problem problem = small_problem(60, 0);
  Options options;
  options.latent = 3;
  options.features = 10;
  options.label_weight = 0;
  // The base of the kernel follows the views, not the labels.
  Workers workers(1);
  std::vector<Matrix> latents;
  for (const double sign : {1.0, -1.0}) {
    problem.y *= sign;
    problem.y.leftCols(20) *= sign;
    Chain chain(problem, options, workers, 0);
    for (int i = 0; i < 5; ++i) chain.iterate();
    latents.push_back(chain.state().H);
  }
  EXPECT_EQ(latents[0], latents[1]);
}

TEST(Chain, StepsAreFrozenAfterBurnIn) {
  const Problem problem = small_problem(60, 0);
  Options options;
  options.label_weight = 1;
  options.latent = 3;
  options.features = 10;
  options.C = 10;
  options.burn_in = 50;
  options.hmc = Hmc::plain;
  Workers workers(1);
  Chain chain(problem, options, workers, 0);
  std::vector<double> steps;
  for (int i = 0; i < 60; ++i) steps.push_back(chain.iterate().frequency_step);
  EXPECT_NE(steps[10], steps[20]);
  for (int i = 51; i < 60; ++i) EXPECT_EQ(steps[static_cast<std::size_t>(i)], steps[50]);
}

TEST(Chain, TheBaseIsFrozenAfterBurnIn) {
  const Problem problem = small_problem(60, 0);
  Options options;
  options.latent = 3;
  options.features = 10;
  options.burn_in = 5;
  Workers workers(1);
  Chain chain(problem, options, workers, 0);
  chain.iterate();
  const Matrix early = chain.base().scale;
  for (int i = 0; i < 4; ++i) chain.iterate();
  const Matrix frozen = chain.base().scale;
  EXPECT_NE(early, frozen);
  for (int i = 0; i < 4; ++i) chain.iterate();
  EXPECT_EQ(chain.base().scale, frozen);
}

TEST(Chain, SaysSoWhenNumbersRunOutOfRange) {
  Problem problem = small_problem(60, 0);
  std::get<DenseMatrix>(problem.views[0].values) *= 1e200;  // squares overflow
  problem.squared_norms[0] = INFINITY;
  Options options;
  options.latent = 3;
  options.features = 10;
  Workers workers(1);
  EXPECT_THROW(
      {
        Chain chain(problem, options, workers, 0);
        for (int i = 0; i < 10; ++i) chain.iterate();
      },
      Error);
}

TEST(Chain, TheAuthorsScheduleIsAvailable) {
  const Problem problem = small_problem(60, 0);
  Options options;
  options.label_weight = 1;
  options.latent = 3;
  options.features = 10;
  options.hmc = Hmc::authors;
  Workers workers(1);
  Chain chain(problem, options, workers, 0);
  EXPECT_DOUBLE_EQ(chain.iterate().latent_step, 1.0 / 101);
  EXPECT_DOUBLE_EQ(chain.iterate().frequency_step, 1.0 / 102);
}

}  // namespace
}  // namespace m3lak
