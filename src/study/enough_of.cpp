#include "study/enough_of.h"

#include <algorithm>
#include <utility>

#include "data/dense_view.h"
#include "m3lak/folds.h"

namespace m3lak {

namespace {

Labels labels_of_all(const Dataset& training, const Part& part) {
  return part.cluster ? all_labels(*part.cluster, *training.labels) : *training.labels;
}

Index labelled_count(const Labels& labels) {
  return std::ssize(labels.of) - labels.unknown_count();
}

/// Into so many pieces the labelled instances are cut: hundredths, or about a hundred instances
/// each.
int pieces(const Labels& labels) {
  constexpr Index hundred = 100;
  return static_cast<int>(std::max(hundred, labelled_count(labels) / hundred));
}

int pieces_for(Index count, const Labels& labels) {
  return static_cast<int>(std::max<Index>(1, pieces(labels) * count / labelled_count(labels)));
}

/// Those of this process among the instances of some pieces, by their place in its part.
std::vector<Index> own_rows(const Dataset& training, const Part& part, const Folds& folds,
                            int first, int end) {
  std::vector<Index> rows;
  for (Index row = 0; row < training.instances(); ++row) {
    const int fold = folds.of[static_cast<std::size_t>(part.first + row)];
    if (fold >= first && fold < end) rows.push_back(row);
  }
  return rows;
}

/// Those of which the pieces from the first on hold less than half: rare ones may be there whole.
std::vector<bool> classes_to_spare(const Labels& labels, const Folds& folds, int first) {
  std::vector<Index> left = labels.counts();
  for (std::size_t n = 0; n < labels.of.size(); ++n) {
    if (folds.of[n] >= first) left[static_cast<std::size_t>(labels.of[n])] -= 2;
  }
  std::vector<bool> can_spare;
  for (const Index more : left) can_spare.push_back(more > 0);
  return can_spare;
}

Dataset of_all_processes(const Part& part, Dataset own) {
  return part.cluster ? gathered(*part.cluster, std::move(own)) : own;
}

}  // namespace

Index labelled_count(const Dataset& training, const Part& part) {
  return labelled_count(labels_of_all(training, part));
}

Dataset enough_of(const Dataset& training, const Part& part, Index most, std::uint64_t seed) {
  const Labels labels = labels_of_all(training, part);
  if (labelled_count(labels) <= most) return of_all_processes(part, training);
  const Folds folds = stratified_folds(labels, pieces(labels), seed);
  const int end = pieces_for(most, labels);
  return of_all_processes(part, training.select(own_rows(training, part, folds, 0, end)));
}

Dataset hold_back(Dataset& training, const Part& part, Index count, std::uint64_t seed) {
  const Labels labels = labels_of_all(training, part);
  const Folds folds = stratified_folds(labels, pieces(labels), seed);
  const int first = folds.count - pieces_for(count, labels);
  std::vector<Index> rows = own_rows(training, part, folds, first, folds.count);
  const std::vector<bool> can_spare = classes_to_spare(labels, folds, first);
  std::erase_if(rows, [&](Index row) {
    return !can_spare[static_cast<std::size_t>(training.labels->of[static_cast<std::size_t>(row)])];
  });
  Dataset held = training.select(rows);
  for (View& view : held.views) own_if_small(view);
  for (const Index row : rows) {
    training.labels->of[static_cast<std::size_t>(row)] = Labels::unknown;
  }
  return of_all_processes(part, std::move(held));
}

}  // namespace m3lak
