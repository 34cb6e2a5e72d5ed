// Counter-based random streams: a stream is a name, not a state that is passed around. Whoever
// draws for instance n in iteration t asks for the stream of that name and gets the same numbers,
// whatever thread or machine it runs on.
#pragma once

#include <Random123/philox.h>

#include <array>
#include <cstdint>

namespace m3lak {

struct StreamName {
  std::uint64_t seed = 0;
  std::uint32_t chain = 0;
  std::uint64_t iteration = 0;
  std::uint32_t step = 0;
  std::uint64_t index = 0;
};

/// Philox 4x64 with ten rounds: the name fills its key and three of its four counter words, and the
/// fourth counts the blocks of the stream.
class Stream {
 public:
  explicit Stream(const StreamName& name)
      : counter_{{0, name.index, name.iteration, 0}},
        key_{{name.seed, (std::uint64_t{name.chain} << 32) | name.step}} {}

  std::uint64_t bits() {
    if (used_ == 4) {
      block_ = r123::Philox4x64()(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[used_++];
  }

  /// Uniform on the open interval (0, 1).
  double uniform() { return unit(bits()); }

  /// The first 52 bits as one of 2^52 equally spaced midpoints, so that neither 0 nor 1 occurs.
  /// With one bit more, the half would be rounded away in the upper half, and the last point be 1.
  static constexpr double unit(std::uint64_t bits) {
    return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
  }

  /// Uniform on 0 … count - 1, without bias. `count` must not be 0.
  std::uint64_t below(std::uint64_t count) {
    const std::uint64_t biased = (0 - count) % count;  // 2^64 mod count
    std::uint64_t draw = bits();
    while (draw < biased) draw = bits();
    return draw % count;
  }

 private:
  r123::Philox4x64::ctr_type counter_;
  r123::Philox4x64::key_type key_;
  r123::Philox4x64::ctr_type block_{};
  unsigned used_ = 4;
};

}  // namespace m3lak
