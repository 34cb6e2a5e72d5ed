#include "m3lak/folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "m3lak/error.h"
#include "numeric/random.h"
#include "numeric/steps.h"

namespace m3lak {

namespace {

std::vector<Index> members_of(const Labels& labels, int label) {
  std::vector<Index> members;
  for (std::size_t n = 0; n < labels.of.size(); ++n) {
    if (labels.of[n] == label) members.push_back(static_cast<Index>(n));
  }
  return members;
}

void shuffle(std::vector<Index>& items, Stream& stream) {
  for (std::size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[stream.below(left)]);
  }
}

std::vector<Index> where(const std::vector<int>& of, auto&& condition) {
  std::vector<Index> found;
  for (std::size_t n = 0; n < of.size(); ++n) {
    if (condition(of[n])) found.push_back(static_cast<Index>(n));
  }
  return found;
}

}  // namespace

std::vector<Index> Folds::train(int fold) const {
  return where(of, [fold](int f) { return f != fold; });
}

std::vector<Index> Folds::test(int fold) const {
  return where(of, [fold](int f) { return f == fold; });
}

Folds stratified_folds(const Labels& labels, int folds, std::uint64_t seed) {
  labels.require_two_classes();
  const auto known = static_cast<Index>(labels.of.size()) - labels.unknown_count();
  if (folds < 2 || folds > known) {
    throw BadUsage(
        fmt::format("folds = {}: must be at least 2 and at most {}, the number of "
                    "labelled instances",
                    folds, known));
  }
  Folds result;
  result.count = folds;
  result.of.assign(labels.of.size(), Folds::never);
  int next = 0;  // goes on from class to class, so that the folds' sizes stay even
  for (std::size_t c = 0; c < labels.classes.size(); ++c) {
    std::vector<Index> members = members_of(labels, static_cast<int>(c));
    Stream stream({.seed = seed, .step = number(Step::folds), .index = c});
    shuffle(members, stream);
    for (const Index member : members) {
      result.of[static_cast<std::size_t>(member)] = next;
      next = (next + 1) % folds;
    }
    if (static_cast<int>(members.size()) < folds) {
      result.notes.push_back(
          fmt::format("class '{}' has {} member(s) for {} folds: {} of them test it",
                      labels.classes[c], members.size(), folds, members.size()));
    }
  }
  return result;
}

}  // namespace m3lak
