#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "m3lak/error.h"
#include "m3lak/evaluate.h"

namespace m3lak {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// What is measured, without the instances whose label is not known.
struct Case {
  std::vector<int> truth, label;
  Matrix score, probability;

  Index size() const { return static_cast<Index>(truth.size()); }
  int classes() const { return static_cast<int>(probability.cols()); }
};

void check_sizes(const std::vector<int>& truth, const std::vector<int>& label, const Matrix& score,
                 const Matrix& probability) {
  const auto count = static_cast<Index>(truth.size());
  const auto labels = static_cast<Index>(label.size());
  if (labels != count || score.rows() != count || probability.rows() != count) {
    throw BadUsage(
        fmt::format("measure: {} true classes, but {} predicted ones, {} rows of scores and {} of "
                    "probabilities",
                    count, labels, score.rows(), probability.rows()));
  }
  if (score.cols() != 1 && score.cols() != probability.cols()) {
    throw BadUsage(
        fmt::format("measure: {} columns of scores; must be one, or one for each of {} classes",
                    score.cols(), probability.cols()));
  }
  const auto is_class = [&](int c) { return c >= Labels::unknown && c < probability.cols(); };
  if (!std::all_of(truth.begin(), truth.end(), is_class) ||
      !std::all_of(label.begin(), label.end(), is_class)) {
    throw BadUsage(fmt::format("measure: a class is none of the {} that have probabilities",
                               probability.cols()));
  }
}

Case known_part(const std::vector<int>& truth, const std::vector<int>& label, const Matrix& score,
                const Matrix& probability) {
  Case known;
  std::vector<Index> rows;
  for (std::size_t n = 0; n < truth.size(); ++n) {
    if (truth[n] == Labels::unknown) continue;
    known.truth.push_back(truth[n]);
    known.label.push_back(label[n]);
    rows.push_back(static_cast<Index>(n));
  }
  known.score = score(rows, Eigen::all);
  known.probability = probability(rows, Eigen::all);
  return known;
}

double accuracy(const Case& known) {
  Index right = 0;
  for (std::size_t n = 0; n < known.truth.size(); ++n) right += known.truth[n] == known.label[n];
  return static_cast<double>(right) / static_cast<double>(known.size());
}

double balanced_accuracy(const Case& known) {
  double sum = 0;
  int present = 0;
  for (int c = 0; c < known.classes(); ++c) {
    double members = 0, found = 0;
    for (std::size_t n = 0; n < known.truth.size(); ++n) {
      if (known.truth[n] != c) continue;
      ++members;
      found += known.label[n] == c;
    }
    if (members == 0) continue;
    sum += found / members;
    ++present;
  }
  return sum / present;
}

/// The chance that a member of class `positive` has a larger score than one of the others, a tie
/// counting half: from the sum of the members' ranks. NaN if there are no members, or no others.
double auc_of(const Case& known, Index column, int positive) {
  const auto score = known.score.col(column);
  if (score.hasNaN()) return not_a_number;
  std::vector<Index> order(known.truth.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return score[a] < score[b]; });
  double members = 0, ranks = 0;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && score[order[end]] == score[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      if (known.truth[static_cast<std::size_t>(order[i])] != positive) continue;
      ++members;
      ranks += 0.5 * static_cast<double>(begin + 1 + end);
    }
  }
  const double others = static_cast<double>(known.size()) - members;
  if (members == 0 || others == 0) return not_a_number;
  return (ranks - 0.5 * members * (members + 1)) / (members * others);
}

double auc(const Case& known) {
  if (known.score.cols() == 1) return auc_of(known, 0, 1);
  double sum = 0;
  int present = 0;
  for (int c = 0; c < known.classes(); ++c) {
    if (std::find(known.truth.begin(), known.truth.end(), c) == known.truth.end()) continue;
    sum += auc_of(known, c, c);
    ++present;
  }
  return sum / present;
}

double log_loss(const Case& known) {
  constexpr double least = 1e-15;  // one confident error must not make the mean infinite
  double sum = 0;
  for (Index n = 0; n < known.size(); ++n) {
    const double probability = known.probability(n, known.truth[static_cast<std::size_t>(n)]);
    sum -= std::log(std::clamp(probability, least, 1.0));
  }
  return sum / static_cast<double>(known.size());
}

Reliability reliability(const Case& known) {
  Reliability found;
  const auto count = static_cast<int>(found.bins.size());
  for (Index n = 0; n < known.size(); ++n) {
    const auto row = static_cast<std::size_t>(n);
    if (known.label[row] == Labels::unknown) return {};
    const double confidence = known.probability(n, known.label[row]);
    if (std::isnan(confidence)) return {};
    const int at = std::clamp(static_cast<int>(confidence * count), 0, count - 1);
    Reliability::Bin& bin = found.bins[static_cast<std::size_t>(at)];
    ++bin.instances;
    bin.confidence += confidence;
    bin.right += known.label[row] == known.truth[row];
  }
  return found;
}

}  // namespace

Reliability& Reliability::operator+=(const Reliability& other) {
  for (std::size_t i = 0; i < bins.size(); ++i) {
    bins[i].instances += other.bins[i].instances;
    bins[i].confidence += other.bins[i].confidence;
    bins[i].right += other.bins[i].right;
  }
  return *this;
}

double Reliability::error() const {
  double sum = 0, instances = 0;
  for (const Bin& bin : bins) {
    sum += std::abs(bin.confidence - bin.right);
    instances += bin.instances;
  }
  return instances > 0 ? sum / instances : not_a_number;
}

Measures measure(const std::vector<int>& truth, const std::vector<int>& label, const Matrix& score,
                 const Matrix& probability) {
  check_sizes(truth, label, score, probability);
  const Case known = known_part(truth, label, score, probability);
  Measures measures;
  if (known.size() == 0) {
    measures.accuracy = measures.balanced_accuracy = measures.auc = measures.log_loss =
        measures.calibration_error = not_a_number;
    return measures;
  }
  measures.accuracy = accuracy(known);
  measures.balanced_accuracy = balanced_accuracy(known);
  measures.auc = auc(known);
  measures.log_loss = log_loss(known);
  measures.reliability = reliability(known);
  measures.calibration_error = measures.reliability.error();
  return measures;
}

}  // namespace m3lak
