#include "m3lak/simulate.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "m3lak/error.h"
#include "numeric/distributions.h"
#include "numeric/parallel.h"
#include "numeric/random.h"
#include "numeric/steps.h"

namespace m3lak {

namespace {

constexpr Index block_size = 256;

DenseMatrix normal_matrix(Stream& stream, Index rows, Index columns, double deviation) {
  DenseMatrix matrix(rows, columns);
  for (double& entry : matrix.reshaped<Eigen::RowMajor>()) entry = deviation * normal(stream);
  return matrix;
}

/// [W_i V_i], so that x_i = [W_i V_i] (h, u_i) + noise.
DenseMatrix projection_of(const SimulationOptions& options, std::size_t view) {
  Stream stream({.seed = options.seed, .step = number(Step::simulated_projections), .index = view});
  const Index features = options.views[view], m = options.latent, k = options.private_latent;
  DenseMatrix projection(features, m + k);
  projection.leftCols(m) =
      normal_matrix(stream, features, m, 1 / std::sqrt(static_cast<double>(m)));
  if (k > 0) {
    projection.rightCols(k) =
        normal_matrix(stream, features, k, options.noise / std::sqrt(static_cast<double>(k)));
  }
  return projection;
}

bool is_first_class(Boundary boundary, const Vector& h) {
  switch (boundary) {
    case Boundary::linear:
      return h[0] > 0;
    case Boundary::ring:
      return h[0] * h[0] + h[1] * h[1] < 2 * std::numbers::ln2;
    case Boundary::exclusive_or:
      return h[0] * h[1] > 0;
  }
  throw BadUsage("boundary: no such value");
}

/// What instance n lacks: drawn from a stream of its own, so that the same seed with other shares
/// gives the same values beneath.
void make_gaps(const SimulationOptions& options, Index n, Dataset& data) {
  Stream stream({.seed = options.seed,
                 .step = number(Step::simulated_gaps),
                 .index = static_cast<std::uint64_t>(n)});
  const auto row = static_cast<std::size_t>(n);
  if (stream.uniform() < options.unknown_labels) data.labels->of[row] = Labels::unknown;
  if (options.missing_views > 0) {
    // One view is kept in any case, so the others are missing more often.
    const std::size_t views = data.views.size(), kept = stream.below(views);
    const double share =
        options.missing_views * static_cast<double>(views) / static_cast<double>(views - 1);
    for (std::size_t v = 0; v < views; ++v) {
      const bool lacks = stream.uniform() < share;
      data.views[v].absent[row] = lacks && v != kept ? 1 : 0;
    }
  }
  if (options.missing_cells > 0) {
    for (View& view : data.views) {
      for (double& cell : std::get<DenseMatrix>(view.values).row(n)) {
        if (stream.uniform() < options.missing_cells) {
          cell = std::numeric_limits<double>::quiet_NaN();
        }
      }
    }
  }
}

void require(bool holds, const char* field, auto value, const char* rule) {
  if (!holds) throw BadUsage(fmt::format("{} = {}: {}", field, value, rule));
}

void require_share(const char* field, double value) {
  require(value >= 0 && value < 1, field, value, "must be at least 0 and less than 1");
}

}  // namespace

Boundary boundary_of(const std::string& name) {
  if (name == "linear") return Boundary::linear;
  if (name == "ring") return Boundary::ring;
  if (name == "xor") return Boundary::exclusive_or;
  throw BadUsage(fmt::format("boundary {}: must be one of linear|ring|xor", name));
}

void SimulationOptions::check() const {
  require(instances >= 1, "instances", instances, "must be at least 1");
  require(!views.empty(), "views", "(none)", "at least one is needed");
  for (const Index features : views) {
    require(features >= 1, "views", features, "each view needs at least 1 feature");
  }
  require(latent >= 1, "latent", latent, "must be at least 1");
  require(boundary == Boundary::linear || latent >= 2, "latent", latent,
          "must be at least 2 for a ring or XOR boundary");
  require(private_latent >= 0, "private", private_latent, "must be at least 0");
  require(std::isfinite(noise) && noise >= 0, "noise", noise, "must be at least 0");
  require(missing_views >= 0 && missing_views <= 1 - 1 / static_cast<double>(views.size()),
          "missing-views", missing_views,
          "must be at least 0, and such that each instance can keep one view");
  require_share("missing-cells", missing_cells);
  require_share("unknown-labels", unknown_labels);
}

Dataset simulate(const SimulationOptions& options) {
  options.check();
  const Index instances = options.instances;
  const auto count = static_cast<std::size_t>(instances);
  Dataset data;
  data.labels = Labels{{"1", "2"}, std::vector<int>(count)};
  std::vector<DenseMatrix> projections;
  for (std::size_t v = 0; v < options.views.size(); ++v) {
    View& view = data.views.emplace_back();
    view.name = fmt::format("view{}", v + 1);
    view.values = DenseMatrix(instances, options.views[v]);
    if (options.missing_views > 0) view.absent.assign(count, 0);
    projections.push_back(projection_of(options, v));
  }

  Workers workers(options.threads);
  for_each_block(workers, {instances, block_size}, [&](Block block) {
    Vector latent(options.latent + options.private_latent);
    for (Index n = block.begin; n < block.end(); ++n) {
      Stream stream({.seed = options.seed,
                     .step = number(Step::simulated_instance),
                     .index = static_cast<std::uint64_t>(n)});
      for (double& h : latent.head(options.latent)) h = normal(stream);
      data.labels->of[static_cast<std::size_t>(n)] =
          is_first_class(options.boundary, latent) ? 0 : 1;
      for (std::size_t v = 0; v < data.views.size(); ++v) {
        for (double& u : latent.tail(options.private_latent)) u = normal(stream);
        auto row = std::get<DenseMatrix>(data.views[v].values).row(n);
        row.noalias() = latent.transpose() * projections[v].transpose();
        for (double& cell : row) cell += options.noise * normal(stream);
      }
      make_gaps(options, n, data);
    }
  });
  data.settle();
  return data;
}

}  // namespace m3lak
