// Prediction by one draw, in closed form and from x alone.
//
// h* | x* ~ N(S Σ_i W_iᵀΨ_i^{-1} x_i*, S), S = (I + Σ_i W_iᵀΨ_i^{-1}W_i)^{-1}, and under it
// E[cos ω·h*] = exp(-½ ωᵀSω) cos(ω·E[h*]), E[sin ω·h*] likewise. Missing views and cells are left
// out of the sums, which is to integrate them out.
#pragma once

#include "m3lak/model.h"
#include "model/evidence.h"
#include "model/problem.h"

namespace m3lak {

class Rule {
 public:
  struct ViewParameters {
    const DenseMatrix& projection;  ///< [W V]
    Matrix gram;                    ///< [W V]ᵀ[W V]
    double noise = 0;               ///< τ
  };

  /// Everything must outlive the rule. `instances` are those that will be scored.
  Rule(const Problem& instances, std::vector<ViewParameters> views, const Matrix& frequencies,
       const Matrix& weights);
  Rule(const Problem& instances, const Draw& draw);
  Rule(const Problem& instances, Draw&& draw) = delete;

  struct Scored {
    Matrix f;  ///< E[f*], one row a class, one column an instance
    Matrix h;  ///< E[h*]
  };
  Scored score(const Segment& segment) const;

 private:
  /// What instances with the same gaps share.
  struct Gaussian {
    Matrix factor;   ///< lower Cholesky factor of S^{-1}
    Matrix weights;  ///< β, damped by exp(-½ ωᵀSω)
  };
  Gaussian gaussian(const Matrix& precision) const;
  Scored score(const Gaussian& gaussian, Matrix b) const;
  void score_with_gaps(const Segment& segment, Index n, const std::vector<Matrix>& reads,
                       Scored& out) const;

  const Problem& instances_;
  std::vector<ViewParameters> views_;
  const Matrix& frequencies_;
  const Matrix& weights_;
  std::vector<Evidence> evidence_;
  std::vector<Gaussian> patterns_;
};

/// The class of a column of scores: by sign if there is one row, else the largest.
int decide(const Eigen::Ref<const Vector>& f);

/// The share of labelled training instances that the rule puts into their class.
double training_accuracy(Workers& workers, const Problem& problem, const Rule& rule);

}  // namespace m3lak
