// The sampler's pass over the instances.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/distributions.h"
#include "rivals/bm2smvl/gibbs.h"

namespace m3lak::bm2smvl_parts {

namespace {

constexpr double most_inverse_lambda = 1e8;  // an instance on its margin has none

}  // namespace

LatentConditional::LatentConditional(const Matrix& A, const Vector& w)
    : M(A.llt().matrixL()), g(M.triangularView<Eigen::Lower>().solve(w)) {}

// In the coordinates Mᵀh the precision is I + κggᵀ. With ρ² = 1 + κ gᵀg, the mean is
// z - κ(gᵀz)/ρ² g, and (I + κggᵀ)^(-1/2) e = e - κ(gᵀe)/(ρ(ρ + 1)) g.
void LatentConditional::draw(const Eigen::Ref<const Vector>& kappa, const DenseMatrix& noise,
                             DenseMatrix& z) const {
  const Eigen::ArrayXd squared = 1 + kappa.array() * g.squaredNorm(), root = squared.sqrt();
  const Vector along_g =
      kappa.array() * ((z * g).array() / squared + (noise * g).array() / (root * (root + 1)));
  z += noise;
  z.noalias() -= along_g * g.transpose();
  M.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(z);
}

/// What the conditionals of h and u of all instances share.
//
// h: precision I + Σ τWᵀW + κwwᵀ, linear term Σ τWᵀ(x - μ - Vu) + [(κ + C)y - κb]w, here as M⁻¹p
// u: precision I + τVᵀV, linear term τVᵀ(x - μ - Wh)
struct Gibbs::Conditionals {
  LatentConditional of_h;
  RowMatrix<double> right = {};  ///< [τWM⁻ᵀ, τV], each V in columns of its own, in whole lanes
  Vector offset = {};            ///< rightᵀμ
  Matrix coupling = {};          ///< Σ τWᵀV
  Matrix white_coupling = {};    ///< M⁻¹ of it
  Matrix private_root = {};      ///< lower Cholesky factor of the precision of u
};

Gibbs::Conditionals Gibbs::conditionals() const {
  const Index own = private_count();
  Matrix A = Matrix::Identity(latent_, latent_);
  Matrix private_precision = Matrix::Identity(own, own), coupling(latent_, own);
  Matrix right = Matrix::Zero(problem_.features(), latent_ + own);
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const auto [first, count] = problem_.views[i];
    const double tau = views_[i].noise;
    const Matrix W = loadings_.middleRows(first, count).leftCols(latent_);
    A.noalias() += tau * W.transpose() * W;
    right.middleRows(first, count).leftCols(latent_) = tau * W;
    const auto [in_U, width] = private_columns(i);
    if (width == 0) continue;
    const Matrix V = loadings_.middleRows(first, count).rightCols(width);
    private_precision.block(in_U, in_U, width, width) += tau * V.transpose() * V;
    coupling.middleCols(in_U, width) = tau * W.transpose() * V;
    right.block(first, latent_ + in_U, count, width) = tau * V;
  }
  Conditionals given{.of_h = {A, eta_.head(latent_)}};
  const auto M = std::as_const(given.of_h.M).triangularView<Eigen::Lower>();
  M.transpose().solveInPlace<Eigen::OnTheRight>(right.leftCols(latent_));
  given.right = padded<double>(right);
  given.offset = right.transpose() * mu_;
  if (own > 0) {
    given.white_coupling = M.solve(coupling);
    given.private_root = private_precision.llt().matrixL();
    given.coupling = std::move(coupling);
  }
  return given;
}

void Gibbs::start_latents() {
  pass([&](const Block& block, Stream& stream) {
    auto U = factors_.middleRows(block.begin, block.size).rightCols(private_count());
    U = normals(stream, block.size, private_count());
  });
}

void Gibbs::go_on_from(const State& state) {
  ++sweep_;
  factors_ = state.factors;
  loadings_ = state.loadings;
  mu_ = state.mu;
  views_ = state.views;
  eta_ = state.eta;
  v_ = state.v;
  pass([](const Block&, Stream&) {});
}

void Gibbs::draw_latents() {
  const Conditionals given = conditionals();
  pass([&](const Block& block, Stream& stream) { draw_block(given, block, stream); });
}

void Gibbs::draw_block(const Conditionals& given, const Block& block, Stream& stream) {
  const Index own = private_count();
  auto H = factors_.middleRows(block.begin, block.size).leftCols(latent_);
  auto U = factors_.middleRows(block.begin, block.size).rightCols(own);
  const auto kappa = kappa_.segment(block.begin, block.size);
  const auto y = problem_.y.segment(block.begin, block.size).array();
  RowMatrix<double> p = RowMatrix<double>::Zero(block.size, given.right.cols());
  add_product<double>(problem_.X.middleRows(block.begin, block.size), given.right, p);
  p.leftCols(given.offset.size()).rowwise() -= given.offset.transpose();

  DenseMatrix z = p.leftCols(latent_);
  if (own > 0) z.noalias() -= U * given.white_coupling.transpose();
  const Vector pull = (kappa.array() + C_) * y - kappa.array() * eta_[latent_];
  z.noalias() += pull * given.of_h.g.transpose();
  given.of_h.draw(kappa, normals(stream, block.size, latent_), z);
  H = z;
  if (own == 0) return;

  Matrix u = p.middleCols(latent_, own) - H * given.coupling;
  const auto root = given.private_root.triangularView<Eigen::Lower>();
  root.transpose().solveInPlace<Eigen::OnTheRight>(u);
  u += normals(stream, block.size, own);
  root.solveInPlace<Eigen::OnTheRight>(u);
  U = u;
}

/// One pass over the instances: what `draw_block(block, stream)` draws, then λ and the sums.
template <class DrawBlock>
void Gibbs::pass(const DrawBlock& draw_block) {
  statistics_ = &reduction_(
      workers_, problem_.blocks,
      [&](const Block& block, Statistics& sums) {
        Stream of_block = stream(Step::latent, block.index);
        draw_block(block, of_block);
        collect(block, of_block, sums);
      },
      [](Statistics& into, const Statistics& from) { into += from; });
}

// 1/λ ~ InverseGaussian(mean 1/(C|1 - ys|), shape 1), κ = C²/λ
void Gibbs::collect(const Block& block, Stream& stream, Statistics& sums) {
  const auto Z = factors_.middleRows(block.begin, block.size);
  const auto y = problem_.y.segment(block.begin, block.size);
  auto kappa = kappa_.segment(block.begin, block.size);
  const Vector scores = (Z.leftCols(latent_) * eta_.head(latent_)).array() + eta_[latent_];
  for (Index n = 0; n < block.size; ++n) {
    const double inverse_mean = C_ * std::abs(1 - y[n] * scores[n]);
    kappa[n] = C_ * C_ * std::min(inverse_gaussian(stream, inverse_mean, 1), most_inverse_lambda);
  }
  sums.add_factors(problem_.X.middleRows(block.begin, block.size), Z);
  sums.labels.add(Z.leftCols(latent_), y, kappa, C_);
}

}  // namespace m3lak::bm2smvl_parts
