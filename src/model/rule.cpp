#include "model/rule.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "data/view_algebra.h"
#include "model/features.h"

namespace m3lak {

namespace {

std::vector<Rule::ViewParameters> parameters_of(const Draw& draw) {
  std::vector<Rule::ViewParameters> views;
  for (const Draw::ViewDraw& view : draw.views) {
    views.push_back({view.projection, view.projection.transpose() * view.projection, view.noise});
  }
  return views;
}

}  // namespace

Rule::Rule(const Problem& instances, const Draw& draw)
    : Rule(instances, parameters_of(draw), draw.frequencies, draw.weights) {}

Rule::Rule(const Problem& instances, std::vector<ViewParameters> views, const Matrix& frequencies,
           const Matrix& weights)
    : instances_(instances),
      views_(std::move(views)),
      frequencies_(frequencies),
      weights_(weights) {
  const Index m = frequencies.rows();
  for (const ViewParameters& view : views_) {
    evidence_.push_back(evidence(view.gram, view.noise, m, true));
  }
  for (const auto& has : instances.patterns) {
    Matrix precision = Matrix::Identity(m, m);
    for (std::size_t i = 0; i < has.size(); ++i) {
      if (has[i]) precision += evidence_[i].precision;
    }
    patterns_.push_back(gaussian(precision));
  }
}

Rule::Gaussian Rule::gaussian(const Matrix& precision) const {
  const Index M = frequencies_.cols();
  Gaussian result{precision.llt().matrixL(), weights_};
  const Matrix whitened = result.factor.triangularView<Eigen::Lower>().solve(frequencies_);
  const Vector damping = (-0.5 * whitened.colwise().squaredNorm().array()).exp().transpose();
  result.weights.topRows(M).array().colwise() *= damping.array();
  result.weights.middleRows(M, M).array().colwise() *= damping.array();
  return result;
}

Rule::Scored Rule::score(const Gaussian& gaussian, Matrix b) const {
  gaussian.factor.triangularView<Eigen::Lower>().solveInPlace(b);
  gaussian.factor.transpose().triangularView<Eigen::Upper>().solveInPlace(b);
  Waves at_mean;
  waves(frequencies_, b, at_mean);
  return {scores(gaussian.weights, at_mean), std::move(b)};
}

Rule::Scored Rule::score(const Segment& segment) const {
  const auto pattern = static_cast<std::size_t>(segment.pattern);
  const auto& has = instances_.patterns[pattern];
  std::vector<Matrix> reads(has.size());
  Matrix b = Matrix::Zero(frequencies_.rows(), segment.size);
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (!has[i]) continue;
    reads[i] = rows_times(instances_.views[i], segment.begin, segment.size, views_[i].projection);
    b.noalias() += evidence_[i].reading * reads[i];
  }
  Scored scored = score(patterns_[pattern], std::move(b));
  for (Index n = 0; n < segment.size; ++n) {
    if (instances_.has_gaps(segment.begin + n)) score_with_gaps(segment, n, reads, scored);
  }
  return scored;
}

/// A missing cell takes its row out of [W V]; its value in X is 0 already.
void Rule::score_with_gaps(const Segment& segment, Index n, const std::vector<Matrix>& reads,
                           Scored& out) const {
  const Index m = frequencies_.rows();
  const auto& has = instances_.patterns[static_cast<std::size_t>(segment.pattern)];
  Matrix precision = Matrix::Identity(m, m);
  Matrix b = Matrix::Zero(m, 1);
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (!has[i]) continue;
    Matrix gram = views_[i].gram;
    for (SparseMatrix::InnerIterator cell(instances_.gaps[i], segment.begin + n); cell; ++cell) {
      const Vector row = views_[i].projection.row(cell.col()).transpose();
      gram -= row * row.transpose();
    }
    const Evidence known = evidence(gram, views_[i].noise, m, true);
    precision += known.precision;
    b += known.reading * reads[i].col(n);
  }
  const Scored scored = score(gaussian(precision), std::move(b));
  out.f.col(n) = scored.f;
  out.h.col(n) = scored.h;
}

int decide(const Eigen::Ref<const Vector>& f) {
  if (f.size() == 1) return f[0] > 0 ? 1 : 0;
  Index best = 0;
  f.maxCoeff(&best);
  return static_cast<int>(best);
}

double training_accuracy(Workers& workers, const Problem& problem, const Rule& rule) {
  struct Count {
    Index right = 0, all = 0;
  };
  const auto map = [&](const Block& block, Count& count) {
    for (const Segment& segment : problem.segments[static_cast<std::size_t>(block.index)]) {
      if (!segment.labelled) continue;
      const Matrix f = rule.score(segment).f;
      for (Index n = 0; n < segment.size; ++n) {
        count.right += decide(f.col(n)) == decide(problem.y.col(segment.begin + n));
      }
      count.all += segment.size;
    }
  };
  const Count count =
      reduce_blocks(workers, problem.blocks, Count{}, map, [](Count& into, const Count& from) {
        into.right += from.right;
        into.all += from.all;
      });
  return static_cast<double>(count.right) / static_cast<double>(count.all);
}

}  // namespace m3lak
