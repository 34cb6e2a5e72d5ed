#include "rivals/mmh/visible.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "data/dense_view.h"
#include "data/moments.h"
#include "m3lak/error.h"

namespace m3lak::harmonium {

namespace {

constexpr Index rows_a_block = 64;
constexpr Index none = -1;

/// Whether all known cells that are not 0 are such.
bool all_cells(const View& view, const std::function<bool(double)>& are_such) {
  const auto is_fine = [&](double x) { return x == 0 || std::isnan(x) || are_such(x); };
  if (view.is_sparse()) {
    const SparseMatrix& values = view.sparse();
    return std::all_of(values.valuePtr(), values.valuePtr() + values.nonZeros(), is_fine);
  }
  // Rows of instances that lack the view are zero.
  return with_dense(view, [&](const auto& values) {
    return std::all_of(values.data(), values.data() + values.size(),
                       [&](auto x) { return is_fine(static_cast<double>(x)); });
  });
}

bool is_count(double x) { return x >= 0 && x == std::floor(x) && std::isfinite(x); }

/// log(1 + x). What is not known stays so; below 0, where training had nothing, it is 0.
double log_of_count(double x) { return x < 0 ? 0 : std::log1p(x); }

/// Of each known cell. What is 0 stays so.
View logs_of_counts(const View& view) {
  View logs = view;
  if (view.is_sparse()) {
    SparseMatrix values = view.sparse();
    for (Index i = 0; i < values.nonZeros(); ++i) {
      values.valuePtr()[i] = log_of_count(values.valuePtr()[i]);
    }
    logs.values = std::move(values);
  } else {
    logs.values = with_dense(view, [](const auto& values) -> DenseMatrix {
      return values.template cast<double>().unaryExpr(&log_of_count);
    });
  }
  return logs;
}

}  // namespace

Visible::Visible(const Dataset& training) {
  for (const View& view : training.views) add_wing(view);
}

void Visible::add_wing(const View& view) {
  const bool is_binary = all_cells(view, [](double x) { return x == 1; });
  const bool are_counts = !is_binary && all_cells(view, is_count);
  are_counts_.push_back(are_counts);
  const Moments moments = moments_of(are_counts ? logs_of_counts(view) : view);
  const Kind kind = is_binary ? Kind::bernoulli : Kind::gaussian;
  const Index begin = units();
  std::vector<Index>& unit_of = unit_of_.emplace_back(view.features(), none);
  for (Index d = 0; d < view.features(); ++d) {
    if (moments.is_constant(d)) continue;
    unit_of[static_cast<std::size_t>(d)] = units();
    if (kind == Kind::gaussian) {
      units_.push_back({d, moments.mean[d], 1 / std::sqrt(moments.variance[d]), 0});
    } else {
      units_.push_back({d, 0, 1, moments.mean[d]});
    }
  }
  wings_.push_back({kind, begin, units() - begin});
}

Index Visible::units() const { return std::ssize(units_); }

DenseMatrix Visible::operator()(const Dataset& data, Workers& workers) const {
  if (data.views.size() != wings_.size()) {
    throw BadData(
        fmt::format("{} views, but there were {} in training", data.views.size(), wings_.size()));
  }
  DenseMatrix rows(data.instances(), units());
  for (std::size_t v = 0; v < wings_.size(); ++v) {
    const View& view = data.views[v];
    if (view.features() != std::ssize(unit_of_[v])) {
      throw BadData(fmt::format("view '{}' has {} features, but had {} in training", view.name,
                                view.features(), unit_of_[v].size()));
    }
    for_each_block(workers, {data.instances(), rows_a_block},
                   [&](const Block& block) { write(view, v, block, rows); });
  }
  return rows;
}

void Visible::write(const View& view, std::size_t number, const Block& block,
                    DenseMatrix& rows) const {
  const Wing& wing = wings_[number];
  const bool are_counts = are_counts_[number];
  for (Index n = block.begin; n < block.end(); ++n) {
    const auto set = [&](Index unit, double x) {
      const Unit& of = units_[static_cast<std::size_t>(unit)];
      const double value = are_counts ? log_of_count(x) : x;
      rows(n, unit) = std::isnan(x) ? of.if_missing : (value - of.shift) * of.factor;
    };
    const auto set_all = [&](const auto& value_of) {
      for (Index unit = wing.begin; unit < wing.begin + wing.size; ++unit) {
        set(unit, value_of(units_[static_cast<std::size_t>(unit)].feature));
      }
    };
    if (!view.has(n)) {
      set_all([](Index) { return std::nan(""); });
    } else if (view.is_sparse()) {
      set_all([](Index) { return 0.0; });
      for (SparseMatrix::InnerIterator cell(view.sparse(), n); cell; ++cell) {
        const Index unit = unit_of_[number][static_cast<std::size_t>(cell.col())];
        if (unit != none) set(unit, cell.value());
      }
    } else {
      with_dense(view, [&](const auto& values) {
        set_all([&](Index d) { return static_cast<double>(values(n, d)); });
      });
    }
  }
}

}  // namespace m3lak::harmonium
