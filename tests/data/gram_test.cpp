#include "data/gram.h"

#include <gtest/gtest.h>

#include <cmath>

#include "m3lak/scaling.h"
#include "m3lak/simulate.h"

namespace m3lak {
namespace {

Dataset simulated(double missing = 0) {
  SimulationOptions options;
  options.instances = 30;
  options.views = {4, 6};
  options.missing_views = missing;
  options.missing_cells = missing;
  return simulate(options);
}

View sparse(const View& view) {
  View result = view;
  result.values = SparseMatrix(view.dense().sparseView());
  return result;
}

TEST(Gram, IsThatOfTheRows) {
  Dataset data = simulated(0.1);
  Scaler::fit(data, Scaling::standardize).apply(data);
  const DenseMatrix rows = rows_of(data);
  EXPECT_FALSE(rows.hasNaN());
  const Matrix K = products(data, data);
  EXPECT_TRUE(K.isApprox(Matrix(rows * rows.transpose()), 1e-12));
  EXPECT_TRUE(K.isApprox(
      products(data.views[0], data.views[0]) + products(data.views[1], data.views[1]), 1e-12));
  EXPECT_TRUE(squared_norms(data).isApprox(K.diagonal(), 1e-12));
  const Matrix radial_of_all = radial(K, K.diagonal(), K.diagonal(), 0.7);
  EXPECT_NEAR(radial_of_all(3, 8), std::exp(-0.7 * (rows.row(3) - rows.row(8)).squaredNorm()),
              1e-12);
}

TEST(Gram, OfSparseViewsIsThatOfDenseOnes) {
  Dataset dense = simulated(), thin = dense;
  for (View& view : thin.views) view = sparse(view);
  const Scaler scaler = Scaler::fit(dense, Scaling::standardize);
  scaler.apply(dense);
  scaler.apply(thin);
  const Dataset some_dense = dense.select({3, 4, 5}), some_thin = thin.select({3, 4, 5});
  EXPECT_TRUE(products(thin, some_thin).isApprox(products(dense, some_dense), 1e-10));
  EXPECT_TRUE(rows_of(thin).isApprox(rows_of(dense), 1e-10));
  EXPECT_TRUE(squared_norms(thin).isApprox(squared_norms(dense), 1e-10));
}

}  // namespace
}  // namespace m3lak
