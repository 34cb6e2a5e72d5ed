#include "inference/start.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <Eigen/SVD>

#include "m3lak/scaling.h"
#include "m3lak/simulate.h"

namespace m3lak {
namespace {

TEST(Start, FindsTheLeadingSingularVectors) {
  Workers workers(2);
  SimulationOptions simulation;
  simulation.instances = 300;
  simulation.noise = 0.05;
  Dataset data = simulate(simulation);
  data.views[1].values = SparseMatrix(data.views[1].dense().sparseView());
  Scaler::fit(data, Scaling::center).apply(data);
  const Problem problem = prepare(data);
  const Matrix H = singular_vectors(workers, problem, 5, {1, 0, 0});
  ASSERT_EQ(H.cols(), 300);
  EXPECT_TRUE((H * H.transpose() / 300).isApprox(Matrix::Identity(5, 5), 1e-10));

  Matrix all(300, 50);
  all.leftCols(20) = problem.views[0].dense() / std::sqrt(problem.squared_norms[0]);
  all.rightCols(30) =
      (Matrix(problem.views[1].sparse()).rowwise() - problem.views[1].offset.transpose()) /
      std::sqrt(problem.squared_norms[1]);
  const Eigen::JacobiSVD<Matrix> svd(all, Eigen::ComputeThinU);
  // The same space: the projection of one basis on the other keeps its length.
  const Matrix overlap = svd.matrixU().leftCols(5).transpose() * H.transpose() / std::sqrt(300.0);
  EXPECT_NEAR(overlap.squaredNorm(), 5, 1e-6);
}

TEST(Start, CopesWithFewerInstancesThanDimensions) {
  Workers workers(2);
  SimulationOptions simulation;
  simulation.instances = 4;
  const Problem problem = prepare(simulate(simulation));
  const Matrix H = singular_vectors(workers, problem, 10, {1, 0, 0});
  EXPECT_EQ(H.rows(), 10);
  EXPECT_TRUE(H.allFinite());
}

TEST(Start, ChainsStartApart) {
  Workers workers(2);
  SimulationOptions simulation;
  simulation.instances = 50;
  const Problem problem = prepare(simulate(simulation));
  Options options;
  options.latent = 3;
  const Matrix first = starting_latents(workers, problem, options, {1, 0, 0});
  const Matrix second = starting_latents(workers, problem, options, {1, 1, 0});
  EXPECT_GT((first - second).norm(), 3);
  options.start = Start::random;
  EXPECT_FALSE(first.isApprox(starting_latents(workers, problem, options, {1, 0, 0}), 0.1));
}

}  // namespace
}  // namespace m3lak
