// Gaussian kernels of the training instances, one a view, column by column: kept whole, or computed
// when they are needed.
#pragma once

#include <list>
#include <unordered_map>
#include <vector>

#include "m3lak/model.h"
#include "numeric/parallel.h"

namespace m3lak::med {

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
  explicit WholeKernels(std::vector<Matrix> of_view) : of_view_(std::move(of_view)) {}

  Index views() const override { return std::ssize(of_view_); }
  Index instances() const override { return of_view_.front().rows(); }
  Column column(Index view, Index i) override;
  Vector sums(Index view, const Vector& weights) const override;

 private:
  std::vector<Matrix> of_view_;
};

/// Keeps the columns that were used last.
class CachedKernels : public Kernels {
 public:
  /// `rows` must outlive it. At least two columns are kept.
  CachedKernels(const std::vector<DenseMatrix>& rows, std::vector<double> widths, Index columns);
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

  const std::vector<DenseMatrix>& rows_;
  std::vector<double> widths_;
  std::vector<Vector> squared_norms_;
  std::size_t most_;
  std::list<Kept> kept_;  ///< the last used first
  std::unordered_map<Index, std::list<Kept>::iterator> place_;
};

/// Σ_k weights_k exp(-‖x_n - centre_k‖²/(2 width²)) of all rows n, a block of rows at a time.
Vector kernel_sums(Workers& workers, const DenseMatrix& rows, const DenseMatrix& centres,
                   const Vector& weights, double width);

}  // namespace m3lak::med
