#include <gtest/gtest.h>

#include "data/expect_error.h"
#include "m3lak/error.h"
#include "m3lak/evaluate.h"

namespace m3lak {
namespace {

const Labels labels{{"1", "2", "3"}, {0, 1, 2, Labels::unknown, 1}};

TEST(OneAgainstRest, MakesTwoClasses) {
  const Labels binary = one_against_rest(labels, {"2"});
  EXPECT_EQ(binary.classes, (std::vector<std::string>{"not 2", "2"}));
  EXPECT_EQ(binary.of, (std::vector<int>{0, 1, 0, Labels::unknown, 1}));
}

TEST(OneAgainstRest, TakesSeveralClassesInAnyOrderAndSpelling) {
  const Labels binary = one_against_rest(labels, {"3.0", "2", "3"});
  EXPECT_EQ(binary.classes, (std::vector<std::string>{"not 2,3", "2,3"}));
  EXPECT_EQ(binary.of, (std::vector<int>{0, 1, 1, Labels::unknown, 1}));
}

TEST(OneAgainstRest, RefusesWhatLeavesNoTask) {
  expect_error<BadUsage>([] { one_against_rest(labels, {"cat"}); }, {"'cat'", "there are 1, 2, 3"});
  expect_error<BadUsage>([] { one_against_rest(labels, {"NA"}); }, {"'NA'"});
  expect_error<BadUsage>([] { one_against_rest(labels, {}); }, {"name one class"});
  expect_error<BadUsage>([] { one_against_rest(labels, {"1", "2", "3"}); }, {"leave one out"});
}

}  // namespace
}  // namespace m3lak
