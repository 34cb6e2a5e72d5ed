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
