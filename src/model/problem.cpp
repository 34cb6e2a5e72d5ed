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

/// Sorts the instances inside of each block and cuts it into segments. Patterns have an order of
/// their own, so that instances come in the same order whatever else a process has.
void cut_segments(const Dataset& data, Problem& problem) {
  std::map<std::vector<std::uint8_t>, Index> known;
  for (Index n = 0; n < data.instances(); ++n) known[pattern_of(data, n)] = 0;
  for (auto& [pattern, number] : known) {
    number = std::ssize(problem.patterns);
    problem.patterns.push_back(pattern);
  }
  std::vector<std::pair<Index, bool>> kind;
  for (Index n = 0; n < data.instances(); ++n) {
    kind.emplace_back(known[pattern_of(data, n)], labelled(data, n));
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
  } else if (const auto* streamed = std::get_if<Streamed>(&view.values)) {
    for_each_dense_block(view, [&](const auto& values, Index begin) {
      for (int n = 0; n < values.rows(); ++n) {
        for (int d = 0; d < values.cols(); ++d) {
          if (std::isnan(values(n, d))) places.emplace_back(static_cast<int>(begin) + n, d, 0.0);
        }
      }
    });
    if (!places.empty()) view.values = streamed->source->without_gaps();
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

/// ‖X_i‖² of each view, and how many instances have it.
struct Sizes {
  std::vector<double> squared_norms;
  std::vector<Index> present;
};

void combine(Sizes& into, const Sizes& from) {
  for (std::size_t i = 0; i < into.present.size(); ++i) {
    into.squared_norms[i] += from.squared_norms[i];
    into.present[i] += from.present[i];
  }
}

template <class Kind>
void transfer(Kind& archive, Sizes& sizes) {
  archive(sizes.squared_norms, sizes.present);
}

void measure(Workers& workers, Problem& problem) {
  const std::size_t views = problem.views.size();
  const auto map = [&](const Block& block, Sizes& sum) {
    for (const Segment& segment : problem.segments[static_cast<std::size_t>(block.index)]) {
      const auto& has = problem.patterns[static_cast<std::size_t>(segment.pattern)];
      for (std::size_t i = 0; i < views; ++i) {
        if (!has[i]) continue;
        sum.squared_norms[i] += squared_norm(problem.views[i], segment.begin, segment.size);
        sum.present[i] += segment.size;
      }
    }
  };
  Sizes sizes = reduce_blocks(workers, problem.blocks,
                              Sizes{std::vector<double>(views, 0.0), std::vector<Index>(views, 0)},
                              map, combine);
  problem.squared_norms = std::move(sizes.squared_norms);
  problem.present = std::move(sizes.present);
}

/// In the precision in which the data came.
Problem prepare_as_it_is(Workers& workers, Dataset scaled, const Part& part) {
  Problem problem;
  problem.first = part.first;
  problem.total = part.total;
  problem.blocks = {scaled.instances(), instances_a_block};
  cut_segments(scaled, problem);
  if (!std::ranges::is_sorted(problem.order)) scaled = scaled.select(problem.order);
  problem.y = scaled.labels ? signs(*scaled.labels) : Matrix::Zero(1, scaled.instances());
  problem.views = std::move(scaled.views);
  for (View& view : problem.views) {
    problem.gaps.push_back(take_gaps(view));
    problem.features.push_back(view.features());
  }
  measure(workers, problem);
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
  if (const auto* streamed = std::get_if<Streamed>(&view.values)) {
    view.values = precision == Precision::mixed ? streamed->source->in_float()
                                                : streamed->source->in_double();
  } else if (precision == Precision::mixed) {
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
  Workers alone(1);
  const Part all = whole(scaled);
  Problem problem = prepare_as_it_is(alone, std::move(scaled), all);
  for (View& view : problem.views) keep_in(view, precision);
  return problem;
}

Problem prepare_training(Workers& workers, Dataset scaled, const Part& part,
                         Index latent_and_private, Precision precision) {
  Problem problem = prepare_as_it_is(workers, std::move(scaled), part);
  for (std::size_t i = 0; i < problem.views.size(); ++i) {
    // Missing cells need their features.
    if (!workers.cluster() && problem.gaps[i].nonZeros() == 0 &&
        worth_turning(problem.views[i], latent_and_private)) {
      problem.turns[i] = turn(problem.views[i]);
      problem.gaps[i] = SparseMatrix(problem.instances(), problem.views[i].features());
    }
    keep_in(problem.views[i], precision);
  }
  return problem;
}

Problem prepare_training(Dataset scaled, Index latent_and_private, Precision precision) {
  Workers alone(1);
  const Part all = whole(scaled);
  return prepare_training(alone, std::move(scaled), all, latent_and_private, precision);
}

Problem own_part(const Problem& whole, Share share) {
  const Block own = own_instances(whole.instances(), share);
  Problem part;
  for (std::size_t i = 0; i < whole.views.size(); ++i) {
    View& view = part.views.emplace_back();
    view.name = whole.views[i].name;
    view.offset = whole.views[i].offset;
    if (!whole.views[i].absent.empty()) {
      const auto begin = whole.views[i].absent.begin() + own.begin;
      view.absent.assign(begin, begin + own.size);
    }
    if (whole.views[i].is_sparse()) {
      view.values = SparseMatrix(whole.views[i].sparse().middleRows(own.begin, own.size));
    } else {
      with_dense(whole.views[i], [&](const auto& values) {
        using Owned = Eigen::Matrix<typename std::remove_cvref_t<decltype(values)>::Scalar,
                                    Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        view.values = Owned(values.middleRows(own.begin, own.size));
      });
    }
    part.gaps.push_back(SparseMatrix(whole.gaps[i].middleRows(own.begin, own.size)));
  }
  part.features = whole.features;
  part.turns = whole.turns;
  part.squared_norms = whole.squared_norms;
  part.present = whole.present;
  part.y = whole.y.middleCols(own.begin, own.size);
  part.patterns = whole.patterns;
  part.coordinates.resize(own.size, whole.coordinates.cols());
  if (whole.coordinates.cols() > 0) {
    part.coordinates = whole.coordinates.middleRows(own.begin, own.size);
  }
  part.directions = whole.directions;
  part.blocks = {own.size, whole.blocks.block_size};
  part.first = own.begin;
  part.total = whole.total;
  for (Index b = 0; b < part.blocks.number(); ++b) {
    auto& segments =
        part.segments.emplace_back(whole.segments[static_cast<std::size_t>(own.index + b)]);
    for (Segment& segment : segments) segment.begin -= own.begin;
  }
  const auto order = whole.order.begin() + own.begin;
  part.order.assign(order, order + own.size);
  for (Index& n : part.order) n -= own.begin;
  return part;
}

}  // namespace m3lak
