#include "data/gram.h"

#include <algorithm>
#include <cmath>

#include "data/dense_view.h"

namespace m3lak {

namespace {

bool is_sparse_and_whole(const View& view) {
  if (!view.is_sparse() || view.absent_count() > 0) return false;
  const SparseMatrix& values = view.sparse();
  return std::none_of(values.valuePtr(), values.valuePtr() + values.nonZeros(),
                      [](double value) { return std::isnan(value); });
}

/// With o the offset: (S - 1 oᵀ)(T - 1 oᵀ)ᵀ.
Matrix sparse_products(const View& x, const View& y) {
  Matrix product = x.sparse() * SparseMatrix(y.sparse().transpose());
  if (x.offset.size() == 0) return product;
  product.colwise() -= x.sparse() * x.offset;
  product.rowwise() -= (y.sparse() * y.offset).transpose();
  product.array() += x.offset.squaredNorm();
  return product;
}

}  // namespace

DenseMatrix rows_of(const View& view) {
  DenseMatrix rows;
  if (view.is_sparse()) {
    rows = view.sparse();
    if (view.offset.size() > 0) rows.rowwise() -= view.offset.transpose();
  } else {
    rows.resize(view.instances(), view.features());
    for_each_dense_block(view, [&](const auto& values, Index begin) {
      rows.middleRows(begin, values.rows()) = values.template cast<double>();
    });
  }
  for (Index n = 0; n < rows.rows(); ++n) {
    if (!view.has(n)) rows.row(n).setZero();
  }
  return rows.unaryExpr([](double value) { return std::isnan(value) ? 0 : value; });
}

Matrix products(const View& x, const View& y) {
  if (is_sparse_and_whole(x) && is_sparse_and_whole(y)) return sparse_products(x, y);
  return rows_of(x) * rows_of(y).transpose();
}

Matrix products(const Dataset& x, const Dataset& y) {
  Matrix sum = Matrix::Zero(x.instances(), y.instances());
  for (std::size_t v = 0; v < x.views.size(); ++v) sum += products(x.views[v], y.views[v]);
  return sum;
}

Vector squared_norms(const Dataset& scaled) {
  Vector sum = Vector::Zero(scaled.instances());
  for (const View& view : scaled.views) {
    if (is_sparse_and_whole(view)) {
      sum += view.sparse().cwiseProduct(view.sparse()) * Vector::Ones(view.features());
      if (view.offset.size() == 0) continue;
      sum -= 2 * (view.sparse() * view.offset);
      sum.array() += view.offset.squaredNorm();
    } else {
      sum += rows_of(view).rowwise().squaredNorm();
    }
  }
  return sum;
}

DenseMatrix rows_of(const Dataset& scaled) {
  Index features = 0;
  for (const View& view : scaled.views) features += view.features();
  DenseMatrix rows(scaled.instances(), features);
  Index first = 0;
  for (const View& view : scaled.views) {
    rows.middleCols(first, view.features()) = rows_of(view);
    first += view.features();
  }
  return rows;
}

Matrix radial(const Matrix& products, const Vector& x_norms, const Vector& y_norms, double gamma) {
  Matrix distances = -2 * products;
  distances.colwise() += x_norms;
  distances.rowwise() += y_norms.transpose();
  return (-gamma * distances.array().max(0)).exp();
}

}  // namespace m3lak
