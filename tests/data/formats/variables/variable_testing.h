// What the tests of binary formats share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "data/expect_error.h"
#include "data/table.h"
#include "data/temporary_folder.h"
#include "m3lak/error.h"

namespace m3lak {

using ReadFile = std::function<FileContents(const std::filesystem::path&, const ReadContext&)>;

inline FileContents read_with(const ReadFile& read, const std::filesystem::path& path,
                              const DataSource& source = {}) {
  Workers workers(1);
  return read(path, {source, workers});
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// A dataset with everything: a dense and a sparse view, unknown cells and labels, names in many
/// scripts, instances that lack a view.
inline Dataset full_dataset(const std::vector<std::string>& labels = {"köln", "", "東京", "köln",
                                                                      "bonn"}) {
  Dataset data;
  data.views.resize(2);
  View& dense = data.views[0];
  dense.name = "rna";
  dense.values = DenseMatrix(DenseMatrix::Random(5, 3) * 1e-300);
  dense.feature_names = {"α", "b", "c c"};
  dense.absent = {0, 0, 1, 0, 0};
  std::get<DenseMatrix>(dense.values)(1, 1) = std::nan("");
  std::get<DenseMatrix>(dense.values).row(2).setZero();
  View& sparse = data.views[1];
  sparse.name = "words";
  SparseMatrix words(5, 4);
  words.insert(0, 3) = 1.5;
  words.insert(1, 0) = -2;
  words.insert(1, 2) = std::nan("");
  words.insert(4, 1) = 1e300;
  words.makeCompressed();
  sparse.values = words;
  sparse.absent = {0, 0, 0, 1, 0};
  data.labels = Labels::from_texts(labels);
  data.instance_names = {"p1", "p 2", "p3", "é", "p5"};
  return data;
}

/// Equal to the last bit, where NaN equals NaN.
inline void expect_same_values(const ReadMatrix& actual, const ReadMatrix& expected) {
  ASSERT_EQ(actual.index(), expected.index());
  const auto dense = [](const auto& m) { return DenseMatrix(m.template cast<double>()); };
  const DenseMatrix a = std::visit(dense, actual), e = std::visit(dense, expected);
  ASSERT_EQ(a.rows(), e.rows());
  ASSERT_EQ(a.cols(), e.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      EXPECT_TRUE(a(i, j) == e(i, j) || (std::isnan(a(i, j)) && std::isnan(e(i, j))))
          << a(i, j) << " is not " << e(i, j) << " at " << i << ", " << j;
    }
  }
}

inline void expect_same_values(const ReadMatrix& actual, const View& expected) {
  if (expected.is_sparse()) return expect_same_values(actual, expected.sparse());
  if (expected.is_float()) return expect_same_values(actual, FloatMatrix(expected.floats()));
  expect_same_values(actual, DenseMatrix(expected.dense()));
}

/// That what was read is what was written.
inline void expect_same(const FileContents& actual, const Dataset& expected) {
  ASSERT_EQ(actual.views.size(), expected.views.size());
  for (std::size_t v = 0; v < actual.views.size(); ++v) {
    const Table& view = actual.views[v];
    expect_same_values(view.values, expected.views[v]);
    EXPECT_EQ(view.name, expected.views[v].name);
    EXPECT_EQ(view.feature_names, expected.views[v].feature_names);
    EXPECT_EQ(view.absent, expected.views[v].absent);
    EXPECT_EQ(view.ids, expected.instance_names);
  }
  ASSERT_EQ(actual.labels.has_value(), expected.labels.has_value());
  if (!expected.labels) return;
  const Labels labels = Labels::from_texts(actual.labels->texts);
  EXPECT_EQ(labels.classes, expected.labels->classes);
  EXPECT_EQ(labels.of, expected.labels->of);
  EXPECT_EQ(actual.labels->ids, expected.instance_names);
}

}  // namespace m3lak
