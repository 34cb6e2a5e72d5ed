// The one parallel primitive: work over blocks of a fixed size, and its ordered reduction.
//
// Blocks depend on the size of the work alone and sums follow one fixed binary tree, so results are
// the same to the last bit for any number of threads.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
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

  /// Calls work(i, worker) for i = 0 … count - 1, each once, in any order and in parallel; returns
  /// when all are done. `worker` < threads() names the thread, for whoever keeps memory for each.
  /// If calls throw, the exception of the smallest index is rethrown, so that the error which the
  /// user sees does not depend on timing either. Not to be called from inside `work`.
  void run(Eigen::Index count, const std::function<void(Eigen::Index, int)>& work);
  void run(Eigen::Index count, const std::function<void(Eigen::Index)>& work);

 private:
  struct Crew;
  std::unique_ptr<Crew> crew_;
};

/// Calls work(block), or work(block, worker), for each block.
template <class Work>
void for_each_block(Workers& workers, Blocks blocks, const Work& work) {
  const auto each = [&](Eigen::Index index, int worker) {
    if constexpr (std::is_invocable_v<Work, Block, int>) {
      work(blocks[index], worker);
    } else {
      work(blocks[index]);
    }
  };
  workers.run(blocks.number(), std::cref(each));  // a reference: nothing is allocated
}

/// Sums over blocks. The sum is a binary tree over the blocks' indices: at level l, block i takes
/// block i + 2^l for each i that is a multiple of 2^(l+1). Partial sums are kept from one reduction
/// to the next, so that nothing is allocated after the first.
template <class Partial>
class Reduction {
 public:
  explicit Reduction(Partial zero) : zero_(std::move(zero)) {}

  /// The sum of what `map(block, partial)`, or `map(block, partial, worker)`, adds to a fresh zero,
  /// where `combine(into, from)` adds two partial sums. It stays valid until the next call.
  template <class Map, class Combine>
  Partial& operator()(Workers& workers, Blocks blocks, const Map& map, const Combine& combine) {
    const Eigen::Index leaves = blocks.number();
    start(leaves, workers.threads());
    if (leaves == 0) return *take(0);

    // Whoever finishes the second half of a node adds both and goes on with the sum. A thread gets
    // whole subtrees, so that most sums are between its own.
    const auto fair = static_cast<std::uint64_t>(leaves / (8 * workers.threads()));
    const auto subtree =
        static_cast<Eigen::Index>(std::bit_floor(std::max(fair, std::uint64_t{1})));
    const auto each = [&](Eigen::Index s, int worker) {
      for (Eigen::Index leaf = s * subtree; leaf < std::min(leaves, (s + 1) * subtree); ++leaf) {
        Partial* partial = take(worker);
        if constexpr (std::is_invocable_v<Map, Block, Partial&, int>) {
          map(blocks[leaf], *partial, worker);
        } else {
          map(blocks[leaf], *partial);
        }
        climb(leaf, leaves, partial, worker, combine);
      }
    };
    workers.run((leaves + subtree - 1) / subtree, std::cref(each));
    return *root_;
  }

 private:
  void start(Eigen::Index leaves, int threads) {
    const auto count = static_cast<std::size_t>(leaves);
    if (waiting_.size() < count) waiting_ = std::vector<std::atomic<Partial*>>(count);
    for (auto& slot : waiting_) slot = nullptr;
    free_.resize(static_cast<std::size_t>(threads));
    for (auto& of_worker : free_) of_worker.list.clear();
    for (std::size_t i = 0; i < partials_.size(); ++i) {
      free_[i % free_.size()].list.push_back(partials_[i].get());
    }
    root_ = nullptr;
  }

  template <class Combine>
  void climb(Eigen::Index node, Eigen::Index leaves, Partial* mine, int worker,
             const Combine& combine) {
    for (Eigen::Index half = 1; half < leaves; half *= 2) {
      const bool is_right = (node & half) != 0;
      const Eigen::Index right = is_right ? node : node + half;
      if (right >= leaves) continue;  // this half stands alone
      // The right half's index names the node: each is the right half of one node at most.
      Partial* other = waiting_[static_cast<std::size_t>(right)].exchange(mine);
      if (!other) return;
      if (is_right) std::swap(mine, other);
      combine(*mine, *other);
      free_[static_cast<std::size_t>(worker)].list.push_back(other);
      node &= ~half;
    }
    root_ = mine;
  }

  Partial* take(int worker) {
    std::vector<Partial*>& list = free_[static_cast<std::size_t>(worker)].list;
    if (list.empty()) {
      auto fresh = std::make_unique<Partial>(zero_);
      const std::lock_guard lock(mutex_);
      partials_.push_back(std::move(fresh));
      return partials_.back().get();
    }
    Partial* partial = list.back();
    list.pop_back();
    *partial = zero_;
    return partial;
  }

  Partial zero_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Partial>> partials_;
  struct alignas(64) Free {
    std::vector<Partial*> list;
  };
  std::vector<Free> free_;  // of each worker
  std::vector<std::atomic<Partial*>> waiting_;
  Partial* root_ = nullptr;
};

/// One such sum.
template <class Partial, class Map, class Combine>
Partial reduce_blocks(Workers& workers, Blocks blocks, const Partial& zero, const Map& map,
                      const Combine& combine) {
  Reduction<Partial> reduction(zero);
  return std::move(reduction(workers, blocks, map, combine));
}

}  // namespace m3lak
