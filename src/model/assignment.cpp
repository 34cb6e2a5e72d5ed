#include "model/assignment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "m3lak/error.h"

namespace m3lak {

namespace {

/// Each point's numbers, always in this order, so that they need not be kept: the slice is this
/// share of its component's weight, and the choice of z takes the other.
struct Uniforms {
  double slice, choice;

  Uniforms(const Iteration& iteration, Index point) {
    Stream stream = iteration.stream(Step::mixture_point, point);
    slice = stream.uniform();
    choice = stream.uniform();
  }
};

/// The least slice of each component, as a share of its weight.
struct LeastShares {
  Vector of;
};

template <class Kind>
void transfer(Kind& archive, LeastShares& least) {
  archive(least.of);
}

class AssignmentDraws {
 public:
  AssignmentDraws(Workers& workers, const Iteration& iteration, const Points& points,
                  Mixture& mixture);

  void operator()(Block block, PointSums& sums, int worker) {
    for_each_tile(block, [&](Index first, Index count) {
      Memory& memory = memory_[static_cast<std::size_t>(worker)];
      sort_by_slice(first, count, memory);
      choose(count, memory);
      assign(first, count, memory, sums);
    });
  }

 private:
  struct Memory {
    PointTile tile;
    RowMatrix<double> scores;  // one row a component, the heaviest first
    PointTile::Row top, total, choice;
    std::array<int, PointTile::most> reach, order, chosen;
    std::vector<Index> looking;  // how many points look at each component
    Vector y;
  };

  void sort_by_slice(Index first, Index count, Memory& memory) const;
  void choose(Index count, Memory& memory) const;
  void assign(Index first, Index count, Memory& memory, PointSums& sums) const;

  const Iteration& iteration_;
  const Points& points_;
  Mixture& mixture_;
  std::vector<int> by_weight_;  // components, the heaviest first
  std::vector<Lens> lenses_;    // in this order
  Matrix shares_;  // (r, z): the r-th weight as a share of that of z, which falls with r
  std::vector<Memory> memory_;
};

AssignmentDraws::AssignmentDraws(Workers& workers, const Iteration& iteration, const Points& points,
                                 Mixture& mixture)
    : iteration_(iteration), points_(points), mixture_(mixture) {
  const auto& components = mixture.components;
  const Index K = std::ssize(components);
  const auto log_weight = [&](int k) { return components[static_cast<std::size_t>(k)].log_weight; };
  by_weight_.resize(components.size());
  std::iota(by_weight_.begin(), by_weight_.end(), 0);
  std::ranges::stable_sort(by_weight_, std::ranges::greater{}, log_weight);
  shares_.resize(K, K);
  for (Index r = 0; r < K; ++r) {
    const int heavy = by_weight_[static_cast<std::size_t>(r)];
    lenses_.emplace_back(components[static_cast<std::size_t>(heavy)]);
    for (Index z = 0; z < K; ++z) {
      shares_(r, z) = std::exp(log_weight(heavy) - log_weight(static_cast<int>(z)));
    }
  }
  const Index d = points.rows();
  memory_.assign(static_cast<std::size_t>(workers.threads()),
                 Memory{PointTile(d),
                        RowMatrix<double>(K, PointTile::most),
                        {},
                        {},
                        {},
                        {},
                        {},
                        {},
                        std::vector<Index>(components.size() + 1),
                        Vector(d)});
}

// A point looks at the heaviest components, down to its slice. Points that look at the most come
// first, so that those that look at a component are always the first few.
void AssignmentDraws::sort_by_slice(Index first, Index count, Memory& memory) const {
  const Index K = shares_.rows();
  std::ranges::fill(memory.looking, 0);
  std::array<double, PointTile::most> choice;
  for (Index n = 0; n < count; ++n) {
    const Uniforms uniforms(iteration_, first + n);
    const double* shares = &shares_(0, mixture_.of[static_cast<std::size_t>(first + n)]);
    int reach = 0;
    for (Index r = 0; r < K; ++r) reach += shares[r] >= uniforms.slice;
    const auto i = static_cast<std::size_t>(n);
    memory.reach[i] = reach;
    choice[i] = uniforms.choice;
    ++memory.looking[static_cast<std::size_t>(reach) - 1];
  }
  for (std::size_t r = memory.looking.size() - 1; r-- > 0;) {
    memory.looking[r] += memory.looking[r + 1];
  }
  // Those that reach r components and no more stand from looking[r] on.
  std::vector<Index>& place = memory.looking;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const Index at = place[static_cast<std::size_t>(memory.reach[i])]++;
    memory.order[static_cast<std::size_t>(at)] = static_cast<int>(i);
    memory.choice[at] = choice[i];
  }
  // Now place[r] is where looking[r - 1] was: how many look at the component of rank r - 1.
  memory.tile.take(points_, first, {memory.order.data(), static_cast<std::size_t>(count)});
}

void AssignmentDraws::choose(Index count, Memory& memory) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  memory.top.head(count) = -infinity;
  const auto looking = [&](Index r) { return memory.looking[static_cast<std::size_t>(r) + 1]; };
  const Index K = std::ssize(lenses_);
  Index reached = 0;
  for (Index c; reached < K && (c = looking(reached)) > 0; ++reached) {
    const Lens& lens = lenses_[static_cast<std::size_t>(reached)];
    auto score = memory.scores.row(reached).transpose().array().head(c);
    memory.tile.squares(lens, 0, c, score.data());
    score = lens.log_constant - 0.5 * score;
    memory.top.head(c) = memory.top.head(c).max(score);
  }
  memory.total.head(count) = 0;
  for (Index r = 0; r < reached; ++r) {
    const Index c = looking(r);
    auto score = memory.scores.row(r).transpose().array().head(c);
    score = (score - memory.top.head(c)).exp();
    memory.total.head(c) += score;
  }
  // ∞ - ∞ is NaN, so this one comparison finds everything that went wrong.
  if (!(memory.total.head(count) > 0).all()) {
    throw BadData(
        "mixture: numbers ran out of range: points are too far from all components, or priors too "
        "extreme; scale the data");
  }
  memory.choice.head(count) *= memory.total.head(count);
  for (Index r = 0; r < reached; ++r) {
    const Index c = looking(r);
    const double* weight = &memory.scores(r, 0);
    double* left = memory.choice.data();
    int* chosen = memory.chosen.data();
    for (Index i = 0; i < c; ++i) {
      // Nothing is chosen after the rest fell below 0; the last one, if rounding leaves a crumb.
      chosen[i] = left[i] >= 0 && weight[i] > 0 ? static_cast<int>(r) : chosen[i];
      left[i] -= weight[i];
    }
  }
}

