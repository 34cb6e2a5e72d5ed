#include "model/weights_together.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "model/features.h"
#include "model/hinge.h"
#include "numeric/distributions.h"
#include "numeric/hmc.h"
#include "numeric/lanes.h"
#include "numeric/pieces.h"

namespace m3lak {

namespace {

constexpr int width = lanes<float>;

/// Products of a few rows with the same vector, all of whole lanes.
template <int count>
void dot(const float* row, Index stride, const float* w, Index columns, float* out) {
  Lanes<float> sum[count] = {};
  for (Index j = 0; j < columns; j += width) {
    const Lanes<float> each = load(w + j);
    for (int i = 0; i < count; ++i) sum[i] += load(row + i * stride + j) * each;
  }
  for (int i = 0; i < count; ++i) {
    out[i] = 0;
    for (int lane = 0; lane < width; ++lane) out[i] += sum[i][lane];
  }
}

/// out += Σ slope · row of a few rows.
template <int count>
void add_rows(const float* const* rows, const float* slopes, Index columns, float* out) {
  for (Index j = 0; j < columns; j += width) {
    Lanes<float> sum = load(out + j);
    for (int i = 0; i < count; ++i) sum += slopes[i] * load(rows[i] + j);
    store(out + j, sum);
  }
}

/// So many rows at once that they are still in the first-level cache when they are added up.
constexpr int rows_at_once = 8;

/// The curvature of the hinge where its corner is rounded about as widely as the posterior is.
double curvature(double C, double y, double f) {
  constexpr double sharpness = 4;
  if (y == 0) return 0;
  const double share = 1 / (1 + std::exp(-sharpness * (1 - y * f)));
  return 2 * C * sharpness * share * (1 - share);
}

// Trajectories may be computed as roughly as one likes, if only the same way forwards and
// backwards: what makes them exact is that they are accepted by their energy. So gradients are
// summed, and the inverse metric is applied, in float, which is half of the memory to go through;
// energies at both ends are computed in the precision that was asked for.
template <class Value>
class Moves : public WeightMoves {
 public:
  Moves(Workers& workers, const Problem& problem, const Options& options)
      : workers_(workers),
        alone_(1, workers.cluster()),
        problem_(problem),
        options_(options),
        of_features_(2 * options.features + 1),
        weights_(of_features_ + problem.coordinates.cols()),
        rows_(RowMatrix<Value>::Zero(problem.instances(), padded<Value>(weights_))),
        of_worker_(static_cast<std::size_t>(workers.threads())),
        energy_(0),
        pull_(Vector::Zero(weights_)) {
    if (weights_ > of_features_) {  // else the coordinates may have no rows either
      rows_.middleCols(of_features_, weights_ - of_features_) =
          problem.coordinates.template cast<Value>();
    }
    if constexpr (!is_float) {
      quick_rows_ = RowMatrix<float>::Zero(problem.instances(), padded<float>(weights_));
      quick_rows_.leftCols(weights_) = rows_.leftCols(weights_).template cast<float>();
    }
    const Matrix prior = prior_precision(options.weight_precision).cwiseSqrt().asDiagonal();
    factors_.assign(static_cast<std::size_t>(problem.y.rows()), prior);
  }

  void aim(const State& state) override {
    inverses_.clear();
    set_features(state);
    Reduction<Matrix> reduction(Matrix::Zero(weights_, weights_));
    for (Index c = 0; c < problem_.y.rows(); ++c) {
      const Eigen::VectorX<Value> w = weights_of(state, c).template cast<Value>();
      Matrix& metric = reduction(
          workers_, problem_.blocks,
          [&](const Block& block, Matrix& sum, int worker) {
            Memory& memory = of_worker_[static_cast<std::size_t>(worker)];
            const auto rows = rows_of(block);
            memory.f.noalias() = rows * w;
            memory.weighted = rows;
            for (Index n = 0; n < block.size; ++n) {
              memory.weighted.row(n) *= static_cast<Value>(curvature(
                  options_.C, problem_.y(c, block.begin + n), static_cast<double>(memory.f[n])));
            }
            memory.gram.setZero(weights_, weights_);
            add_outer<Value>(rows, memory.weighted, true, memory.gram);
            sum += memory.gram.template cast<double>();
          },
          [](Matrix& into, const Matrix& from) { into += from; });
      metric.diagonal() += prior_precision(state.weight_precision);
      factors_[static_cast<std::size_t>(c)] = metric.llt().matrixL();
    }
  }

