#include "model/problem.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "data/dense_view.h"
#include "data/view_algebra.h"
#include "model/wide.h"

namespace m3lak {

namespace {

bool labelled(const Dataset& data, Index n) {
  return data.labels && data.labels->of[static_cast<std::size_t>(n)] != Labels::unknown;
}

std::vector<std::uint8_t> pattern_of(const Dataset& data, Index n) {
  std::vector<std::uint8_t> has;
  for (const View& view : data.views) has.push_back(view.has(n));
  return has;
}

/// Sorts the instances inside of each block and cuts it into segments.
void cut_segments(const Dataset& data, Problem& problem) {
  std::map<std::vector<std::uint8_t>, Index> known;
  std::vector<std::pair<Index, bool>> kind;
  for (Index n = 0; n < data.instances(); ++n) {
    const auto [found, is_new] = known.try_emplace(pattern_of(data, n), std::ssize(known));
    if (is_new) problem.patterns.push_back(found->first);
    kind.emplace_back(found->second, labelled(data, n));
  }
  const auto kind_of = [&](Index n) { return kind[static_cast<std::size_t>(n)]; };
  problem.order.resize(kind.size());
  std::iota(problem.order.begin(), problem.order.end(), Index{0});
  for (Index b = 0; b < problem.blocks.number(); ++b) {
    const Block block = problem.blocks[b];
    const auto first = problem.order.begin() + block.begin;
    std::stable_sort(first, first + block.size,
                     [&](Index a, Index c) { return kind_of(a) < kind_of(c); });
    std::vector<Segment>& segments = problem.segments.emplace_back();
    for (Index n = block.begin; n < block.end(); ++n) {
      const auto [pattern, has_label] = kind_of(problem.order[static_cast<std::size_t>(n)]);
      if (segments.empty() || segments.back().pattern != pattern ||
          segments.back().labelled != has_label || segments.back().size == 128) {
        segments.push_back({n, 0, pattern, has_label});
      }
      ++segments.back().size;
    }
  }
}

Matrix signs(const Labels& labels) {
  const Index classes = std::ssize(labels.classes);
  const bool binary = classes == 2;
  Matrix y = Matrix::Zero(binary ? 1 : classes, std::ssize(labels.of));
  for (Index n = 0; n < y.cols(); ++n) {
    const int label = labels.of[static_cast<std::size_t>(n)];
    if (label == Labels::unknown) continue;
    y.col(n).setConstant(-1);
    if (!binary) y(label, n) = 1;
    if (binary && label == 1) y(0, n) = 1;
  }
  return y;
}

/// Takes the missing cells out of the view and returns their places.
SparseMatrix take_gaps(View& view) {
  std::vector<Eigen::Triplet<double, int>> places;
  if (view.is_sparse()) {
    auto& values = std::get<SparseMatrix>(view.values);
    for (int n = 0; n < values.rows(); ++n) {
      for (SparseMatrix::InnerIterator cell(values, n); cell; ++cell) {
        if (!std::isnan(cell.value())) continue;
        places.emplace_back(n, static_cast<int>(cell.col()), 0.0);
        cell.valueRef() = view.offset.size() > 0 ? view.offset[cell.col()] : 0.0;
      }
    }
  } else {
    with_dense(view, [&](auto& values) {
      for (int n = 0; n < values.rows(); ++n) {
        for (int d = 0; d < values.cols(); ++d) {
          if (!std::isnan(values(n, d))) continue;
          places.emplace_back(n, d, 0.0);
          values(n, d) = 0;
        }
      }
    });
  }
  SparseMatrix gaps(view.instances(), view.features());
  gaps.setFromTriplets(places.begin(), places.end());
  return gaps;
}

/// In the precision in which the data came.
Problem prepare_as_it_is(Dataset scaled) {
  Problem problem;
  problem.blocks = {scaled.instances(), instances_a_block};
  cut_segments(scaled, problem);
  if (!std::ranges::is_sorted(problem.order)) scaled = scaled.select(problem.order);
  problem.y = scaled.labels ? signs(*scaled.labels) : Matrix::Zero(1, scaled.instances());
  problem.views = std::move(scaled.views);
  for (View& view : problem.views) {
    problem.gaps.push_back(take_gaps(view));
    problem.squared_norms.push_back(squared_norm(view));
    problem.present.push_back(view.instances() - view.absent_count());
    problem.features.push_back(view.features());
  }
  problem.turns.resize(problem.views.size());
  return problem;
}

}  // namespace

bool Problem::has_gaps(Index instance) const {
  return std::ranges::any_of(gaps, [&](const SparseMatrix& places) {
    return places.outerIndexPtr()[instance] < places.outerIndexPtr()[instance + 1];
  });
}

void keep_in(View& view, Precision precision) {
  if (view.is_sparse() || view.is_float() == (precision == Precision::mixed)) return;
  if (precision == Precision::mixed) {
    FloatMatrix values = view.dense().cast<float>();
    view.values = std::move(values);
  } else {
    DenseMatrix values = view.floats().cast<double>();
    view.values = std::move(values);
  }
}

void scale(const Scaler& scaler, Precision precision, Dataset& data) {
  if (precision == Precision::full) {
    for (View& view : data.views) keep_in(view, precision);
  }
  scaler.apply(data);
}

Problem prepare(Dataset scaled, Precision precision) {
  Problem problem = prepare_as_it_is(std::move(scaled));
  for (View& view : problem.views) keep_in(view, precision);
  return problem;
}

Problem prepare_training(Dataset scaled, Index latent_and_private, Precision precision) {
  Problem problem = prepare_as_it_is(std::move(scaled));
  for (std::size_t i = 0; i < problem.views.size(); ++i) {
    // Missing cells need their features.
    if (problem.gaps[i].nonZeros() == 0 && worth_turning(problem.views[i], latent_and_private)) {
      problem.turns[i] = turn(problem.views[i]);
      problem.gaps[i] = SparseMatrix(problem.instances(), problem.views[i].features());
    }
    keep_in(problem.views[i], precision);
  }
  return problem;
}

}  // namespace m3lak
