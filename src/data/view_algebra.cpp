#include "data/view_algebra.h"

#include "data/dense_view.h"
#include "numeric/pieces.h"

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
  with_dense_rows(view, begin, rows, [&](const auto& values) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(values)>::Scalar, Value>) {
      work(values);
    } else {
      work(RowMatrix<Value>(values.template cast<Value>()));
    }
  });
}

/// The two products with all rows of a dense view, block by block: the view may be in a file.
template <class Value>
void add_dense_times(const View& view, const RowMatrix<Value>& right, DenseMatrix& sum) {
  for_each_dense_block(view, [&](const auto& rows, Index begin) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(rows)>::Scalar, Value>) {
      sum.middleRows(begin, rows.rows()) += (rows * right).template cast<double>();
    }
  });
}

template <class Value>
DenseMatrix dense_transposed_times(const View& view, const DenseMatrix& left) {
  DenseMatrix sum = DenseMatrix::Zero(view.features(), left.cols());
  for_each_dense_block(view, [&](const auto& rows, Index begin) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(rows)>::Scalar, Value>) {
      const RowMatrix<Value> part = left.middleRows(begin, rows.rows()).template cast<Value>();
      sum += (rows.transpose() * part).template cast<double>();
    }
  });
  return sum;
}

/// A few columns of Sᵀ·left at once: what they are added to stays in cache, column by column.
constexpr int columns_at_once = 8;

template <int columns, class Value>
void add_cells(const SparseMatrix& cells, Index begin, const Rows<Value>& left, Index column,
               Eigen::MatrixX<Value>& sum) {
  Value* out[columns];
  for (int k = 0; k < columns; ++k) out[k] = sum.col(column + k).data();
  for (Index n = 0; n < left.rows(); ++n) {
    const Value* row = left.data() + n * left.outerStride() + column;
    for (SparseMatrix::InnerIterator cell(cells, begin + n); cell; ++cell) {
      const auto value = static_cast<Value>(cell.value());
      for (int k = 0; k < columns; ++k) out[k][cell.col()] += value * row[k];
    }
  }
}

/// In an order that does not depend on where the row lies in memory, as Eigen's would.
template <class Row>
double sum_of_squares(const Row& row) {
  constexpr Index lanes = 8;
  double sums[lanes] = {};
  for (Index d = 0; d < row.size(); ++d) {
    const auto value = static_cast<double>(row[d]);
    sums[d % lanes] += value * value;
  }
  return Eigen::Map<const Eigen::Matrix<double, lanes, 1>>(sums).sum();
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
    add_dense_times<float>(view, right.cast<float>(), sum);
  } else if (!view.is_sparse()) {
    add_dense_times<double>(view, right, sum);
  } else {
    sum += view.sparse() * right;
    if (view.offset.size() > 0) {
      sum.noalias() -= presence(view) * (view.offset.transpose() * right);
    }
  }
}

DenseMatrix transposed_times(const View& view, const DenseMatrix& left) {
  if (view.is_float()) return dense_transposed_times<float>(view, left);
  if (!view.is_sparse()) return dense_transposed_times<double>(view, left);
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
  in_pieces<columns_at_once>(left.cols(), [&](Index column, auto columns) {
    add_cells<columns()>(view.sparse(), begin, left, column, sum);
  });
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
    with_dense_rows(view, begin, rows.rows(),
                    [&](const auto& values) { rows = values.template cast<double>(); });
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

double squared_norm(const View& view, Index begin, Index rows) {
  if (!view.is_sparse()) {
    double sum = 0;
    with_dense_rows(view, begin, rows, [&](const auto& values) {
      for (Index n = 0; n < values.rows(); ++n) sum += sum_of_squares(values.row(n));
    });
    return sum;
  }
  // Σ (s - o)²; cells that are not stored add o² each.
  const bool centred = view.offset.size() > 0;
  double sum = centred ? static_cast<double>(rows) * view.offset.squaredNorm() : 0;
  for (Index n = begin; n < begin + rows; ++n) {
    for (SparseMatrix::InnerIterator cell(view.sparse(), n); cell; ++cell) {
      const double twice = centred ? 2 * view.offset[cell.col()] : 0;
      sum += cell.value() * (cell.value() - twice);
    }
  }
  return sum;
}

}  // namespace m3lak
