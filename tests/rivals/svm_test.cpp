#include <gtest/gtest.h>

#include <cmath>

#include "data/gram.h"
#include "m3lak/error.h"
#include "m3lak/evaluate.h"
#include "m3lak/scaling.h"
#include "m3lak/simulate.h"
#include "rivals/svm/solver.h"
#include "rivals/svm/svm.h"
#include "study/plain_method.h"

namespace m3lak {
namespace {

Dataset ring(Index instances, double gaps = 0) {
  SimulationOptions options;
  options.instances = instances;
  options.views = {6, 9};
  options.latent = 2;
  options.noise = 0.1;
  options.boundary = Boundary::ring;
  options.missing_views = gaps;
  options.missing_cells = gaps;
  options.unknown_labels = gaps;
  return simulate(options);
}

Dataset scaled(Dataset data) {
  Scaler::fit(data, Scaling::standardize).apply(data);
  return data;
}

/// Six points on a line, and the machine that separates them: w = 1, threshold 0.
TEST(KernelSvm, FindsTheWidestMargin) {
  const Vector x = (Vector(6) << -3, -2, -1, 1, 2, 3).finished();
  KernelSvm machine({0, 0, 0, 1, 1, 1}, 2);
  machine.set_kernel(x * x.transpose());
  const PairMachines trained = machine.train({0, 1, 2, 3, 4, 5}, 1000);
  const Vector at = (Vector(3) << -0.5, 0, 4).finished();
  EXPECT_TRUE(trained.scores(at * x.transpose()).isApprox(at, 1e-3));
  // A part of them: the margin is now between -2 and 3.
  const PairMachines of_part = machine.train({5, 1}, 1000);
  const Vector part = (Vector(2) << 3, -2).finished();
  EXPECT_NEAR(of_part.scores(Matrix::Constant(1, 1, 0.5) * part.transpose())(0), 0, 1e-3);
}

/// Points on a line whose labels alternate: with a large C there is no end to it.
TEST(KernelSvm, SaysWhetherItGaveUp) {
  constexpr int count = 20;
  const Vector x = 5 * Vector::LinSpaced(count, 0, count - 1);
  std::vector<int> labels;
  std::vector<Index> all;
  for (int i = 0; i < count; ++i) {
    labels.push_back(i % 2);
    all.push_back(i);
  }
  KernelSvm machine(labels, 2);
  machine.set_kernel(x * x.transpose());
  EXPECT_FALSE(machine.train(all, 1e6).converged);
  EXPECT_TRUE(machine.train(all, 1e-6).converged);
}

TEST(KernelSvm, SeveralClassesVote) {
  const Matrix x = (Matrix(6, 2) << 0, 5, 0, 6, 5, -5, 6, -5, -5, -5, -6, -5).finished();
  KernelSvm machine({2, 2, 0, 0, 1, 1}, 4);  // nobody is of class 3
  machine.set_kernel(x * x.transpose());
  const PairMachines trained = machine.train({0, 1, 2, 3, 4, 5}, 10);
  const Matrix scores = trained.scores(x * x.transpose());
  for (Index n = 0; n < 6; ++n) {
    Index best;
    scores.row(n).maxCoeff(&best);
    EXPECT_EQ(best, (std::array<Index, 6>{2, 2, 0, 0, 1, 1})[static_cast<std::size_t>(n)]);
    EXPECT_EQ(scores(n, 3), -1);
  }
}

TEST(KernelSvm, OneClassAloneIsAlwaysChosen) {
  KernelSvm machine({1, 1, 0}, 2);
  machine.set_kernel(Matrix::Identity(3, 3));
  EXPECT_GT(machine.train({0, 1}, 1).scores(Matrix::Zero(1, 2))(0), 0);
}

TEST(RowSvm, AgreesWithTheKernels) {
  const Dataset data = scaled(ring(120));
  const DenseMatrix rows = rows_of(data) / 4;
  const std::vector<int>& labels = data.labels->of;
  std::vector<Index> all;
  for (Index n = 0; n < rows.rows(); ++n) all.push_back(n);
  KernelSvm machine(labels, 2);
  const Matrix K = rows * rows.transpose();

  const Matrix of_radial = radial(K, K.diagonal(), K.diagonal(), 0.5);
  machine.set_kernel(of_radial);
  const Matrix by_rows = radial_machine(rows, labels, 2, 0.5, 3)->scores(rows);
  EXPECT_TRUE(machine.train(all, 3).scores(of_radial).isApprox(by_rows, 1e-2));

  // LIBLINEAR shrinks the threshold too: almost the same.
  machine.set_kernel(K);
  const Matrix linear = linear_machine(rows, labels, 2, 1)->scores(rows);
  const Matrix exact = machine.train(all, 1).scores(K);
  Index same = 0;
  for (Index n = 0; n < 120; ++n) same += (linear(n) > 0) == (exact(n) > 0);
  EXPECT_GE(same, 110);
}

TEST(Svm, LearnsWhatIsNotLinear) {
  const Evaluation evaluation = evaluate(ring(300), method_of("svm"), 4, 1);
  EXPECT_GT(evaluation.mean.accuracy, 0.9);
  EXPECT_LT(evaluation.mean.log_loss, 0.35);
  EXPECT_LT(evaluation.mean.calibration_error, 0.15);
}

TEST(Svm, TakesGapsAndUnknownLabels) {
  const Evaluation evaluation = evaluate(ring(300, 0.05), method_of("svm"), 3, 1);
  EXPECT_GT(evaluation.mean.accuracy, 0.8);
}

TEST(Svm, SeveralClassesHaveProbabilities) {
  Dataset data = ring(200);
  data.labels->classes = {"a", "b", "c"};
  for (std::size_t n = 0; n < 200; ++n) {
    const double x = data.views[0].dense()(static_cast<Index>(n), 0);
    data.labels->of[n] = x < -0.5 ? 0 : x < 0.5 ? 1 : 2;
  }
  const Prediction prediction = run(method_of("svm"), data, data);
  ASSERT_EQ(prediction.probability.cols(), 3);
  EXPECT_TRUE(prediction.probability.rowwise().sum().isApproxToConstant(1, 1e-12));
  const Measures measures =
      measure(data.labels->of, prediction.label, prediction.score, prediction.probability);
  EXPECT_GT(measures.accuracy, 0.85);
  EXPECT_LT(measures.log_loss, 0.5);
}

TEST(Svm, MoreInstancesThanItTunesOn) {
  const Dataset data = ring(1000);
  std::vector<Index> training, test;
  for (Index n = 0; n < 1000; ++n) (n % 5 == 0 ? test : training).push_back(n);
  const Dataset tested = data.select(test);
  const Prediction prediction =
      run({"svm", [] { return svm(150); }}, data.select(training), tested);
  const Measures measures =
      measure(tested.labels->of, prediction.label, prediction.score, prediction.probability);
  EXPECT_GT(measures.accuracy, 0.9);
}

TEST(Svm, TunesOnAsManyFoldsAsThereAreInstances) {
  const Dataset data = ring(60);
  std::vector<Index> some;
  for (const int label : {0, 1}) {
    for (Index n = 0, left = 2; left > 0; ++n) {
      if (data.labels->of[static_cast<std::size_t>(n)] != label) continue;
      some.push_back(n);
      --left;
    }
  }
  for (const std::size_t count : {4U, 3U}) {
    some.resize(count);
    const Dataset few = data.select(some);
    const Prediction prediction = run(method_of("svm"), few, data);
    EXPECT_TRUE(prediction.probability.allFinite());
    EXPECT_TRUE(prediction.score.allFinite());
  }
  const Dataset one = data.select({0});
  EXPECT_THROW(run(method_of("svm"), one, data), BadData);
}

TEST(Svm, CanBeStoppedAndNeedsLabels) {
  Dataset data = ring(60);
  EXPECT_THROW(run(method_of("svm"), data, data, 1, [] { return true; }), Stopped);
  data.labels.reset();
  EXPECT_THROW(run(method_of("svm"), data, data), BadData);
}

}  // namespace
}  // namespace m3lak
