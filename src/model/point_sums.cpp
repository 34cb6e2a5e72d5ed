#include "model/point_sums.h"

namespace m3lak {

namespace {

PointMoments moments_about(Workers& workers, const Points& points, const Vector& shift) {
  const auto add = [&](Block block, PointSums& sums) {
    Vector y;
    for (Index n = block.begin; n < block.end(); ++n) {
      y = points.col(n) - shift;
      sums.add(0, y);
    }
  };
  return reduce_blocks(workers, blocks_of(points), PointSums(points.rows(), 1), add,
                       [](PointSums& into, const PointSums& from) { into += from; })
      .moments(0, shift);
}

}  // namespace

// S = Σ yyᵀ - (Σ y)(Σ y)ᵀ / s
PointMoments PointSums::moments(Index component, const Vector& shift) const {
  const Index d = sums.rows();
  const double count = counts[component];
  if (!(count > 0)) return {0, Vector::Zero(d), Matrix::Zero(d, d)};
  const auto sum = sums.col(component);
  const Eigen::Map<const Matrix> lower(&outers(0, component), d, d);
  Matrix scatter = lower.selfadjointView<Eigen::Lower>();
  scatter.noalias() -= sum * sum.transpose() / count;
  return {count, shift + sum / count, std::move(scatter)};
}

// About the first point to find the mean, then about the mean.
PointMoments moments_of(Workers& workers, const Points& points) {
  const Vector mean = moments_about(workers, points, points.col(0)).mean;
  return moments_about(workers, points, mean);
}

}  // namespace m3lak
