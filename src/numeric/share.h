// Who has which instances, where several processes share them out.
#pragma once

#include "numeric/blocks.h"

namespace m3lak {

/// Blocks must not depend on the number of threads or processes. 256 instances of a few hundred
/// features fit the second-level cache.
constexpr Eigen::Index instances_a_block = 256;

/// One of several processes.
struct Share {
  int rank = 0;
  int ranks = 1;
};

/// The instances of 0 … count - 1 that are this process's own: whole blocks (but for the end of
/// the last), halved and halved again, as sums over blocks are (see Reduction). Block::index is
/// that of its first block.
inline Block own_instances(Eigen::Index count, Share share) {
  const Blocks blocks{count, instances_a_block};
  Eigen::Index first = 0, number = blocks.number();
  while (share.ranks > 1) {
    const int left_ranks = share.ranks / 2;
    const Eigen::Index left = share.ranks % 2 == 0 ? number / 2 : number * left_ranks / share.ranks;
    if (share.rank < left_ranks) {
      number = left;
      share.ranks = left_ranks;
    } else {
      first += left;
      number -= left;
      share.rank -= left_ranks;
      share.ranks -= left_ranks;
    }
  }
  const Eigen::Index begin = std::min(count, first * instances_a_block);
  return {first, begin, std::min(count - begin, number * instances_a_block)};
}

}  // namespace m3lak
