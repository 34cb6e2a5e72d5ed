// The sampler: each variable in turn from its distribution given all others.
#pragma once

#include <vector>

#include "numeric/random.h"
#include "rivals/bm2smvl/bm2smvl.h"
#include "rivals/bm2smvl/statistics.h"
#include "rivals/bm2smvl/streams.h"

namespace m3lak::bm2smvl_parts {

/// How h is drawn: N(P⁻¹p, P⁻¹) with P = MMᵀ + κwwᵀ, of many instances that differ in κ and p.
struct LatentConditional {
  Matrix M;  ///< lower
  Vector g;  ///< M⁻¹w

  LatentConditional(const Matrix& A, const Vector& w);

  /// Rows `z` are M⁻¹p and become h; rows of `noise` are N(0, I). O(m²) an instance.
  void draw(const Eigen::Ref<const Vector>& kappa, const DenseMatrix& noise, DenseMatrix& z) const;
};

class Gibbs {
 public:
  /// `H`: where h starts.
  Gibbs(Workers& workers, const Problem& problem, const Bm2smvlOptions& options, double C,
        const DenseMatrix& H);

  /// All variables once. W, μ, r, τ, η and v read sums over the instances; then one pass over the
  /// instances draws h, u and λ and makes the sums for the next sweep.
  void sweep();

  /// Of the present draw.
  LinearRule rule() const;

  double noise(std::size_t view) const { return views_[view].noise; }  ///< τ

  struct View {
    Vector precision;            ///< of the columns of [W V]: r, and that of V
    double noise = 1;            ///< τ
    std::vector<Index> factors;  ///< which columns of [H U] the view has
  };

  /// All variables but λ.
  struct State {
    DenseMatrix factors;  ///< [H U], u of all views side by side
    Matrix loadings;      ///< [W V] of all views, each with its own V
    Vector mu;
    std::vector<View> views;
    Vector eta;
    double v = 0.01;
  };
  State state() const { return {factors_, loadings_, mu_, views_, eta_, v_}; }

  /// Goes on from there, and from data that may have changed; λ is drawn anew.
  void go_on_from(const State& state);

 private:
  Stream stream(Step step, Index index) const;
  Index private_count() const { return factors_.cols() - latent_; }
  Columns private_columns(std::size_t i) const;

  void draw_view(std::size_t i);
  void draw_loadings(std::size_t i, const Matrix& centred_cross, const Matrix& second);
  void draw_weights();

  struct Conditionals;
  Conditionals conditionals() const;
  void start_latents();
  void draw_latents();
  void draw_block(const Conditionals& given, const Block& block, Stream& stream);
  template <class DrawBlock>
  void pass(const DrawBlock& draw_block);
  void collect(const Block& block, Stream& stream, Statistics& sums);

  Workers& workers_;
  const Problem& problem_;
  Bm2smvlOptions options_;
  double C_;
  Index latent_;
  std::uint64_t sweep_ = 0;

  DenseMatrix factors_;  ///< [H U], u of all views side by side
  Vector kappa_;
  Matrix loadings_;  ///< [W V] of all views, each with its own V
  Vector mu_;
  std::vector<View> views_;
  Vector eta_;
  double v_ = 0.01;
  Reduction<Statistics> reduction_;
  const Statistics* statistics_ = nullptr;  ///< the latest, in `reduction_`
};

}  // namespace m3lak::bm2smvl_parts
