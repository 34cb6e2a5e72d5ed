#include "data/view_algebra.h"

#include "data/dense_view.h"

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

/// work(rows of a dense view), which are converted if the view is kept in another precision.
template <class Value, class Work>
void with_rows(const View& view, Index begin, Index rows, const Work& work) {
  with_dense(view, [&](const auto& values) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(values)>::Scalar, Value>) {
      work(values.middleRows(begin, rows));
    } else {
      work(RowMatrix<Value>(values.middleRows(begin, rows).template cast<Value>()));
    }
  });
}

}  // namespace

// With e the presence and o the offset, X = S - e oᵀ.

DenseMatrix times(const View& view, const DenseMatrix& right) {
  DenseMatrix product = DenseMatrix::Zero(view.instances(), right.cols());
  add_times(view, right, product);
  return product;
}

void add_times(const View& view, const DenseMatrix& right, DenseMatrix& sum) {
  if (view.is_float()) {
    sum += (view.floats() * right.cast<float>()).cast<double>();
  } else if (!view.is_sparse()) {
    sum.noalias() += view.dense() * right;
  } else {
    sum += view.sparse() * right;
    if (view.offset.size() > 0) {
      sum.noalias() -= presence(view) * (view.offset.transpose() * right);
    }
  }
}

DenseMatrix transposed_times(const View& view, const DenseMatrix& left) {
  if (view.is_float()) return (view.floats().transpose() * left.cast<float>()).cast<double>();
  if (!view.is_sparse()) return view.dense().transpose() * left;
  DenseMatrix product = view.sparse().transpose() * left;
  if (view.offset.size() > 0) {
    product.noalias() -= view.offset * (presence(view).transpose() * left);
  }
  return product;
}

template <class Value>
void add_rows_times(const View& view, Index begin, const RowMatrix<Value>& right,
                    RowMatrix<Value>& sum) {
  const Index rows = sum.rows();
  if (!view.is_sparse()) {
    with_rows<Value>(view, begin, rows, [&](const Rows<Value>& X) { add_product(X, right, sum); });
    return;
  }
  for (Index n = 0; n < rows; ++n) {
    for (SparseMatrix::InnerIterator cell(view.sparse(), begin + n); cell; ++cell) {
      sum.row(n) += static_cast<Value>(cell.value()) * right.row(cell.col());
    }
  }
  if (view.offset.size() > 0) {
    const Eigen::RowVectorX<Value> shift =
        view.offset.transpose().template cast<Value>() * right.topRows(view.features());
    sum.rowwise() -= shift;
  }
}

template <class Value>
void add_transposed_times(const View& view, Index begin, const Rows<Value>& left,
                          Eigen::MatrixX<Value>& sum) {
  const Index rows = left.rows();
  if (!view.is_sparse()) {
    with_rows<Value>(view, begin, rows,
                     [&](const Rows<Value>& X) { add_outer<Value>(X, left, false, sum); });
    return;
  }
  for (Index n = 0; n < rows; ++n) {
    for (SparseMatrix::InnerIterator cell(view.sparse(), begin + n); cell; ++cell) {
      sum.row(cell.col()) += static_cast<Value>(cell.value()) * left.row(n);
    }
  }
  if (view.offset.size() > 0) {
    sum.noalias() -= view.offset.template cast<Value>() * left.colwise().sum();
  }
}

template void add_rows_times(const View&, Index, const RowMatrix<double>&, RowMatrix<double>&);
template void add_rows_times(const View&, Index, const RowMatrix<float>&, RowMatrix<float>&);
template void add_transposed_times(const View&, Index, const Rows<double>&, Eigen::MatrixXd&);
template void add_transposed_times(const View&, Index, const Rows<float>&, Eigen::MatrixXf&);

void put_rows(const View& view, Index begin,
              Eigen::Ref<DenseMatrix, 0, Eigen::OuterStride<>> rows) {
  if (!view.is_sparse()) {
    with_dense(view, [&](const auto& values) {
      rows = values.middleRows(begin, rows.rows()).template cast<double>();
    });
    return;
  }
  rows.setZero();
  for (Index n = 0; n < rows.rows(); ++n) {
    for (SparseMatrix::InnerIterator cell(view.sparse(), begin + n); cell; ++cell) {
      rows(n, cell.col()) = cell.value();
    }
  }
  if (view.offset.size() > 0) rows.rowwise() -= view.offset.transpose();
}

double squared_norm(const View& view) {
  if (!view.is_sparse()) {
    return with_dense(view, [](const auto& values) {
      double sum = 0;
      for (Index n = 0; n < values.rows(); ++n) {
        sum += values.row(n).template cast<double>().squaredNorm();
      }
      return sum;
    });
  }
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
