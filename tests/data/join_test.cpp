#include "data/join.h"

#include <gtest/gtest.h>

#include "data/expect_error.h"
#include "m3lak/error.h"

namespace m3lak {
namespace {

using Names = std::vector<std::string>;

/// A view of one feature.
Table table(const std::string& name, const Names& ids, const std::vector<double>& values) {
  Table result;
  result.name = name;
  result.origin = name + ".csv";
  result.ids = ids;
  result.values =
      DenseMatrix(Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())));
  return result;
}

LabelTable labels(const Names& ids, const Names& texts) { return {"y.csv", ids, texts}; }

struct Joined {
  Dataset data;
  Names notes;
};

Joined joined(std::vector<Table> views, std::optional<LabelTable> y) {
  Joined result;
  result.data = join(std::move(views), std::move(y), {}, result.notes);
  return result;
}

TEST(Join, ByNameInAnyOrder) {
  const auto [data, notes] =
      joined({table("a", {"p", "q", "r"}, {1, 2, 3}), table("b", {"r", "p", "q"}, {30, 10, 20})},
             labels({"q", "r", "p"}, {"Q", "R", "P"}));
  EXPECT_EQ(data.instance_names, (Names{"p", "q", "r"}));
  EXPECT_EQ(data.views[1].dense(), (DenseMatrix{{10}, {20}, {30}}));
  EXPECT_EQ(data.labels->of, (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(notes.empty());
}

TEST(Join, ANameThatAViewLacksIsAMissingView) {
  const auto [data, notes] =
      joined({table("a", {"p", "q"}, {1, 2}), table("b", {"q", "r"}, {20, 30})},
             labels({"p", "r", "x"}, {"1", "2", "1"}));
  EXPECT_EQ(data.instance_names, (Names{"p", "q", "r"}));
  EXPECT_EQ(data.views[0].absent, (std::vector<std::uint8_t>{0, 0, 1}));
  EXPECT_EQ(data.views[1].absent, (std::vector<std::uint8_t>{1, 0, 0}));
  EXPECT_EQ(data.views[1].dense(), (DenseMatrix{{0}, {20}, {30}}));
  EXPECT_EQ(data.labels->of, (std::vector<int>{0, Labels::unknown, 1}));
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0], "y.csv: 1 of 3 instances have no label there: taken as unknown");
  EXPECT_EQ(notes[1], "y.csv: 1 of 3 labels are for instances without data: left out");
}

TEST(Join, SparseViewsToo) {
  SparseMatrix values(2, 3);
  values.insert(0, 2) = 5;
  values.insert(1, 0) = 6;
  Table sparse = table("s", {"q", "p"}, {});
  sparse.values = values;
  const auto [data, notes] = joined({table("a", {"p", "q", "r"}, {1, 2, 3}), sparse}, {});
  EXPECT_EQ(DenseMatrix(data.views[1].sparse()), (DenseMatrix{{6, 0, 0}, {0, 0, 5}, {0, 0, 0}}));
  EXPECT_EQ(data.views[1].absent, (std::vector<std::uint8_t>{0, 0, 1}));
}

TEST(Join, ByPlaceWithoutNames) {
  const auto [data, notes] =
      joined({table("a", {}, {1, 2}), table("b", {}, {3, 4})}, labels({}, {"x", "y"}));
  EXPECT_TRUE(data.instance_names.empty());
  EXPECT_EQ(data.views[1].dense(), (DenseMatrix{{3}, {4}}));
  EXPECT_EQ(data.labels->of, (std::vector<int>{0, 1}));
}

TEST(Join, NamesInSomeFilesMustAgree) {
  const auto [data, notes] =
      joined({table("a", {"p", "q"}, {1, 2}), table("b", {}, {3, 4})}, labels({}, {"x", "y"}));
  EXPECT_EQ(data.instance_names, (Names{"p", "q"}));
  expect_error<BadData>(
      [] {
        joined({table("a", {"p", "q"}, {1, 2}), table("b", {}, {3, 4}),
                table("c", {"q", "p"}, {5, 6})},
               {});
      },
      {"a.csv and c.csv", "different order", "--id-column none"});
}

TEST(Join, RefusesWhatDoesNotBelongTogether) {
  expect_error<BadData>(
      [] {
        joined({table("a", {}, {1, 2}), table("b", {}, {3})}, {});
      },
      {"a.csv has 2 rows and b.csv has 1", "--id-column"});
  expect_error<BadData>(
      [] {
        joined({table("a", {}, {1, 2})}, labels({}, {"x"}));
      },
      {"y.csv has 1 labels, but a.csv has 2 rows", "other rows"});
  expect_error<BadData>(
      [] {
        joined({table("a", {"p", "q"}, {1, 2})}, labels({"r", "s"}, {"x", "y"}));
      },
      {"y.csv", "other instances", "'r'", "'p'"});
  expect_error<BadData>(
      [] {
        joined({table("a", {"p", "q", "p"}, {1, 2, 3})}, {});
      },
      {"a.csv", "'p' occurs twice", "rows 1 and 3"});
  expect_error<BadData>(
      [] {
        joined({table("a", {}, {1}), table("a", {}, {1})}, {});
      },
      {"both called 'a'", "NAME=FILE"});
}

TEST(Join, SaysWhenNoInstanceHasAllViews) {
  const auto [data, notes] = joined({table("a", {"p"}, {1}), table("b", {"P"}, {1})}, {});
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("no instance has all views"), std::string::npos);
}

TEST(Join, NamesViewsThatHaveNone) {
  const auto [data, notes] = joined({table("", {}, {1}), table("b", {}, {1})}, {});
  EXPECT_EQ(data.views[0].name, "view1");
}

}  // namespace
}  // namespace m3lak
