// Sums over instances: all that the global variables need to know of data, latents and labels.
#pragma once

#include <cmath>

#include "numeric/products.h"
#include "rivals/bm2smvl/problem.h"

namespace m3lak::bm2smvl_parts {

// The margin loss is a scale mixture of Gaussians,
//   exp{-2C max(0, 1 - ys)} = ∫ (2πλ)^(-1/2) exp{-[λ + C(1 - ys)]²/(2λ)} dλ,
// so that given λ the score s of an instance has the log likelihood -½κs² + (κ + C)ys + const with
// the curvature κ = C²/λ. It is all that is kept of λ.

/// Σ over instances of that, as a quadratic form in η: -½ηᵀ(curvature)η + pullᵀη with h̃ = (h, 1).
struct LabelSums {
  Matrix curvature;  ///< Σ κ h̃h̃ᵀ
  Vector pull;       ///< Σ (κ + C) y h̃

  static LabelSums zero(Index latent);
  void add(const Rows<double>& H, const Eigen::Ref<const Vector>& y,
           const Eigen::Ref<const Vector>& kappa, double C);
  void operator+=(const LabelSums& other);

  /// The precision of η, if v is that of its prior; its mean is precision⁻¹ pull.
  Matrix precision(double v) const;
};

/// The curvature of the variational engine: E[1/λ] = 1/√χ with χ = C² E[(1 - ys)²].
inline double expected_curvature(double C, double squared_gap) {
  return C / std::sqrt(squared_gap);
}

/// With z the factors of an instance.
struct Statistics {
  Matrix cross;   ///< Σ x zᵀ
  Matrix second;  ///< Σ zzᵀ
  Vector sum;     ///< Σ z
  LabelSums labels;

  static Statistics zero(Index features, Index factors, Index latent);
  void add_factors(const Rows<double>& X, const Rows<double>& Z);
  void operator+=(const Statistics& other);
};

/// Σ ‖x - μ - Lz‖² of a view's instances, where Σ (x - μ)zᵀ is given, and Σ zzᵀ.
double squared_residual(const Problem& problem, std::size_t view, const Vector& mu,
                        const Matrix& centred_cross, const Matrix& second, const Matrix& loadings,
                        const Matrix& loadings_second);

}  // namespace m3lak::bm2smvl_parts
