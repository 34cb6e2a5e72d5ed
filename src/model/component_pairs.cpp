#include "model/component_pairs.h"

namespace m3lak {

PairOdds::PairOdds(Workers& workers, const Points& points, const std::vector<int>& of,
                   const LensPairs& pairs)
    : points_(points), of_(of), pairs_(pairs) {
  memory_.assign(
      static_cast<std::size_t>(workers.threads()),
      Memory{PointTile(points.rows()), {}, {}, {}, std::vector<Index>(pairs.size() + 1)});
}

// Points are sorted by component, so that those of one component are measured together.
Index PairOdds::measure(Index first, Index count, Index stride, Memory& memory) const {
  std::vector<Index>& places = memory.places;
  std::ranges::fill(places, 0);
  const auto component = [&](Index i) {
    return static_cast<std::size_t>(of_[static_cast<std::size_t>(first + i * stride)]);
  };
  for (Index i = 0; i < count; ++i) {
    if (pairs_[component(i)]) ++places[component(i) + 1];
  }
  for (std::size_t k = 1; k < places.size(); ++k) places[k] += places[k - 1];
  const Index taken = places.back();
  for (Index i = 0; i < count; ++i) {
    if (!pairs_[component(i)]) continue;
    const Index at = places[component(i)]++;
    memory.order[static_cast<std::size_t>(at)] = static_cast<int>(i * stride);
  }
  memory.tile.take(points_, first, {memory.order.data(), static_cast<std::size_t>(taken)});
  // Now places[k] is where the points of component k end.
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const Index begin = k == 0 ? 0 : places[k - 1], size = places[k] - begin;
    if (size == 0) continue;
    const LensPair& pair = *pairs_[k];
    memory.tile.squares(pair.first, begin, places[k], memory.odds.data());
    memory.tile.squares(pair.second, begin, places[k], memory.second.data());
    memory.odds.segment(begin, size) =
        pair.first.log_constant - pair.second.log_constant +
        0.5 * (memory.second.segment(begin, size) - memory.odds.segment(begin, size));
  }
  return taken;
}

}  // namespace m3lak
