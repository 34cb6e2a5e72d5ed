#include "model/rule.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "data/view_algebra.h"

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
      weights_(weights),
      omega_(padded<double>(frequencies)) {
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
    auto& means = means_.emplace_back(has.size());
    const Eigen::LLT<Matrix> llt(precision);
    for (std::size_t i = 0; i < has.size(); ++i) {
      if (!has[i]) continue;
      const Matrix reading = llt.solve(evidence_[i].reading);
      means[i] = padded<double>(views_[i].projection * reading.transpose());
    }
  }
}

Rule::Gaussian Rule::gaussian(const Matrix& precision) const {
  const Index M = frequencies_.cols();
  Gaussian result{precision.llt().matrixL(), weights_.topRows(M), weights_.middleRows(M, M)};
  const Matrix whitened = result.factor.triangularView<Eigen::Lower>().solve(frequencies_);
  const Vector damping = (-0.5 * whitened.colwise().squaredNorm().array()).exp().transpose() /
                         std::sqrt(static_cast<double>(M));
  result.cos_weights.array().colwise() *= damping.array();
  result.sin_weights.array().colwise() *= damping.array();
  return result;
}

void Rule::score_means(const Gaussian& gaussian, Scored& out) const {
  const Index m = frequencies_.rows(), M = frequencies_.cols();
  waves<double>(omega_, out.h.leftCols(m), out.waves);
  out.f = weights_.row(2 * M).replicate(out.h.rows(), 1);
  out.f.noalias() += out.waves.cos.leftCols(M) * gaussian.cos_weights;
  out.f.noalias() += out.waves.sin.leftCols(M) * gaussian.sin_weights;
}

void Rule::score(const Segment& segment, Scored& out) const {
  const auto pattern = static_cast<std::size_t>(segment.pattern);
  const auto& has = instances_.patterns[pattern];
  out.h.setZero(segment.size, padded<double>(frequencies_.rows()));
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (has[i]) {
      add_rows_times<double>(instances_.views[i], segment.begin, means_[pattern][i], out.h);
    }
  }
  score_means(patterns_[pattern], out);
  for (Index n = 0; n < segment.size; ++n) {
    if (instances_.has_gaps(segment.begin + n)) score_with_gaps(segment, n, out);
  }
}

/// A missing cell takes its row out of [W V]; its value in X is 0 already.
void Rule::score_with_gaps(const Segment& segment, Index n, Scored& out) const {
  const Index m = frequencies_.rows();
  const auto& has = instances_.patterns[static_cast<std::size_t>(segment.pattern)];
  Matrix precision = Matrix::Identity(m, m);
  Vector b = Vector::Zero(m);
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (!has[i]) continue;
    const DenseMatrix& projection = views_[i].projection;
    Matrix gram = views_[i].gram;
    for (SparseMatrix::InnerIterator cell(instances_.gaps[i], segment.begin + n); cell; ++cell) {
      const Vector row = projection.row(cell.col()).transpose();
      gram -= row * row.transpose();
    }
    const Evidence known = evidence(gram, views_[i].noise, m, true);
    precision += known.precision;
    RowMatrix<double> read = RowMatrix<double>::Zero(1, padded<double>(projection.cols()));
    add_rows_times<double>(instances_.views[i], segment.begin + n, padded<double>(projection),
                           read);
    b += known.reading * read.leftCols(projection.cols()).transpose();
  }
  Scored alone;
  alone.h = RowMatrix<double>::Zero(1, out.h.cols());
  alone.h.leftCols(m) = precision.llt().solve(b).transpose();
  score_means(gaussian(precision), alone);
  out.f.row(n) = alone.f;
  out.h.row(n) = alone.h;
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
      Rule::Scored scored;
      rule.score(segment, scored);
      for (Index n = 0; n < segment.size; ++n) {
        count.right +=
            decide(scored.f.row(n).transpose()) == decide(problem.y.col(segment.begin + n));
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
