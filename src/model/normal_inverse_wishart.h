// The base measure of the mixture, and what points make of it.
#pragma once

#include "m3lak/mixture.h"

namespace m3lak {

/// Σ ~ InverseWishart(dof, scale), μ ~ N(mean, Σ / strength).
struct NormalInverseWishart {
  Vector mean;
  double strength = 1;
  Matrix scale;
  double dof = 0;
};

/// Of points: all that a Gaussian needs to know of them.
struct PointMoments {
  double count = 0;
  Vector mean;     ///< 0 if there are no points
  Matrix scatter;  ///< Σ (x - mean)(x - mean)ᵀ
};

/// Of the points of both.
PointMoments together(const PointMoments& a, const PointMoments& b);

/// The law of (μ, Σ) given points.
NormalInverseWishart posterior(const NormalInverseWishart& base, const PointMoments& points);

/// The log density of points of one component, whose (μ, Σ) is integrated out.
double log_evidence(const NormalInverseWishart& base, const PointMoments& points);

}  // namespace m3lak
