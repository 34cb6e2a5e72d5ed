#include <optional>

#include "model/features.h"
#include "model/frequencies.h"
#include "model/frequency_trajectory.h"

namespace m3lak {

namespace {

template <class Value>
class Together : public FrequencyMoves {
 public:
  Together(Workers& workers, const Problem& problem, const Hinge& hinge)
      : workers_(workers),
        problem_(problem),
        hinge_(hinge),
        of_worker_(static_cast<std::size_t>(workers.threads())) {}

  FrequencySweep operator()(const Iteration& iteration, const Move& move, State& state) override {
    const Index M = state.omega.cols();
    const FeatureWeights<Value> weights(state.beta);
    if (!reduction_) reduction_.emplace(FrequencyPull{0, 0, Matrix::Zero(state.omega.rows(), M)});
    const auto pull = [&](const Matrix& omega) -> const FrequencyPull& {
      const Eigen::MatrixX<Value> narrow = omega.cast<Value>();
      const auto map = [&](const Block& block, FrequencyPull& sum, int worker) {
        add_pull(state, narrow, weights, block, sum, of_worker_[static_cast<std::size_t>(worker)]);
      };
      return (*reduction_)(workers_, problem_.blocks, map, combine);
    };
    std::vector<const Component*> priors;
    for (Index j = 0; j < M; ++j) priors.push_back(&state.mixture.component_of(j));
    memory_.omega = state.omega;
    draw_momenta(iteration, 0, memory_);
    const FrequencyMoved moved = trajectory(priors, move, memory_, pull);
    FrequencySweep sweep;
    const bool accepted = move.leapfrog > 0 && accept(iteration, 0, moved.rise, sweep.acceptance);
    if (accepted) state.omega = memory_.omega;
    sweep.loss = accepted ? moved.last_loss : moved.first_loss;
    return sweep;
  }

 private:
  struct Memory {
    Panel<Value> h, y, inverse_lambda, linear, f, hinge_slope, slope;
    Waves<Value> waves;
    Eigen::MatrixX<Value> gradient;
  };

  void add_pull(const State& state, const Eigen::MatrixX<Value>& omega,
                const FeatureWeights<Value>& weights, const Block& block, FrequencyPull& sum,
                Memory& memory) const {
    auto& [h, y, inverse_lambda, linear, f, hinge_slope, slope, at_h, gradient] = memory;
    gradient.setZero(omega.rows(), omega.cols());
    const auto columns = [&](const Matrix& all) { return all.middleCols(block.begin, block.size); };
    for (Index begin = 0; begin < block.size; begin += lanes<Value>) {
      take_columns<Value>(columns(state.H), begin, h);
      take_columns<Value>(columns(problem_.y), begin, y);
      take_columns<Value>(columns(state.inverse_lambda), begin, inverse_lambda);
      take_columns<Value>(columns(state.linear), begin, linear);
      waves(omega, h, at_h);
      scores(weights, at_h, f);
      f += linear;
      hinge_slope.resizeLike(f);
      for (Index i = 0; i < f.size(); ++i) {
        const Value signs = y.data()[i], score = f.data()[i], x = inverse_lambda.data()[i];
        sum.energy += static_cast<double>(hinge_.energy(signs, score, x));
        sum.loss += static_cast<double>(hinge_loss(signs, score));
        hinge_slope.data()[i] = hinge_.slope(signs, score, x);
      }
      slopes(weights, at_h, hinge_slope, slope);
      gradient.noalias() += h * slope.transpose();
    }
    sum.gradient += gradient.template cast<double>();
  }

  Workers& workers_;
  const Problem& problem_;
  Hinge hinge_;
  FrequencyMemory memory_;
  std::vector<Memory> of_worker_;
  std::optional<Reduction<FrequencyPull>> reduction_;
};

}  // namespace

template <class Value>
std::unique_ptr<FrequencyMoves> frequencies_together(Workers& workers, const Problem& problem,
                                                     const Hinge& hinge) {
  return std::make_unique<Together<Value>>(workers, problem, hinge);
}

template std::unique_ptr<FrequencyMoves> frequencies_together<double>(Workers&, const Problem&,
                                                                      const Hinge&);
template std::unique_ptr<FrequencyMoves> frequencies_together<float>(Workers&, const Problem&,
                                                                     const Hinge&);

}  // namespace m3lak
