#include "m3lak/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "data/dense_view.h"
#include "data/settle.h"
#include "m3lak/error.h"

namespace m3lak {

namespace {

template <class Value, class Values>
auto map_of(const Values& values) {
  using Owned = typename Borrowed<Value>::Owned;
  if (const auto* other = std::get_if<Borrowed<Value>>(&values)) {
    return Eigen::Map<const Owned>(other->data, other->rows(), other->cols());
  }
  const Owned& own = std::get<Owned>(values);
  return Eigen::Map<const Owned>(own.data(), own.rows(), own.cols());
}

/// Rows of a matrix, in this order.
template <class Dense>
Dense rows_of(const Dense& values, const std::vector<Index>& rows) {
  return values(rows, Eigen::all);
}

template <class Value>
typename Borrowed<Value>::Owned rows_of(const Borrowed<Value>& values,
                                        const std::vector<Index>& rows) {
  using Owned = typename Borrowed<Value>::Owned;
  return Eigen::Map<const Owned>(values.data, values.rows(), values.cols())(rows, Eigen::all);
}

/// A few rows of a file are read; many, and all in another order, stay there.
View::Values rows_of(const Streamed& values, const std::vector<Index>& rows) {
  View selected;
  selected.values = values.source->select(rows);
  if (selected.instances() < values.rows()) own_if_small(selected);
  return std::move(selected.values);
}

SparseMatrix rows_of(const SparseMatrix& values, const std::vector<Index>& rows) {
  SparseMatrix selected(static_cast<Index>(rows.size()), values.cols());
  Index stored = 0;
  for (const Index row : rows) stored += values.innerVector(row).nonZeros();
  selected.reserve(stored);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    selected.startVec(static_cast<Index>(i));
    for (SparseMatrix::InnerIterator cell(values, rows[i]); cell; ++cell) {
      selected.insertBack(static_cast<Index>(i), cell.col()) = cell.value();
    }
  }
  selected.finalize();
  return selected;
}

template <class T>
std::vector<T> entries_of(const std::vector<T>& all, const std::vector<Index>& rows) {
  std::vector<T> selected;
  if (all.empty()) return selected;
  selected.reserve(rows.size());
  for (const Index row : rows) selected.push_back(all[static_cast<std::size_t>(row)]);
  return selected;
}

View::Values read_all(const View& view) {
  View::Values all;
  const auto read_as = [&]<class Dense>(Dense&& matrix) {
    matrix.resize(view.instances(), view.features());
    for_each_dense_block(view, [&](const auto& rows, Index begin) {
      if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(rows)>::Scalar,
                                   typename Dense::Scalar>) {
        matrix.middleRows(begin, rows.rows()) = rows;
      }
    });
    all = std::move(matrix);
  };
  view.is_float() ? read_as(FloatMatrix()) : read_as(DenseMatrix());
  return all;
}

/// What is unusual in one row: its first infinite cell, and how many of its cells are NaN.
struct RowCheck {
  Index infinite = -1;
  Index unknown = 0;

  void look(Index column, double value) {
    if (std::isfinite(value)) return;
    if (std::isnan(value)) {
      ++unknown;
    } else if (infinite < 0) {
      infinite = column;
    }
  }
};

/// Calls tell(row, check) for each row.
template <class Tell>
void check_rows(const View& view, const Tell& tell) {
  if (!view.is_sparse()) {
    for_each_dense_block(view, [&](const auto& values, Index begin) {
      for (Index n = 0; n < values.rows(); ++n) {
        RowCheck found;
        if ((0 * values.row(n).array()).sum() != 0) {  // else all are finite, which is usual
          for (Index column = 0; column < values.cols(); ++column) {
            found.look(column, static_cast<double>(values(n, column)));
          }
        }
        tell(begin + n, found);
      }
    });
    return;
  }
  for (Index row = 0; row < view.instances(); ++row) {
    RowCheck found;
    for (SparseMatrix::InnerIterator cell(view.sparse(), row); cell; ++cell) {
      found.look(cell.col(), cell.value());
    }
    tell(row, found);
  }
}

/// Makes the rows of instances that lack the view zero.
void empty_absent_rows(View& view) {
  if (view.absent_count() == 0) return;
  if (view.is_sparse()) {
    std::get<SparseMatrix>(view.values).prune([&](Index row, Index, double) {
      return view.has(row);
    });
  } else if (const auto* streamed = std::get_if<Streamed>(&view.values)) {
    view.values = streamed->source->without(view.absent);
  } else {
    with_dense(view, [&](auto& values) {
      for (Index row = 0; row < values.rows(); ++row) {
        if (!view.has(row)) values.row(row).setZero();
      }
    });
  }
}

