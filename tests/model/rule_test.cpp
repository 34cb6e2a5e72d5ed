#include "model/rule.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "model/plain_features.h"
#include "numeric/distributions.h"
#include "numeric/statistics.h"

namespace m3lak {
namespace {

constexpr Index m = 2, K = 1, N = 6;

Draw made_up_draw() {
  Draw draw;
  for (const Index D : {3, 5}) {
    draw.views.push_back({DenseMatrix(DenseMatrix::Random(D, m + K)), Vector::Ones(m), 2.5});
  }
  draw.frequencies = 1.5 * Matrix::Random(m, 4);
  draw.weights = Matrix::Random(9, 2);
  draw.linear_weights = Matrix::Random(3, 2);
  return draw;
}

/// Some cells and views are missing; the last view is sparse.
Dataset made_up_data() {
  Dataset data;
  data.views.resize(2);
  DenseMatrix first = DenseMatrix::Random(N, 3), second = DenseMatrix::Random(N, 5);
  first(1, 2) = first(4, 0) = first(4, 1) = second(4, 3) = std::nan("");
  first.row(2).setZero();
  second.row(3).setZero();
  data.views[0].values = first;
  data.views[0].absent = {0, 0, 1, 0, 0, 0};
  data.views[1].values = SparseMatrix(second.sparseView());
  data.views[1].absent = {0, 0, 0, 1, 0, 0};
  return data;
}

/// Mean and covariance of h* given the known cells, by one dense Gaussian over all of them.
std::pair<Vector, Matrix> dense_posterior(const Draw& draw, const Dataset& data, Index n) {
  std::vector<double> x;
  std::vector<std::pair<std::size_t, Index>> cells;
  for (std::size_t i = 0; i < 2; ++i) {
    const View& view = data.views[i];
    for (Index d = 0; view.has(n) && d < view.features(); ++d) {
      const double value = view.is_sparse() ? view.sparse().coeff(n, d) : view.dense()(n, d);
      if (std::isnan(value)) continue;
      x.push_back(value);
      cells.emplace_back(i, d);
    }
  }
  const Index count = std::ssize(x);
  Matrix W(count, m), covariance = Matrix::Zero(count, count);
  for (Index a = 0; a < count; ++a) {
    const auto [i, d] = cells[static_cast<std::size_t>(a)];
    W.row(a) = draw.views[i].projection.row(d).head(m);
    for (Index b = 0; b < count; ++b) {
      const auto [j, e] = cells[static_cast<std::size_t>(b)];
      if (i == j) {
        covariance(a, b) =
            draw.views[i].projection.row(d).tail(K).dot(draw.views[i].projection.row(e).tail(K));
      }
    }
    covariance(a, a) += 1 / draw.views[i].noise;
  }
  const Matrix total = W * W.transpose() + covariance;
  const Vector known = Eigen::Map<const Vector>(x.data(), count);
  const Matrix gain = W.transpose() * total.inverse();
  return {gain * known, Matrix::Identity(m, m) - gain * W};
}

/// What missing cells and views add to the coordinates if they are what h makes one expect.
Vector expected_coordinates(const Draw& draw, const Dataset& data, Index n,
                            const std::vector<DenseMatrix>& directions, const Vector& h) {
  Vector sum = Vector::Zero(directions.front().cols());
  for (std::size_t i = 0; i < 2; ++i) {
    const View& view = data.views[i];
    for (Index d = 0; d < view.features(); ++d) {
      const double value = view.is_sparse() ? view.sparse().coeff(n, d) : view.dense()(n, d);
      if (view.has(n) && !std::isnan(value)) continue;
      sum += draw.views[i].projection.row(d).head(m).dot(h) * directions[i].row(d).transpose();
    }
  }
  return sum;
}

TEST(Rule, IsTheExpectationOverTheLatentsGivenWhatIsKnown) {
  const Draw draw = made_up_draw();
  const Dataset data = made_up_data();
  Problem problem = prepare(data);
  problem.coordinates = DenseMatrix::Random(N, 3);
  problem.directions = {DenseMatrix::Random(3, 3), DenseMatrix::Random(5, 3)};
  const Rule<double> rule(problem, {rule_draw(draw)});
  Stream stream({.seed = 14});
  double undamped = 1;
  for (const Segment& segment : problem.segments.front()) {
    Rule<double>::Scored scored;
    rule.score(segment, scored);
    for (Index i = 0; i < segment.size; ++i) {
      const Index n = problem.order[static_cast<std::size_t>(segment.begin + i)];
      const auto [mean, covariance] = dense_posterior(draw, data, n);
      EXPECT_TRUE(scored.h.row(i).head(m).transpose().isApprox(mean, 1e-10)) << n;
      // E[f(h)] by Monte Carlo.
      constexpr Index count = 40000;
      Matrix h(m, count);
      for (double& value : h.reshaped()) value = normal(stream);
      h = (covariance.llt().matrixL() * h).colwise() + mean;
      const Vector coordinates = problem.coordinates.row(segment.begin + i).transpose() +
                                 expected_coordinates(draw, data, n, problem.directions, mean);
      const Vector linear = draw.linear_weights.transpose() * coordinates;
      const Matrix f = plain_scores(draw.frequencies, draw.weights, h).colwise() + linear;
      for (Index c = 0; c < 2; ++c) {
        const Vector row = f.row(c);
        EXPECT_GT(mean_p({row.begin(), row.end()}, scored.f(i, c)), error_rate) << n;
      }
      const double of_mean = plain_scores(draw.frequencies, draw.weights, mean)(0, 0) + linear[0];
      const Vector row = f.row(0);
      undamped = std::min(undamped, mean_p({row.begin(), row.end()}, of_mean));
    }
  }
  // The scores of the means alone, without damping, are others: that would be seen.
  EXPECT_LT(undamped, error_rate);
}

TEST(Rule, HasTheVarianceOfTheLatentsAsTheyAreTurned) {
  const Draw draw = made_up_draw();
  const Dataset data = made_up_data();
  const Problem problem = prepare(data);
  for (const double angle : {0.0, 0.7}) {
    RuleDraw source = rule_draw(draw);
    source.turn = Eigen::Rotation2Dd(angle).toRotationMatrix();
    const Matrix turn = source.turn;
    const Rule<double> rule(problem, {source}, true);
    for (const Segment& segment : problem.segments.front()) {
      Rule<double>::Scored scored;
      rule.score(segment, scored);
      for (Index i = 0; i < segment.size; ++i) {
        const Index n = problem.order[static_cast<std::size_t>(segment.begin + i)];
        const Matrix covariance = dense_posterior(draw, data, n).second;
        const Vector expected = (turn * covariance * turn.transpose()).diagonal();
        EXPECT_TRUE(scored.variance.row(i).transpose().isApprox(expected, 1e-10)) << n;
      }
    }
  }
}

TEST(Rule, DecidesBySignOrByTheLargest) {
  EXPECT_EQ(decide(Vector::Constant(1, 0.1)), 1);
  EXPECT_EQ(decide(Vector::Constant(1, -0.1)), 0);
  EXPECT_EQ(decide((Vector(3) << -3, -1, -2).finished()), 1);
}

}  // namespace
}  // namespace m3lak
