#include "data/fingerprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace m3lak {
namespace {

Dataset example() {
  Dataset data;
  data.views.resize(2);
  data.views[0].name = "dense";
  data.views[0].values = DenseMatrix(DenseMatrix::Ones(4, 3));
  data.views[1].name = "sparse";
  SparseMatrix sparse(4, 5);
  sparse.insert(2, 1) = 3;
  data.views[1].values = sparse;
  data.labels = Labels::from_texts({"a", "b", "a", "b"});
  return data;
}

DenseMatrix& dense(Dataset& data) { return std::get<DenseMatrix>(data.views[0].values); }
SparseMatrix& sparse(Dataset& data) { return std::get<SparseMatrix>(data.views[1].values); }

TEST(Fingerprint, OfTheSameDataIsTheSame) {
  EXPECT_EQ(fingerprint(example()), fingerprint(example()));
  EXPECT_EQ(fingerprint(example().views[1], whole(example())),
            fingerprint(example().views[1], whole(example())));
  EXPECT_EQ(fingerprint(*example().labels, whole(example())),
            fingerprint(*example().labels, whole(example())));
}

TEST(Fingerprint, ChangesWithEachPart) {
  const std::string print = fingerprint(example());
  const auto changed = [&](auto&& change) {
    Dataset other = example();
    change(other);
    return fingerprint(other) != print;
  };
  EXPECT_TRUE(changed([](Dataset& data) { dense(data)(3, 2) += 1e-9; }));
  EXPECT_TRUE(changed([](Dataset& data) { dense(data).resize(3, 4); }));
  EXPECT_TRUE(changed([](Dataset& data) { sparse(data).coeffRef(2, 1) = 4; }));
  EXPECT_TRUE(changed([](Dataset& data) {
    sparse(data).setZero();
    sparse(data).insert(2, 2) = 3;
  }));
  EXPECT_TRUE(changed([](Dataset& data) { data.labels->of[1] = 0; }));
  EXPECT_TRUE(changed([](Dataset& data) { data.views[0].absent = {0, 0, 1, 0}; }));
}

/// As it is where the same file is read with one class against the rest, or another.
TEST(Fingerprint, TellsGroupsOfEqualSizesApart) {
  Dataset data;
  data.views.emplace_back().values = DenseMatrix(DenseMatrix::Ones(40, 1));
  std::set<std::string> prints;
  for (int group = 0; group < 4; ++group) {
    data.labels = Labels{{"rest", "this"}, std::vector<int>(40, 0)};
    std::fill_n(data.labels->of.begin() + 10 * group, 10, 1);
    prints.insert(fingerprint(data));
  }
  EXPECT_EQ(prints.size(), 4);
}

TEST(Fingerprint, OfOneViewAndOfLabelsCountsNames) {
  Dataset other = example();
  other.views[0].feature_names = {"x", "y", "z"};
  EXPECT_NE(fingerprint(other.views[0], whole(other)),
            fingerprint(example().views[0], whole(example())));
  const std::string before = fingerprint(other.views[0], whole(other));
  other.views[0].feature_names = {"xy", "", "z"};
  EXPECT_NE(fingerprint(other.views[0], whole(other)), before);
  other.labels->classes = {"a", "c"};
  EXPECT_NE(fingerprint(*other.labels, whole(other)),
            fingerprint(*example().labels, whole(example())));
}

}  // namespace
}  // namespace m3lak
