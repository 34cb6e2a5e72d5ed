#include "predict/turn.h"

#include <Eigen/SVD>

namespace m3lak {

Matrix turn_into(const Draw& reference, const Draw& draw) {
  const Index m = draw.frequencies.rows();
  Matrix cross = Matrix::Zero(m, m);
  for (std::size_t i = 0; i < draw.views.size(); ++i) {
    cross += reference.views[i].projection.leftCols(m).transpose() *
             draw.views[i].projection.leftCols(m);
  }
  const Eigen::JacobiSVD<Matrix> svd(cross, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

}  // namespace m3lak
