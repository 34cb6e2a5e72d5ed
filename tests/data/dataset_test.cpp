#include "m3lak/dataset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/expect_error.h"
#include "m3lak/error.h"

namespace m3lak {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

/// Three instances, a dense view of two features and a sparse one of four.
Dataset small() {
  Dataset data;
  View dense;
  dense.name = "dense";
  dense.values = DenseMatrix{{1, 2}, {3, 4}, {5, 6}};
  dense.feature_names = {"a", "b"};
  View sparse;
  sparse.name = "sparse";
  SparseMatrix values(3, 4);
  values.insert(0, 1) = 7;
  values.insert(2, 0) = 8;
  values.insert(2, 3) = 9;
  values.makeCompressed();
  sparse.values = values;
  data.views = {dense, sparse};
  data.labels = Labels{{"no", "yes"}, {1, 0, Labels::unknown}};
  data.instance_names = {"p", "q", "r"};
  return data;
}

DenseMatrix& dense_of(Dataset& data) { return std::get<DenseMatrix>(data.views[0].values); }

TEST(Dataset, KnowsItsSizes) {
  Dataset data = small();
  data.settle();
  EXPECT_EQ(data.instances(), 3);
  EXPECT_EQ(data.features(), 6);
  EXPECT_EQ(data.views[1].stored(), 3);
  EXPECT_EQ(data.views[0].missing_cells(), 0);
  EXPECT_EQ(data.views[0].absent_count(), 0);
}

TEST(Dataset, SelectTakesRowsInTheOrderGiven) {
  const Dataset part = small().select({2, 0, 2});
  EXPECT_EQ(part.views[0].dense(), (DenseMatrix{{5, 6}, {1, 2}, {5, 6}}));
  EXPECT_EQ(DenseMatrix(part.views[1].sparse()),
            (DenseMatrix{{8, 0, 0, 9}, {0, 7, 0, 0}, {8, 0, 0, 9}}));
  EXPECT_EQ(part.labels->of, (std::vector<int>{Labels::unknown, 1, Labels::unknown}));
  EXPECT_EQ(part.instance_names, (std::vector<std::string>{"r", "p", "r"}));
  EXPECT_EQ(part.views[0].feature_names, small().views[0].feature_names);
}

TEST(Dataset, ARowOfUnknownCellsIsAMissingView) {
  Dataset data = small();
  dense_of(data).row(1).setConstant(nan);
  dense_of(data)(2, 0) = nan;
  data.settle();
  EXPECT_FALSE(data.views[0].has(1));
  EXPECT_TRUE(data.views[0].has(2));
  EXPECT_EQ(data.views[0].absent_count(), 1);
  EXPECT_EQ(data.views[0].missing_cells(), 1);
  EXPECT_EQ(data.views[0].dense().row(1).squaredNorm(), 0);
  EXPECT_EQ(data.select({1}).views[0].absent, (std::vector<std::uint8_t>{1}));
}

TEST(Dataset, AbsentRowsOfASparseViewAreEmptied) {
  Dataset data = small();
  data.views[1].absent = {0, 0, 1};
  data.settle();
  EXPECT_EQ(data.views[1].stored(), 1);
}

TEST(Dataset, RefusesWhatIsInfinite) {
  Dataset data = small();
  dense_of(data)(1, 1) = -inf;
  expect_error<BadData>([&] { data.settle(); }, {"view 'dense'", "instance 'q'", "feature 'b'"});
  data.instance_names.clear();
  data.views[0].feature_names.clear();
  expect_error<BadData>([&] { data.settle(); }, {"row 2", "column 2", "infinite"});
}

TEST(Dataset, RefusesPartsThatDisagree) {
  Dataset data = small();
  data.views[1].values = DenseMatrix(DenseMatrix::Zero(4, 2));
  expect_error<BadData>([&] { data.settle(); }, {"'dense' has 3", "'sparse' has 4", "--id-column"});
  data = small();
  data.labels->of.pop_back();
  expect_error<BadData>([&] { data.settle(); }, {"2 labels for 3 instances"});
  data = small();
  data.instance_names.pop_back();
  expect_error<BadData>([&] { data.settle(); }, {"3 instances but 2 names"});
  data = small();
  data.views[0].feature_names.pop_back();
  expect_error<BadData>([&] { data.settle(); }, {"2 features but 1 feature names"});
  data = small();
  data.views[0].absent = {1};
  expect_error<BadData>([&] { data.settle(); }, {"3 instances but says of 1"});
  data = small();
  data.views[0].absent = {1, 1, 1};
  expect_error<BadData>([&] { data.settle(); }, {"every instance lacks it"});
  data = small();
  data.views[0].values = DenseMatrix(3, 0);
  data.views[0].feature_names.clear();
  expect_error<BadData>([&] { data.settle(); }, {"no features"});
  data = small();
  data.views.clear();
  expect_error<BadData>([&] { data.settle(); }, {"no views"});
}

TEST(Labels, KeepTheirNamesAndOrder) {
  const Labels words = Labels::from_texts({"dog", "cat", " dog ", "ant"});
  EXPECT_EQ(words.classes, (std::vector<std::string>{"ant", "cat", "dog"}));
  EXPECT_EQ(words.of, (std::vector<int>{2, 1, 2, 0}));
  const Labels numbers = Labels::from_texts({"10", "9", "-1", "9.0", "+10", "1e1"});
  EXPECT_EQ(numbers.classes, (std::vector<std::string>{"-1", "9", "10"}));
  EXPECT_EQ(numbers.of, (std::vector<int>{2, 1, 0, 1, 2, 2}));
  EXPECT_EQ(numbers.counts(), (std::vector<Index>{1, 2, 3}));
  // One word among numbers: the order of bytes.
  EXPECT_EQ(Labels::from_texts({"9", "10", "x"}).classes,
            (std::vector<std::string>{"10", "9", "x"}));
}

TEST(Labels, ThatAreNumbersAreWrittenAsPeopleWriteThem) {
  EXPECT_EQ(Labels::from_texts({"100000", "1e5", "0.50", "-3.0", "007"}).classes,
            (std::vector<std::string>{"-3", "0.5", "7", "100000"}));
}

TEST(Labels, UnknownOnes) {
  const Labels labels = Labels::from_texts({"a", "", "NA", "nan", "?", "None", "null", "N/A", "b"});
  EXPECT_EQ(labels.classes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(labels.unknown_count(), 7);
  const Labels chosen = Labels::from_texts({"1", "-1.0", "0", "-0"}, {"-1"});
  EXPECT_EQ(chosen.classes, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(chosen.of, (std::vector<int>{1, Labels::unknown, 0, 0}));
}

TEST(Labels, OneClassIsNotEnough) {
  expect_error<BadData>(
      [] {
        Labels::from_texts({"x", "x", ""}).require_two_classes();
      },
      {"all labels are 'x'", "two classes"});
  expect_error<BadData>(
      [] {
        Labels::from_texts({"", ""}).require_two_classes();
      },
      {"no instance has a label"});
  EXPECT_NO_THROW(Labels::from_texts({"x", "y"}).require_two_classes());
}

}  // namespace
}  // namespace m3lak
