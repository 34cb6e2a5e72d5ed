#include "rivals/bm2smvl/problem.h"

#include <Eigen/Cholesky>
#include <algorithm>

namespace m3lak::bm2smvl_parts {

namespace {

/// Few enough rows that a block of X stays in cache while it is read twice, and so many that sums
/// over a block cost more than adding them to those of others.
Index rows_a_block(Index instances) { return std::clamp<Index>(instances / 8, 32, 128); }

}  // namespace

Problem make_problem(std::vector<DenseMatrix> views, Vector y) {
  Problem problem;
  Index features = 0;
  for (const DenseMatrix& view : views) {
    problem.views.push_back({features, view.cols()});
    features += view.cols();
  }
  problem.X.resize(y.size(), features);
  problem.squared_norms.resize(std::ssize(views));
  for (std::size_t i = 0; i < views.size(); ++i) {
    const auto [first, count] = problem.views[i];
    problem.squared_norms[static_cast<Index>(i)] = views[i].squaredNorm();
    problem.X.middleCols(first, count) = views[i];
    views[i].resize(0, 0);
  }
  problem.column_sums = problem.X.colwise().sum();
  problem.blocks = {y.size(), rows_a_block(y.size())};
  problem.y = std::move(y);
  return problem;
}

// τ[W - V(I/τ + VᵀV)⁻¹VᵀW]
Matrix weighed_loadings(const Matrix& W, const Matrix& V, double tau) {
  if (V.cols() == 0) return tau * W;
  Matrix inner = V.transpose() * V;
  inner.diagonal().array() += 1 / tau;
  return tau * (W - V * inner.llt().solve(V.transpose() * W));
}

LinearRule rule_without_labels(const Matrix& A, const Matrix& B, const Vector& mu,
                               const Vector& eta) {
  const Index m = A.rows();
  LinearRule rule;
  rule.weights = B * A.llt().solve(eta.head(m));
  rule.intercept = eta[m] - rule.weights.dot(mu);
  return rule;
}

}  // namespace m3lak::bm2smvl_parts
