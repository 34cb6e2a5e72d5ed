#include "model/concentration.h"

#include <cmath>

#include "numeric/distributions.h"

namespace m3lak {

double draw_concentration(Stream& stream, double concentration, Index components, Index points,
                          const ConcentrationPrior& prior) {
  const auto n = static_cast<double>(points);
  const auto k = static_cast<double>(components);
  const double rate = prior.rate - std::log(beta(stream, concentration + 1, n));
  const double odds = (prior.shape + k - 1) / (n * rate);
  const double shape = prior.shape + k - (stream.uniform() * (1 + odds) < odds ? 0 : 1);
  return gamma(stream, shape, rate);
}

}  // namespace m3lak
