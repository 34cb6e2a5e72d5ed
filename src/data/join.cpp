#include "data/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "m3lak/error.h"

namespace m3lak {

namespace {

using Places = std::unordered_map<std::string, Index>;  // where each name stands

/// Throws if a name occurs twice.
Places places_of(const std::vector<std::string>& ids, const std::string& origin) {
  Places places;
  places.reserve(ids.size());
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const auto [place, is_new] = places.emplace(ids[row], static_cast<Index>(row));
    if (!is_new) {
      throw BadData(
          fmt::format("{}: the name '{}' occurs twice, in data rows {} and {}; names of instances "
                      "must differ (or say --id-column none if that column does not name them)",
                      origin, ids[row], place->second + 1, row + 1));
    }
  }
  return places;
}

/// Row n of the result is row source[n] of the matrix, or empty where source[n] is -1.
template <class Dense>
Dense spread(const Dense& values, const std::vector<Index>& source) {
  Dense result = Dense::Zero(static_cast<Index>(source.size()), values.cols());
  for (std::size_t n = 0; n < source.size(); ++n) {
    if (source[n] >= 0) result.row(static_cast<Index>(n)) = values.row(source[n]);
  }
  return result;
}

SparseMatrix spread(const SparseMatrix& values, const std::vector<Index>& source) {
  SparseMatrix result(static_cast<Index>(source.size()), values.cols());
  result.reserve(values.nonZeros());
  for (std::size_t n = 0; n < source.size(); ++n) {
    result.startVec(static_cast<Index>(n));
    if (source[n] < 0) continue;
    for (SparseMatrix::InnerIterator cell(values, source[n]); cell; ++cell) {
      result.insertBack(static_cast<Index>(n), cell.col()) = cell.value();
    }
  }
  result.finalize();
  return result;
}

/// The view of instances `names`, whose rows stand at `places` in the table.
View aligned_view(Table&& table, const std::vector<std::string>& names, const Places& places) {
  if (table.ids == names) return view_of(std::move(table));
  std::vector<Index> source;
  std::vector<std::uint8_t> absent;
  source.reserve(names.size());
  absent.reserve(names.size());
  for (const std::string& name : names) {
    const auto place = places.find(name);
    const Index row = place == places.end() ? -1 : place->second;
    source.push_back(row);
    absent.push_back(row < 0 ||
                     (!table.absent.empty() && table.absent[static_cast<std::size_t>(row)] != 0));
  }
  std::visit([&](const auto& matrix) { table.values = ReadMatrix(spread(matrix, source)); },
             table.values);
  table.absent = std::move(absent);
  return view_of(std::move(table));
}

/// The label of each instance; those that the labels do not name are unknown.
std::vector<std::string> aligned_labels(const LabelTable& labels,
                                        const std::vector<std::string>& names,
                                        std::vector<std::string>& notes) {
  if (labels.ids == names) return labels.texts;
  const Places places = places_of(labels.ids, labels.origin);
  std::vector<std::string> texts;
  std::size_t found = 0;
  for (const std::string& name : names) {
    const auto place = places.find(name);
    if (place == places.end()) {
      texts.emplace_back();
    } else {
      texts.push_back(labels.texts[static_cast<std::size_t>(place->second)]);
      ++found;
    }
  }
  if (found == 0) {
    throw BadData(
        fmt::format("{}: its labels are for other instances than the data: no name occurs in both "
                    "(first in the labels: '{}', first in the data: '{}'); check --id-column",
                    labels.origin, labels.ids.front(), names.front()));
  }
  if (found < names.size()) {
    notes.push_back(fmt::format("{}: {} of {} instances have no label there: taken as unknown",
                                labels.origin, names.size() - found, names.size()));
  }
  if (found < labels.ids.size()) {
    notes.push_back(fmt::format("{}: {} of {} labels are for instances without data: left out",
                                labels.origin, labels.ids.size() - found, labels.ids.size()));
  }
  return texts;
}

Dataset join_by_name(std::vector<Table> views, const std::optional<LabelTable>& labels,
                     const std::vector<std::string>& unknown_labels,
                     std::vector<std::string>& notes) {
  Dataset data;
  std::vector<Places> places;
  Places known;
  for (const Table& table : views) {
    places.push_back(places_of(table.ids, table.origin));
    for (const std::string& id : table.ids) {
      if (known.emplace(id, 0).second) data.instance_names.push_back(id);
    }
  }
  std::size_t in_all = 0;
  for (const std::string& name : data.instance_names) {
    in_all += std::all_of(places.begin(), places.end(),
                          [&](const Places& view) { return view.contains(name); });
  }
  if (in_all == 0) {
    notes.push_back(
        "no instance has all views: if that is not meant, check that the views spell the names of "
        "instances alike");
  }
  for (std::size_t v = 0; v < views.size(); ++v) {
    data.views.push_back(aligned_view(std::move(views[v]), data.instance_names, places[v]));
  }
  if (labels) {
    data.labels =
        Labels::from_texts(aligned_labels(*labels, data.instance_names, notes), unknown_labels);
  }
  return data;
}

Dataset join_by_place(std::vector<Table> views, const std::optional<LabelTable>& labels,
                      const std::vector<std::string>& unknown_labels) {
  Dataset data;
  for (const Table& table : views) {
    if (table.rows() != views.front().rows()) {
      throw BadData(
          fmt::format("{} has {} rows and {} has {}: views must describe the same instances; if "
                      "all files name their rows, join them by name (--id-column)",
                      views.front().origin, views.front().rows(), table.origin, table.rows()));
    }
  }
  if (labels && static_cast<Index>(labels->texts.size()) != views.front().rows()) {
    throw BadData(fmt::format(
        "{} has {} labels, but {} has {} rows: the labels are for other rows than the "
        "data; if all files name their rows, join them by name (--id-column)",
        labels->origin, labels->texts.size(), views.front().origin, views.front().rows()));
  }
  // Names in some files only: they must at least agree with each other.
  const std::vector<std::string>* names = nullptr;
  std::string named_by;
  const auto agree = [&](const std::vector<std::string>& ids, const std::string& origin) {
    if (ids.empty()) return;
    places_of(ids, origin);
    if (names == nullptr) {
      names = &ids;
      named_by = origin;
    } else if (ids != *names) {
      throw BadData(
          fmt::format("{} and {} name their rows in different order, and another file does not "
                      "name its rows: add the names to all files, or say --id-column none to take "
                      "rows as they come",
                      named_by, origin));
    }
  };
  for (const Table& table : views) agree(table.ids, table.origin);
  if (labels) agree(labels->ids, labels->origin);
  if (names != nullptr) data.instance_names = *names;

  for (Table& table : views) data.views.push_back(view_of(std::move(table)));
  if (labels) data.labels = Labels::from_texts(labels->texts, unknown_labels);
  return data;
}

}  // namespace

