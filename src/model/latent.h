// h given its views and its label.
#pragma once

#include <functional>

#include "m3lak/model.h"
#include "model/features.h"
#include "model/hinge.h"
#include "model/move.h"
#include "numeric/random.h"

namespace m3lak {

/// N(Λ^{-1} b_n, Λ^{-1}) for column n, with Λ = LLᵀ.
struct LatentGaussian {
  Matrix precision;  ///< Λ
  Matrix factor;     ///< L
};

/// What labels do to h: the hinge of each class, times ρ.
struct LabelPull {
  const Matrix& omega;
  const Matrix& beta;
  Hinge hinge;
  double weight = 1;                        ///< ρ
  Eigen::Ref<const Matrix> y;               ///< of the instances at hand
  Eigen::Ref<const Matrix> inverse_lambda;  ///< of the same

  /// ρ Σ_c hinge, instance by instance, and its gradient by h.
  Eigen::RowVectorXd operator()(const Matrix& h, Matrix& gradient) const;
};

/// Independent draws from the Gaussian alone: for instances without a label, and where ρ = 0.
void draw_latents(const LatentGaussian& gaussian, const Matrix& b,
                  const std::function<Stream(Index)>& stream, Eigen::Ref<Matrix> h);

/// One HMC move of each column: U(h) = ½ hᵀΛh - b·h + pull.
Acceptance move_latents(const LatentGaussian& gaussian, const Matrix& b, const LabelPull& pull,
                        const Move& move, const std::function<Stream(Index)>& stream,
                        Eigen::Ref<Matrix> h);

}  // namespace m3lak
