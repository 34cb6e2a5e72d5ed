// α, the concentration of the Dirichlet process, given how many components its points occupy:
// Escobar and West (1995).
//
// With η ~ Beta(α + 1, n), α is Gamma(a + K, b - log η) or Gamma(a + K - 1, b - log η), with odds
// (a + K - 1) : n (b - log η).
#pragma once

#include "m3lak/dataset.h"
#include "numeric/random.h"

namespace m3lak {

/// Gamma(shape, rate), unless α is fixed.
struct ConcentrationPrior {
  bool sampled = false;
  double shape = 1, rate = 1;
};

double draw_concentration(Stream& stream, double concentration, Index components, Index points,
                          const ConcentrationPrior& prior);

}  // namespace m3lak
