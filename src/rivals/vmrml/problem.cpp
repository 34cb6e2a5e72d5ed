#include "rivals/vmrml/problem.h"

namespace m3lak {

namespace {

/// L = diag(q) - diag(e) K diag(e).
struct Laplacian {
  Vector q, e;
};

// The kernel itself is the graph, its diagonal included; d are its row sums.
Laplacian laplacian(const Matrix& K, VmrmlOptions::Laplacian kind) {
  const Vector d = K.colwise().sum().transpose();
  if (kind == VmrmlOptions::Laplacian::plain) return {d, Vector::Ones(d.size())};
  return {Vector::Ones(d.size()), d.cwiseSqrt().cwiseInverse()};
}

/// K diag(e) K. It is symmetric: half of it is computed, the other half copied.
void symmetric_product(Workers& workers, const Matrix& K, const Vector& e,
                       Eigen::Ref<Matrix> product) {
  const Blocks blocks{K.cols(), vmrml_columns_a_block};
  for_each_block(workers, blocks, [&](const Block& block) {
    const Index below = K.rows() - block.begin;
    const Matrix right = e.asDiagonal() * K.middleCols(block.begin, block.size);
    product.block(block.begin, block.begin, below, block.size).noalias() =
        K.bottomRows(below) * right;
  });
  for_each_block(workers, blocks, [&](const Block& block) {
    product.block(0, block.begin, block.begin, block.size) =
        product.block(block.begin, 0, block.size, block.begin).transpose();
  });
}

}  // namespace

void view_system(Workers& workers, const VmrmlProblem& problem, const Matrix& K,
                 Eigen::Ref<Matrix> T) {
  const double between = problem.l_gB() * static_cast<double>(problem.views());
  const double within = problem.l_gW();
  Laplacian L;
  if (within > 0) {
    L = laplacian(K, problem.options.laplacian);
    symmetric_product(workers, K, L.e, T);
  }
  for_each_block(workers, {K.cols(), vmrml_columns_a_block}, [&](const Block& block) {
    const auto of_K = K.middleCols(block.begin, block.size);
    auto of_T = T.middleCols(block.begin, block.size);
    if (within > 0) {
      // L K = diag(q) K - diag(e) (K diag(e) K)
      const Vector q = between + within * L.q.array(), e = within * L.e;
      of_T = q.asDiagonal() * of_K - e.asDiagonal() * of_T;
    } else {
      of_T = between * of_K;
    }
  });
  T.diagonal().array() += problem.l_gA();
}

}  // namespace m3lak
