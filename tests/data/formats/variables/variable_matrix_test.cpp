#include "data/formats/variables/variable_matrix.h"

#include <gtest/gtest.h>

#include "data/formats/variables/variable_testing.h"

namespace m3lak {
namespace {

TEST(FromColumnMajor, IsTheTransposeForAnyShape) {
  for (const Index rows : {0, 1, 31, 32, 33, 70}) {
    for (const Index columns : {0, 1, 33, 64}) {
      const DenseMatrix matrix =
          from_column_major(rows, columns, [](Index k) { return static_cast<double>(k); });
      ASSERT_EQ(matrix.rows(), rows);
      ASSERT_EQ(matrix.cols(), columns);
      for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
          ASSERT_EQ(matrix(i, j), static_cast<double>(j * rows + i));
        }
      }
    }
  }
}

CompressedMatrix example(bool by_columns) {
  //     0 7 0
  //     5 0 6     by rows, or its transpose by columns
  CompressedMatrix matrix;
  matrix.rows = by_columns ? 3 : 2;
  matrix.columns = by_columns ? 2 : 3;
  matrix.by_columns = by_columns;
  matrix.starts = {0, 1, 3};
  matrix.indices = {1, 0, 2};
  matrix.values = {7, 5, 6};
  return matrix;
}

TEST(ToSparse, ReadsRowsAndColumns) {
  const DenseMatrix expected = (DenseMatrix(2, 3) << 0, 7, 0, 5, 0, 6).finished();
  EXPECT_EQ(DenseMatrix(to_sparse(example(false), "f")), expected);
  EXPECT_EQ(DenseMatrix(to_sparse(example(true), "f")), expected.transpose());
}

TEST(ToSparse, OrdersAndAddsUp) {
  CompressedMatrix matrix = example(false);
  matrix.indices = {1, 2, 0};
  EXPECT_EQ(DenseMatrix(to_sparse(matrix, "f")),
            (DenseMatrix(2, 3) << 0, 7, 0, 6, 0, 5).finished());
  matrix.indices = {1, 2, 2};
  EXPECT_EQ(DenseMatrix(to_sparse(matrix, "f")),
            (DenseMatrix(2, 3) << 0, 7, 0, 0, 0, 11).finished());
}

TEST(ToSparse, RefusesWhatDoesNotBelongTogether) {
  const auto refused = [](auto change) {
    CompressedMatrix matrix = example(false);
    change(matrix);
    expect_error<BadData>([&] { to_sparse(matrix, "f.npz: X1"); }, {"f.npz: X1"});
  };
  refused([](auto& m) { m.indices[1] = 3; });
  refused([](auto& m) { m.indices[1] = -1; });
  refused([](auto& m) { m.starts = {0, 3, 2}; });
  refused([](auto& m) { m.starts = {1, 1, 3}; });
  refused([](auto& m) { m.starts = {0, 1, 4}; });
  refused([](auto& m) { m.starts = {0, 3}; });
  refused([](auto& m) { m.starts = {}; });
  refused([](auto& m) { m.values.pop_back(); });
  refused([](auto& m) { m.rows = 1UL << 40; });
  refused([](auto& m) { m.columns = 2'000'000'000; });
  refused([](auto& m) { m.rows = UINT64_MAX; });
}

}  // namespace
}  // namespace m3lak
