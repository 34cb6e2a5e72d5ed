#include "rivals/vmrml/vmrml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "m3lak/error.h"
#include "rivals/distances.h"
#include "rivals/standard_views.h"
#include "rivals/vmrml/solvers.h"

namespace m3lak {

namespace {

void require(bool kept, const char* field, double value, const char* rule) {
  if (!kept) throw BadUsage(fmt::format("vmrml: `{} = {}`: must be {}", field, value, rule));
}

void check(const VmrmlOptions& options) {
  require(options.gA > 0 && std::isfinite(options.gA), "gA", options.gA, "above 0");
  require(options.gB >= 0 && std::isfinite(options.gB), "gB", options.gB, "at least 0");
  require(options.gW >= 0 && std::isfinite(options.gW), "gW", options.gW, "at least 0");
  for (const double width : options.widths) {
    require(width > 0 && std::isfinite(width), "widths", width, "above 0");
  }
  for (const double weight : options.view_weights) {
    require(std::isfinite(weight), "view_weights", weight, "finite");
  }
  if (options.view_weights.size() > 0 && options.view_weights.isZero(0)) {
    throw BadUsage("vmrml: `view_weights`: must not all be 0");
  }
}

Vector view_weights(const VmrmlOptions& options, Index views) {
  if (options.view_weights.size() == 0)
    return Vector::Constant(views, 1 / static_cast<double>(views));
  if (options.view_weights.size() != views) {
    throw BadUsage(fmt::format("vmrml: {} `view_weights`, but the data has {} views",
                               options.view_weights.size(), views));
  }
  return options.view_weights;
}

/// What the machines of all settings have in common.
struct Training {
  explicit Training(const Dataset& data) : standard(data), views(standard(data)) {}

  StandardViews standard;
  std::vector<DenseMatrix> views;
};

class VmrmlMachine : public Machine {
 public:
  VmrmlMachine(std::shared_ptr<const Training> training, Vector widths, Matrix coefficients)
      : training_(std::move(training)),
        widths_(std::move(widths)),
        coefficients_(std::move(coefficients)) {}

  // Σ_i c_i Σ_j a_ij k_i(x_j, x), some points at a time: kernels with all would fill the memory.
  Vector scores(const Dataset& data, Workers& workers) const override {
    constexpr Index points_at_once = 1024;
    const std::vector<DenseMatrix> views = training_->standard(data);
    Vector scores = Vector::Zero(data.instances());
    const Blocks blocks{scores.size(), points_at_once};
    for (Index i = 0; i < widths_.size(); ++i) {
      for (Index b = 0; b < blocks.number(); ++b) {
        const Block points = blocks[b];
        add_view(workers, i,
                 views[static_cast<std::size_t>(i)].middleRows(points.begin, points.size),
                 scores.segment(points.begin, points.size));
      }
    }
    return scores;
  }

 private:
  void add_view(Workers& workers, Index i, const DenseMatrix& points,
                Eigen::Ref<Vector> scores) const {
    const DenseMatrix& known = training_->views[static_cast<std::size_t>(i)];
    const Matrix K =
        gaussian_kernel(workers, squared_distances(workers, known, points), widths_[i]);
    for_each_block(workers, {scores.size(), vmrml_columns_a_block}, [&](const Block& block) {
      scores.segment(block.begin, block.size).noalias() +=
          K.middleCols(block.begin, block.size).transpose() * coefficients_.col(i);
    });
  }

  std::shared_ptr<const Training> training_;
  Vector widths_;        ///< of each view's kernel
  Matrix coefficients_;  ///< c_i a_i, one column a view
};

class Vmrml : public Rival {
 public:
  explicit Vmrml(VmrmlOptions options) : options_(std::move(options)) {
    check(options_);
    if (options_.widths.empty()) options_.widths = {1.0 / 8, 1.0 / 4, 1.0 / 2, 1, 2, 4, 8};
  }

  std::size_t settings() const override { return options_.widths.size(); }

  std::string describe(std::size_t setting) const override {
    const double f = options_.widths[setting], inverse = 1 / f;
    const bool is_fraction = f < 1 && inverse == std::round(inverse);
    return is_fraction ? fmt::format("f = 1/{}", inverse) : fmt::format("f = {}", f);
  }

  double bytes(const Size& training, int threads) const override {
    const auto n = static_cast<double>(training.instances);
    double cells = 0;
    for (const Index features : training.features) cells += n * static_cast<double>(features);
    const auto views = std::ssize(training.features);
    // Distances of each view, what the solver makes, and each worker's columns and copies of them.
    const double matrices = static_cast<double>(views) + vmrml_matrices(options_, views);
    const double columns = 4.0 * threads * static_cast<double>(vmrml_columns_a_block);
    // Standardised views, and a copy while they are made.
    return sizeof(double) * (cells + std::max(cells, n * (n * matrices + columns)));
  }

  std::vector<std::unique_ptr<Machine>> train(const Dataset& training, const Vector& y,
                                              std::span<const std::size_t> settings,
                                              Workers& workers,
                                              const std::function<bool()>& stop) const override {
    const Vector c = view_weights(options_, std::ssize(training.views));
    const auto common = std::make_shared<const Training>(training);
    std::vector<Matrix> distances;
    Vector medians(c.size());
    for (const DenseMatrix& view : common->views) {
      stop_if(stop);
      distances.push_back(squared_distances(workers, view));
      medians[std::ssize(distances) - 1] = median_distance(distances.back());
    }
    std::vector<std::unique_ptr<Machine>> machines;
    for (const std::size_t setting : settings) {
      const Vector widths = options_.widths[setting] * medians;
      const auto kernel = [&](Index i) {
        return gaussian_kernel(workers, distances[static_cast<std::size_t>(i)], widths[i]);
      };
      const Matrix a = solve_vmrml(workers, {kernel, c, y, options_}, stop);
      machines.push_back(std::make_unique<VmrmlMachine>(common, widths, a * c.asDiagonal()));
    }
    return machines;
  }

 private:
  VmrmlOptions options_;
};

}  // namespace

std::unique_ptr<Rival> vmrml(VmrmlOptions options) {
  return std::make_unique<Vmrml>(std::move(options));
}

}  // namespace m3lak
