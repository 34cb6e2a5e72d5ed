// Prediction by a few draws at once, in closed form and from x alone.
//
// h* | x* ~ N(S Σ_i W_iᵀΨ_i^{-1} x_i*, S), S = (I + Σ_i W_iᵀΨ_i^{-1}W_i)^{-1}, and under it
// E[cos ω·h*] = exp(-½ ωᵀSω) cos(ω·E[h*]), E[sin ω·h*] likewise. Missing views and cells are left
// out of the sums, which is to integrate them out. γ·z* is added to it (see principal.h), where
// missing views and cells are what they are expected to be, W_i E[h*].
#pragma once

#include <Eigen/Cholesky>

#include "m3lak/model.h"
#include "model/evidence.h"
#include "model/features.h"
#include "model/problem.h"

namespace m3lak {

/// What prediction needs of one draw. What it refers to must outlive the rule.
struct RuleDraw {
  struct OfView {
    Eigen::Map<const DenseMatrix> projection;  ///< [W V]
    Matrix gram;                               ///< [W V]ᵀ[W V]
    double noise = 0;                          ///< τ
  };
  std::vector<OfView> views;
  Eigen::Map<const Matrix> frequencies;
  Eigen::Map<const Matrix> weights;
  Eigen::Map<const Matrix> linear;  ///< γ
  Matrix turn = {};                 ///< a rotation in which h* is wanted; empty: as it is
};

/// A matrix where it is.
template <class Plain>
Eigen::Map<const Plain> map_of(const Plain& matrix) {
  return {matrix.data(), matrix.rows(), matrix.cols()};
}

/// Of a draw that was kept.
RuleDraw rule_draw(const Draw& draw);
RuleDraw rule_draw(Draw&& draw) = delete;

template <class Value>
class Rule {
 public:
  /// `instances` are those that will be scored; they must outlive the rule.
  Rule(const Problem& instances, std::vector<RuleDraw> draws, bool with_variance = false);

  /// One row an instance; columns draw after draw.
  struct Scored {
    RowMatrix<Value> f;          ///< E[f*], one column a class
    RowMatrix<Value> h;          ///< E[h*]; padded
    RowMatrix<double> variance;  ///< of h*: the diagonal of S; if the rule is made with it
    WaveRows<Value> waves;
    RowMatrix<Value> z;
  };

  /// `out` is also the memory that it takes.
  void score(const Segment& segment, Scored& out) const;

 private:
  /// β/√M damped by exp(-½ ωᵀSω): what instances with the same gaps share.
  struct Damped {
    Eigen::MatrixX<Value> cos, sin;
  };
  struct OfDraw {
    RowMatrix<Value> omega;
    Eigen::RowVectorX<Value> constant;
    Eigen::MatrixX<Value> linear;
    std::vector<Matrix> feature_weights;  // Q_i γ of each view, where something is missing
    std::vector<Evidence> evidence;       // of each view
    std::vector<Damped> patterns;
    std::vector<Vector> variances;                // of each pattern
    std::vector<Eigen::MatrixX<Value>> expected;  // Σ W_iᵀ Q_i γ of the views that a pattern lacks
  };

  static Damped damped(const RuleDraw& draw, const Eigen::LLT<Matrix>& precision);
  void score_means(const OfDraw& draw, const Damped& damped, const Rows<Value>& h,
                   WaveRows<Value>& waves,
                   Eigen::Ref<RowMatrix<Value>, 0, Eigen::OuterStride<>> f) const;
  void score_with_gaps(const Segment& segment, Index n, Scored& out) const;
  void weigh_missing(const RuleDraw& source, OfDraw& draw) const;

  const Problem& instances_;
  std::vector<RuleDraw> sources_;
  std::vector<OfDraw> draws_;
  bool with_variance_;
  std::vector<std::vector<RowMatrix<Value>>> means_;  // of each pattern and view: E[h*] = x·this
};

/// The class of an instance by its scores: by sign if there is one, else the largest.
int decide(const Eigen::Ref<const Vector>& f);

/// The share of labelled training instances that the rule of one draw puts into their class.
double training_accuracy(Workers& workers, const Problem& problem, const Rule<double>& rule);

}  // namespace m3lak
