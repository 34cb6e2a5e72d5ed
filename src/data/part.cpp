#include "data/part.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "data/dense_view.h"

namespace m3lak {

namespace {

/// A sparse matrix, as it is stored: archives have only the values of one.
struct Cells {
  Index rows = 0, columns = 0;
  std::vector<int> starts, places;
  std::vector<double> values;

  explicit Cells(const SparseMatrix& matrix)
      : rows(matrix.rows()),
        columns(matrix.cols()),
        starts(matrix.outerIndexPtr(), matrix.outerIndexPtr() + matrix.rows() + 1),
        places(matrix.innerIndexPtr(), matrix.innerIndexPtr() + matrix.nonZeros()),
        values(matrix.valuePtr(), matrix.valuePtr() + matrix.nonZeros()) {}

  SparseMatrix matrix() const {
    return Eigen::Map<const SparseMatrix>(rows, columns, std::ssize(values), starts.data(),
                                          places.data(), values.data());
  }
};

template <class Kind>
void transfer(Kind& archive, Cells& cells) {
  archive(cells.rows, cells.columns, cells.starts, cells.places, cells.values);
}

template <class Kind>
void transfer_sparse(Kind& archive, View& view) {
  SparseMatrix& values = std::get<SparseMatrix>(view.values);
  values.makeCompressed();
  Cells cells(values);
  archive(cells);
  if constexpr (Kind::reads) values = cells.matrix();
}

/// Rows of all, one below the other.
template <class Matrix>
Matrix stacked(const std::vector<const View*>& views) {
  Index rows = 0;
  for (const View* view : views) rows += view->instances();
  Matrix all(rows, views.front()->features());
  Index first = 0;
  for (const View* view : views) {
    all.middleRows(first, view->instances()) = std::get<Matrix>(view->values);
    first += view->instances();
  }
  return all;
}

SparseMatrix stacked_sparse(const std::vector<const View*>& views) {
  std::vector<Eigen::Triplet<double, int>> cells;
  int first = 0;
  for (const View* view : views) {
    for (int n = 0; n < view->sparse().rows(); ++n) {
      for (SparseMatrix::InnerIterator cell(view->sparse(), n); cell; ++cell) {
        cells.emplace_back(first + n, static_cast<int>(cell.col()), cell.value());
      }
    }
    first += static_cast<int>(view->instances());
  }
  SparseMatrix all(first, views.front()->features());
  all.setFromTriplets(cells.begin(), cells.end());
  return all;
}

View stacked(std::vector<const View*> views) {
  View all;
  all.name = views.front()->name;
  all.feature_names = views.front()->feature_names;
  all.offset = views.front()->offset;
  if (views.front()->is_sparse()) {
    all.values = stacked_sparse(views);
  } else if (views.front()->is_float()) {
    all.values = stacked<FloatMatrix>(views);
  } else {
    all.values = stacked<DenseMatrix>(views);
  }
  if (std::ranges::any_of(views, [](const View* view) { return !view->absent.empty(); })) {
    for (const View* view : views) {
      for (Index n = 0; n < view->instances(); ++n) all.absent.push_back(view->has(n) ? 0 : 1);
    }
  }
  return all;
}

}  // namespace

template <class Kind>
void transfer(Kind& archive, View& view) {
  view.own();
  auto kind = static_cast<std::uint64_t>(view.values.index());
  archive(view.name, view.feature_names, view.absent, view.offset, kind);
  if constexpr (Kind::reads) {
    if (kind == 0) view.values = DenseMatrix();
    if (kind == 1) view.values = SparseMatrix();
    if (kind == 2) view.values = FloatMatrix();
  }
  if (view.is_sparse()) {
    transfer_sparse(archive, view);
  } else {
    with_dense(view, [&](auto& values) { archive(values); });
  }
}

template <class Kind>
void transfer(Kind& archive, Labels& labels) {
  archive(labels.classes, labels.of);
}

template <class Kind>
void transfer(Kind& archive, Dataset& data) {
  bool has_labels = data.labels.has_value();
  archive(data.views, data.instance_names, has_labels);
  if (!has_labels) return;
  if (!data.labels) data.labels.emplace();
  archive(*data.labels);
}

Labels all_labels(Cluster& cluster, const Labels& own) {
  Labels all{own.classes, {}};
  for (const auto& each : values_of(cluster, own.of))
    std::ranges::copy(each, std::back_inserter(all.of));
  return all;
}

Dataset gathered(Cluster& cluster, Dataset own) {
  const std::vector<Dataset> parts = values_of(cluster, std::move(own));
  Dataset all;
  for (std::size_t v = 0; v < parts.front().views.size(); ++v) {
    std::vector<const View*> views;
    for (const Dataset& part : parts) views.push_back(&part.views[v]);
    all.views.push_back(stacked(std::move(views)));
  }
  for (const Dataset& part : parts) {
    std::ranges::copy(part.instance_names, std::back_inserter(all.instance_names));
    if (!part.labels) continue;
    if (!all.labels) all.labels.emplace(Labels{part.labels->classes, {}});
    std::ranges::copy(part.labels->of, std::back_inserter(all.labels->of));
  }
  return all;
}

}  // namespace m3lak
