#include "numeric/products.h"

#include <gtest/gtest.h>

#include "numeric/panel.h"

namespace m3lak {
namespace {

using Eigen::Index;

template <class Value>
class Products : public testing::Test {
 protected:
  static constexpr Value tolerance = std::is_same_v<Value, double> ? Value(1e-13) : Value(1e-5);
};

using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(Products, Precisions);

// All sizes around those of the register tiles.
constexpr Index sizes[] = {1, 2, 7, 8, 9, 15, 16, 17, 24, 33};

TYPED_TEST(Products, AddWhatEigenComputes) {
  using RowValues = RowMatrix<TypeParam>;
  for (const Index rows : sizes) {
    for (const Index inner : sizes) {
      for (const Index columns : sizes) {
        // Blocks of something larger: their rows are not next to each other.
        const RowValues all = RowValues::Random(rows + 2, inner + 3);
        const auto X = all.block(1, 2, rows, inner);
        const RowValues right = RowValues::Random(inner, columns);
        RowValues sum = RowValues::Ones(rows, padded<TypeParam>(columns));
        add_product<TypeParam>(X, padded<TypeParam>(right), sum);
        const RowValues expected = (X * right).array() + 1;
        ASSERT_TRUE(sum.leftCols(columns).isApprox(expected, this->tolerance))
            << rows << ' ' << inner << ' ' << columns;

        const RowValues Z = RowValues::Random(rows, columns);
        Eigen::MatrixX<TypeParam> outer = Eigen::MatrixX<TypeParam>::Ones(inner, columns);
        add_outer<TypeParam>(X, Z, false, outer);
        const RowValues expected_outer = (X.transpose() * Z).array() + 1;
        ASSERT_TRUE(outer.isApprox(expected_outer, this->tolerance))
            << rows << ' ' << inner << ' ' << columns;
      }
    }
  }
}

TYPED_TEST(Products, OfTheLowerTriangleAreRight) {
  using Square = Eigen::MatrixX<TypeParam>;
  for (const Index columns : sizes) {
    const RowMatrix<TypeParam> X = RowMatrix<TypeParam>::Random(40, columns);
    Square sum = Square::Zero(columns, columns);
    add_outer<TypeParam>(X, X, true, sum);
    const Square lower = sum.template triangularView<Eigen::Lower>();
    const Square expected = Square(X.transpose() * X).template triangularView<Eigen::Lower>();
    EXPECT_TRUE(lower.isApprox(expected, this->tolerance)) << columns;
  }
}

TYPED_TEST(Products, OfPanelsAreWhatEigenComputes) {
  using Any = Eigen::MatrixX<TypeParam>;
  for (const Index rows : sizes) {
    for (const Index inner : sizes) {
      const Any A = Any::Random(rows, inner);
      const Panel<TypeParam> right = Panel<TypeParam>::Random(inner, lanes<TypeParam>);
      Panel<TypeParam> product;
      times<TypeParam>(A, right, product);
      EXPECT_TRUE(product.isApprox(A * right, this->tolerance));
      transposed_times<TypeParam>(Any(A.transpose()), right, product);
      EXPECT_TRUE(product.isApprox(A * right, this->tolerance));
    }
  }
}

TYPED_TEST(Products, PanelsTakeColumnsAndFillUpWithZeros) {
  const Eigen::MatrixXd columns = Eigen::MatrixXd::Random(3, lanes<TypeParam> + 1);
  Panel<TypeParam> panel;
  take_columns<TypeParam>(columns, lanes<TypeParam>, panel);
  EXPECT_EQ(panel.col(0), columns.col(lanes<TypeParam>).template cast<TypeParam>());
  EXPECT_EQ(panel.rightCols(lanes<TypeParam> - 1).norm(), 0);
}

}  // namespace
}  // namespace m3lak
