#include <Eigen/SVD>
#include <cmath>

#include "model/rule.h"
#include "predict/align.h"
#include "predict/model_parts.h"

namespace m3lak {

namespace {

/// The rotation that turns this draw's latent space into that of `reference`, as near as it can:
/// the model does not care how h is turned, so draws must be before they are averaged.
Matrix rotation(const Draw& draw, const Draw& reference) {
  const Index m = draw.frequencies.rows();
  Matrix cross = Matrix::Zero(m, m);
  for (std::size_t i = 0; i < draw.views.size(); ++i) {
    cross += reference.views[i].projection.leftCols(m).transpose() *
             draw.views[i].projection.leftCols(m);
  }
  const Eigen::JacobiSVD<Matrix> svd(cross, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

/// Sums over draws, one column an instance.
struct Sums {
  Matrix f, squares, h;
};

double logistic(const Link& link, double score) {
  return 1 / (1 + std::exp(-(link.slope * score + link.intercept)));
}

Vector probabilities(const Link& link, const Eigen::Ref<const Vector>& score) {
  if (score.size() == 1) {
    const double p = logistic(link, score[0]);
    return Eigen::Vector2d(1 - p, p);
  }
  const Vector p = score.unaryExpr([&](double f) { return logistic(link, f); });
  return p / p.sum();
}

}  // namespace

Prediction Model::predict(const Dataset& data, int threads) const {
  Dataset scaled = align(data, *parts_);
  parts_->scaler.apply(scaled);
  const Problem problem = prepare(std::move(scaled));
  const std::vector<Draw>& draws = parts_->draws;
  const Index N = problem.instances(), m = draws.back().frequencies.rows();
  const Index columns = draws.back().weights.cols();
  Sums sums{Matrix::Zero(columns, N), Matrix::Zero(columns, N), Matrix::Zero(m, N)};
  Workers workers(threads);
  for (const Draw& draw : draws) {
    const Rule rule(problem, draw);
    const Matrix turn = rotation(draw, draws.back());
    for_each_block(workers, problem.blocks, [&](const Block& block) {
      for (const Segment& segment : problem.segments[static_cast<std::size_t>(block.index)]) {
        Rule::Scored scored;
        rule.score(segment, scored);
        sums.f.middleCols(segment.begin, segment.size) += scored.f.transpose();
        sums.squares.middleCols(segment.begin, segment.size) += scored.f.transpose().cwiseAbs2();
        sums.h.middleCols(segment.begin, segment.size) += turn * scored.h.leftCols(m).transpose();
      }
    });
  }

  const auto count = static_cast<double>(draws.size());
  Prediction prediction;
  prediction.label.resize(static_cast<std::size_t>(N));
  prediction.score.resize(N, columns);
  prediction.spread.resize(N, columns);
  prediction.probability.resize(N, std::ssize(parts_->classes));
  prediction.latent.resize(N, m);
  for (Index position = 0; position < N; ++position) {
    const Index n = problem.order[static_cast<std::size_t>(position)];
    const Vector mean = sums.f.col(position) / count;
    const Vector variance = sums.squares.col(position) / count - mean.cwiseAbs2();
    prediction.label[static_cast<std::size_t>(n)] = decide(mean);
    prediction.score.row(n) = mean.transpose();
    prediction.spread.row(n) = variance.cwiseMax(0).cwiseSqrt().transpose();
    prediction.probability.row(n) = probabilities(parts_->link, mean).transpose();
    prediction.latent.row(n) = sums.h.col(position).transpose() / count;
  }
  return prediction;
}

}  // namespace m3lak
