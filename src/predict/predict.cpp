#include <cmath>
#include <memory>
#include <numeric>
#include <span>

#include "inference/draw_store.h"
#include "model/principal.h"
#include "model/rule.h"
#include "predict/align.h"
#include "predict/model_parts.h"
#include "predict/turn.h"

namespace m3lak {

namespace {

/// More instances are taken in turns, so that what each needs is not held for all of them.
constexpr Index instances_at_once = 1 << 16;

/// Sums over draws, one row an instance.
struct Sums {
  DenseMatrix f, squares, h;
  DenseMatrix h_squares;  // E[h²]; empty if it is not wanted
};

/// So many draws are worked on at once that their rules take 64 MiB at most, and at least one.
Index draws_at_once(const Problem& problem, const Draw& draw) {
  const Index m = draw.frequencies.rows();
  Index features = 0;
  for (const View& view : problem.views) features += view.features();
  const Index a_draw = features * m * std::ssize(problem.patterns) + draw.weights.size() + 1;
  return std::max(Index{1}, (Index{8} << 20) / a_draw);
}

/// So many draws a rule that their latents fill whole lanes.
template <class Value>
Index draws_a_rule(Index latent) {
  return lanes<Value> / std::gcd(latent, Index{lanes<Value>});
}

/// Blocks of instances by rules: a block of X stays in cache while all draws at hand look at it.
template <class Value>
void add_draws(Workers& workers, const Problem& problem, std::span<const Draw> draws,
               const Draw& reference, Sums& sums) {
  const Index m = reference.frequencies.rows(), classes = reference.weights.cols();
  const Index a_rule = draws_a_rule<Value>(m);
  const bool with_variance = sums.h_squares.size() > 0;
  const Blocks rules{std::ssize(draws), a_rule};
  std::vector<std::unique_ptr<Rule<Value>>> made(static_cast<std::size_t>(rules.number()));
  for_each_block(workers, rules, [&](const Block& some) {
    std::vector<RuleDraw> of_rule;
    for (Index d = some.begin; d < some.end(); ++d) {
      const Draw& draw = draws[static_cast<std::size_t>(d)];
      of_rule.push_back(rule_draw(draw));
      of_rule.back().turn = turn_into(reference, draw);
    }
    made[static_cast<std::size_t>(some.index)] =
        std::make_unique<Rule<Value>>(problem, std::move(of_rule), with_variance);
  });
  std::vector<typename Rule<Value>::Scored> of_worker(static_cast<std::size_t>(workers.threads()));
  for_each_block(workers, problem.blocks, [&](const Block& block, int worker) {
    auto& scored = of_worker[static_cast<std::size_t>(worker)];
    for (const Segment& segment : problem.segments[static_cast<std::size_t>(block.index)]) {
      for (const auto& rule : made) {
        rule->score(segment, scored);
        for (Index d = 0; d * classes < scored.f.cols(); ++d) {
          const auto f = scored.f.middleCols(d * classes, classes).template cast<double>();
          sums.f.middleRows(segment.begin, segment.size) += f;
          sums.squares.middleRows(segment.begin, segment.size) += f.cwiseAbs2();
          const auto h = scored.h.middleCols(d * m, m).template cast<double>();
          sums.h.middleRows(segment.begin, segment.size) += h;
          if (!with_variance) continue;
          sums.h_squares.middleRows(segment.begin, segment.size) +=
              h.cwiseAbs2() + scored.variance.middleCols(d * m, m);
        }
      }
    }
  });
}

/// The most probable class; of two that are level, the one that the score speaks for.
void decide(Prediction& prediction) {
  const Index N = prediction.probability.rows();
  prediction.label.resize(static_cast<std::size_t>(N));
  for (Index n = 0; n < N; ++n) {
    const auto p = prediction.probability.row(n);
    Index best = 0;
    p.maxCoeff(&best);
    const bool level = p.size() == 2 && p[0] == p[1];
    prediction.label[static_cast<std::size_t>(n)] =
        level ? m3lak::decide(Vector(prediction.score.row(n))) : static_cast<int>(best);
  }
}

/// Of one fit.
Prediction predict_alone(const Model::Parts& parts, Dataset data, int threads, Extra extra) {
  scale(parts.scaler, parts.options.precision, data);
  Problem problem = prepare(std::move(data), parts.options.precision);
  Workers workers(threads);
  see_principal_coordinates(workers, parts.directions, problem);
  const std::vector<Draw>& draws = parts.draws;
  const Index N = problem.instances(), m = draws.back().frequencies.rows();
  const Index columns = draws.back().weights.cols();
  Sums sums{
      DenseMatrix::Zero(N, columns), DenseMatrix::Zero(N, columns), DenseMatrix::Zero(N, m), {}};
  if (extra == Extra::latent_spread) sums.h_squares.setZero(N, m);
  const auto add =
      parts.options.precision == Precision::mixed ? add_draws<float> : add_draws<double>;
  const Blocks turns{std::ssize(draws), draws_at_once(problem, draws.back())};
  for (Index t = 0; t < turns.number(); ++t) {
    const Block some = turns[t];
    const std::span at_hand{draws.data() + some.begin, static_cast<std::size_t>(some.size)};
    add(workers, problem, at_hand, draws.back(), sums);
    for (const Draw& draw : at_hand) forget(draw);
  }

  const auto count = static_cast<double>(draws.size());
  Prediction prediction;
  prediction.score.resize(N, columns);
  prediction.spread.resize(N, columns);
  prediction.probability.resize(N, std::ssize(parts.classes));
  prediction.probability_spread.resize(N, std::ssize(parts.classes));
  prediction.latent.resize(N, m);
  prediction.latent_spread.resize(sums.h_squares.rows(), m);
  for (Index position = 0; position < N; ++position) {
    const Index n = problem.order[static_cast<std::size_t>(position)];
    const Vector mean = sums.f.row(position).transpose() / count;
    const Vector variance = sums.squares.row(position).transpose() / count - mean.cwiseAbs2();
    prediction.score.row(n) = mean.transpose();
    prediction.spread.row(n) = variance.cwiseMax(0).cwiseSqrt().transpose();
    prediction.probability.row(n) = probabilities(parts.link, mean).transpose();
    prediction.probability_spread.row(n) =
        probability_spreads(parts.link, mean, prediction.spread.row(n).transpose()).transpose();
    prediction.latent.row(n) = sums.h.row(position) / count;
    if (sums.h_squares.size() == 0) continue;
    prediction.latent_spread.row(n) =
        (sums.h_squares.row(position) / count - prediction.latent.row(n).cwiseAbs2())
            .cwiseMax(0)
            .cwiseSqrt();
  }
  return prediction;
}

/// Adds a weighted fit to an average: scores, probabilities, and squares of both as their spreads.
void add_weighted(double weight, const Prediction& fit, Prediction& sum) {
  sum.score += weight * fit.score;
  sum.spread.array() += weight * (fit.spread.array().square() + fit.score.array().square());
  sum.probability += weight * fit.probability;
  sum.probability_spread.array() += (weight * fit.probability_spread.array()).square();
}

/// Of all fits of a model.
Prediction predict_together(const Model::Parts& parts, Dataset aligned, int threads, Extra extra) {
  if (parts.others.empty()) {
    Prediction prediction = predict_alone(parts, std::move(aligned), threads, extra);
    decide(prediction);
    return prediction;
  }
  Prediction first = predict_alone(parts, aligned, threads, extra), prediction;
  const Index N = first.score.rows();
  prediction.score = prediction.spread = Matrix::Zero(N, first.score.cols());
  prediction.probability = prediction.probability_spread =
      Matrix::Zero(N, first.probability.cols());
  prediction.latent = std::move(first.latent);
  prediction.latent_spread = std::move(first.latent_spread);
  add_weighted(parts.weight, first, prediction);
  for (const auto& other : parts.others) {
    add_weighted(other->weight, predict_alone(*other, aligned, threads, Extra::none), prediction);
  }
  prediction.spread =
      (prediction.spread.array() - prediction.score.array().square()).max(0).sqrt().matrix();
  prediction.probability_spread = prediction.probability_spread.cwiseSqrt().eval();
  decide(prediction);
  return prediction;
}

}  // namespace

Prediction Model::predict(const Dataset& data, int threads, Extra extra) const {
  Dataset aligned = align(data, *parts_);
  const Blocks turns{aligned.instances(), instances_at_once};
  if (turns.number() <= 1) return predict_together(*parts_, std::move(aligned), threads, extra);
  Prediction all;
  for (Index t = 0; t < turns.number(); ++t) {
    const Block some = turns[t];
    std::vector<Index> rows(static_cast<std::size_t>(some.size));
    std::iota(rows.begin(), rows.end(), some.begin);
    const Prediction part = predict_together(*parts_, aligned.select(rows), threads, extra);
    all.label.insert(all.label.end(), part.label.begin(), part.label.end());
    for (const auto field :
         {&Prediction::score, &Prediction::spread, &Prediction::probability,
          &Prediction::probability_spread, &Prediction::latent, &Prediction::latent_spread}) {
      if ((part.*field).size() == 0) continue;
      if (t == 0) (all.*field).resize(aligned.instances(), (part.*field).cols());
      (all.*field).middleRows(some.begin, some.size) = part.*field;
    }
  }
  return all;
}

}  // namespace m3lak