void AssignmentDraws::assign(Index first, Index count, Memory& memory, PointSums& sums) const {
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto rank = static_cast<std::size_t>(memory.chosen[i]);
    const Index n = first + memory.order[i];
    mixture_.of[static_cast<std::size_t>(n)] = by_weight_[rank];
    memory.y = points_.col(n) - lenses_[rank].mean;
    sums.add(by_weight_[rank], memory.y);
  }
}

}  // namespace

double log_least_slice(Workers& workers, const Iteration& iteration, const Mixture& mixture) {
  const Index K = std::ssize(mixture.components);
  const auto find = [&](Block block, LeastShares& least) {
    for (Index n = block.begin; n < block.end(); ++n) {
      double& share = least.of[mixture.of[static_cast<std::size_t>(n)]];
      share = std::min(share, Uniforms(iteration, n).slice);
    }
  };
  const LeastShares least = reduce_blocks(
      workers, Blocks{std::ssize(mixture.of), points_a_block}, LeastShares{Vector::Ones(K)}, find,
      [](LeastShares& into, const LeastShares& from) { into.of = into.of.cwiseMin(from.of); });
  double log_least = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < K; ++k) {
    const double log_weight = mixture.components[static_cast<std::size_t>(k)].log_weight;
    log_least = std::min(log_least, log_weight + std::log(least.of[k]));
  }
  return log_least;
}

PointSums draw_assignments(Workers& workers, const Iteration& iteration, const Points& points,
                           Mixture& mixture) {
  AssignmentDraws draws(workers, iteration, points, mixture);
  return reduce_blocks(
      workers, blocks_of(points), PointSums(points.rows(), std::ssize(mixture.components)),
      [&](Block block, PointSums& sums, int worker) { draws(block, sums, worker); },
      [](PointSums& into, const PointSums& from) { into += from; });
}

}  // namespace m3lak
