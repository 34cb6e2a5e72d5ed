// Prediction by one draw, in closed form and from x alone.
//
// h* | x* ~ N(S Σ_i W_iᵀΨ_i^{-1} x_i*, S), S = (I + Σ_i W_iᵀΨ_i^{-1}W_i)^{-1}, and under it
// E[cos ω·h*] = exp(-½ ωᵀSω) cos(ω·E[h*]), E[sin ω·h*] likewise. Missing views and cells are left
// out of the sums, which is to integrate them out.
#pragma once

#include "m3lak/model.h"
#include "model/evidence.h"
#include "model/features.h"
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

  /// One row an instance.
  struct Scored {
    RowMatrix<double> f;  ///< E[f*], one column a class
    RowMatrix<double> h;  ///< E[h*]; columns padded
    WaveRows<double> waves;
  };

  /// `out` is also the memory that it takes.
  void score(const Segment& segment, Scored& out) const;

 private:
  /// What instances with the same gaps share.
  struct Gaussian {
    Matrix factor;                    ///< lower Cholesky factor of S^{-1}
    Matrix cos_weights, sin_weights;  ///< β/√M, damped by exp(-½ ωᵀSω)
  };
  Gaussian gaussian(const Matrix& precision) const;
  void score_means(const Gaussian& gaussian, Scored& out) const;
  void score_with_gaps(const Segment& segment, Index n, Scored& out) const;

  const Problem& instances_;
  std::vector<ViewParameters> views_;
  const Matrix& frequencies_;
  const Matrix& weights_;
  RowMatrix<double> omega_;
  std::vector<Evidence> evidence_;
  std::vector<Gaussian> patterns_;
  std::vector<std::vector<RowMatrix<double>>> means_;  ///< of each pattern and view: E[h*] = x·this
};

/// The class of an instance by its scores: by sign if there is one, else the largest.
int decide(const Eigen::Ref<const Vector>& f);

/// The share of labelled training instances that the rule puts into their class.
double training_accuracy(Workers& workers, const Problem& problem, const Rule& rule);

}  // namespace m3lak
