#include "m3lak/scaling.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "data/dense_view.h"
#include "data/moments.h"
#include "m3lak/error.h"

namespace m3lak {

namespace {

constexpr std::array<std::pair<const char*, Scaling>, 5> names = {{
    {"none", Scaling::none},
    {"center", Scaling::center},
    {"standardize", Scaling::standardize},
    {"equal-variance", Scaling::equal_variance},
    {"auto", Scaling::automatic},
}};

Scaler::ViewScale fit_view(const View& view, Scaling scaling) {
  Scaler::ViewScale scale{view.name, Vector::Zero(view.features()), Vector::Ones(view.features())};
  if (scaling == Scaling::none) return scale;
  const Moments moments = moments_of(view);
  scale.mean = moments.mean;
  if (scaling == Scaling::standardize) {
    for (Index d = 0; d < view.features(); ++d) {
      if (!moments.is_constant(d)) scale.factor[d] = 1 / std::sqrt(moments.variance[d]);
    }
  } else if (scaling == Scaling::equal_variance) {
    const double total = moments.total_variance();
    if (total > 0) scale.factor.setConstant(1 / std::sqrt(total));
  }
  return scale;
}

void apply_to(View& view, const Scaler::ViewScale& scale) {
  if (view.is_sparse()) {
    SparseMatrix& values = std::get<SparseMatrix>(view.values);
    values = values * scale.factor.asDiagonal();
    view.offset = scale.mean.cwiseProduct(scale.factor);
    return;
  }
  with_dense(view, [&](auto& values) {
    using Value = typename std::remove_cvref_t<decltype(values)>::Scalar;
    for (Index row = 0; row < values.rows(); ++row) {
      if (!view.has(row)) continue;
      values.row(row) = (values.row(row).template cast<double>() - scale.mean.transpose())
                            .cwiseProduct(scale.factor.transpose())
                            .template cast<Value>();
    }
  });
}

}  // namespace

Scaling scaling_of(const std::string& name) {
  for (const auto& [known, scaling] : names) {
    if (name == known) return scaling;
  }
  throw BadUsage(fmt::format(
      "scaling = '{}': must be none, center, standardize, equal-variance or auto", name));
}

std::string name_of(Scaling scaling) {
  for (const auto& [name, known] : names) {
    if (scaling == known) return name;
  }
  throw BadUsage("scaling: no such value");
}

Scaler Scaler::fit(const Dataset& training, Scaling scaling) {
  if (scaling == Scaling::automatic) throw BadUsage("scaling = 'auto': must be decided first");
  std::vector<ViewScale> views;
  for (const View& view : training.views) {
    if (view.offset.size() > 0) {
      throw BadUsage(fmt::format("view '{}': has been scaled already", view.name));
    }
    views.push_back(fit_view(view, scaling));
  }
  return {scaling, std::move(views)};
}

Scaler::Scaler(Scaling scaling, std::vector<ViewScale> views)
    : scaling_(scaling), views_(std::move(views)) {}

void Scaler::apply(Dataset& data) const {
  if (data.views.size() != views_.size()) {
    throw BadData(fmt::format("the data has {} views, but the training data had {}",
                              data.views.size(), views_.size()));
  }
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const View& view = data.views[v];
    if (view.features() != views_[v].mean.size()) {
      throw BadData(fmt::format("view '{}' has {} features, but in the training data ('{}') {}",
                                view.name, view.features(), views_[v].name, views_[v].mean.size()));
    }
    if (view.offset.size() > 0) {
      throw BadUsage(fmt::format("view '{}': has been scaled already", view.name));
    }
  }
  if (scaling_ == Scaling::none) return;
  for (std::size_t v = 0; v < views_.size(); ++v) apply_to(data.views[v], views_[v]);
}

}  // namespace m3lak
