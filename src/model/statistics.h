// Sums over instances: all that the global variables of the views need to know of the data.
#pragma once

#include <vector>

#include "model/problem.h"
#include "model/state.h"
#include "numeric/products.h"

namespace m3lak {

/// Of one view, over the instances that have it, with z = [h; u].
struct ViewStatistics {
  Matrix xz;                  ///< Σ x zᵀ
  Matrix zz;                  ///< Σ z zᵀ
  double filled_squares = 0;  ///< Σ x² over the missing cells, as they are filled at present
};

struct Statistics {
  std::vector<ViewStatistics> views;

  static Statistics zero(const Problem& problem, Index latent, Index private_latent);
  void operator+=(const Statistics& other);
};

template <class Kind>
void transfer(Kind& archive, ViewStatistics& statistics) {
  archive(statistics.xz, statistics.zz, statistics.filled_squares);
}

template <class Kind>
void transfer(Kind& archive, Statistics& statistics) {
  archive(statistics.views);
}

/// Adds what a segment has, view by view.
template <class Value>
class SegmentStatistics {
 public:
  /// From now on of this segment, whose h are drawn.
  void begin(const State& state, const Segment& segment);

  /// [h u_i], one row an instance, once the view's u are drawn.
  const RowMatrix<Value>& stacked(const State& state, std::size_t view);

  /// Adds what the segment has of the view that was stacked last.
  void add(const Problem& problem, const State& state, std::size_t view, ViewStatistics& sum);

 private:
  Segment segment_;
  RowMatrix<Value> z_;
  Matrix hh_;
  Eigen::MatrixX<Value> zu_;
  std::vector<Eigen::MatrixX<Value>> xz_;  // of each view
};

}  // namespace m3lak
