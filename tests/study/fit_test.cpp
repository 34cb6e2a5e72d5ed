#include <gtest/gtest.h>

#include <Eigen/QR>
#include <atomic>
#include <numeric>

#include "data/expect_error.h"
#include "data/temporary_folder.h"
#include "m3lak/error.h"
#include "m3lak/evaluate.h"
#include "m3lak/model.h"
#include "m3lak/simulate.h"
#include "numeric/random.h"
#include "study/representation.h"

namespace m3lak {
namespace {

Options quick() {
  Options options;
  options.latent = 5;
  options.features = 50;
  options.iterations = 150;
  options.burn_in = 75;
  options.threads = 2;
  options.label_weight = 1;
  options.thin = 1;
  options.scaling = Scaling::standardize;
  options.calibrate = false;
  return options;
}

/// Training and test data of one world.
struct Task {
  Dataset training, test;
  std::vector<int> truth;
};

Task split(const Dataset& data, Index training) {
  std::vector<Index> rows(static_cast<std::size_t>(data.instances()));
  std::iota(rows.begin(), rows.end(), Index{0});
  Task task;
  task.training = data.select({rows.begin(), rows.begin() + training});
  task.test = data.select({rows.begin() + training, rows.end()});
  task.truth = task.test.labels->of;
  task.test.labels.reset();
  return task;
}

Task simulated(Boundary boundary, double noise, Index training, Index latent = 5) {
  SimulationOptions options;
  options.instances = training + 500;
  options.boundary = boundary;
  options.noise = noise;
  options.latent = latent;
  return split(simulate(options), training);
}

double accuracy(const Task& task, const Prediction& prediction) {
  double right = 0;
  for (std::size_t n = 0; n < task.truth.size(); ++n) right += prediction.label[n] == task.truth[n];
  return right / static_cast<double>(task.truth.size());
}

double fitted_accuracy(const Task& task, const Options& options) {
  return accuracy(task, fit(task.training, options).predict(task.test));
}

/// Least squares on all features: the best that a linear rule would do here.
double linear_accuracy(const Task& task) {
  const auto inputs = [](const Dataset& data) {
    Matrix X(data.instances(), data.features() + 1);
    X << data.views[0].dense(), data.views[1].dense(), Matrix::Ones(data.instances(), 1);
    return X;
  };
  Vector y(task.training.instances());
  for (Index n = 0; n < y.size(); ++n) {
    y[n] = task.training.labels->of[static_cast<std::size_t>(n)] == 1 ? 1 : -1;
  }
  const Vector weights = inputs(task.training).colPivHouseholderQr().solve(y);
  const Vector f = inputs(task.test) * weights;
  double right = 0;
  for (Index n = 0; n < f.size(); ++n) {
    right += (f[n] > 0) == (task.truth[static_cast<std::size_t>(n)] == 1);
  }
  return right / static_cast<double>(f.size());
}

TEST(Fit, LearnsARingWhereALinearRuleIsAtChance) {
  const Task task = simulated(Boundary::ring, 0.1, 1000);
  EXPECT_GE(fitted_accuracy(task, quick()), 0.93);
  EXPECT_LT(linear_accuracy(task), 0.6);
}

TEST(Fit, LearnsExclusiveOrWhereALinearRuleIsAtChance) {
  const Task task = simulated(Boundary::exclusive_or, 0.1, 1000);
  EXPECT_GE(fitted_accuracy(task, quick()), 0.93);
  EXPECT_LT(linear_accuracy(task), 0.6);
}

TEST(Fit, IsAtChanceWhereLabelsAreNoise) {
  Task task = simulated(Boundary::linear, 0.5, 300);
  Stream stream({.seed = 4});
  for (int& label : task.training.labels->of) label = static_cast<int>(stream.below(2));
  // 500 coins: a standard deviation is 0.022.
  EXPECT_NEAR(fitted_accuracy(task, quick()), 0.5, 0.11);
}

/// How much the scores of two fits have in common.
double correlation(const Matrix& a, const Matrix& b) {
  const Vector x = a.col(0).array() - a.mean(), y = b.col(0).array() - b.mean();
  return x.dot(y) / (x.norm() * y.norm());
}

TEST(Fit, TheOrderOfTheViewsDoesNotMatter) {
  Task task = simulated(Boundary::ring, 0.2, 400, 2);
  const Prediction before = fit(task.training, quick()).predict(task.test);
  std::swap(task.training.views[0], task.training.views[1]);
  const Model model = fit(task.training, quick());
  const Prediction after = model.predict(task.test);  // whose views are in the old order
  EXPECT_GT(correlation(before.score, after.score), 0.95);
  EXPECT_NEAR(accuracy(task, before), accuracy(task, after), 0.04);
}

TEST(Fit, AViewGivenTwiceDoesNoHarm) {
  Task task = simulated(Boundary::ring, 0.2, 400, 2);
  const Prediction before = fit(task.training, quick()).predict(task.test);
  for (Dataset* data : {&task.training, &task.test}) {
    data->views.push_back(data->views[0]);
    data->views.back().name = "again";
  }
  const Prediction after = fit(task.training, quick()).predict(task.test);
  EXPECT_GT(correlation(before.score, after.score), 0.95);
  EXPECT_NEAR(accuracy(task, before), accuracy(task, after), 0.04);
}

TEST(Fit, SparseAndDenseStorageMeanTheSame) {
  Task task = simulated(Boundary::linear, 0.3, 300);
  Options options = quick();
  const Prediction dense = fit(task.training, options).predict(task.test);
  for (Dataset* data : {&task.training, &task.test}) {
    View& view = data->views[0];
    view.values = SparseMatrix(view.dense().sparseView());
  }
  const Prediction sparse = fit(task.training, options).predict(task.test);
  EXPECT_GT(correlation(dense.score, sparse.score), 0.95);
}

TEST(Fit, CopesWithGapsOfAllKinds) {
  SimulationOptions simulation;
  simulation.instances = 900;
  simulation.views = {10, 12, 8};
  simulation.noise = 0.2;
  simulation.missing_views = 0.3;
  simulation.missing_cells = 0.1;
  simulation.unknown_labels = 0.3;
  Dataset data = simulate(simulation);
  const Task all = split(data, 600);
  Task task = all;
  const Prediction prediction = fit(task.training, quick()).predict(task.test);
  double right = 0, known = 0;
  for (std::size_t n = 0; n < task.truth.size(); ++n) {
    if (task.truth[n] == Labels::unknown) continue;
    right += prediction.label[n] == task.truth[n];
    ++known;
  }
  EXPECT_GT(right / known, 0.85);
  EXPECT_TRUE(prediction.probability.allFinite());
}

TEST(Fit, CopesWithMoreFeaturesThanInstancesAndTheOtherWayRound) {
  SimulationOptions wide;
  wide.instances = 560;
  wide.views = {600, 400};
  wide.noise = 1;
  const Task task = split(simulate(wide), 60);
  EXPECT_GT(fitted_accuracy(task, quick()), 0.8);
  SimulationOptions tall;
  tall.instances = 2500;
  tall.views = {2, 1};
  tall.latent = 2;
  tall.noise = 0.1;
  EXPECT_GT(fitted_accuracy(split(simulate(tall), 2000), quick()), 0.85);
}

TEST(Fit, SeparatesManyClasses) {
  // Four classes: the quadrants of two latent dimensions.
  SimulationOptions simulation;
  simulation.instances = 900;
  simulation.noise = 0.1;
  simulation.latent = 2;
  simulation.boundary = Boundary::exclusive_or;
  Dataset data = simulate(simulation);
  SimulationOptions half = simulation;
  half.boundary = Boundary::linear;
  const Dataset sides = simulate(half);  // the same h, another boundary
  Labels labels;
  labels.classes = {"a", "b", "c", "d"};
  for (std::size_t n = 0; n < 900; ++n) {
    labels.of.push_back(2 * data.labels->of[n] + sides.labels->of[n]);
  }
  data.labels = labels;
  const Task task = split(data, 600);
  const Prediction prediction = fit(task.training, quick()).predict(task.test);
  EXPECT_GT(accuracy(task, prediction), 0.85);
  EXPECT_EQ(prediction.score.cols(), 4);
  EXPECT_TRUE(prediction.probability.rowwise().sum().isApproxToConstant(1, 1e-12));
}

TEST(Fit, ConstantAndEmptyColumnsAreHarmless) {
  Task task = simulated(Boundary::linear, 0.3, 200);
  for (Dataset* data : {&task.training, &task.test}) {
    auto& values = std::get<DenseMatrix>(data->views[0].values);
    values.col(3).setConstant(7);
    values.col(5).setZero();
  }
  EXPECT_GT(fitted_accuracy(task, quick()), 0.8);
}

TEST(Fit, AViewOfZerosIsHarmless) {
  Task task = simulated(Boundary::linear, 0.3, 200);
  for (Dataset* data : {&task.training, &task.test}) {
    std::get<DenseMatrix>(data->views[1].values).setZero();
  }
  EXPECT_GT(fitted_accuracy(task, quick()), 0.8);
}

TEST(Fit, CanBeStopped) {
  const Task task = simulated(Boundary::linear, 0.3, 100);
  int asked = 0;
  Callbacks callbacks;
  callbacks.stop = [&] { return ++asked == 100; };
  const Model model = fit(task.training, quick(), callbacks);
  EXPECT_TRUE(model.stopped_early());
  EXPECT_EQ(model.trace().size(), 100U);
  EXPECT_EQ(model.draws().size(), 25U);

  asked = 80;  // twenty iterations on, in burn-in
  const Model early = fit(task.training, quick(), callbacks);
  EXPECT_EQ(early.draws().size(), 1U);
  EXPECT_EQ(early.predict(task.test).label.size(), 500U);
}

TEST(Fit, TellsItsProgress) {
  const Task task = simulated(Boundary::linear, 0.3, 100);
  Options options = quick();
  options.chains = 2;
  std::vector<Progress> told;
  Callbacks callbacks;
  callbacks.progress = [&](const Progress& progress) { told.push_back(progress); };
  fit(task.training, options, callbacks);
  ASSERT_EQ(told.size(), 300U);
  EXPECT_EQ(told.back().done, 300);
  EXPECT_EQ(told.back().total, 300);
  EXPECT_GT(told.back().last.training_accuracy, 0.7);
}

/// Of 2,000 and 1,000 features, so that a draw takes about 150 KiB.
Task wide_task() {
  SimulationOptions wide;
  wide.instances = 150;
  wide.views = {2000, 1000};
  return split(simulate(wide), 100);
}

Options few_draws_in_memory() {
  Options options = quick();
  options.iterations = 60;
  options.burn_in = 30;
  options.draws_memory = 1;  // MiB
  return options;
}

void expect_same_predictions(const Prediction& a, const Prediction& b) {
  EXPECT_EQ(a.score, b.score);
  EXPECT_EQ(a.spread, b.spread);
  EXPECT_EQ(a.latent, b.latent);
}

TEST(Fit, KeepsInAFileWhatMemoryIsTooSmallFor) {
  const Task task = wide_task();
  Options options = few_draws_in_memory();
  const DrawsPlan plan = plan_draws(task.training, options);
  EXPECT_EQ(plan.thin, 1);
  EXPECT_EQ(plan.draws, 30);
  EXPECT_GT(plan.in_file, 2 << 20);
  EXPECT_LT(plan.in_file, plan.bytes - (1 << 20) + 1);
  const Model model = fit(task.training, options);
  ASSERT_EQ(model.draws().size(), 30U);
  EXPECT_FALSE(model.draws().front().views[0].projection.is_in_file());
  EXPECT_TRUE(model.draws().back().views[0].projection.is_in_file());

  options.draws_memory = 100;
  EXPECT_EQ(plan_draws(task.training, options).in_file, 0);
  const Model in_memory = fit(task.training, options);
  EXPECT_FALSE(in_memory.draws().back().views[0].projection.is_in_file());
  expect_same_predictions(model.predict(task.test), in_memory.predict(task.test));
  expect_same_predictions(model.predict(task.test), in_memory.predict(task.test));  // once more
}

TEST(Fit, ThinsWhereWhatIsNotInMatricesIsTooMuch) {
  Task task = simulated(Boundary::linear, 0.5, 60);
  Options options = quick();
  options.latent = 50;  // five components of 20 KiB a draw
  options.iterations = 130;
  options.burn_in = 30;
  options.draws_memory = 2;
  const DrawsPlan plan = plan_draws(task.training, options);
  EXPECT_EQ(plan.thin, 5);
  EXPECT_EQ(plan.draws, 20);
}

TEST(Fit, GoesOnWithDrawsThatAreInAFile) {
  const TemporaryFolder folder;
  const Task task = wide_task();
  const Options options = few_draws_in_memory();
  const std::string whole = fit(task.training, options).bytes();
  CheckpointPlan plan{folder / "checkpoint"};
  plan.resume = true;
  Callbacks callbacks;
  int left = 55;  // in the middle of the draws
  callbacks.stop = [&] { return --left == 0; };
  EXPECT_TRUE(fit(task.training, options, callbacks, plan).stopped_early());
  const Model model = fit(task.training, options, {}, plan);
  EXPECT_TRUE(model.draws().back().views[0].projection.is_in_file());
  EXPECT_EQ(model.bytes(), whole);
  // When all is done, there is nothing but to read it.
  const Model again = fit(task.training, options, {}, plan);
  EXPECT_TRUE(again.draws().back().views[0].projection.is_in_file());
  EXPECT_EQ(again.bytes(), whole);
}

TEST(Fit, ChoosesC) {
  const Task task = simulated(Boundary::linear, 0.5, 60);
  Options options = quick();
  options.features = 10;
  options.iterations = 40;
  options.burn_in = 20;
  options.C = 0;
  options.tuning_folds = 3;
  int tuned = 0;
  Callbacks callbacks;
  callbacks.progress = [&](const Progress& progress) { tuned += progress.stage == "tuning"; };
  const Model model = fit(task.training, options, callbacks);
  EXPECT_EQ(tuned, 30);
  ASSERT_EQ(model.tried().size(), 10U);
  double best = 0;
  for (const Tried& tried : model.tried()) best = std::max(best, tried.accuracy);
  const auto first = std::ranges::find(model.tried(), best, &Tried::accuracy);
  EXPECT_EQ(model.options().C, first->C);  // the smallest of the best
  for (const Tried& tried : model.tried()) EXPECT_EQ(tried.weight, tried.C == first->C ? 1 : 0);
  // Without calibration, classes meet where the score is 0.
  const Prediction prediction = model.predict(task.test);
  for (Index n = 0; n < 500; ++n) {
    EXPECT_EQ(prediction.label[static_cast<std::size_t>(n)], prediction.score(n, 0) > 0);
  }
}

Options averaging() {
  Options options = quick();
  options.scaling = Scaling::automatic;
  options.calibrate = true;
  options.iterations = 60;
  options.burn_in = 30;
  options.tuning_folds = 3;
  return options;
}

TEST(Fit, AveragesScalings) {
  const Task task = simulated(Boundary::linear, 0.5, 120);
  int tuned = 0, sampled = 0, total = 0;
  Callbacks callbacks;
  callbacks.progress = [&](const Progress& progress) {
    (progress.stage == "tuning" ? tuned : sampled) = progress.done;
    total = progress.total;
  };
  const Model model = fit(task.training, averaging(), callbacks);
  const std::vector<Model> members = model.members();
  EXPECT_EQ(tuned, 6);
  EXPECT_EQ(sampled, 60 * std::ssize(members));
  EXPECT_EQ(total, sampled);
  ASSERT_EQ(model.tried().size(), 2U);
  double tried = 0, sum = 0;
  for (const Tried& each : model.tried()) tried += each.weight;
  EXPECT_NEAR(tried, 1, 1e-9);

  const Prediction whole = model.predict(task.test);
  Matrix probability = Matrix::Zero(500, 2), score = Matrix::Zero(500, 1);
  for (const Model& member : members) {
    EXPECT_LE(member.weight(), members.front().weight());
    EXPECT_NE(member.options().scaling, Scaling::automatic);
    sum += member.weight();
    const Prediction own = member.predict(task.test);
    probability += member.weight() * own.probability;
    score += member.weight() * own.score;
    EXPECT_TRUE(member.members().size() == 1);
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_TRUE(whole.probability.isApprox(probability, 1e-12));
  EXPECT_TRUE(whole.score.isApprox(score, 1e-12));
  for (Index n = 0; n < 500; ++n) {
    EXPECT_EQ(whole.label[static_cast<std::size_t>(n)], probability(n, 1) > 0.5);
  }
}

TEST(Fit, GivesTheWeightToScalingsThatPredict) {
  // Features in small units beside some in large ones that say nothing: to be standardised.
  Task task = simulated(Boundary::linear, 0.3, 200);
  for (Dataset* data : {&task.training, &task.test}) {
    const DenseMatrix small = data->views[0].dense();
    DenseMatrix both(small.rows(), small.cols() + 40);
    both << small, 1e3 * DenseMatrix::Random(small.rows(), 40);
    data->views.resize(1);
    data->views[0].values = both;
    data->views[0].feature_names.clear();
  }
  Options options = averaging();
  options.fits = 6;
  const Model model = fit(task.training, options);
  ASSERT_EQ(model.tried().size(), 6U);
  double weight = 0, worst = 1, best_of_others = 0;
  for (const Tried& tried : model.tried()) {
    if (tried.scaling == Scaling::standardize || tried.scaling == Scaling::root_standardize) {
      weight += tried.weight;
      worst = std::min(worst, tried.accuracy);
    } else {
      best_of_others = std::max(best_of_others, tried.accuracy);
    }
  }
  EXPECT_GT(weight, 0.7);
  EXPECT_GT(worst, best_of_others + 0.1);
  EXPECT_GT(accuracy(task, model.predict(task.test)), 0.8);
}

/// What ridge regression finds best in the training data of a fit with these settings.
Representation best_representation(const Dataset& training, const Options& options) {
  Workers workers(2);
  const Folds folds = stratified_folds(*training.labels, options.tuning_folds, options.seed);
  return representations(workers, training, folds).front();
}

TEST(Fit, FollowsTheRidgeRegressionThatPredictsBest) {
  Options options = averaging();
  options.calibrate = false;
  options.fits = 1;
  options.C = 0.5;
  options.linear_variance = 2;
  options.features = 7;
  bool hardens = false, stays_soft = false, bends = false, stays_straight = false;
  for (const Task& task :
       {simulated(Boundary::ring, 0.1, 120, 2), simulated(Boundary::linear, 0.05, 120, 2),
        simulated(Boundary::linear, 1, 120, 2)}) {
    const Representation best = best_representation(task.training, options);
    const Model model = fit(task.training, options);
    EXPECT_TRUE(model.tried().empty());
    EXPECT_EQ(model.members().size(), 1U);
    const Options& found = model.options();
    EXPECT_EQ(found.scaling, best.scaling);
    EXPECT_EQ(found.C, best.ridge <= 0.01 ? 2.5 : 0.5);
    EXPECT_EQ(found.base_scale, best.width > 0 ? 2 * best.width : options.base_scale);
    EXPECT_EQ(found.features, best.width >= 1 ? 21 : 7);
    // e^{2γ x·y} is 1 + 2γ x·y + … and at most e^{2γ}: how much of what is not constant is linear.
    const double share = best.width > 0 ? 2 * best.width / (std::exp(2 * best.width) - 1) : 1;
    EXPECT_NEAR(found.linear_variance, 2 * share * std::min(1.0, 0.2 / std::sqrt(best.ridge)),
                1e-12);
    (best.ridge <= 0.01 ? hardens : stays_soft) = true;
    (best.width >= 1 ? bends : stays_straight) = true;
  }
  EXPECT_TRUE(hardens && stays_soft && bends && stays_straight) << "not all cases were seen";
}

TEST(Fit, FollowsRidgeRegressionOnlyAsFarAsItMay) {
  const Task task = simulated(Boundary::ring, 0.1, 120, 2);
  Options options = averaging();
  options.calibrate = false;
  options.fits = 1;
  options.C = 0;
  options.iterations = 10;
  options.burn_in = 5;
  const Model chosen = fit(task.training, options);
  for (const Tried& tried : chosen.tried()) EXPECT_LE(tried.C, 10);
  options.C = 0.5;
  options.follow_ridge = false;
  const Model stays = fit(task.training, options);
  EXPECT_EQ(stays.options().C, 0.5);
  EXPECT_EQ(stays.options().base_scale, options.base_scale);
  EXPECT_EQ(stays.options().linear_variance, options.linear_variance);
  EXPECT_EQ(stays.options().features, options.features);
}

TEST(Fit, WeighsViews) {
  // A view that says nothing beside one that says all.
  Task task = simulated(Boundary::linear, 0.3, 200);
  for (Dataset* data : {&task.training, &task.test}) {
    data->views[1].values = DenseMatrix(DenseMatrix::Random(data->instances(), 30));
    data->views[1].feature_names.clear();
  }
  const Model model = fit(task.training, averaging());
  for (const Tried& tried : model.tried()) {
    EXPECT_NEAR(tried.variances.sum(), 2, 1e-9);
    EXPECT_GT(tried.variances[0], 3 * tried.variances[1]);
  }
  EXPECT_GT(accuracy(task, model.predict(task.test)), 0.8);
}

TEST(Fit, LearnsFrequenciesUnlessTheyMayNotMove) {
  const Task task = simulated(Boundary::linear, 0.5, 60);
  Options options = quick();
  options.iterations = 40;
  options.burn_in = 20;
  const auto moved = [&] {
    const Model model = fit(task.training, options);
    return (model.draws().back().frequencies - model.draws().front().frequencies).norm();
  };
  EXPECT_GT(moved(), 0);
  options.frequency_leapfrog = 0;
  EXPECT_EQ(moved(), 0);
}

TEST(Fit, CalibratesProbabilities) {
  const Task task = simulated(Boundary::linear, 1, 400);
  Options options = quick();
  options.features = 20;
  options.C = 0.02;  // scores of a soft margin are small: not sure enough
  const Prediction plain = fit(task.training, options).predict(task.test);
  options.calibrate = true;
  const Prediction fitted = fit(task.training, options).predict(task.test);
  EXPECT_EQ(plain.score, fitted.score);
  const auto log_loss = [&](const Prediction& prediction) {
    return measure(task.truth, prediction.label, prediction.score, prediction.probability).log_loss;
  };
  EXPECT_LT(log_loss(fitted), log_loss(plain));
}

TEST(Fit, AveragesAllAlikeWhereThereIsTooLittleToChooseBy) {
  Task task = simulated(Boundary::linear, 0.3, 30);
  Options options = averaging();
  options.tuning_folds = 20;
  Model model = fit(task.training, options);
  EXPECT_TRUE(model.tried().empty());
  ASSERT_EQ(model.members().size(), 2U);
  EXPECT_DOUBLE_EQ(model.weight(), 0.5);

  // A single member of its class cannot be held out.
  options = averaging();
  std::vector<int>& labels = task.training.labels->of;
  std::fill(labels.begin(), labels.end(), 0);
  labels[7] = 1;
  model = fit(task.training, options);
  EXPECT_TRUE(model.tried().empty());
}

TEST(Fit, ThatIsStoppedKeepsTheFitsThatWereMade) {
  const Task task = simulated(Boundary::linear, 0.5, 30);
  Options options = averaging();
  options.tuning_folds = 20;  // so that there are two fits
  int iterations = 0;
  Callbacks callbacks;
  callbacks.progress = [&](const Progress& progress) { iterations = progress.done; };
  callbacks.stop = [&] { return iterations >= 100; };
  const Model model = fit(task.training, options, callbacks);
  EXPECT_TRUE(model.stopped_early());
  ASSERT_EQ(model.members().size(), 2U);
  EXPECT_EQ(model.members()[1].trace().size(), 40U);
  EXPECT_NEAR(model.members()[0].weight() + model.members()[1].weight(), 1, 1e-12);

  callbacks.stop = [] { return true; };
  EXPECT_THROW(fit(task.training, averaging(), callbacks), Stopped);
}

TEST(Fit, RefusesWhatCannotBeLearned) {
  Task task = simulated(Boundary::linear, 0.5, 50);
  Dataset unlabelled = task.training;
  unlabelled.labels.reset();
  EXPECT_THROW(fit(unlabelled, quick()), BadData);
  Dataset one_class = task.training;
  for (int& label : one_class.labels->of) label = 0;
  EXPECT_THROW(fit(one_class, quick()), BadData);
  Dataset without = task.training;
  without.views[1].absent.assign(50, 1);
  EXPECT_THROW(fit(without, quick()), BadData);
  Options options = quick();
  options.latent = -1;
  EXPECT_THROW(fit(task.training, options), BadUsage);
}

TEST(Predict, AViewThatIsMissingAltogetherIsIntegratedOut) {
  Task task = simulated(Boundary::linear, 0.3, 300);
  const Model model = fit(task.training, quick());
  const double both = accuracy(task, model.predict(task.test));
  task.test.views.pop_back();
  const Prediction one = model.predict(task.test);
  EXPECT_GT(accuracy(task, one), both - 0.1);
  EXPECT_EQ(one.latent.cols(), 5);
}

TEST(Predict, ManyInstancesAreTakenInTurns) {
  SimulationOptions many;
  many.instances = 66'000;
  many.views = {3, 2};
  many.latent = 2;
  many.missing_views = 0.1;
  Dataset data = simulate(many);
  Options options = quick();
  options.latent = 2;
  options.features = 5;
  options.iterations = 12;
  options.burn_in = 10;
  std::vector<Index> first(200), last(600);
  std::iota(first.begin(), first.end(), Index{0});
  std::iota(last.begin(), last.end(), Index{65'400});
  const Model model = fit(data.select(first), options);
  data.labels.reset();
  const Prediction all = model.predict(data, 2), end = model.predict(data.select(last), 2);
  ASSERT_EQ(all.label.size(), 66'000U);
  EXPECT_TRUE(all.score.bottomRows(600).isApprox(end.score, 1e-12));
  EXPECT_TRUE(all.spread.bottomRows(600).isApprox(end.spread, 1e-9));
  EXPECT_TRUE(all.probability.bottomRows(600).isApprox(end.probability, 1e-12));
  EXPECT_TRUE(all.latent.bottomRows(600).isApprox(end.latent, 1e-12));
  EXPECT_TRUE(std::equal(end.label.begin(), end.label.end(), all.label.end() - 600));
}

TEST(Predict, RefusesOtherViews) {
  Task task = simulated(Boundary::linear, 0.3, 50);
  Options options = quick();
  options.iterations = 4;
  options.burn_in = 2;
  const Model model = fit(task.training, options);
  Dataset other = task.test;
  other.views[1].name = "mri";
  EXPECT_THROW(model.predict(other), BadData);
  other = task.test;
  other.views[0].values = DenseMatrix(DenseMatrix::Ones(500, 3));
  EXPECT_THROW(model.predict(other), BadData);
}

TEST(Predict, OrderAndCompanyOfInstancesDoNotMatter) {
  SimulationOptions simulation;
  simulation.instances = 700;
  simulation.missing_views = 0.3;
  simulation.missing_cells = 0.05;
  const Task task = split(simulate(simulation), 100);
  Options options = quick();
  options.iterations = 20;
  options.burn_in = 10;
  const Model model = fit(task.training, options);
  const Prediction all = model.predict(task.test, 1);
  std::vector<Index> reversed(600);
  std::iota(reversed.rbegin(), reversed.rend(), Index{0});
  const Prediction turned = model.predict(task.test.select(reversed), 3);
  for (Index n = 0; n < 600; ++n) {
    EXPECT_NEAR(all.score(n, 0), turned.score(599 - n, 0), 1e-9);
    EXPECT_NEAR(all.spread(n, 0), turned.spread(599 - n, 0), 1e-6);
  }
}

/// Fits, stopped after so many calls of `stop` and each time a few more, until it is done. The last
/// one's bytes.
std::string fit_in_pieces(const Dataset& data, Options options, const CheckpointPlan& plan,
                          int calls) {
  for (int piece = 0; piece < 1000; ++piece) {
    options.threads = 1 + piece % 3;
    std::atomic<int> left = calls + 3 * piece;
    Callbacks callbacks;
    callbacks.stop = [&] { return --left < 0; };
    try {
      const Model model = fit(data, options, callbacks, plan);
      if (!model.stopped_early()) return model.bytes();
    } catch (const Stopped&) {
    }
  }
  ADD_FAILURE() << "never done";
  return "";
}

TEST(Fit, GoesOnFromItsCheckpointToTheSameModel) {
  const Task task = simulated(Boundary::linear, 1, 60);
  Options options = quick();
  options.features = 5;
  options.iterations = 20;
  options.burn_in = 10;
  options.chains = 3;
  Options tuned = options;
  tuned.scaling = Scaling::automatic;
  tuned.calibrate = true;
  tuned.chains = 1;
  for (const Options& each : {options, tuned}) {
    const std::string whole = fit(task.training, each).bytes();
    const TemporaryFolder folder;
    const CheckpointPlan plan{.file = folder.path() / "c", .seconds = 1e9, .resume = true};
    EXPECT_TRUE(fit_in_pieces(task.training, each, plan, 5) == whole);
    // Once more: all is done already.
    int calls = 0;
    Callbacks callbacks;
    callbacks.progress = [&](const Progress&) { ++calls; };
    EXPECT_TRUE(fit(task.training, each, callbacks, plan).bytes() == whole);
    EXPECT_EQ(calls, 0);
  }
}

TEST(Fit, ACheckpointOfOtherDataOrSettingsIsRefused) {
  const Task task = simulated(Boundary::linear, 1, 60);
  Options options = quick();
  options.iterations = 4;
  options.burn_in = 2;
  const TemporaryFolder folder;
  const CheckpointPlan plan{.file = folder.path() / "c", .resume = true};
  fit(task.training, options, {}, plan);
  Options other = options;
  other.C = 3;
  other.seed = 8;
  expect_error<BadData>([&] { fit(task.training, other, {}, plan); },
                        {"C was 2 and is 3", "seed was 1 and is 8"});
  Dataset changed = task.training;
  changed.labels->of[0] = 1 - changed.labels->of[0];
  expect_error<BadData>([&] { fit(changed, options, {}, plan); }, {"labels was"});
  changed = task.training;
  std::get<DenseMatrix>(changed.views[0].values)(1, 1) += 1;
  expect_error<BadData>([&] { fit(changed, options, {}, plan); },
                        {("view '" + changed.views[0].name + "' was").c_str()});
  // Threads do not matter.
  other = options;
  other.threads = 1;
  fit(task.training, other, {}, plan);
}

}  // namespace
}  // namespace m3lak
