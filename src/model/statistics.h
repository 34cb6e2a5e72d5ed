// Sums over instances: all that the global variables of the views need to know of the data.
#pragma once

#include <vector>

#include "model/problem.h"
#include "model/state.h"

namespace m3lak {

/// Of one view, over the instances that have it, with z = [h; u].
struct ViewStatistics {
  DenseMatrix xz;             ///< Σ x zᵀ
  Matrix zz;                  ///< Σ z zᵀ
  double filled_squares = 0;  ///< Σ x² over the missing cells, as they are filled at present
};

struct Statistics {
  std::vector<ViewStatistics> views;

  static Statistics zero(const Problem& problem, Index latent, Index private_latent);
  void operator+=(const Statistics& other);
};

/// [h; u_i] of a segment.
Matrix stacked(const State& state, std::size_t view, const Segment& segment);

/// Adds what a segment has of one view.
void add_statistics(const Problem& problem, const State& state, std::size_t view,
                    const Segment& segment, const Matrix& z, ViewStatistics& sum);

}  // namespace m3lak
