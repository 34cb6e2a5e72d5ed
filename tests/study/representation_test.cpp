#include "study/representation.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <vector>

#include "m3lak/error.h"
#include "m3lak/simulate.h"
#include "numeric/distributions.h"
#include "predict/link.h"

namespace m3lak {
namespace {

Matrix normals(Stream& stream, Index rows, Index columns) {
  Matrix values(rows, columns);
  fill_normal(stream, {values.data(), static_cast<std::size_t>(values.size())});
  return values;
}

TEST(RidgeScores, AreThoseOfTheFeaturesThemselves) {
  Stream stream({.seed = 2});
  const Matrix X = normals(stream, 25, 4), Z = normals(stream, 7, 4), Y = normals(stream, 25, 3);
  for (const double ridge : {0.01, 1.0, 30.0}) {
    // Weights of the features, and of a constant, that are as large as the ridge allows.
    Matrix of_features(25, 5), of_others(7, 5);
    of_features << X, Vector::Ones(25);
    of_others << Z, Vector::Ones(7);
    Matrix A = of_features.transpose() * of_features;
    A.diagonal().array() += ridge;
    const Matrix expected = of_others * A.llt().solve(of_features.transpose() * Y);
    const Matrix own = X * X.transpose(), across = X * Z.transpose();
    EXPECT_TRUE(ridge_scores(own, across, ridge, Y).isApprox(expected, 1e-9));
    // The comparison sees a ridge that is off by a tenth.
    EXPECT_FALSE(ridge_scores(own, across, 1.1 * ridge, Y).isApprox(expected, 1e-6));
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
  return representations(workers, data, stratified_folds(*data.labels, 5, 1));
}

TEST(Representations, GiveAViewThatSaysNothingLittleWeight) {
  Stream stream({.seed = 3});
  const Dataset data = two_views(150, normals(stream, 150, 5), 10 * normals(stream, 150, 20));
  const std::vector<Representation> all = found(data);
  ASSERT_EQ(all.size(), 6U);
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
  const Scaling best = found(two_views(150, first, normals(stream, 150, 3))).front().scaling;
  EXPECT_TRUE(best == Scaling::standardize || best == Scaling::root_standardize) << name_of(best);
}

TEST(Representations, SeeThatLengthDoesNotMatter) {
  Stream stream({.seed = 6});
  Matrix first = normals(stream, 200, 4), second = normals(stream, 200, 4);
  for (Index n = 0; n < 200; ++n) {
    const double length = std::exp(2 * normal(stream));
    first.row(n) *= length;
    second.row(n) *= length;
  }
  const Scaling best = found(two_views(200, first, second)).front().scaling;
  EXPECT_TRUE(row_scaling_of(best).unit_length) << name_of(best);
}

TEST(Representations, SeeThatRootsTellMore) {
  // Classes differ in the small values of a skewed feature.
  Stream stream({.seed = 7});
  Matrix first = normals(stream, 200, 3), second = normals(stream, 200, 3);
  first = first.array().sign() * first.array().abs().pow(6);
  second = second.array().sign() * second.array().abs().pow(6);
  const Scaling best = found(two_views(200, first, second)).front().scaling;
  EXPECT_TRUE(row_scaling_of(best).root) << name_of(best);
}

TEST(Representations, TakeNoRootsOfZerosAndOnes) {
  Stream stream({.seed = 8});
  Matrix first = (normals(stream, 100, 5).array() > 0).cast<double>();
  const Matrix second = (normals(stream, 100, 5).array() > 0).cast<double>();
  Dataset data = two_views(100, first, second);
  data.views[1].values = SparseMatrix(second.sparseView());
  EXPECT_EQ(found(data).size(), 3U);
  first(7, 3) = 2;
  data.views[0].values = DenseMatrix(first);
  EXPECT_EQ(found(data).size(), 6U);
}

/// The log-loss of a representation the long way: views scaled as they would be for a fit, by what
/// is learned from, or, wrongly, by all.
double held_out_loss(const Dataset& data, const Folds& folds, const Representation& found,
                     bool scaled_by_all) {
  Matrix scores(data.instances(), 1);
  for (int fold = 0; fold < folds.count; ++fold) {
    Dataset training = data.select(folds.train(fold)), test = data.select(folds.test(fold));
    const Scaler scaler =
        Scaler::fit(scaled_by_all ? data : training, found.scaling, found.variances);
    scaler.apply(training);
    scaler.apply(test);
    const auto features = [](const Dataset& all) {
      Matrix x(all.instances(), all.features());
      x << all.views[0].dense(), all.views[1].dense();
      return Matrix(x / std::sqrt(2.0));  // which is what both views' variances add up to
    };
    const Matrix X = features(training), Z = features(test);
    const auto kernel = [&](const auto& a, const auto& b) {
      return found.width > 0 ? std::exp(-found.width * (a - b).squaredNorm()) : a.dot(b);
    };
    Matrix own(X.rows(), X.rows()), across(X.rows(), Z.rows()), y(X.rows(), 1);
    for (Index i = 0; i < X.rows(); ++i) {
      for (Index j = 0; j < X.rows(); ++j) own(i, j) = kernel(X.row(i), X.row(j));
      for (Index j = 0; j < Z.rows(); ++j) across(i, j) = kernel(X.row(i), Z.row(j));
      y(i, 0) = 2 * training.labels->of[static_cast<std::size_t>(i)] - 1;
    }
    scores(folds.test(fold), Eigen::all) = ridge_scores(own, across, found.ridge, y);
  }
  return judge(scores, data.labels->of).log_loss;
}

TEST(Representations, AreJudgedByInstancesThatScalingsHaveNotSeen) {
  Stream stream({.seed = 9});
  Matrix first = normals(stream, 60, 40), second = normals(stream, 60, 3);
  first = first.array().pow(3);
  const Dataset data = two_views(60, first, second);
  const Folds folds = stratified_folds(*data.labels, 5, 1);
  bool any_differs = false;
  for (const Representation& each : found(data)) {
    SCOPED_TRACE(name_of(each.scaling));
    EXPECT_NEAR(each.log_loss, held_out_loss(data, folds, each, false), 1e-6);
    any_differs |= std::abs(each.log_loss - held_out_loss(data, folds, each, true)) > 1e-3;
  }
  EXPECT_TRUE(any_differs) << "it would not be seen if scalings were fitted to all";
}

TEST(Refined, AreTheBestAmongTheNeighboursByTheInstancesGiven) {
  Stream stream({.seed = 10});
  Matrix first = normals(stream, 200, 3), second = normals(stream, 200, 4);
  first.col(0) = first.col(0).array().abs() - 0.6;  // and whether a square is large tells more
  Dataset data = two_views(200, first, second);
  const Folds folds = stratified_folds(*data.labels, 5, 1);
  const Vector variances = (Vector(2) << 1.5, 0.5).finished();
  const std::vector<Representation> known = {{Scaling::standardize, variances, 0, 10, 0},
                                             {Scaling::center, variances, 4, 1e-3, 0}};
  Workers workers(2);
  const std::vector<Representation> all = refined(workers, known, data, folds);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_LE(all[0].log_loss, all[1].log_loss);
  for (const Representation& each : all) {
    const bool is_straight = each.scaling == Scaling::standardize;
    EXPECT_TRUE(each.variances.isApprox(variances, 1e-12));
    EXPECT_NEAR(each.log_loss, held_out_loss(data, folds, each, false), 1e-6);
    double least = 1e9;
    for (const double width : is_straight ? std::vector{0.0, 1.0 / 16} : std::vector{1.0, 4.0}) {
      for (const double ridge : {1e-3, 1e-2, 1e-1, 1.0, 10.0}) {
        Representation other = each;
        other.width = width;
        other.ridge = ridge;
        least = std::min(least, held_out_loss(data, folds, other, false));
      }
    }
    EXPECT_NEAR(each.log_loss, least, 1e-6);
  }
}

TEST(Representations, OfViewsThatSayNothingAreOrderedAllTheSame) {
  Dataset data = two_views(60, Matrix::Ones(60, 3), Matrix::Zero(60, 2));
  for (std::size_t n = 0; n < 60; ++n) data.labels->of[n] = static_cast<int>(n % 2);
  const std::vector<Representation> all = found(data);
  EXPECT_EQ(all.size(), 3U);
  Workers workers(2);
  EXPECT_EQ(refined(workers, all, data, stratified_folds(*data.labels, 5, 1)).size(), 3U);
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
  const Folds folds = stratified_folds(*data.labels, 5, 1);
  EXPECT_THROW(representations(workers, data, folds, [] { return true; }), Stopped);
}

}  // namespace
}  // namespace m3lak
