// The variational engine: coordinate ascent on the bound of a posterior that factorises into W, μ,
// r, τ, η, v, h and λ.
#pragma once

#include <vector>

#include "rivals/bm2smvl/bm2smvl.h"
#include "rivals/bm2smvl/statistics.h"

namespace m3lak::bm2smvl_parts {

class Variational {
 public:
  /// `H`: where the means of h start.
  Variational(Workers& workers, const Problem& problem, const Bm2smvlOptions& options, double C,
              DenseMatrix H);

  /// All variables once. W, μ, r, τ, η and v read sums over the instances; then one pass over the
  /// instances updates h and λ and makes the sums for the next sweep.
  void sweep();

  /// Of the log evidence, up to a constant; no sweep lowers it.
  double bound() const;

  LinearRule rule() const;

  const DenseMatrix& latents() const { return H_; }
  const Matrix& loadings() const { return W_; }
  const Vector& weights() const { return eta_; }

 private:
  /// Of one view. A Gamma variable is its mean; its shape never changes.
  struct View {
    double log_det = 0;        ///< of S, the covariance of each row of W
    Matrix second;             ///< E[WᵀW]
    Vector relevance;          ///< E[r]
    double noise = 1;          ///< E[τ]
    double mean_variance = 0;  ///< of μ
  };

  /// The label's part of the precision of h_n differs from instance to instance by a factor only,
  /// P_n = A + κ_n E[wwᵀ], so that one basis makes all of them diagonal:
  /// P_n⁻¹ = T diag(1/(1 + κ_n d)) Tᵀ.
  struct Basis {
    Matrix T;
    Vector d;
    double log_det_A = 0;
  };
  static Basis basis_of(const Matrix& A, const Matrix& ww);

  /// Sums over a block of instances.
  struct Sums {
    Statistics statistics;
    Vector spread;         ///< Σ 1/(1 + κ_n d)
    Vector curved_spread;  ///< the same with weights κ_n, those after the update of λ
    double log_det = 0;    ///< Σ log |P_n⁻¹|, but for A
    double label = 0;      ///< Σ -√χ_n - C(1 - y_n E[s_n])
    void operator+=(const Sums& other);
  };

  void update_view(std::size_t i);
  void update_weights();
  void update_latents();
  void update_block(const Block& block, const RowMatrix<double>& right, const Vector& offset,
                    Sums& sums);
  void collect(const Block& block, const DenseMatrix& shrink, Sums& sums);
  void finish(const Sums& sums);

  double residual(std::size_t i) const;
  double bound_of_view(std::size_t i) const;
  Matrix centred_cross(const Columns& columns) const;
  double relevance_shape(std::size_t i) const;
  double noise_shape(std::size_t i) const;
  double weight_shape() const;

  Workers& workers_;
  const Problem& problem_;
  Bm2smvlOptions options_;
  double C_;
  Index latent_;

  DenseMatrix H_;  ///< E[h]
  Vector kappa_;
  Matrix W_;   ///< E[W] of all views
  Vector mu_;  ///< E[μ]
  std::vector<View> views_;

  Vector eta_;         ///< E[η]
  Matrix eta_root_;    ///< lower Cholesky factor of its covariance S
  Matrix eta_second_;  ///< E[ηηᵀ]
  double v_ = 0.01;    ///< E[v]

  Matrix A_;  ///< I + Σ E[τ] E[WᵀW]
  Basis basis_;
  Statistics statistics_;
  Reduction<Sums> reduction_;
  double label_bound_ = 0, latent_log_det_ = 0;
};

}  // namespace m3lak::bm2smvl_parts
