#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/formats/text/text_testing.h"

namespace m3lak {
namespace {

using Names = std::vector<std::string>;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

Dataset dataset(const DenseMatrix& matrix) {
  Dataset data;
  data.views.emplace_back().values = matrix;
  return data;
}

std::string written(const Dataset& data, char delimiter = ',') {
  const TemporaryFile file("out.csv");
  write_csv(data, 0, file.path(), delimiter);
  return file.text();
}

std::string written_labels(const Dataset& data) {
  const TemporaryFile file("out.csv");
  write_csv_labels(data, file.path(), ',');
  return file.text();
}

/// Numbers of all sizes, and NaN.
DenseMatrix random_numbers(Index rows, Index columns) {
  std::mt19937_64 random(7);
  DenseMatrix values(rows, columns);
  for (double& value : values.reshaped()) {
    const std::uint64_t bits = random();
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) value = unknown;
  }
  return values;
}

TEST(WriteCsv, IsReadBackToTheLastBit) {
  for (const Index columns : {1, 2, 30}) {
    Dataset data = dataset(random_numbers(50, columns));
    std::get<DenseMatrix>(data.views[0].values)(49, columns - 1) = unknown;
    std::get<DenseMatrix>(data.views[0].values)(5, 0) = unknown;
    for (const char delimiter : {',', '\t', ';'}) {
      EXPECT_TRUE(same_bits(values(csv(written(data, delimiter))), data.views[0].dense()));
    }
  }
}

TEST(WriteCsv, GivesDefaultNames) {
  DenseMatrix matrix(2, 2);
  matrix << 1, 0.1, unknown, 1e300;
  EXPECT_EQ(written(dataset(matrix)), "f1,f2\n1,0.1\n,1e+300\n");
  EXPECT_EQ(written(dataset(matrix), '\t'), "f1\tf2\n1\t0.1\n\t1e+300\n");
}

TEST(WriteCsv, QuotesWhereNeeded) {
  Dataset data = dataset(DenseMatrix::Ones(6, 2));
  data.views[0].feature_names = {"a,b", "c\"d"};
  data.instance_names = {"plain", "with,comma", "with\"quote", "with\nnewline", " blank ", "tab\t"};
  const FileContents contents = csv(written(data));
  EXPECT_EQ(contents.views[0].feature_names, data.views[0].feature_names);
  EXPECT_EQ(contents.views[0].ids, data.instance_names);
  EXPECT_EQ(written(data).substr(0, 40), "id,\"a,b\",\"c\"\"d\"\nplain,1,1\n\"with,comma\",1");
}

TEST(WriteCsv, LeavesOutInstancesThatLackTheView) {
  Dataset data = dataset(DenseMatrix::Ones(3, 1));
  data.views.push_back(data.views[0]);
  data.views[1].absent = {0, 1, 0};
  const TemporaryFile file("out.csv");
  write_csv(data, 1, file.path(), ',');
  EXPECT_EQ(file.text(), "id,f1\ni1,1\ni3,1\n");
  // The other view needs the names too, or the two could not be joined.
  EXPECT_EQ(written(data), "id,f1\ni1,1\ni2,1\ni3,1\n");
}

TEST(WriteCsv, WritesSparseViewsInFull) {
  DenseMatrix dense(2, 3);
  dense << 0, 2, 0, unknown, 0, 5;
  Dataset data = dataset(dense);
  data.views[0].values = SparseMatrix(dense.sparseView());
  EXPECT_EQ(written(data), "f1,f2,f3\n0,2,0\n,0,5\n");
  data.views[0].offset = Vector::Ones(3);
  EXPECT_EQ(written(data), "f1,f2,f3\n-1,1,-1\n,-1,4\n");
}

TEST(WriteCsvLabels, IsReadBack) {
  Dataset data = dataset(DenseMatrix::Ones(4, 1));
  data.labels = Labels{{"cat, big", "dog"}, {1, 0, 1, Labels::unknown}};
  EXPECT_EQ(written_labels(data), "label\ndog\n\"cat, big\"\ndog\n\"\"\n");
  EXPECT_EQ(csv_labels(written_labels(data)).texts, (Names{"dog", "cat, big", "dog", ""}));

  data.instance_names = {"a", "b", "c", "d"};
  EXPECT_EQ(written_labels(data), "id,label\na,dog\nb,\"cat, big\"\nc,dog\nd,\n");
  EXPECT_EQ(csv_labels(written_labels(data)).texts, (Names{"dog", "cat, big", "dog", ""}));
}

TEST(WriteCsv, SaysWhenTheDiskIsFull) {
  Dataset data = dataset(DenseMatrix::Ones(3, 2));
  data.labels = Labels{{"a"}, {0, 0, 0}};
  EXPECT_THROW(write_csv(data, 0, "/dev/full", ','), Error);
  EXPECT_THROW(write_csv_labels(data, "/dev/full", ','), Error);
  EXPECT_THROW(write_svmlight(data, 0, "/dev/full"), Error);
}

}  // namespace
}  // namespace m3lak
