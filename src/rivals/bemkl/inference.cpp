#include "rivals/bemkl/inference.h"

#include <cmath>
#include <utility>

#include "numeric/distributions.h"
#include "numeric/random.h"
#include "rivals/bemkl/truncated_normal.h"

namespace m3lak::bemkl_parts {

namespace {

Matrix normals(Index rows, Index columns, std::uint64_t seed, std::uint32_t step) {
  Stream stream({.seed = seed, .step = step});
  Matrix x(rows, columns);
  fill_normal(stream, {x.data(), static_cast<std::size_t>(x.size())});
  return x;
}

Matrix expanded(const Matrix& lower) { return lower.selfadjointView<Eigen::Lower>(); }

}  // namespace

Posterior random_start(const Vector& y, Index kernels, double margin, std::uint64_t seed) {
  enum Step : std::uint32_t { of_a, of_G, of_f };
  const Index N = y.size(), P = kernels;
  const auto beyond_margin = [&](Index rows, Step step) -> Matrix {
    return (normals(rows, N, seed, step).array().abs() + margin).matrix() * y.asDiagonal();
  };
  Posterior q;
  q.a = normals(N, 1, seed, of_a);
  q.a_variances = Vector::Ones(N);
  q.G = beyond_margin(P, of_G);
  q.be = Vector::Ones(P + 1);
  q.be[0] = 0;
  q.be_covariance = Matrix::Identity(P + 1, P + 1);
  q.f = beyond_margin(1, of_f).transpose();
  return q;
}

Inference::Inference(Workers& workers, const Kernels& kernels, const Vector& y,
                     const BemklOptions& options, Posterior start,
                     const std::function<bool()>& stop)
    : workers_(workers),
      kernels_(kernels),
      y_(y),
      precision_of_g_(1 / (options.noise * options.noise)),
      margin_(options.margin),
      q_(std::move(start)),
      T_(precision_of_g_ * sum_of_squares(workers, kernels, stop)),
      a_times_kernels_(kernels.count(), y.size()),
      lambda_(options.prior),
      gamma_and_omega_(options.prior),
      sums_(Vector::Zero(y.size())),
      values_(static_cast<std::size_t>(workers.threads()), Matrix(y.size(), kernels.count())) {
  pass_kernels([](Index, const Matrix&) {});
}

void Inference::sweep() {
  update_a();
  update_G();
  update_be();
  update_f();
}

// q(λ_n) = Gamma(shape + 1/2, 1/(1/scale + ⟨a_n²⟩/2));
// q(a) = N(·, S), S = (diag⟨λ⟩ + T/σ²)⁻¹, with mean S Σ_p K_p G_p/σ².
void Inference::update_a() {
  lambda_.update(squares_of_a());
  of_a_.factor(T_, lambda_.means());
  q_.a = of_a_.times(precision_of_g_ * kernels_times_G_);
  q_.a_variances = of_a_.variances(workers_);
}

// q(g_n) = N(·, S), S = (I/σ² + ⟨eeᵀ⟩)⁻¹, with mean S ([aᵀk_pn]_p/σ² + ⟨e⟩⟨f_n⟩ - ⟨be⟩).
void Inference::update_G() {
  of_g_.factor(squares_of_e(), Vector::Constant(q_.G.rows(), precision_of_g_));
  G_covariance_ = of_g_.covariance();
  const Vector e = q_.e(), be = products_of_b_and_e();
  pass_kernels([&](Index n, const Matrix& K) {
    a_times_kernels_.col(n).noalias() = K.transpose() * q_.a;
    q_.G.col(n).noalias() =
        G_covariance_ * (precision_of_g_ * a_times_kernels_.col(n) + q_.f[n] * e - be);
  });
}

// q(γ) and q(ω_p) as q(λ); q(b, e) = N(·, S) with
//   S⁻¹ = diag⟨γ, ω⟩ + [N, Σ_n g_nᵀ; Σ_n g_n, ⟨GGᵀ⟩], ⟨GGᵀ⟩ = GGᵀ + N S_G,
// and mean S [Σ_n f_n; G f].
void Inference::update_be() {
  gamma_and_omega_.update(squares_of_be());
  const Index N = q_.G.cols(), P = q_.G.rows();
  sum_of_G_ = q_.G.rowwise().sum();
  squares_of_G_ = static_cast<double>(N) * G_covariance_;
  squares_of_G_.selfadjointView<Eigen::Lower>().rankUpdate(q_.G);
  squares_of_G_ = expanded(squares_of_G_);

  Matrix of_data(P + 1, P + 1);
  of_data(0, 0) = static_cast<double>(N);
  of_data.col(0).tail(P) = sum_of_G_;
  of_data.bottomRightCorner(P, P) = squares_of_G_;
  of_be_.factor(of_data, gamma_and_omega_.means());

  Vector linear(P + 1);
  linear << q_.f.sum(), q_.G * q_.f;
  q_.be_covariance = of_be_.covariance();
  q_.be.noalias() = q_.be_covariance * linear;
}

// q(f_n): N(o_n, 1), o_n = eᵀg_n + b, on y_n f_n > ν. So y_n f_n - ν is N(y_n o_n - ν, 1), given
// that it is positive.
void Inference::update_f() {
  output_ = (q_.G.transpose() * q_.e()).array() + q_.b();
  log_probability_ = 0;
  for (Index n = 0; n < y_.size(); ++n) {
    const PositiveNormal beyond = positive_normal(y_[n] * output_[n] - margin_);
    q_.f[n] = y_[n] * (margin_ + beyond.mean);
    log_probability_ += beyond.log_probability;
  }
}

/// Visits each instance's kernel values once: update_column(n, K⁽ⁿ⁾) may set column n of G, which
/// then becomes a part of Σ_p K_p G_p = Σ_n K⁽ⁿ⁾ g_n.
template <class Update>
void Inference::pass_kernels(const Update& update_column) {
  constexpr Index instances_a_block = 16;
  kernels_times_G_ = sums_(
      workers_, {kernels_.instances(), instances_a_block},
      [&](const Block& block, Vector& sum, int worker) {
        Matrix& K = values_[static_cast<std::size_t>(worker)];
        for (Index n = block.begin; n < block.end(); ++n) {
          kernels_.of_instance(n, K);
          update_column(n, std::as_const(K));
          sum.noalias() += K * q_.G.col(n);
        }
      },
      [](Vector& into, const Vector& from) { into += from; });
}

Vector Inference::squares_of_a() const { return q_.a.cwiseAbs2() + q_.a_variances; }

Vector Inference::squares_of_be() const { return q_.be.cwiseAbs2() + q_.be_covariance.diagonal(); }

Matrix Inference::squares_of_e() const {
  const Index P = q_.G.rows();
  return q_.e() * q_.e().transpose() + q_.be_covariance.bottomRightCorner(P, P);
}

Vector Inference::products_of_b_and_e() const {
  return q_.b() * q_.e() + q_.be_covariance.col(0).tail(q_.G.rows());
}

}  // namespace m3lak::bemkl_parts
