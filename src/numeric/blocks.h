// Work cut into blocks of a fixed size.
#pragma once

#include <Eigen/Core>
#include <algorithm>

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

}  // namespace m3lak
