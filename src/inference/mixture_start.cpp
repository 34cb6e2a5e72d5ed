#include "inference/mixture_start.h"

#include <algorithm>

namespace m3lak {

namespace {

constexpr Index points_to_begin_with = 4096;
constexpr Index finer = 4;
constexpr std::uint64_t sweeps = 48;
constexpr std::uint64_t between_merges = 4;

Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> every(Index stride, const Points& points) {
  return {points.data(), points.rows(), (points.cols() + stride - 1) / stride,
          Eigen::OuterStride<>(stride * points.outerStride())};
}

/// All points in the lightest component: then all slices are below all weights, so that the next
/// sweep gives each point to any component by its density.
void start_anew(Index points, Mixture& mixture) {
  const auto lightest = std::ranges::min_element(mixture.components, {}, &Component::log_weight);
  mixture.of.assign(static_cast<std::size_t>(points),
                    static_cast<int>(lightest - mixture.components.begin()));
}

}  // namespace

// Between them components settle.
Reshape reshape_of(std::uint64_t number, std::uint64_t between_merges) {
  if (number % between_merges == 0) return Reshape::merge;
  if (number % between_merges == between_merges / 2) return Reshape::split;
  return Reshape::none;
}

Mixture start_mixture(Workers& workers, std::uint64_t seed, const Points& points,
                      const NormalInverseWishart& base, const ConcentrationPrior& prior,
                      double concentration) {
  Index stride = 1;
  while (points.cols() / stride > points_to_begin_with) stride *= finer;
  Iteration iteration{seed, 1, 0};  // chain 0 is the one that starts here
  Mixture mixture = one_component(workers, iteration, every(stride, points), base, concentration);
  do {
    while (iteration.number < sweeps) {
      ++iteration.number;
      draw_mixture(workers, iteration, every(stride, points), base, prior, mixture,
                   reshape_of(iteration.number, between_merges));
    }
    if (stride > 1) {
      stride /= finer;
      start_anew(every(stride, points).cols(), mixture);
      iteration = {seed, iteration.chain + 1, 0};
    }
  } while (stride > 1);
  return mixture;
}

}  // namespace m3lak
