#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/expect_error.h"
#include "m3lak/error.h"
#include "m3lak/evaluate.h"
#include "m3lak/simulate.h"
#include "study/plain_method.h"

namespace m3lak {
namespace {

Prediction predicted(const Dataset& training, const Dataset& test) {
  return m3lak::run(method_of("nearest-mean"), training, test);
}

/// Two views of `classes` classes, with missing views, cells and labels. Many values are zero.
Dataset gappy(int classes) {
  SimulationOptions options;
  options.instances = 90;
  options.views = {4, 3};
  options.missing_views = 0.2;
  options.missing_cells = 0.1;
  options.unknown_labels = 0.1;
  Dataset data = simulate(options);
  for (View& view : data.views) {
    for (double& value : std::get<DenseMatrix>(view.values).reshaped()) {
      if (std::abs(value) < 0.5) value = 0;
    }
  }
  if (classes == 3) {
    data.labels->classes = {"1", "2", "3"};
    for (std::size_t n = 0; n < data.labels->of.size(); n += 3) data.labels->of[n] = 2;
  }
  return data;
}

Dataset as_sparse(Dataset data) {
  for (View& view : data.views) view.values = SparseMatrix(view.dense().sparseView());
  return data;
}

/// Mean squared distance of each instance of `test` to the means of the classes of `training`, by
/// the definition.
Matrix brute_distances(Dataset training, Dataset test) {
  const Scaler scaler = Scaler::fit(training, Scaling::standardize);
  scaler.apply(training);
  scaler.apply(test);
  const auto classes = static_cast<Index>(training.labels->classes.size());
  Matrix distances(test.instances(), classes);
  for (Index n = 0; n < test.instances(); ++n) {
    for (Index c = 0; c < classes; ++c) {
      double sum = 0, cells = 0;
      for (std::size_t v = 0; v < test.views.size(); ++v) {
        if (!test.views[v].has(n)) continue;
        for (Index d = 0; d < test.views[v].features(); ++d) {
          const double x = test.views[v].dense()(n, d);
          if (std::isnan(x)) continue;
          double mean = 0, known = 0;
          for (Index i = 0; i < training.instances(); ++i) {
            const double value = training.views[v].dense()(i, d);
            const bool counts = training.views[v].has(i) && !std::isnan(value) &&
                                training.labels->of[static_cast<std::size_t>(i)] == c;
            if (!counts) continue;
            mean += value;
            ++known;
          }
          mean /= std::max(known, 1.0);
          sum += (x - mean) * (x - mean);
          ++cells;
        }
      }
      distances(n, c) = cells > 0 ? sum / cells : 0;
    }
  }
  return distances;
}

TEST(NearestMean, FollowsItsDefinitionInDenseAndSparseViews) {
  for (const int classes : {2, 3}) {
    const Dataset data = gappy(classes);
    const Matrix distances = brute_distances(data, data);
    for (const Dataset& form : {data, as_sparse(data)}) {
      const Prediction found = predicted(form, form);
      const Matrix score =
          classes == 2 ? Matrix(distances.col(0) - distances.col(1)) : Matrix(-distances);
      EXPECT_TRUE(found.score.isApprox(score, 1e-10));
      for (Index n = 0; n < distances.rows(); ++n) {
        Index nearest = 0;
        distances.row(n).minCoeff(&nearest);
        EXPECT_EQ(found.label[static_cast<std::size_t>(n)], nearest);
        EXPECT_NEAR(found.probability.row(n).sum(), 1, 1e-12);
        EXPECT_NEAR(std::log(found.probability(n, 0) / found.probability(n, 1)),
                    (distances(n, 1) - distances(n, 0)) / 2, 1e-9);
      }
    }
  }
}

TEST(NearestMean, HasFiniteProbabilitiesForWhatIsUnknownAltogether) {
  const Dataset data = gappy(3);
  Dataset test = data.select({0});
  for (View& view : test.views) {
    view.absent = {1};
    std::get<DenseMatrix>(view.values).setZero();
  }
  const Prediction found = predicted(data, test);
  EXPECT_TRUE(found.probability.isApprox(Matrix::Constant(1, 3, 1.0 / 3)));
}

TEST(NearestMean, NeverChoosesAClassWithoutMembers) {
  Dataset training = gappy(3);
  for (int& label : training.labels->of) label = label == 0 ? Labels::unknown : label;
  const Prediction found = predicted(training, training);
  EXPECT_TRUE((found.probability.col(0).array() == 0).all());
  EXPECT_FALSE(found.probability.hasNaN());
  for (const int label : found.label) EXPECT_NE(label, 0);
}

TEST(NearestMean, NeedsLabels) {
  Dataset data = gappy(2);
  std::fill(data.labels->of.begin(), data.labels->of.end(), Labels::unknown);
  expect_error<BadData>([&] { predicted(data, data); }, {"no labels"});
  data.labels.reset();
  expect_error<BadData>([&] { predicted(data, data); }, {"no labels"});
}

}  // namespace
}  // namespace m3lak
