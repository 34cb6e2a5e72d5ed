// A run-time count cut into pieces whose sizes the compiler knows.
#pragma once

#include <Eigen/Core>
#include <type_traits>

namespace m3lak {

/// Calls work(integral_constant count), for count in 1 … most.
template <int most, class Work>
void with_constant(Eigen::Index count, const Work& work) {
  if constexpr (most > 0) {
    if (count == most) {
      work(std::integral_constant<int, most>{});
    } else {
      with_constant<most - 1>(count, work);
    }
  }
}

/// Cuts `count` into pieces of `most` at most and of about one size: work(begin, constant size).
template <int most, class Work>
void in_pieces(Eigen::Index count, const Work& work) {
  const Eigen::Index pieces = (count + most - 1) / most;
  for (Eigen::Index piece = 0, begin = 0; piece < pieces; ++piece) {
    const Eigen::Index size = (count - begin + pieces - piece - 1) / (pieces - piece);
    with_constant<most>(size, [&](auto constant) { work(begin, constant); });
    begin += size;
  }
}

}  // namespace m3lak
