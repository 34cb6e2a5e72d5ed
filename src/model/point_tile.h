// A few points at once, one lane a point: how far they are from the components.
#pragma once

#include <span>

#include "model/component.h"
#include "model/point_sums.h"
#include "numeric/products.h"

namespace m3lak {

/// What a component is to points: L⁻¹ of its covariance LLᵀ, ready for products.
struct Lens {
  Vector mean;
  RowMatrix<double> inverse;
  double log_constant = 0;  ///< of the density, -½ log|2πΣ|; and of the weight, if it has a part

  explicit Lens(const Component& component);
};

class PointTile {
 public:
  static constexpr Index most = 256;
  using Row = Eigen::Array<double, most, 1>;

  explicit PointTile(Index dimension);

  /// The points first + order[0], first + order[1], …
  void take(const Points& points, Index first, std::span<const int> order);

  /// ‖L⁻¹(x - μ)‖² of points begin … end - 1.
  void squares(const Lens& lens, Index begin, Index end, double* out);

 private:
  static constexpr int vectors = 4;
  static constexpr Index chunk = vectors * lanes<double>;

  RowMatrix<double> x_;  // one row a dimension, with room for a chunk after the last point
  RowMatrix<double> y_;  // of a chunk, less the mean
};

/// Calls work(first, count) for each tile of a block.
template <class Work>
void for_each_tile(Block block, const Work& work) {
  for (Index first = block.begin; first < block.end(); first += PointTile::most) {
    work(first, std::min(PointTile::most, block.end() - first));
  }
}

}  // namespace m3lak