Index Table::rows() const {
  return std::visit(
      [&]<class Kept>(const Kept& kept) {
        if constexpr (std::is_same_v<Kept, std::monostate>) {
          return std::visit([](const auto& matrix) { return Index{matrix.rows()}; }, values);
        } else {
          return kept.rows();
        }
      },
      in_file);
}

void name_views(std::vector<Table>& views) {
  std::unordered_map<std::string, std::string> origins;
  for (std::size_t v = 0; v < views.size(); ++v) {
    if (views[v].name.empty()) views[v].name = fmt::format("view{}", v + 1);
    const auto [other, is_new] = origins.emplace(views[v].name, views[v].origin);
    if (!is_new) {
      throw BadData(
          fmt::format("{} and {} are both called '{}': name them yourself (--view NAME=FILE)",
                      other->second, views[v].origin, views[v].name));
    }
  }
}

View view_of(Table&& table) {
  View view;
  view.name = std::move(table.name);
  std::visit([&](auto& matrix) { view.values = std::move(matrix); }, table.values);
  std::visit(
      [&]<class Kept>(Kept& kept) {
        if constexpr (!std::is_same_v<Kept, std::monostate>) view.values = std::move(kept);
      },
      table.in_file);
  view.feature_names = std::move(table.feature_names);
  view.absent = std::move(table.absent);
  return view;
}

Dataset join(std::vector<Table> views, std::optional<LabelTable> labels,
             const std::vector<std::string>& unknown_labels, std::vector<std::string>& notes) {
  name_views(views);
  const bool all_named = std::all_of(views.begin(), views.end(),
                                     [](const Table& table) { return !table.ids.empty(); }) &&
                         (!labels || !labels->ids.empty());
  Dataset data = all_named ? join_by_name(std::move(views), labels, unknown_labels, notes)
                           : join_by_place(std::move(views), labels, unknown_labels);
  data.settle();
  return data;
}

}  // namespace m3lak
