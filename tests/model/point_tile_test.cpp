#include "model/point_tile.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <numeric>

namespace m3lak {
namespace {

TEST(PointTile, MeasuresWhatTheComponentDoes) {
  for (const Index d : {1, 2, 5, 17}) {
    const Matrix A = Matrix::Random(d, d);
    const Matrix covariance = A * A.transpose() + 0.1 * Matrix::Identity(d, d);
    const Component component{0, Vector::Random(d), covariance.llt().matrixL()};
    const Lens lens(component);
    const Matrix points = Matrix::Random(d, 300);
    std::vector<int> order(200);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::reverse(order);
    PointTile tile(d);
    tile.take(points, 50, order);
    for (const auto& [begin, end] : {std::pair<Index, Index>{0, 200}, {3, 4}, {77, 130}}) {
      PointTile::Row squares = PointTile::Row::Constant(-1);
      tile.squares(lens, begin, end, squares.data());
      for (Index i = 0; i < PointTile::most; ++i) {
        if (i < begin || i >= end) {
          EXPECT_EQ(squares[i], -1);
        } else {
          const auto point = points.col(50 + order[static_cast<std::size_t>(i)]);
          EXPECT_NEAR(lens.log_constant - 0.5 * squares[i], component.log_density(point), 1e-9);
        }
      }
    }
  }
}

TEST(PointTile, TilesCoverABlock) {
  std::vector<int> seen(1000, 0);
  for_each_tile({0, 100, 700}, [&](Index first, Index count) {
    for (Index n = first; n < first + count; ++n) ++seen[static_cast<std::size_t>(n)];
  });
  for (std::size_t n = 0; n < seen.size(); ++n) EXPECT_EQ(seen[n], n >= 100 && n < 800);
}

}  // namespace
}  // namespace m3lak