  // With the metric G = LLᵀ and momenta p ~ N(0, G): w moves along G⁻¹p, p along minus the
  // gradient.
  Acceptance operator()(const Iteration& iteration, const Move& move, State& state) override {
    set_features(state);
    if (inverses_.empty()) invert_metrics();
    const Vector prior = prior_precision(state.weight_precision);
    const bool worth_sharing = rows_.size() >= work_worth_sharing;
    Workers& crew = worth_sharing ? workers_ : alone_;
    Acceptance acceptances;
    for (Index c = 0; c < problem_.y.rows(); ++c) {
      const auto L = factors_[static_cast<std::size_t>(c)].template triangularView<Eigen::Lower>();
      Stream stream = iteration.stream(Step::weights_together, c);
      normals_.resize(weights_);
      fill_normal(stream, {normals_.data(), static_cast<std::size_t>(weights_)});
      p_.noalias() = L * normals_;
      // Steps of various sizes, so that no direction comes back to its start again and again.
      const double step = move.step * (0.75 + 0.5 * stream.uniform());

      w_ = weights_of(state, c);
      const double before = 0.5 * normals_.squaredNorm() + energy_at(crew, c, prior);
      p_ -= 0.5 * step * gradient_at(crew, c, prior);
      for (int s = 0; s < move.leapfrog; ++s) {
        quick_p_ = p_.template cast<float>();
        velocity_.noalias() =
            inverses_[static_cast<std::size_t>(c)].template selfadjointView<Eigen::Lower>() *
            quick_p_;
        w_ += step * velocity_.template cast<double>();
        p_ -= (s + 1 < move.leapfrog ? 1 : 0.5) * step * gradient_at(crew, c, prior);
      }
      L.solveInPlace(p_);
      const double rise = 0.5 * p_.squaredNorm() + energy_at(crew, c, prior) - before;
      const double probability = acceptance(rise);
      acceptances += {probability, 1};
      if (stream.uniform() < probability) put(crew, c, state);
    }
    return acceptances;
  }

  std::vector<Matrix>& metric() override {
    inverses_.clear();  // it may be changed
    return factors_;
  }

 private:
  static constexpr bool is_float = std::is_same_v<Value, float>;

  struct Memory {
    WaveRows<Value> waves;
    RowMatrix<Value> h, phi, weighted;
    Eigen::MatrixX<Value> gram;
    Eigen::VectorX<Value> f;
    Eigen::VectorXf gradient;
  };

  auto rows_of(const Block& block) const {
    return rows_.block(block.begin, 0, block.size, weights_);
  }

  const RowMatrix<float>& quick_rows() const {
    if constexpr (is_float) {
      return rows_;
    } else {
      return quick_rows_;
    }
  }

  void set_features(const State& state) {
    const RowMatrix<Value> omega = padded<Value>(state.omega);
    for_each_block(workers_, problem_.blocks, [&](const Block& block, int worker) {
      Memory& memory = of_worker_[static_cast<std::size_t>(worker)];
      memory.h = state.H.middleCols(block.begin, block.size).transpose().template cast<Value>();
      waves<Value>(omega, memory.h, memory.waves);
      features(memory.waves, options_.features, memory.phi);
      const auto phi = memory.phi.leftCols(of_features_);
      rows_.block(block.begin, 0, block.size, of_features_) = phi;
      if constexpr (!is_float) {
        quick_rows_.block(block.begin, 0, block.size, of_features_) = phi.template cast<float>();
      }
    });
  }

  void invert_metrics() {
    for (const Matrix& L : factors_) {
      Matrix inverse = Matrix::Identity(weights_, weights_);
      L.template triangularView<Eigen::Lower>().solveInPlace(inverse);
      Matrix product = Matrix::Zero(weights_, weights_);
      product.template selfadjointView<Eigen::Lower>().rankUpdate(inverse.transpose());
      inverses_.push_back(product.template cast<float>());
    }
  }

  Vector prior_precision(double v) const {
    Vector precision = Vector::Constant(weights_, v);
    precision.tail(weights_ - of_features_) /= options_.linear_variance;
    return precision;
  }

  Vector weights_of(const State& state, Index c) const {
    Vector w(weights_);
    w << state.beta.col(c), state.gamma.col(c);
    return w;
  }

