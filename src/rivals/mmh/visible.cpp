#include "rivals/mmh/visible.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/dense_view.h"
#include "data/moments.h"
#include "m3lak/error.h"

namespace m3lak::harmonium {

namespace {

constexpr Index rows_a_block = 64;
constexpr Index none = -1;

bool is_binary(const View& view) {
  const auto is_bit = [](double x) { return x == 0 || x == 1 || std::isnan(x); };
  if (view.is_sparse()) {
    const SparseMatrix& values = view.sparse();
    return std::all_of(values.valuePtr(), values.valuePtr() + values.nonZeros(), is_bit);
  }
  // Rows of instances that lack the view are zero.
  return with_dense(view, [&](const auto& values) {
    return std::all_of(values.data(), values.data() + values.size(),
                       [&](auto x) { return is_bit(static_cast<double>(x)); });
  });
}

}  // namespace

Visible::Visible(const Dataset& training) {
  for (const View& view : training.views) add_wing(view);
}

void Visible::add_wing(const View& view) {
  const Moments moments = moments_of(view);
  const Kind kind = is_binary(view) ? Kind::bernoulli : Kind::gaussian;
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
  for (Index n = block.begin; n < block.end(); ++n) {
    const auto set = [&](Index unit, double x) {
      const Unit& of = units_[static_cast<std::size_t>(unit)];
      rows(n, unit) = std::isnan(x) ? of.if_missing : (x - of.shift) * of.factor;
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
