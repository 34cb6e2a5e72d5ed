// The one parallel primitive: work over blocks of a fixed size, and its ordered reduction.
//
// Blocks depend on the size of the work alone and sums follow one fixed binary tree, so results are
// the same to the last bit for any number of threads, and for any power of two of processes.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "numeric/cluster.h"

namespace m3lak {

/// A fixed crew of threads, and maybe the processes that it works with. With one thread, everything
/// runs inline in the caller.
class Workers {
 public:
  /// 0: as many as there are cores. The cluster, if there is one, must outlive the crew.
  explicit Workers(int threads = 0, Cluster* cluster = nullptr);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const;

  /// None: this process is alone.
  Cluster* cluster() const { return cluster_; }

  /// Calls work(i, worker) for i = 0 … count - 1, each once, in any order and in parallel; returns
  /// when all are done. `worker` < threads() names the thread, for whoever keeps memory for each.
  /// If calls throw, the exception of the smallest index is rethrown, so that the error which the
  /// user sees does not depend on timing either. Not to be called from inside `work`.
  void run(Eigen::Index count, const std::function<void(Eigen::Index, int)>& work);
  void run(Eigen::Index count, const std::function<void(Eigen::Index)>& work);

 private:
  struct Crew;
  std::unique_ptr<Crew> crew_;
  Cluster* cluster_;
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

/// Sums over blocks, and over those of all processes. The sum is a binary tree: n blocks are the
/// first n / 2 and the others, and so on, as they are shared out among processes (see share.h).
/// Partial sums are kept from one reduction to the next, so that nothing is allocated after the
/// first.
template <class Partial>
class Reduction {
 public:
  explicit Reduction(Partial zero) : zero_(std::move(zero)) {}

  /// The sum of what `map(block, partial)`, or `map(block, partial, worker)`, adds to a fresh zero,
  /// where `combine(into, from)` adds two partial sums. It stays valid until the next call.
  template <class Map, class Combine>
  Partial& operator()(Workers& workers, Blocks blocks, const Map& map, const Combine& combine) {
    Partial& sum = of_this_process(workers, blocks, map, combine);
    if (Cluster* cluster = workers.cluster()) {
      if constexpr (Sendable<Partial>) {
        sum_over(*cluster, sum, combine);
      } else {
        throw std::logic_error("this sum cannot be sent to other processes");
      }
    }
    return sum;
  }

 private:
  /// Blocks first … first + count - 1.
  struct Node {
    Eigen::Index first = 0, count = 0;
    Node left() const { return {first, count / 2}; }
    Node right() const { return {first + count / 2, count - count / 2}; }
  };

  template <class Map, class Combine>
  Partial& of_this_process(Workers& workers, Blocks blocks, const Map& map,
                           const Combine& combine) {
    const Eigen::Index leaves = blocks.number();
    // A thread gets whole subtrees, all of one depth, so that most sums are between its own.
    const auto fair = static_cast<std::uint64_t>(
        std::min<Eigen::Index>(leaves, workers.threads() == 1 ? 1 : 16 * workers.threads()));
    const auto subtrees = static_cast<Eigen::Index>(std::bit_floor(fair));
    start(subtrees, workers.threads());
    if (leaves == 0) return *take(0);
    const auto each = [&](Eigen::Index s, int worker) {
      Node node{0, leaves};
      for (Eigen::Index half = subtrees / 2; half > 0; half /= 2) {
        node = (s & half) != 0 ? node.right() : node.left();
      }
      climb(s, subtrees, sum_of(node, blocks, map, combine, worker), worker, combine);
    };
    workers.run(subtrees, std::cref(each));
    return *root_;
  }

  void start(Eigen::Index subtrees, int threads) {
    const auto count = static_cast<std::size_t>(subtrees);
    if (waiting_.size() < count) waiting_ = std::vector<std::atomic<Partial*>>(count);
    for (auto& slot : waiting_) slot = nullptr;
    free_.resize(static_cast<std::size_t>(threads));
    for (auto& of_worker : free_) of_worker.list.clear();
    for (std::size_t i = 0; i < partials_.size(); ++i) {
      free_[i % free_.size()].list.push_back(partials_[i].get());
    }
    root_ = nullptr;
  }

  template <class Map, class Combine>
  Partial* sum_of(Node node, const Blocks& blocks, const Map& map, const Combine& combine,
                  int worker) {
    if (node.count == 1) {
      Partial* partial = take(worker);
      if constexpr (std::is_invocable_v<Map, Block, Partial&, int>) {
        map(blocks[node.first], *partial, worker);
      } else {
        map(blocks[node.first], *partial);
      }
      return partial;
    }
    Partial* sum = sum_of(node.left(), blocks, map, combine, worker);
    Partial* other = sum_of(node.right(), blocks, map, combine, worker);
    combine(*sum, *other);
    free_[static_cast<std::size_t>(worker)].list.push_back(other);
    return sum;
  }

  /// Whoever finishes the second half of a node adds both and goes on with the sum.
  template <class Combine>
  void climb(Eigen::Index node, Eigen::Index subtrees, Partial* mine, int worker,
             const Combine& combine) {
    for (Eigen::Index half = 1; half < subtrees; half *= 2) {
      const bool is_right = (node & half) != 0;
      // The right half's index names the node: each is the right half of one node at most.
      const Eigen::Index right = is_right ? node : node + half;
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
