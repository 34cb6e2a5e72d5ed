#include "rivals/mmh/machine.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace m3lak::harmonium {

namespace {

using Array = Eigen::ArrayXd;

/// A primal-dual interior point method (Mehrotra's predictor and corrector). It takes the free bias
/// as it is, needs about 15 steps whatever C is, and each step costs O(N m²).
///
/// With rows E_n = y_n (μ_n, 1), w = (v, b), J = diag(1, …, 1, 0) and a multiplier α_n for each
/// margin constraint, the minimum of ½‖v‖² + C Σ t_n is where
///   J w = Eᵀα,   E w - 1 + t = s,   α s = 0,   (C - α) t = 0,   and s, t, α, C - α ≥ 0.
class InteriorPoint {
 public:
  InteriorPoint(const Matrix& mu, const Vector& y, double C)
      : E_(mu.rows(), mu.cols() + 1),
        w_(Vector::Zero(mu.cols() + 1)),
        alpha_(Array::Constant(mu.rows(), C / 2)),
        rest_(alpha_),
        s_(Array::Constant(mu.rows(), 1)),
        t_(Array::Constant(mu.rows(), 2)) {
    E_.leftCols(mu.cols()) = y.asDiagonal() * mu;
    E_.rightCols(1) = y;
  }

  /// False if rounding leaves no way on.
  bool step() {
    const Direction predictor = solve({}, 0);
    const double reached = length(predictor);
    const double gap_then =
        ((alpha_ + reached * predictor.alpha) * (s_ + reached * predictor.s)).sum() +
        ((rest_ - reached * predictor.alpha) * (t_ + reached * predictor.t)).sum();
    const double share = std::pow(gap_then / gap(), 3);
    const Direction corrector =
        solve(predictor, share * gap() / static_cast<double>(2 * s_.size()));
    if (!corrector.w.allFinite() || !corrector.alpha.allFinite()) return false;
    const double by = std::min(1.0, 0.995 * length(corrector));
    w_ += by * corrector.w;
    alpha_ += by * corrector.alpha;
    rest_ -= by * corrector.alpha;
    s_ += by * corrector.s;
    t_ += by * corrector.t;
    return by > 1e-8;
  }

  /// Σ α s + (C - α) t: how far the objective is from its minimum, once the equations hold.
  double gap() const { return (alpha_ * s_).sum() + (rest_ * t_).sum(); }

  /// By how much the equations do not hold.
  double residual() const { return dual_residual().norm() + primal_residual().matrix().norm(); }

  LinearMachine machine() const { return {w_.head(w_.size() - 1), w_[w_.size() - 1]}; }

 private:
  struct Direction {
    Vector w;
    Array alpha, s, t;
  };

  Vector dual_residual() const {
    Vector r = E_.transpose() * alpha_.matrix();
    r.head(r.size() - 1) -= w_.head(r.size() - 1);
    return r;
  }

  Array primal_residual() const { return (E_ * w_).array() - 1 + t_ - s_; }

  // Newton's step to where all products α s and (C - α) t are τ, less what `before` (if any) will
  // change them by in second order. With D = s/α + t/(C - α):
  //   D dα = g - E dw,   g = τ_s/α - s - τ_t/(C - α) + t - (E w - 1 + t - s),
  //   (J + Eᵀ D⁻¹ E) dw = Eᵀα - J w + Eᵀ D⁻¹ g.
  Direction solve(const Direction& before, double tau) {
    Array target_s = Array::Constant(s_.size(), tau), target_t = target_s;
    if (before.w.size() > 0) {
      target_s -= before.alpha * before.s;
      target_t += before.alpha * before.t;
    } else {
      factorise();
    }
    const Array g = target_s / alpha_ - s_ - target_t / rest_ + t_ - primal_residual();
    Direction to;
    to.w = factor_.solve(dual_residual() + E_.transpose() * (g / D_).matrix());
    to.alpha = (g - (E_ * to.w).array()) / D_;
    to.s = (target_s - s_ * to.alpha) / alpha_ - s_;
    to.t = (target_t + t_ * to.alpha) / rest_ - t_;
    return to;
  }

  void factorise() {
    D_ = s_ / alpha_ + t_ / rest_;
    const Matrix scaled = D_.rsqrt().matrix().asDiagonal() * E_;
    Matrix H = Matrix::Identity(w_.size(), w_.size());
    H(w_.size() - 1, w_.size() - 1) = 0;
    H.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
    factor_.compute(H);
  }

  /// The longest step of at most 1 that leaves nothing negative.
  double length(const Direction& to) const {
    const auto most = [](const Array& from, const Array& by) {
      return (by < 0).select(-from / by, 1).minCoeff();
    };
    return std::min(
        {1.0, most(alpha_, to.alpha), most(rest_, -to.alpha), most(s_, to.s), most(t_, to.t)});
  }

  Matrix E_;
  Vector w_;
  Array alpha_, rest_;  // α and C - α
  Array s_, t_;
  Array D_;
  Eigen::LDLT<Matrix> factor_;
};

}  // namespace

double hinge_loss(const Matrix& mu, const Vector& y, const LinearMachine& machine) {
  return (1 - y.array() * machine.scores(mu).array()).max(0).sum();
}

double objective(const Matrix& mu, const Vector& y, double C, const LinearMachine& machine) {
  return machine.v.squaredNorm() / 2 + C * hinge_loss(mu, y, machine);
}

LinearMachine train_linear_machine(const Matrix& mu, const Vector& y, double C) {
  constexpr int most_steps = 100;
  constexpr double tolerance = 1e-10;
  InteriorPoint method(mu, y, C);
  for (int i = 0; i < most_steps; ++i) {
    const double scale = 1 + objective(mu, y, C, method.machine());
    if (method.gap() <= tolerance * scale && method.residual() <= std::sqrt(tolerance) * scale) {
      break;
    }
    if (!method.step()) break;
  }
  return method.machine();
}

}  // namespace m3lak::harmonium
