#include "inference/mixture_density.h"

#include <Eigen/Cholesky>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "m3lak/error.h"
#include "model/point_tile.h"

namespace m3lak {

namespace {

using Row = PointTile::Row;

/// Weights are part of the constants.
std::vector<Lens> lenses_of(const MixtureDraw& draw) {
  std::vector<Lens> lenses;
  for (const MixtureComponent& component : draw.components) {
    lenses.emplace_back(Component{0, component.mean, component.factor});
    lenses.back().log_constant += std::log(component.weight);
  }
  return lenses;
}

/// p(x) with (μ, Σ) integrated out: Student's t of ν = dof - d + 1 degrees of freedom,
///   c (1 + ‖L⁻¹(x - mean)‖²)^{-(ν + d)/2},  LLᵀ = scale (κ + 1)/κ.
struct Predictive {
  Lens lens;
  double power, log_constant;

  explicit Predictive(const NormalInverseWishart& base)
      : lens(Component{0, base.mean,
                       Matrix(base.scale * ((base.strength + 1) / base.strength)).llt().matrixL()}),
        power(0.5 * (base.dof + 1)) {
    const auto d = static_cast<double>(base.mean.size());
    // The lens has -½ log|2πLLᵀ|; here it is π.
    log_constant = lens.log_constant + 0.5 * d * std::numbers::ln2 + std::lgamma(power) -
                   std::lgamma(power - 0.5 * d);
  }
};

/// A sum of exponentials as it grows.
struct LogSum {
  Row top = Row::Constant(-std::numeric_limits<double>::infinity());
  Row total = Row::Zero();

  void add(Index count, const Row& logs) {
    for (Index i = 0; i < count; ++i) {
      if (logs[i] > top[i]) {
        total[i] = total[i] * std::exp(top[i] - logs[i]) + 1;
        top[i] = logs[i];
      } else if (top[i] > -std::numeric_limits<double>::infinity()) {
        total[i] += std::exp(logs[i] - top[i]);
      }
    }
  }
};

/// Calls work(first, count, tile) for each tile of the points.
template <class Work>
void for_each_point_tile(Workers& workers, const Points& points, const Work& work) {
  static constexpr auto as_they_are = [] {
    std::array<int, PointTile::most> order{};
    std::iota(order.begin(), order.end(), 0);
    return order;
  }();
  for_each_block(workers, blocks_of(points), [&](Block block) {
    PointTile tile(points.rows());
    for_each_tile(block, [&](Index first, Index count) {
      tile.take(points, first, {as_they_are.data(), static_cast<std::size_t>(count)});
      work(first, count, tile);
    });
  });
}

}  // namespace

void check_draws(const std::vector<MixtureDraw>& draws, Index dimension) {
  for (const MixtureDraw& draw : draws) {
    bool good = !draw.components.empty() && draw.rest >= 0 && draw.concentration > 0;
    for (const MixtureComponent& component : draw.components) {
      good = good && component.weight >= 0 && component.mean.size() == dimension &&
             component.factor.rows() == dimension && component.factor.cols() == dimension;
    }
    if (!good) throw BadData("draws: they are not mixtures of the dimension of the base measure");
  }
}

std::vector<int> most_probable(Workers& workers, const MixtureDraw& draw, const Points& points) {
  const std::vector<Lens> lenses = lenses_of(draw);
  std::vector<int> best(static_cast<std::size_t>(points.cols()), 0);
  for_each_point_tile(workers, points, [&](Index first, Index count, PointTile& tile) {
    Row top = Row::Constant(-std::numeric_limits<double>::infinity()), score;
    for (std::size_t k = 0; k < lenses.size(); ++k) {
      tile.squares(lenses[k], 0, count, score.data());
      for (Index i = 0; i < count; ++i) {
        const double log_weight = lenses[k].log_constant - 0.5 * score[i];
        if (!(log_weight > top[i])) continue;
        top[i] = log_weight;
        best[static_cast<std::size_t>(first + i)] = static_cast<int>(k);
      }
    }
  });
  return best;
}

DenseMatrix probabilities(Workers& workers, const MixtureDraw& draw, const Points& points) {
  const std::vector<Lens> lenses = lenses_of(draw);
  DenseMatrix result(points.cols(), std::ssize(lenses));
  for_each_point_tile(workers, points, [&](Index first, Index count, PointTile& tile) {
    auto rows = result.middleRows(first, count);
    Row score;
    for (Index k = 0; k < result.cols(); ++k) {
      const Lens& lens = lenses[static_cast<std::size_t>(k)];
      tile.squares(lens, 0, count, score.data());
      rows.col(k) = lens.log_constant - 0.5 * score.head(count);
    }
    rows.colwise() -= Vector(rows.rowwise().maxCoeff());
    rows = rows.array().exp();
    rows.array().colwise() /= Eigen::ArrayXd(rows.rowwise().sum());
  });
  return result;
}

Vector log_densities(Workers& workers, const std::vector<MixtureDraw>& draws,
                     const NormalInverseWishart& base, const Points& points) {
  std::vector<Lens> lenses;
  double rest = 0;
  for (const MixtureDraw& draw : draws) {
    for (Lens& lens : lenses_of(draw)) lenses.push_back(std::move(lens));
    rest += draw.rest;
  }
  const Predictive predictive(base);
  const double log_rest = std::log(rest) + predictive.log_constant;
  const double log_draws = std::log(static_cast<double>(draws.size()));
  Vector result(points.cols());
  for_each_point_tile(workers, points, [&](Index first, Index count, PointTile& tile) {
    LogSum sum;
    Row logs;
    tile.squares(predictive.lens, 0, count, logs.data());
    logs.head(count) = log_rest - predictive.power * logs.head(count).log1p();
    sum.add(count, logs);
    for (const Lens& lens : lenses) {
      tile.squares(lens, 0, count, logs.data());
      logs.head(count) = lens.log_constant - 0.5 * logs.head(count);
      sum.add(count, logs);
    }
    result.segment(first, count) = sum.top.head(count) + sum.total.head(count).log() - log_draws;
  });
  return result;
}

}  // namespace m3lak
