#include "predict/link.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace m3lak {

namespace {

double logistic(double z) { return 1 / (1 + std::exp(-z)); }

}  // namespace

Vector probabilities(const Link& link, const Eigen::Ref<const Vector>& score) {
  if (score.size() == 1) {
    const double z = link.slope * score[0] + link.intercept;
    return Eigen::Vector2d(logistic(-z), logistic(z));
  }
  const Vector p =
      score.unaryExpr([&](double f) { return logistic(link.slope * f + link.intercept); });
  return p / p.sum();
}

Vector probability_spreads(const Link& link, const Eigen::Ref<const Vector>& score,
                           const Eigen::Ref<const Vector>& spread) {
  if (score.size() == 1) {
    const Vector p = probabilities(link, score);
    return Vector::Constant(2, std::abs(link.slope) * p[0] * p[1] * spread[0]);
  }
  // p_c = s_c / S with s_j the logistic of each score: dp_c = Σ_j (δ_cj S - s_c) / S² ds_j.
  const Vector s =
      score.unaryExpr([&](double f) { return logistic(link.slope * f + link.intercept); });
  const Vector ds = link.slope * s.cwiseProduct((1 - s.array()).matrix()).cwiseProduct(spread);
  const double S = s.sum();
  const Vector others = Vector::Constant(s.size(), ds.squaredNorm()) - ds.cwiseAbs2();
  const Eigen::ArrayXd own = (S - s.array()) * ds.array();
  return (own.square() + s.array().square() * others.array()).sqrt() / (S * S);
}

// Minimises the cross-entropy of targets (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2) by Newton's method with
// halved steps (Lin, Lin and Weng 2007).
Link fit_link(const std::vector<double>& scores, const std::vector<int>& signs, bool intercept) {
  const auto positive = static_cast<double>(std::ranges::count(signs, 1));
  const auto negative = static_cast<double>(signs.size()) - positive;
  const double one = intercept ? 1 : 0;
  const double high = (positive + 1) / (positive + 2), low = 1 / (negative + 2);
  const auto loss = [&](const Eigen::Vector2d& at) {
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double z = at[0] * scores[i] + one * at[1], target = signs[i] > 0 ? high : low;
      sum += std::max(z, 0.0) - target * z + std::log1p(std::exp(-std::abs(z)));
    }
    return sum;
  };
  Eigen::Vector2d at(0, one * std::log((positive + 1) / (negative + 1)));
  double now = loss(at);
  for (int round = 0; round < 100; ++round) {
    Eigen::Vector2d gradient = Eigen::Vector2d::Zero();
    Eigen::Matrix2d hessian = 1e-12 * Eigen::Matrix2d::Identity();
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const Eigen::Vector2d x(scores[i], one);
      const double p = 1 / (1 + std::exp(-at.dot(x)));
      gradient += (p - (signs[i] > 0 ? high : low)) * x;
      hessian += p * (1 - p) * x * x.transpose();
    }
    if (gradient.cwiseAbs().maxCoeff() < 1e-8) break;
    const Eigen::Vector2d step = hessian.inverse() * gradient;
    double size = 1;
    while (size > 1e-10 && !(loss(at - size * step) < now - 1e-4 * size * gradient.dot(step))) {
      size /= 2;
    }
    if (size <= 1e-10) break;
    at -= size * step;
    now = loss(at);
  }
  return {at[0], at[1]};
}

Judgement judge(const Matrix& scores, const std::vector<int>& truth, bool intercept) {
  std::vector<double> all;
  std::vector<int> signs;
  for (Index n = 0; n < scores.rows(); ++n) {
    const int label = truth[static_cast<std::size_t>(n)];
    for (Index c = 0; c < scores.cols(); ++c) {
      all.push_back(scores(n, c));
      signs.push_back(label == (scores.cols() == 1 ? 1 : c) ? 1 : -1);
    }
  }
  Judgement judgement{fit_link(all, signs, intercept), Vector(scores.rows())};
  Index right = 0;
  for (Index n = 0; n < scores.rows(); ++n) {
    const Vector p = probabilities(judgement.link, scores.row(n).transpose());
    const int label = truth[static_cast<std::size_t>(n)];
    Index best = 0;
    p.maxCoeff(&best);
    right += best == label;
    judgement.p[n] = std::max(p[label], 1e-9);
  }
  judgement.accuracy = static_cast<double>(right) / static_cast<double>(scores.rows());
  judgement.log_loss = -judgement.p.array().log().mean();
  return judgement;
}

Vector stacking_weights(const Matrix& p, double evenness) {
  constexpr int rounds = 500;
  Vector w = Vector::Constant(p.cols(), 1 / static_cast<double>(p.cols()));
  for (int round = 0; round < rounds; ++round) {
    const Vector total = p * w;
    const Vector ratios = p.transpose() * total.cwiseInverse();
    w = w.cwiseProduct(ratios).array() + evenness;
    w /= w.sum();
  }
  return w;
}

std::vector<Index> order_of_gain(const Matrix& p) {
  std::vector<Index> order, left(static_cast<std::size_t>(p.cols()));
  std::iota(left.begin(), left.end(), Index{0});
  Vector sum = Vector::Zero(p.rows());
  while (!left.empty()) {
    const auto best = std::ranges::max_element(
        left, {}, [&](Index k) { return (sum + p.col(k)).array().log().mean(); });
    sum += p.col(*best);
    order.push_back(*best);
    left.erase(best);
  }
  return order;
}

}  // namespace m3lak
