// Gaussian kernels of the training instances, one a view, column by column: kept whole, or computed
// when they are needed. Both are the same numbers to the last bit, so that results do not depend on
// how much memory there is.
#pragma once

#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "m3lak/model.h"
#include "numeric/parallel.h"
#include "numeric/products.h"

namespace m3lak::med {

/// Squared distances between instances of one view. Each is one and the same number, however many
/// are asked for at once.
class Distances {
 public:
  /// `rows` must outlive it.
  explicit Distances(const DenseMatrix& rows);

  /// Of a block of instances to these: one row an instance of the block, and maybe columns more.
  RowMatrix<double> operator()(const Block& block, std::span<const Index> to) const;

  /// Of all pairs.
  Matrix all(Workers& workers) const;

 private:
  const DenseMatrix& rows_;
  Vector squared_norms_;
};

/// exp(-d²/(2 width²)) of all squared distances.
Matrix kernel(Workers& workers, const Matrix& squared_distances, double width);

class Kernels {
 public:
  using Column = Eigen::Map<const Vector>;

  virtual ~Kernels() = default;

  virtual Index views() const = 0;
  virtual Index instances() const = 0;

  /// k_v(x_n, x_i) of all n. The two columns asked for last are valid.
  virtual Column column(Index view, Index i) = 0;

  /// Σ_i weights_i k_v(x_n, x_i) of all n.
  virtual Vector sums(Index view, const Vector& weights) const = 0;
};

class WholeKernels : public Kernels {
 public:
  WholeKernels(Workers& workers, std::vector<Matrix> of_view)
      : workers_(workers), of_view_(std::move(of_view)) {}

  Index views() const override { return std::ssize(of_view_); }
  Index instances() const override { return of_view_.front().rows(); }
  Column column(Index view, Index i) override;
  Vector sums(Index view, const Vector& weights) const override;

 private:
  Workers& workers_;
  std::vector<Matrix> of_view_;
};

/// Keeps the columns that were used last.
class CachedKernels : public Kernels {
 public:
  /// `rows` must outlive it. At least two columns are kept.
  CachedKernels(Workers& workers, const std::vector<DenseMatrix>& rows, std::vector<double> widths,
                Index columns);
  CachedKernels(const CachedKernels&) = delete;
  CachedKernels& operator=(const CachedKernels&) = delete;

  Index views() const override { return std::ssize(rows_); }
  Index instances() const override { return rows_.front().rows(); }
  Column column(Index view, Index i) override;
  Vector sums(Index view, const Vector& weights) const override;

 private:
  struct Kept {
    Index key = 0;
    Vector values;
  };
  void compute(Index view, Index i, Vector& values) const;

  Workers& workers_;
  const std::vector<DenseMatrix>& rows_;
  std::vector<double> widths_;
  std::vector<Distances> distances_;  ///< of each view
  std::size_t most_;
  std::list<Kept> kept_;  ///< the last used first
  std::unordered_map<Index, std::list<Kept>::iterator> place_;
};

/// Σ_k weights_k exp(-‖x_n - centre_k‖²/(2 width²)) of all rows n, a block of rows at a time.
Vector kernel_sums(Workers& workers, const DenseMatrix& rows, const DenseMatrix& centres,
                   const Vector& weights, double width);

}  // namespace m3lak::med
