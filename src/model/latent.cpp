#include "model/latent.h"

#include "numeric/distributions.h"

namespace m3lak {

namespace {

template <class Value>
typename LatentPotential<Value>::Energies half_squares(const Panel<Value>& panel) {
  return 0.5 * panel.template cast<double>().colwise().squaredNorm().array();
}

}  // namespace

template <class Value>
LatentPotential<Value>::LatentPotential(const LatentGaussian& gaussian, const Matrix& omega,
                                        const Matrix& beta, const Hinge& hinge, double label_weight,
                                        const Move& move)
    : precision_(gaussian.precision.cast<Value>()),
      factor_(gaussian.factor.triangularView<Eigen::Lower>().toDenseMatrix().cast<Value>()),
      weights_(beta),
      hinge_(hinge),
      label_weight_(static_cast<Value>(label_weight)),
      move_(move) {
  const auto L = gaussian.factor.triangularView<Eigen::Lower>();
  inverse_factor_ = L.solve(Matrix::Identity(omega.rows(), omega.rows())).template cast<Value>();
  const bool whiten = move.hmc == Hmc::preconditioned;
  omega_ = (whiten ? Matrix(L.solve(omega)) : omega).template cast<Value>();
}

template <class Value>
auto LatentPotential<Value>::pull(const Panel<Value>& place, Panel<Value>& gradient,
                                  Memory& memory) const -> Energies {
  waves(omega_, place, memory.waves);
  scores(weights_, memory.waves, memory.f);
  Energies energy = Energies::Zero();
  memory.hinge_slope.resizeLike(memory.f);
  for (Index c = 0; c < memory.f.rows(); ++c) {
    const Lanes<Value> y = load(&memory.y(c, 0));
    const Lanes<Value> f = load(&memory.f(c, 0)) + load(&memory.linear(c, 0));
    const Lanes<Value> x = load(&memory.inverse_lambda(c, 0));
    const Lanes<Value> each = label_weight_ * hinge_.energy(y, f, x);
    for (int i = 0; i < lanes<Value>; ++i) energy[i] += static_cast<double>(each[i]);
    store(&memory.hinge_slope(c, 0), label_weight_ * hinge_.slope(y, f, x));
  }
  slopes(weights_, memory.waves, memory.hinge_slope, memory.slope);
  times<Value>(omega_, memory.slope, gradient);
  return energy;
}

/// In q = Lᵀ(h - mean) the Gaussian part is ½‖q‖²; Lᵀ mean = L^{-1}b.
template <class Value>
auto LatentPotential<Value>::rise_preconditioned(Memory& memory) const -> Energies {
  Panel<Value>&p = memory.p, &q = memory.q, &centre = memory.centre, &place = memory.place;
  times<Value>(inverse_factor_, memory.b, centre);
  transposed_times<Value>(factor_, memory.h, q);
  q -= centre;
  Energies rise = -half_squares<Value>(q) - half_squares<Value>(p);
  const auto ends = rotate_and_kick(q, p, move_.step, move_.leapfrog, memory.trajectory,
                                    [&](const Panel<Value>& at, Panel<Value>& gradient) {
                                      place = at + centre;
                                      return pull(place, gradient, memory);
                                    });
  rise += ends.last - ends.first + half_squares<Value>(q) + half_squares<Value>(p);
  place = q + centre;
  transposed_times<Value>(inverse_factor_, place, q);
  return rise;
}

template <class Value>
auto LatentPotential<Value>::rise_plain(Memory& memory) const -> Energies {
  memory.q = memory.h;
  Energies rise = -half_squares<Value>(memory.p);
  const auto ends = leapfrog(memory.q, memory.p, move_.step, move_.leapfrog, memory.trajectory,
                             [&](const Panel<Value>& at, Panel<Value>& gradient) {
                               Energies energy = pull(at, gradient, memory);
                               times<Value>(precision_, at, memory.turned);
                               gradient += memory.turned - memory.b;
                               energy += at.cwiseProduct(Value{0.5} * memory.turned - memory.b)
                                             .template cast<double>()
                                             .colwise()
                                             .sum()
                                             .array();
                               return energy;
                             });
  rise += ends.last - ends.first + half_squares<Value>(memory.p);
  return rise;
}

/// Normals for p and one uniform, for each instance from its own stream.
template <class Value>
void LatentPotential<Value>::draw_momenta(const Streams& stream, Index begin, Index count, Index m,
                                          Memory& memory, double (&uniform)[lanes<Value>]) {
  memory.normals.setConstant(m, lanes<Value>, 0.5);
  for (Index n = 0; n < count; ++n) {
    Stream own = stream(begin + n);
    for (Index i = 0; i < m; ++i) memory.normals(i, n) = own.uniform();
    uniform[n] = own.uniform();
  }
  normals_of_uniforms({memory.normals.data(), static_cast<std::size_t>(memory.normals.size())});
  memory.p = memory.normals.template cast<Value>();
}

template <class Value>
Acceptance LatentPotential<Value>::move(const RowMatrix<Value>& b,
                                        const Eigen::Ref<const Matrix>& y,
                                        const Eigen::Ref<const Matrix>& inverse_lambda,
                                        const Eigen::Ref<const Matrix>& linear,
                                        const Streams& stream, Memory& memory,
                                        Eigen::Ref<Matrix> h) const {
  Acceptance accepted;
  double uniform[lanes<Value>];
  for (Index begin = 0; begin < h.cols(); begin += lanes<Value>) {
    const Index count = std::min<Index>(lanes<Value>, h.cols() - begin);
    take_columns<Value>(h, begin, memory.h);
    take_columns<Value>(b.leftCols(h.rows()).transpose(), begin, memory.b);
    take_columns<Value>(y, begin, memory.y);
    take_columns<Value>(inverse_lambda, begin, memory.inverse_lambda);
    take_columns<Value>(linear, begin, memory.linear);
    draw_momenta(stream, begin, count, h.rows(), memory, uniform);
    const Energies rise =
        move_.hmc == Hmc::preconditioned ? rise_preconditioned(memory) : rise_plain(memory);
    for (Index n = 0; n < count; ++n) {
      const double probability = acceptance(rise[n]);
      accepted += {probability, 1};
      if (uniform[n] < probability) h.col(begin + n) = memory.q.col(n).template cast<double>();
    }
  }
  return accepted;
}

/// h = L^{-T}(L^{-1}b + g), g ~ N(0, I)
template <class Value>
void LatentPotential<Value>::draw(const RowMatrix<Value>& b, const Streams& stream, Memory& memory,
                                  Eigen::Ref<Matrix> h) const {
  for (Index begin = 0; begin < h.cols(); begin += lanes<Value>) {
    const Index count = std::min<Index>(lanes<Value>, h.cols() - begin);
    take_columns<Value>(b.leftCols(h.rows()).transpose(), begin, memory.b);
    times<Value>(inverse_factor_, memory.b, memory.centre);
    double unused[lanes<Value>];
    draw_momenta(stream, begin, count, h.rows(), memory, unused);
    memory.place = memory.centre + memory.p;
    transposed_times<Value>(inverse_factor_, memory.place, memory.q);
    h.middleCols(begin, count) = memory.q.leftCols(count).template cast<double>();
  }
}

template class LatentPotential<double>;
template class LatentPotential<float>;

}  // namespace m3lak