  void put(Workers& crew, Index c, State& state) {
    state.beta.col(c) = w_.head(of_features_);
    if (weights_ == of_features_) return;
    state.gamma.col(c) = w_.tail(weights_ - of_features_);
    for_each_block(crew, problem_.blocks, [&](const Block& block) {
      const auto z = problem_.coordinates.middleRows(block.begin, block.size);
      state.linear.row(c).segment(block.begin, block.size).transpose().noalias() =
          z * state.gamma.col(c);
    });
  }

  /// The potential at w.
  double energy_at(Workers& crew, Index c, const Vector& prior) {
    const Eigen::VectorX<Value> w = w_.template cast<Value>();
    const Hinge hinge{options_.C, true};
    const double sum = energy_(
        crew, problem_.blocks,
        [&](const Block& block, double& energy, int worker) {
          Memory& memory = of_worker_[static_cast<std::size_t>(worker)];
          memory.f.noalias() = rows_of(block) * w;
          for (Index n = 0; n < block.size; ++n) {
            energy +=
                hinge.energy(problem_.y(c, block.begin + n), static_cast<double>(memory.f[n]), 0.0);
          }
        },
        [](double& into, double from) { into += from; });
    return sum + 0.5 * prior.dot(w_.cwiseAbs2());
  }

  /// Its gradient.
  const Vector& gradient_at(Workers& crew, Index c, const Vector& prior) {
    quick_w_.setZero(quick_rows().cols());
    quick_w_.head(weights_) = w_.template cast<float>();
    gradient_ = pull_(
        crew, problem_.blocks,
        [&](const Block& block, Vector& sum, int worker) {
          add_pull(block, c, sum, of_worker_[static_cast<std::size_t>(worker)].gradient);
        },
        [](Vector& into, const Vector& from) { into += from; });
    gradient_ += prior.cwiseProduct(w_);
    return gradient_;
  }

  /// Of the hinge; instances beyond the margin, which are most of them, do not pull.
  void add_pull(const Block& block, Index c, Vector& sum, Eigen::VectorXf& gradient) const {
    const RowMatrix<float>& rows = quick_rows();
    const Index columns = rows.cols();
    const Hinge hinge{options_.C, true};
    gradient.setZero(columns);
    in_pieces<rows_at_once>(block.size, [&](Index begin, auto count) {
      const Index first = block.begin + begin;
      float f[rows_at_once], slopes[rows_at_once];
      const float* pulling[rows_at_once];
      dot<count()>(&rows(first, 0), columns, quick_w_.data(), columns, f);
      Index some = 0;
      for (Index i = 0; i < count(); ++i) {
        slopes[some] = hinge.slope(static_cast<float>(problem_.y(c, first + i)), f[i], 0.0f);
        pulling[some] = &rows(first + i, 0);
        if (slopes[some] != 0) ++some;
      }
      with_constant<rows_at_once>(some, [&](auto number) {
        add_rows<number()>(pulling, slopes, columns, gradient.data());
      });
    });
    sum += gradient.head(weights_).template cast<double>();
  }

  Workers& workers_;
  Workers alone_;
  const Problem& problem_;
  const Options& options_;
  Index of_features_, weights_;
  RowMatrix<Value> rows_;        // (φ, 1, z) of each instance, padded with zeros
  RowMatrix<float> quick_rows_;  // the same in float, if they are not already
  std::vector<Memory> of_worker_;
  Reduction<double> energy_;
  Reduction<Vector> pull_;
  std::vector<Matrix> factors_;            // L of the metric of each class
  std::vector<Eigen::MatrixXf> inverses_;  // G⁻¹, the lower half; none: not known yet
  Vector w_, p_, normals_, gradient_;
  Eigen::VectorXf quick_w_, quick_p_, velocity_;
};

}  // namespace

std::unique_ptr<WeightMoves> weight_moves(Workers& workers, const Problem& problem,
                                          const Options& options) {
  if (options.precision == Precision::mixed) {
    return std::make_unique<Moves<float>>(workers, problem, options);
  }
  return std::make_unique<Moves<double>>(workers, problem, options);
}

double weight_moves_memory(const Problem& problem, const Options& options) {
  const auto weights = static_cast<double>(2 * options.features + 1 + problem.coordinates.cols());
  constexpr double both = sizeof(float) + sizeof(double);
  const double value = options.precision == Precision::mixed ? sizeof(float) : both;
  return weights * (value * static_cast<double>(problem.total) +
                    both * weights * static_cast<double>(problem.y.rows()));
}

}  // namespace m3lak
