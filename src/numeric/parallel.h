// The one parallel primitive: work over blocks of a fixed size, and its ordered reduction.
//
// Blocks depend on the size of the work alone and sums follow one fixed binary tree, so results are
// the same to the last bit for any number of threads.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <vector>

namespace m3lak {

struct Block {
  Eigen::Index index = 0;
  Eigen::Index begin = 0;
  Eigen::Index size = 0;
  Eigen::Index end() const { return begin + size; }
};

/// 0 … count - 1, cut into blocks of `block_size` (the last may be shorter).
struct Blocks {
  Eigen::Index count = 0;
  Eigen::Index block_size = 1;

  Eigen::Index number() const { return (count + block_size - 1) / block_size; }
  Block operator[](Eigen::Index index) const {
    const Eigen::Index begin = index * block_size;
    return {index, begin, std::min(block_size, count - begin)};
  }
};

/// A fixed crew of threads. With one thread, everything runs inline in the caller.
class Workers {
 public:
  /// 0: as many as there are cores.
  explicit Workers(int threads = 0);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const;

  /// Calls work(0) … work(count - 1), each once, in any order and in parallel; returns when all are
  /// done. If calls throw, the exception of the smallest index is rethrown, so that the error which
  /// the user sees does not depend on timing either. Not to be called from inside `work`.
  void run(Eigen::Index count, const std::function<void(Eigen::Index)>& work);

 private:
  struct Crew;
  std::unique_ptr<Crew> crew_;
};

/// Calls work(block) for each block.
template <class Work>
void for_each_block(Workers& workers, Blocks blocks, const Work& work) {
  workers.run(blocks.number(), [&](Eigen::Index index) { work(blocks[index]); });
}

/// The sum over blocks of what `map(block, partial)` adds to a fresh `zero`, where
/// `combine(into, from)` adds two partial sums. The sum is a binary tree over the blocks' indices:
/// at level l, block i takes block i + 2^l for each i that is a multiple of 2^(l+1). At most about
/// `max_partials` + log2(blocks) a thread partial sums are alive at any time.
template <class Partial, class Map, class Combine>
Partial reduce_blocks(Workers& workers, Blocks blocks, const Partial& zero, const Map& map,
                      const Combine& combine) {
  constexpr Eigen::Index max_partials = 64;
  const Eigen::Index leaves = blocks.number();
  if (leaves == 0) return zero;

  // Subtrees of 2^k leaves are summed by one thread each, then their sums along the top of the
  // tree.
  Eigen::Index subtree = 1;
  while ((leaves + subtree - 1) / subtree > max_partials) subtree *= 2;
  const Eigen::Index subtrees = (leaves + subtree - 1) / subtree;

  std::vector<Partial> sums(static_cast<std::size_t>(subtrees), zero);
  workers.run(subtrees, [&](Eigen::Index s) {
    // A binary counter: `open` holds finished subtrees of falling size, as the bits of a number.
    std::vector<Partial> open;
    const Eigen::Index begin = s * subtree, end = std::min(leaves, begin + subtree);
    for (Eigen::Index leaf = begin; leaf < end; ++leaf) {
      open.push_back(zero);
      map(blocks[leaf], open.back());
      const auto done = static_cast<std::uint64_t>(leaf - begin) + 1;
      for (int merges = std::countr_zero(done); merges > 0; --merges) {
        combine(open[open.size() - 2], open.back());
        open.pop_back();
      }
    }
    while (open.size() > 1) {
      combine(open[open.size() - 2], open.back());
      open.pop_back();
    }
    sums[static_cast<std::size_t>(s)] = std::move(open.front());
  });
  for (std::size_t step = 1; step < sums.size(); step *= 2) {
    for (std::size_t i = 0; i + step < sums.size(); i += 2 * step) combine(sums[i], sums[i + step]);
  }
  return std::move(sums.front());
}

}  // namespace m3lak
