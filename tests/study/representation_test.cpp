#include "study/representation.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <vector>

#include "m3lak/error.h"
#include "m3lak/simulate.h"
#include "numeric/distributions.h"

namespace m3lak {
namespace {

Matrix normals(Stream& stream, Index rows, Index columns) {
  Matrix values(rows, columns);
  fill_normal(stream, {values.data(), static_cast<std::size_t>(values.size())});
  return values;
}

/// Ridge regression on all but one, for each in turn.
Matrix one_by_one(const Matrix& K, double ridge, const Matrix& Y) {
  Matrix scores(Y.rows(), Y.cols());
  for (Index n = 0; n < K.rows(); ++n) {
    std::vector<Index> others;
    for (Index i = 0; i < K.rows(); ++i) {
      if (i != n) others.push_back(i);
    }
    Matrix A = K(others, others).array() + 1;
    A.diagonal().array() += ridge;
    const Vector k = K(others, n).array() + 1;
    scores.row(n) = k.transpose() * A.llt().solve(Matrix(Y(others, Eigen::all)));
  }
  return scores;
}

TEST(LeaveOneOut, IsWhatTheOthersPredict) {
  Stream stream({.seed = 2});
  const Matrix X = normals(stream, 25, 4), Y = normals(stream, 25, 3);
  const Matrix K = X * X.transpose();
  for (const double ridge : {0.01, 1.0, 30.0}) {
    const Matrix expected = one_by_one(K, ridge, Y);
    EXPECT_TRUE(leave_one_out(K, ridge, Y).isApprox(expected, 1e-9));
    // The comparison sees a ridge that is off by a tenth.
    EXPECT_FALSE(leave_one_out(K, 1.1 * ridge, Y).isApprox(expected, 1e-6));
  }
}

/// Two classes that differ by the sign of the first feature of the first view.
Dataset two_views(Index instances, const Matrix& first, const Matrix& second) {
  Dataset data;
  data.views.resize(2);
  data.views[0].name = "first";
  data.views[0].values = DenseMatrix(first);
  data.views[1].name = "second";
  data.views[1].values = DenseMatrix(second);
  Labels labels{{"a", "b"}, {}};
  for (Index n = 0; n < instances; ++n) labels.of.push_back(first(n, 0) > 0);
  data.labels = labels;
  return data;
}

std::vector<Representation> found(const Dataset& data, int threads = 2) {
  Workers workers(threads);
  return representations(workers, data);
}

TEST(Representations, GiveAViewThatSaysNothingLittleWeight) {
  Stream stream({.seed = 3});
  const Dataset data = two_views(150, normals(stream, 150, 5), 10 * normals(stream, 150, 20));
  const std::vector<Representation> all = found(data);
  ASSERT_EQ(all.size(), 3U);
  for (const Representation& each : all) {
    EXPECT_NEAR(each.variances.sum(), 2, 1e-9);
    EXPECT_GE(each.log_loss, all.front().log_loss);
  }
  EXPECT_GT(all.front().variances[0], 3 * all.front().variances[1]);
}

TEST(Representations, KeepEqualWeightsWhereNothingIsClearlyBetter) {
  Stream stream({.seed = 4});
  const Matrix same = normals(stream, 150, 5);
  for (const Representation& each : found(two_views(150, same, same))) {
    EXPECT_NEAR(each.variances[0], 1, 1e-9);
  }
}

TEST(Representations, SeeThatUnitsDoNotMatter) {
  Stream stream({.seed = 5});
  Matrix first = normals(stream, 150, 12);
  first.rightCols(11) *= 1e3;
  EXPECT_EQ(found(two_views(150, first, normals(stream, 150, 3))).front().scaling,
            Scaling::standardize);
}

TEST(Representations, SeeThatLengthDoesNotMatter) {
  Stream stream({.seed = 6});
  Matrix first = normals(stream, 200, 4), second = normals(stream, 200, 4);
  for (Index n = 0; n < 200; ++n) {
    const double length = std::exp(2 * normal(stream));
    first.row(n) *= length;
    second.row(n) *= length;
  }
  EXPECT_EQ(found(two_views(200, first, second)).front().scaling, Scaling::unit_length);
}

TEST(Representations, AreTheSameForAnyNumberOfThreads) {
  SimulationOptions simulation;
  simulation.instances = 60;
  simulation.views = {4, 5, 6};
  simulation.missing_views = 0.1;
  simulation.missing_cells = 0.1;
  const Dataset data = simulate(simulation);
  const std::vector<Representation> one = found(data, 1), three = found(data, 3);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].scaling, three[i].scaling);
    EXPECT_EQ(one[i].variances, three[i].variances);
    EXPECT_EQ(one[i].width, three[i].width);
    EXPECT_EQ(one[i].ridge, three[i].ridge);
    EXPECT_EQ(one[i].log_loss, three[i].log_loss);
  }
}

TEST(Representations, TakeManyClassesAndViewsWithoutVariance) {
  SimulationOptions simulation;
  simulation.instances = 90;
  Dataset data = simulate(simulation);
  for (std::size_t n = 0; n < 90; ++n) data.labels->of[n] = static_cast<int>(n % 3);
  data.labels->classes = {"a", "b", "c"};
  data.views[0].values = DenseMatrix(DenseMatrix::Ones(90, 3));
  for (const Representation& each : found(data)) {
    EXPECT_TRUE(std::isfinite(each.log_loss));
    EXPECT_TRUE(each.variances.allFinite());
  }
}

TEST(Representations, StopWhenTold) {
  SimulationOptions simulation;
  simulation.instances = 40;
  const Dataset data = simulate(simulation);
  Workers workers(2);
  EXPECT_THROW(representations(workers, data, [] { return true; }), Stopped);
}

}  // namespace
}  // namespace m3lak