void settle_view(View& view, const std::vector<std::string>& instance_names, Index first) {
  const auto features = static_cast<std::size_t>(view.features());
  const auto instances = static_cast<std::size_t>(view.instances());
  if (!view.feature_names.empty() && view.feature_names.size() != features) {
    throw BadData(fmt::format("view '{}': has {} features but {} feature names", view.name,
                              features, view.feature_names.size()));
  }
  if (!view.absent.empty() && view.absent.size() != instances) {
    throw BadData(fmt::format("view '{}': has {} instances but says of {} whether they lack it",
                              view.name, instances, view.absent.size()));
  }
  if (features == 0) throw BadData(fmt::format("view '{}': has no features", view.name));

  check_rows(view, [&](Index row, const RowCheck& found) {
    if (!view.has(row)) return;
    if (found.infinite >= 0) {
      const std::string who =
          instance_names.empty()
              ? fmt::format("row {}", first + row + 1)
              : fmt::format("instance '{}'", instance_names[static_cast<std::size_t>(row)]);
      throw BadData(
          fmt::format("view '{}': {}, {} is infinite; give a number, or leave it empty (NaN) if it "
                      "is not known",
                      view.name, who, view.describe_feature(found.infinite)));
    }
    if (found.unknown == view.features()) {
      if (view.absent.empty()) view.absent.assign(instances, 0);
      view.absent[static_cast<std::size_t>(row)] = 1;
    }
  });
  empty_absent_rows(view);
}

}  // namespace

Index View::instances() const {
  return std::visit([](const auto& matrix) { return matrix.rows(); }, values);
}

Index View::features() const {
  return std::visit([](const auto& matrix) { return matrix.cols(); }, values);
}

bool View::is_float() const {
  if (const auto* streamed = std::get_if<Streamed>(&values)) return streamed->source->is_float();
  return std::holds_alternative<FloatMatrix>(values) ||
         std::holds_alternative<Borrowed<float>>(values);
}

Eigen::Map<const DenseMatrix> View::dense() const { return map_of<double>(values); }
Eigen::Map<const FloatMatrix> View::floats() const { return map_of<float>(values); }

void View::own() {
  if (std::holds_alternative<Borrowed<double>>(values)) {
    values = DenseMatrix(dense());
  } else if (std::holds_alternative<Borrowed<float>>(values)) {
    values = FloatMatrix(floats());
  } else if (is_streamed()) {
    values = read_all(*this);
  }
}

bool View::has(Index instance) const {
  return absent.empty() || absent[static_cast<std::size_t>(instance)] == 0;
}

Index View::absent_count() const {
  return static_cast<Index>(absent.size()) - std::count(absent.begin(), absent.end(), 0);
}

Index View::missing_cells() const {
  if (!is_sparse()) {
    Index missing = 0;
    for_each_dense_block(*this,
                         [&](const auto& rows, Index) { missing += rows.array().isNaN().count(); });
    return missing;
  }
  const double* stored_values = sparse().valuePtr();
  return std::count_if(stored_values, stored_values + sparse().nonZeros(),
                       [](double value) { return std::isnan(value); });
}

Index View::stored() const { return is_sparse() ? sparse().nonZeros() : instances() * features(); }

std::string View::describe_feature(Index feature) const {
  if (feature_names.empty()) return fmt::format("column {}", feature + 1);
  return fmt::format("feature '{}'", feature_names[static_cast<std::size_t>(feature)]);
}

void own_if_small(View& view) {
  constexpr Index small = Index{1} << 24;
  if (view.is_streamed() && view.stored() <= small) view.own();
}

Index Dataset::features() const {
  Index sum = 0;
  for (const View& view : views) sum += view.features();
  return sum;
}

Dataset Dataset::select(const std::vector<Index>& rows) const {
  Dataset selected;
  for (const View& view : views) {
    View& part = selected.views.emplace_back();
    part.name = view.name;
    part.feature_names = view.feature_names;
    part.absent = entries_of(view.absent, rows);
    part.offset = view.offset;
    std::visit([&](const auto& matrix) { part.values = rows_of(matrix, rows); }, view.values);
  }
  if (labels) selected.labels = Labels{labels->classes, entries_of(labels->of, rows)};
  selected.instance_names = entries_of(instance_names, rows);
  return selected;
}

void settle_share(Dataset& data, Index first) {
  if (data.views.empty()) throw BadData("the data has no views");
  for (const View& view : data.views) {
    if (view.instances() != data.instances()) {
      throw BadData(fmt::format(
          "views disagree in their number of instances: '{}' has {}, '{}' has {}; if rows are "
          "named, join the views by these names (--id-column)",
          data.views.front().name, data.instances(), view.name, view.instances()));
    }
  }
  const auto count = static_cast<std::size_t>(data.instances());
  if (!data.instance_names.empty() && data.instance_names.size() != count) {
    throw BadData(fmt::format("there are {} instances but {} names of instances", count,
                              data.instance_names.size()));
  }
  if (data.labels && data.labels->of.size() != count) {
    throw BadData(
        fmt::format("there are {} labels for {} instances", data.labels->of.size(), count));
  }
  for (View& view : data.views) settle_view(view, data.instance_names, first);
}

void Dataset::settle() {
  if (!views.empty() && instances() == 0) throw BadData("the data has no instances");
  settle_share(*this, 0);
  for (const View& view : views) {
    if (view.absent_count() == view.instances()) {
      throw BadData(fmt::format("view '{}': every instance lacks it; leave it out", view.name));
    }
  }
}

}  // namespace m3lak
