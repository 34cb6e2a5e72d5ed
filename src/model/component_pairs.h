// Each component's points between two Gaussians.
#pragma once

#include <array>
#include <optional>

#include "model/mixture.h"
#include "model/point_tile.h"

namespace m3lak {

/// With the weights as part of the constants.
struct LensPair {
  Lens first, second;

  LensPair(const Component& a, const Component& b) : first(a), second(b) {
    first.log_constant += a.log_weight;
    second.log_constant += b.log_weight;
  }
};

/// Of each component; those that have none are left out.
using LensPairs = std::vector<std::optional<LensPair>>;

class PairOdds {
 public:
  PairOdds(Workers& workers, const Points& points, const std::vector<int>& of,
           const LensPairs& pairs);

  /// Calls visit(point, component, log odds of its first against its second Gaussian) for every
  /// `stride`-th point of the block whose component has a pair.
  template <class Visit>
  void operator()(Block block, Index stride, int worker, const Visit& visit) {
    Memory& memory = memory_[static_cast<std::size_t>(worker)];
    const Block thinned{block.index, 0, (block.size + stride - 1) / stride};
    for_each_tile(thinned, [&](Index first, Index count) {
      const Index taken = measure(block.begin + first * stride, count, stride, memory);
      for (Index i = 0; i < taken; ++i) {
        const Index n = block.begin + first * stride + memory.order[static_cast<std::size_t>(i)];
        visit(n, of_[static_cast<std::size_t>(n)], memory.odds[i]);
      }
    });
  }

 private:
  struct Memory {
    PointTile tile;
    PointTile::Row odds, second;
    std::array<int, PointTile::most> order;
    std::vector<Index> places;
  };

  /// Fills order and odds; returns how many points have a pair.
  Index measure(Index first, Index count, Index stride, Memory& memory) const;

  const Points& points_;
  const std::vector<int>& of_;
  const LensPairs& pairs_;
  std::vector<Memory> memory_;
};

}  // namespace m3lak
