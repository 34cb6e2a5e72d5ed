#include "m3lak/folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "data/expect_error.h"
#include "m3lak/error.h"

namespace m3lak {
namespace {

/// 103 instances: classes of 50, 30 and 13, and ten without a label.
Labels uneven() {
  Labels labels{{"a", "b", "c"}, {}};
  for (const auto& [label, count] : {std::pair{0, 50}, {1, 30}, {2, 13}, {Labels::unknown, 10}}) {
    labels.of.insert(labels.of.end(), static_cast<std::size_t>(count), label);
  }
  return labels;
}

TEST(Folds, TestEveryLabelledInstanceOnce) {
  const Labels labels = uneven();
  const Folds folds = stratified_folds(labels, 10, 1);
  std::vector<int> tested(labels.of.size(), 0);
  for (int fold = 0; fold < 10; ++fold) {
    const auto test = folds.test(fold), train = folds.train(fold);
    EXPECT_EQ(test.size() + train.size(), labels.of.size());
    for (const Index n : test) {
      ++tested[static_cast<std::size_t>(n)];
      EXPECT_FALSE(std::binary_search(train.begin(), train.end(), n));
    }
  }
  for (std::size_t n = 0; n < tested.size(); ++n) {
    EXPECT_EQ(tested[n], labels.of[n] == Labels::unknown ? 0 : 1);
  }
}

TEST(Folds, AreEvenInSizeAndInEachClass) {
  const Labels labels = uneven();
  for (const int count : {2, 3, 7, 10}) {
    const Folds folds = stratified_folds(labels, count, 5);
    std::map<int, std::pair<std::size_t, std::size_t>> range;  // by class; -1: all
    for (int fold = 0; fold < count; ++fold) {
      std::map<int, std::size_t> number = {{-1, 0}, {0, 0}, {1, 0}, {2, 0}};
      for (const Index n : folds.test(fold)) {
        ++number[-1];
        ++number[labels.of[static_cast<std::size_t>(n)]];
      }
      for (const auto& [label, n] : number) {
        auto [entry, is_new] = range.try_emplace(label, n, n);
        entry->second = {std::min(entry->second.first, n), std::max(entry->second.second, n)};
      }
    }
    for (const auto& [label, least_most] : range) {
      EXPECT_LE(least_most.second - least_most.first, 1U) << count << " folds, class " << label;
    }
  }
}

TEST(Folds, FollowTheSeed) {
  const Labels labels = uneven();
  EXPECT_EQ(stratified_folds(labels, 5, 1).of, stratified_folds(labels, 5, 1).of);
  EXPECT_NE(stratified_folds(labels, 5, 1).of, stratified_folds(labels, 5, 2).of);
}

TEST(Folds, AreTheSameOnEveryPlatform) {
  // Integers alone decide, so these must never change: published results depend on them.
  const Labels labels{{"a", "b"}, {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}};
  EXPECT_EQ(stratified_folds(labels, 3, 42).of,
            (std::vector<int>{1, 1, 0, 0, 2, 2, 2, 1, 1, 0, 0}));
}

TEST(Folds, OfSmallClassesWorkAndSaySo) {
  const Labels labels{{"many", "one"}, {0, 0, 0, 0, 0, 0, 1}};
  const Folds folds = stratified_folds(labels, 5, 3);
  ASSERT_EQ(folds.notes.size(), 1U);
  EXPECT_EQ(folds.notes[0], "class 'one' has 1 member(s) for 5 folds: 1 of them test it");
  for (int fold = 0; fold < 5; ++fold) EXPECT_FALSE(folds.test(fold).empty());
}

TEST(Folds, RefuseWhatCannotBe) {
  expect_error<BadUsage>([] { stratified_folds(uneven(), 1, 1); }, {"folds = 1", "at least 2"});
  expect_error<BadUsage>([] { stratified_folds(uneven(), 94, 1); }, {"folds = 94", "at most 93"});
  expect_error<BadData>(
      [] {
        stratified_folds(Labels{{"a"}, {0, 0, 0}}, 2, 1);
      },
      {"all labels are 'a'"});
}

}  // namespace
}  // namespace m3lak
