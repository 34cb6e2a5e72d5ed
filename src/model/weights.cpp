#include "model/weights.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

#include "model/augmentation.h"
#include "model/features.h"
#include "numeric/matrix_distributions.h"

namespace m3lak {

namespace {

/// Of a few classes: Σ x φ~φ~ᵀ side by side (lower triangles), and Σ (y + C x (y - γ·z)) φ~.
struct Sums {
  Matrix gram, pull;
};

template <class Kind>
void transfer(Kind& archive, Sums& sums) {
  archive(sums.gram, sums.pull);
}

void combine(Sums& into, const Sums& from) {
  const Index weights = into.gram.rows();
  for (Index column = 0; column < into.gram.cols(); ++column) {
    const Index below = weights - column % weights;
    into.gram.col(column).tail(below) += from.gram.col(column).tail(below);
  }
  into.pull += from.pull;
}

/// So many classes at once that their sums take 8 MiB at the most.
Index classes_at_once(Index weights, Index classes) {
  return std::clamp((Index{1} << 20) / (weights * weights), Index{1}, classes);
}

template <class Value>
class Draws : public WeightDraws {
 public:
  Draws(Workers& workers, const Problem& problem, const Options& options)
      : workers_(workers),
        problem_(problem),
        options_(options),
        of_worker_(static_cast<std::size_t>(workers.threads())) {}

  void operator()(const Iteration& iteration, State& state) override {
    const Index weights = state.beta.rows(), classes = state.beta.cols();
    const Index at_once = classes_at_once(weights, classes);
    omega_ = padded<Value>(state.omega);
    beta_ = state.beta.template cast<Value>();
    for (Index first = 0; first < classes; first += at_once) {
      const Index count = std::min(at_once, classes - first);
      if (!sums_ || sums_of_ != count) {
        sums_.emplace(Sums{Matrix::Zero(weights, count * weights), Matrix::Zero(weights, count)});
        sums_of_ = count;
      }
      const auto map = [&](const Block& block, Sums& sum, int worker) {
        add(iteration, block, first, count, state, sum,
            of_worker_[static_cast<std::size_t>(worker)]);
      };
      const Sums& sums = (*sums_)(workers_, problem_.blocks, map, combine);
      for (Index c = 0; c < count; ++c) draw(iteration, sums, first, c, state);
    }
  }

 private:
  struct Memory {
    WaveRows<Value> waves;
    RowMatrix<Value> h, phi, weighted;
    Eigen::MatrixX<Value> gram;
    Eigen::VectorX<Value> f, pull, pull_sum;
  };

  void add(const Iteration& iteration, const Block& block, Index first, Index count, State& state,
           Sums& sum, Memory& memory) const {
    const Index weights = state.beta.rows();
    memory.h = state.H.middleCols(block.begin, block.size).transpose().template cast<Value>();
    waves<Value>(omega_, memory.h, memory.waves);
    features(memory.waves, weights / 2, memory.phi);
    const auto phi = memory.phi.leftCols(weights);
    memory.pull.resize(block.size);
    for (Index c = 0; c < count; ++c) {
      const auto y = problem_.y.row(first + c).segment(block.begin, block.size);
      const auto linear = state.linear.row(first + c).segment(block.begin, block.size);
      auto x = state.inverse_lambda.row(first + c).segment(block.begin, block.size);
      memory.f.noalias() = phi * beta_.col(first + c);
      memory.weighted.resizeLike(memory.phi);
      for (Index n = 0; n < block.size; ++n) {
        Stream stream =
            iteration.stream(Step::augmentation, first + c, problem_.first + block.begin + n);
        x[n] = draw_inverse_lambda(stream, options_.C, y[n],
                                   static_cast<double>(memory.f[n]) + linear[n]);
        memory.weighted.row(n) = static_cast<Value>(x[n]) * memory.phi.row(n);
        memory.pull[n] = static_cast<Value>(y[n] + options_.C * x[n] * (y[n] - linear[n]));
      }
      auto gram = sum.gram.middleCols(c * weights, weights);
      if constexpr (std::is_same_v<Value, double>) {
        add_outer<double>(phi, memory.weighted.leftCols(weights), true, gram);
      } else {
        memory.gram.setZero(weights, weights);
        add_outer<Value>(phi, memory.weighted.leftCols(weights), true, memory.gram);
        gram += memory.gram.template cast<double>();
      }
      memory.pull_sum.noalias() = phi.transpose() * memory.pull;
      sum.pull.col(c) += memory.pull_sum.template cast<double>();
    }
  }

  void draw(const Iteration& iteration, const Sums& sums, Index first, Index c, State& state) {
    const Index weights = state.beta.rows();
    const double C = options_.C;
    precision_ = C * C * sums.gram.middleCols(c * weights, weights);
    precision_.diagonal().array() += state.weight_precision;
    const Eigen::LLT<Eigen::Ref<Matrix>> llt(precision_);
    Stream stream = iteration.stream(Step::weights, first + c);
    state.beta.col(first + c) = normal_from_precision(stream, precision_, C * sums.pull.col(c));
  }

  Workers& workers_;
  const Problem& problem_;
  const Options& options_;
  RowMatrix<Value> omega_;
  Eigen::MatrixX<Value> beta_;
  std::vector<Memory> of_worker_;
  std::optional<Reduction<Sums>> sums_;
  Index sums_of_ = 0;
  Matrix precision_;  // and its Cholesky factor
};

}  // namespace

std::unique_ptr<WeightDraws> weight_draws(Workers& workers, const Problem& problem,
                                          const Options& options) {
  if (options.precision == Precision::mixed) {
    return std::make_unique<Draws<float>>(workers, problem, options);
  }
  return std::make_unique<Draws<double>>(workers, problem, options);
}

}  // namespace m3lak
