// What is summed over the points of each component.
#pragma once

#include "model/normal_inverse_wishart.h"
#include "numeric/parallel.h"

namespace m3lak {

/// Points are columns, wherever they are.
using Points = Eigen::Ref<const Matrix>;

/// Blocks of points must not depend on the number of threads.
constexpr Index points_a_block = 2048;
inline Blocks blocks_of(const Points& points) { return {points.cols(), points_a_block}; }

/// s, Σ y and Σ yyᵀ of each component (column), where y is a point less a shift that is near the
/// component's mean: without it, Σ yyᵀ of points far from 0 would have no digits left.
struct PointSums {
  Vector counts;
  Matrix sums;
  Matrix outers;  ///< the lower triangles, column after column

  PointSums(Index dimension, Index components)
      : counts(Vector::Zero(components)),
        sums(Matrix::Zero(dimension, components)),
        outers(Matrix::Zero(dimension * dimension, components)) {}

  void add(Index component, const Vector& y, double weight = 1) {
    const Index d = y.size();
    counts[component] += weight;
    double* sum = &sums(0, component);
    double* outer = &outers(0, component);
    for (Index j = 0; j < d; ++j, outer += d) {
      const double weighted = weight * y[j];
      sum[j] += weighted;
      for (Index i = j; i < d; ++i) outer[i] += weighted * y[i];
    }
  }

  void operator+=(const PointSums& other) {
    counts += other.counts;
    sums += other.sums;
    outers += other.outers;
  }

  PointMoments moments(Index component, const Vector& shift) const;
};

template <class Kind>
void transfer(Kind& archive, PointSums& sums) {
  archive(sums.counts, sums.sums, sums.outers);
}

/// Of all points together.
PointMoments moments_of(Workers& workers, const Points& points);

}  // namespace m3lak
