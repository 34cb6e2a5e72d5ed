#include "inference/mixture_options.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "m3lak/error.h"

namespace m3lak {

namespace {

template <class Value>
void require(bool holds, const char* field, Value value, const char* rule) {
  if (!holds) throw BadUsage(fmt::format("`{} = {}`: must be {}", field, value, rule));
}

void require_positive(const char* field, double value, bool automatic = false) {
  require(std::isfinite(value) && (value > 0 || (automatic && value == 0)), field, value,
          automatic ? "a number above 0, or 0 (auto)" : "a number above 0");
}

/// S, made positive definite.
Matrix covariance_of(const PointMoments& points) {
  const Index d = points.mean.size();
  Matrix covariance = points.scatter / points.count;
  Vector variances = covariance.diagonal().cwiseMax(0);
  const auto varied = static_cast<double>((variances.array() > 0).count());
  const double usual = varied > 0 ? variances.sum() / varied : 1;
  for (Index j = 0; j < d; ++j) {
    if (variances[j] == 0) variances[j] = varied > 0 ? usual : 1e6 * usual;
  }
  covariance.diagonal() += 1e-6 * variances;
  return covariance;
}

}  // namespace

void MixtureOptions::check() const {
  require_positive("concentration", concentration);
  require_positive("concentration_shape", concentration_shape);
  require_positive("concentration_rate", concentration_rate);
  require_positive("strength", strength, true);
  require_positive("dof", dof, true);
  require(iterations >= 1, "iterations", iterations, "at least 1");
  require(burn_in >= 0, "burn_in", burn_in, "at least 0");
  require(thin >= 0, "thin", thin, "at least 1, or 0 (auto)");
  require(threads >= 0, "threads", threads, "at least 1, or 0 (auto)");
  if (burn_in >= iterations) {
    throw BadUsage(
        fmt::format("`burn_in = {}`: must be below `iterations = {}`, which count the "
                    "burn-in",
                    burn_in, iterations));
  }
  if (thin > iterations - burn_in) {
    throw BadUsage(
        fmt::format("`thin = {}`: must be at most {}, the number of iterations after "
                    "burn-in; else no draw is kept",
                    thin, iterations - burn_in));
  }
}

MixtureOptions settle(MixtureOptions options, const PointMoments& points) {
  constexpr double usual_strength = 0.01, usual_components = 10;
  constexpr int usual_draws = 25;
  const Index d = points.mean.size();
  const auto dimension = static_cast<double>(d);
  if (options.mean.size() == 0) options.mean = points.mean;
  if (options.mean.size() != d || !options.mean.allFinite()) {
    throw BadUsage(
        fmt::format("`mean` of {} numbers: must be as many as points have columns, {}, "
                    "and finite",
                    options.mean.size(), d));
  }
  if (options.strength == 0) options.strength = usual_strength;
  if (options.dof == 0) options.dof = dimension + 2;
  if (!(options.dof > dimension - 1)) {
    throw BadUsage(fmt::format("`dof = {}`: must be above {}, the number of columns less 1",
                               options.dof, d - 1));
  }
  if (options.scale.size() == 0) {
    options.scale = covariance_of(points) / std::pow(usual_components, 2 / dimension);
  }
  const Matrix& scale = options.scale;
  if (scale.rows() != d || scale.cols() != d || !scale.allFinite() ||
      !scale.isApprox(scale.transpose()) || scale.llt().info() != Eigen::Success) {
    throw BadUsage(
        fmt::format("`scale` of {} x {}: must be {} x {}, symmetric and positive "
                    "definite",
                    scale.rows(), scale.cols(), d, d));
  }
  if (options.thin == 0) {
    options.thin = std::max(1, (options.iterations - options.burn_in) / usual_draws);
  }
  return options;
}

NormalInverseWishart base_measure(const MixtureOptions& options) {
  return {options.mean, options.strength, options.scale, options.dof};
}

}  // namespace m3lak
