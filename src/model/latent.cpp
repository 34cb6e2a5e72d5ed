#include "model/latent.h"

#include "numeric/distributions.h"
#include "numeric/hmc.h"

namespace m3lak {

namespace {

using Energies = Eigen::RowVectorXd;

/// Λ^{-1} b
Matrix means(const LatentGaussian& gaussian, Matrix b) {
  gaussian.factor.triangularView<Eigen::Lower>().solveInPlace(b);
  gaussian.factor.transpose().triangularView<Eigen::Upper>().solveInPlace(b);
  return b;
}

/// Column n of `normals`, from the stream of instance n.
void fill_column(Stream& stream, Matrix& normals, Index n) {
  fill_normal(stream, {normals.col(n).data(), static_cast<std::size_t>(normals.rows())});
}

}  // namespace

Energies LabelPull::operator()(const Matrix& h, Matrix& gradient) const {
  Waves at_h;
  waves(omega, h, at_h);
  Matrix slope;
  const Energies energy = hinge_energy(hinge, y, scores(beta, at_h), inverse_lambda, slope);
  gradient.noalias() = omega * slopes(beta, at_h, weight * slope);
  return weight * energy;
}

void draw_latents(const LatentGaussian& gaussian, const Matrix& b,
                  const std::function<Stream(Index)>& stream, Eigen::Ref<Matrix> h) {
  Matrix g(b.rows(), b.cols());
  for (Index n = 0; n < g.cols(); ++n) {
    Stream own = stream(n);
    fill_column(own, g, n);
  }
  gaussian.factor.transpose().triangularView<Eigen::Upper>().solveInPlace(g);
  h = means(gaussian, b) + g;
}

Acceptance move_latents(const LatentGaussian& gaussian, const Matrix& b, const LabelPull& pull,
                        const Move& move, const std::function<Stream(Index)>& stream,
                        Eigen::Ref<Matrix> h) {
  const Index count = b.cols();
  Matrix p(b.rows(), count);
  Vector uniform(count);
  for (Index n = 0; n < count; ++n) {
    Stream own = stream(n);
    fill_column(own, p, n);
    uniform[n] = own.uniform();
  }

  Matrix proposed;
  Energies rise;
  if (move.hmc == Hmc::preconditioned) {
    // In q = Lᵀ(h - mean) the Gaussian part is ½‖q‖².
    const auto L = gaussian.factor.triangularView<Eigen::Lower>();
    const auto Lt = gaussian.factor.transpose().triangularView<Eigen::Upper>();
    const Matrix mean = means(gaussian, b);
    Matrix q = Lt * (h - mean);
    const auto to_h = [&](const Matrix& whitened) -> Matrix { return mean + Lt.solve(whitened); };
    rise = -0.5 * (q.colwise().squaredNorm() + p.colwise().squaredNorm());
    const auto ends = rotate_and_kick(q, p, move.step, move.leapfrog,
                                      [&](const Matrix& whitened, Matrix& gradient) {
                                        const Energies energy = pull(to_h(whitened), gradient);
                                        L.solveInPlace(gradient);
                                        return energy;
                                      });
    rise += ends.last - ends.first + 0.5 * (q.colwise().squaredNorm() + p.colwise().squaredNorm());
    proposed = to_h(q);
  } else {
    Matrix q = h;
    rise = -0.5 * p.colwise().squaredNorm();
    const auto ends =
        leapfrog(q, p, move.step, move.leapfrog, [&](const Matrix& at, Matrix& gradient) {
          Energies energy = pull(at, gradient);
          const Matrix turned = gaussian.precision * at;
          gradient += turned - b;
          energy += at.cwiseProduct(0.5 * turned - b).colwise().sum();
          return energy;
        });
    rise += ends.last - ends.first + 0.5 * p.colwise().squaredNorm();
    proposed = std::move(q);
  }

  Acceptance accepted;
  for (Index n = 0; n < count; ++n) {
    const double probability = acceptance(rise[n]);
    accepted += {probability, 1};
    if (uniform[n] < probability) h.col(n) = proposed.col(n);
  }
  return accepted;
}

}  // namespace m3lak
