#include "data/view_algebra.h"

namespace m3lak {

namespace {

/// 1 for instances that have the view, 0 for those that lack it.
Vector presence(const View& view) {
  Vector present = Vector::Ones(view.instances());
  for (Index n = 0; n < view.instances(); ++n) {
    if (!view.has(n)) present[n] = 0;
  }
  return present;
}

}  // namespace

// With e the presence and o the offset, X = S - e oᵀ.

DenseMatrix times(const View& view, const DenseMatrix& right) {
  if (!view.is_sparse()) return view.dense() * right;
  DenseMatrix product = view.sparse() * right;
  if (view.offset.size() > 0) {
    product.noalias() -= presence(view) * (view.offset.transpose() * right);
  }
  return product;
}

DenseMatrix transposed_times(const View& view, const DenseMatrix& left) {
  if (!view.is_sparse()) return view.dense().transpose() * left;
  DenseMatrix product = view.sparse().transpose() * left;
  if (view.offset.size() > 0) {
    product.noalias() -= view.offset * (presence(view).transpose() * left);
  }
  return product;
}

Eigen::MatrixXd rows_times(const View& view, Index begin, Index rows, const DenseMatrix& right) {
  Eigen::MatrixXd product(right.cols(), rows);
  if (!view.is_sparse()) {
    product.noalias() = right.transpose() * view.dense().middleRows(begin, rows).transpose();
    return product;
  }
  product.setZero();
  for (Index n = 0; n < rows; ++n) {
    for (SparseMatrix::InnerIterator cell(view.sparse(), begin + n); cell; ++cell) {
      product.col(n) += cell.value() * right.row(cell.col()).transpose();
    }
  }
  if (view.offset.size() > 0) {
    const Vector shift = right.transpose() * view.offset;
    product.colwise() -= shift;
  }
  return product;
}

void add_transposed_times(const View& view, Index begin, const Eigen::MatrixXd& left,
                          DenseMatrix& sum) {
  const Index rows = left.cols();
  if (!view.is_sparse()) {
    sum.noalias() += view.dense().middleRows(begin, rows).transpose() * left.transpose();
    return;
  }
  for (Index n = 0; n < rows; ++n) {
    for (SparseMatrix::InnerIterator cell(view.sparse(), begin + n); cell; ++cell) {
      sum.row(cell.col()) += cell.value() * left.col(n).transpose();
    }
  }
  if (view.offset.size() > 0) {
    sum.noalias() -= view.offset * left.rowwise().sum().transpose();
  }
}

double squared_norm(const View& view) {
  if (!view.is_sparse()) return view.dense().squaredNorm();
  if (view.offset.size() == 0) return view.sparse().squaredNorm();
  // Σ (s - o)² over all cells of present rows; those not stored add o² each.
  const auto present = static_cast<double>(view.instances() - view.absent_count());
  double sum = present * view.offset.squaredNorm();
  for (Index n = 0; n < view.instances(); ++n) {
    for (SparseMatrix::InnerIterator cell(view.sparse(), n); cell; ++cell) {
      sum += cell.value() * (cell.value() - 2 * view.offset[cell.col()]);
    }
  }
  return sum;
}

}  // namespace m3lak
