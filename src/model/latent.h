// h given its views and its label.
#pragma once

#include <memory>

#include "m3lak/model.h"
#include "model/features.h"
#include "model/hinge.h"
#include "model/move.h"
#include "model/state.h"
#include "numeric/hmc.h"

namespace m3lak {

/// N(Λ^{-1} b_n, Λ^{-1}) for column n, with Λ = LLᵀ.
struct LatentGaussian {
  Matrix precision;  ///< Λ
  Matrix factor;     ///< L
};

/// The potential of h, U(h) = ½ hᵀΛh - b·h + ρ Σ_c hinge, as far as instances share it.
template <class Value>
class LatentPotential {
 public:
  LatentPotential(const LatentGaussian& gaussian, const Matrix& omega, const Matrix& beta,
                  const Hinge& hinge, double label_weight, const Move& move);

  using Energies = Eigen::Array<double, 1, lanes<Value>>;

  /// What a panel of instances needs while it moves.
  struct Memory {
    Panel<Value> h, b, p, q, centre, place, turned, f, y, inverse_lambda, linear, hinge_slope,
        slope;
    Eigen::Matrix<double, Eigen::Dynamic, lanes<Value>, Eigen::RowMajor> normals;
    Waves<Value> waves;
    TrajectoryMemory<Panel<Value>> trajectory;
  };

  /// ρ Σ_c hinge, instance by instance, and its gradient. `place` is h, or Lᵀh if the move is
  /// preconditioned; y, 1/λ and γ·z are those in memory.
  Energies pull(const Panel<Value>& place, Panel<Value>& gradient, Memory& memory) const;

  /// One HMC move of each column of h, given its b (one row an instance), y, 1/λ and γ·z.
  Acceptance move(const RowMatrix<Value>& b, const Eigen::Ref<const Matrix>& y,
                  const Eigen::Ref<const Matrix>& inverse_lambda,
                  const Eigen::Ref<const Matrix>& linear, const Streams& stream, Memory& memory,
                  Eigen::Ref<Matrix> h) const;

  /// Independent draws from the Gaussian alone: for instances without a label, and where ρ = 0.
  void draw(const RowMatrix<Value>& b, const Streams& stream, Memory& memory,
            Eigen::Ref<Matrix> h) const;

 private:
  static void draw_momenta(const Streams& stream, Index begin, Index count, Index m, Memory& memory,
                           double (&uniform)[lanes<Value>]);
  Energies rise_preconditioned(Memory& memory) const;
  Energies rise_plain(Memory& memory) const;

  using Square = Eigen::MatrixX<Value>;
  Square precision_, factor_, inverse_factor_;  // Λ, L, L^{-1}
  Square omega_;                                // L^{-1}ω if preconditioned, else ω
  FeatureWeights<Value> weights_;
  Hinge hinge_;
  Value label_weight_;
  Move move_;
};

}  // namespace m3lak
