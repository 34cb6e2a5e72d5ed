#include "m3lak/scaling.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "data/dense_view.h"
#include "data/moments.h"
#include "data/row_scaling.h"
#include "m3lak/error.h"

namespace m3lak {

namespace {

constexpr std::array<std::pair<const char*, Scaling>, 9> names = {{
    {"none", Scaling::none},
    {"center", Scaling::center},
    {"standardize", Scaling::standardize},
    {"equal-variance", Scaling::equal_variance},
    {"unit-length", Scaling::unit_length},
    {"root-center", Scaling::root_center},
    {"root-standardize", Scaling::root_standardize},
    {"root-unit-length", Scaling::root_unit_length},
    {"auto", Scaling::automatic},
}};

/// Takes roots where they are to be taken; returns what makes a row as long as it is to be.
double scale_sparse_row(const RowScaling& how, SparseMatrix& values, Index n) {
  double squares = 0;
  Index known = values.cols();
  for (SparseMatrix::InnerIterator cell(values, n); cell; ++cell) {
    if (how.root) cell.valueRef() = signed_root(cell.value());
    if (std::isnan(cell.value()))
      --known;
    else
      squares += cell.value() * cell.value();
  }
  return how.unit_length ? inverse_length(squares, known, values.cols()) : 1;
}

void scale_rows(const RowScaling& how, View& view) {
  if (!how.any()) return;
  if (view.is_sparse()) {
    SparseMatrix& values = std::get<SparseMatrix>(view.values);
    for (Index n = 0; n < values.rows(); ++n) {
      const double factor = scale_sparse_row(how, values, n);
      for (SparseMatrix::InnerIterator cell(values, n); cell; ++cell) cell.valueRef() *= factor;
    }
    return;
  }
  if (const auto* streamed = std::get_if<Streamed>(&view.values)) {
    view.values = streamed->source->scaled_within_rows(how);
    return;
  }
  with_dense(view, [&](auto& values) {
    for (Index n = 0; n < values.rows(); ++n) scale_within_row(how, values, n);
  });
}

Moments moments_for(Workers& workers, const View& view, Scaling scaling) {
  const RowScaling how = row_scaling_of(scaling);
  if (!how.any()) return moments_of(workers, view);
  View scaled = view;
  scale_rows(how, scaled);
  return moments_of(workers, scaled);
}

Scaler::ViewScale fit_view(Workers& workers, const View& view, Scaling scaling, double variance) {
  Scaler::ViewScale scale{view.name, Vector::Zero(view.features()), Vector::Ones(view.features())};
  if (scaling == Scaling::none) return scale;
  const Moments moments = moments_for(workers, view, scaling);
  scale.mean = moments.mean;
  if (scaling == Scaling::standardize || scaling == Scaling::root_standardize) {
    for (Index d = 0; d < view.features(); ++d) {
      if (!moments.is_constant(d)) scale.factor[d] = 1 / std::sqrt(moments.variance[d]);
    }
  }
  const bool is_equal = scaling == Scaling::equal_variance || row_scaling_of(scaling).unit_length;
  if (is_equal || variance >= 0) {
    double total = 0;
    for (Index d = 0; d < view.features(); ++d) {
      if (!moments.is_constant(d)) total += moments.variance[d] * std::pow(scale.factor[d], 2);
    }
    if (total > 0) scale.factor *= std::sqrt((variance >= 0 ? variance : 1) / total);
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
  if (const auto* streamed = std::get_if<Streamed>(&view.values)) {
    view.values = streamed->source->scaled(scale.mean, scale.factor);
    return;
  }
  with_dense(view, [&](auto& values) {
    for (Index row = 0; row < values.rows(); ++row) {
      auto* numbers = values.data() + row * values.cols();
      if (view.has(row)) scale_row(numbers, scale.mean, scale.factor, numbers);
    }
  });
}

}  // namespace

Scaling scaling_of(const std::string& name) {
  for (const auto& [known, scaling] : names) {
    if (name == known) return scaling;
  }
  throw BadUsage(
      fmt::format("scaling = '{}': must be none, center, standardize, equal-variance, unit-length, "
                  "root-center, "
                  "root-standardize, root-unit-length or auto",
                  name));
}

std::string name_of(Scaling scaling) {
  for (const auto& [name, known] : names) {
    if (scaling == known) return name;
  }
  throw BadUsage("scaling: no such value");
}

RowScaling row_scaling_of(Scaling scaling) {
  const bool has_root = scaling == Scaling::root_center || scaling == Scaling::root_standardize ||
                        scaling == Scaling::root_unit_length;
  return {has_root, scaling == Scaling::unit_length || scaling == Scaling::root_unit_length};
}

Scaler Scaler::fit(const Dataset& training, Scaling scaling, const Vector& variances) {
  Workers alone(1);
  return fit(alone, training, scaling, variances);
}

Scaler Scaler::fit(Workers& workers, const Dataset& training, Scaling scaling,
                   const Vector& variances) {
  if (scaling == Scaling::automatic) throw BadUsage("scaling = 'auto': must be decided first");
  std::vector<ViewScale> views;
  for (const View& view : training.views) {
    if (view.offset.size() > 0) {
      throw BadUsage(fmt::format("view '{}': has been scaled already", view.name));
    }
    const auto v = static_cast<Index>(views.size());
    views.push_back(fit_view(workers, view, scaling, variances.size() > 0 ? variances[v] : -1));
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
  for (std::size_t v = 0; v < views_.size(); ++v) {
    scale_rows(row_scaling_of(scaling_), data.views[v]);
    apply_to(data.views[v], views_[v]);
  }
}

}  // namespace m3lak
