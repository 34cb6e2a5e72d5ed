#include "data/formats/variables/variable_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "data/label_text.h"
#include "m3lak/error.h"

namespace m3lak {

namespace {

std::string list_of_variables(const VariableFile& file) {
  if (file.variables().empty()) return "The file holds no variables";
  std::vector<std::string> texts;
  for (const Variable& variable : file.variables()) {
    texts.push_back(
        variable.shape.empty() && variable.kind != VariableKind::numbers
            ? fmt::format("{} ({})", variable.name, variable.type)
            : fmt::format("{} ({} {})", variable.name, shape_text(variable.shape), variable.type));
    if (texts.size() == 50) break;
  }
  const std::size_t more = file.variables().size() - texts.size();
  return fmt::format("The file holds: {}{}", fmt::join(texts, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

const Variable& require(const VariableFile& file, const std::string& name,
                        std::string_view option) {
  if (const Variable* variable = file.find(name)) return *variable;
  throw BadData(fmt::format("{}: there is no variable '{}', which {} names. {}", file.path(), name,
                            option, list_of_variables(file)));
}

/// Throws BadData unless it is a matrix of numbers.
void require_matrix(const VariableFile& file, const Variable& variable) {
  if (variable.kind != VariableKind::numbers) {
    throw BadData(fmt::format("{}: is {}, but a matrix of numbers is needed", file.origin(variable),
                              variable.type));
  }
  if (variable.shape.size() > 2) {
    throw BadData(fmt::format(
        "{}: has the shape {}, but a matrix is needed, with one row an instance; reshape it",
        file.origin(variable), shape_text(variable.shape)));
  }
}

bool is_vector(const Variable& variable) {
  const auto large = std::count_if(variable.shape.begin(), variable.shape.end(),
                                   [](std::uint64_t size) { return size != 1; });
  return large <= 1;
}

std::vector<std::string> names(const VariableFile& file, const Variable& variable, Index expected,
                               std::string_view of) {
  if (variable.kind != VariableKind::text || !is_vector(variable)) {
    throw BadData(fmt::format("{}: is {} ({}), but a list of texts is needed, one for each {}",
                              file.origin(variable), shape_text(variable.shape), variable.type,
                              of));
  }
  std::vector<std::string> texts = file.texts(variable);
  if (static_cast<Index>(texts.size()) != expected) {
    throw BadData(fmt::format("{}: has {} names, but there are {} {}s", file.origin(variable),
                              texts.size(), expected, of));
  }
  return texts;
}

// ---- views ----

/// Whether all of each view is read, or what this process needs of it.
struct Extent {
  bool whole = true;
  Share share;
};

Table table_of(const VariableFile& file, const Variable& variable, std::string name,
               const Extent& extent) {
  require_matrix(file, variable);
  Table table;
  table.name = std::move(name);
  table.origin = file.origin(variable);
  if (extent.whole) {
    table.values = file.matrix(variable);
  } else {
    NamedMatrix own = file.own_rows(variable, extent.share);
    table.values = std::move(own.values);
    table.total = own.total;
  }
  return table;
}

std::vector<Table> tables_of_list(const VariableFile& file, const Variable& variable,
                                  const Extent& extent) {
  std::vector<Table> views;
  for (NamedMatrix& member :
       extent.whole ? file.members(variable) : file.own_members(variable, extent.share)) {
    Table table;
    table.name =
        member.name.empty() ? fmt::format("{}{}", variable.name, views.size() + 1) : member.name;
    table.origin = fmt::format("{}: {}", file.path(), member.origin);
    table.values = std::move(member.values);
    table.total = member.total;
    views.push_back(std::move(table));
  }
  if (views.empty()) {
    throw BadData(fmt::format("{}: has no members, but its members should be the views",
                              file.origin(variable)));
  }
  return views;
}

/// X1, X2, … by their numbers; with a small x only if there is none with a large one.
std::map<int, const Variable*> numbered(const VariableFile& file) {
  for (const char letter : {'X', 'x'}) {
    std::map<int, const Variable*> found;
    for (const Variable& variable : file.variables()) {
      const std::string& name = variable.name;
      int number = 0;
      const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
      if (name.size() > 1 && name[0] == letter && name[1] >= '1' && name[1] <= '9' &&
          error == std::errc() && end == name.data() + name.size()) {
        found[number] = &variable;
      }
    }
    if (!found.empty()) return found;
  }
  return {};
}

void note_gaps(const VariableFile& file, const std::map<int, const Variable*>& found,
               std::vector<std::string>& notes) {
  if (found.rbegin()->first == static_cast<int>(found.size())) return;
  std::vector<std::string> there;
  for (const auto& [number, variable] : found) there.push_back(variable->name);
  notes.push_back(fmt::format("{}: the views are {}; the numbers between are not there",
                              file.path(), fmt::join(there, ", ")));
}

std::vector<Table> find_views(const VariableFile& file, const DataSource& source,
                              const Extent& extent, std::vector<std::string>& notes) {
  std::vector<Table> views;
  if (!source.view_variables.empty()) {
    for (const std::string& name : source.view_variables) {
      const Variable& variable = require(file, name, "--view-variables");
      if (variable.kind == VariableKind::list) {
        std::ranges::move(tables_of_list(file, variable, extent), std::back_inserter(views));
      } else {
        views.push_back(table_of(file, variable, name, extent));
      }
    }
    return views;
  }
  if (const auto found = numbered(file); !found.empty()) {
    note_gaps(file, found, notes);
    for (const auto& [number, variable] : found) {
      views.push_back(table_of(file, *variable, variable->name, extent));
    }
    return views;
  }
  for (const char* name : {"X", "x", "views"}) {
    const Variable* variable = file.find(name);
    if (!variable) continue;
    if (variable->kind == VariableKind::list) return tables_of_list(file, *variable, extent);
    views.push_back(table_of(file, *variable, "", extent));
    return views;
  }
  throw BadData(
      fmt::format("{}: no variable X1, X2, … or X, so the views are not known; name them with "
                  "--view-variables A,B. {}",
                  file.path(), list_of_variables(file)));
}

// ---- labels ----

const Variable* label_variable(const VariableFile& file, const std::string& column) {
  if (!column.empty()) return &require(file, column, "--label-column");
  for (const char* name : {"y", "Y", "gt", "label", "labels", "truth", "target", "class"}) {
    if (const Variable* variable = file.find(name)) return variable;
  }
  return nullptr;
}

LabelTable labels_of(const VariableFile& file, const Variable& variable) {
  LabelTable labels;
  labels.origin = file.origin(variable);
  if (variable.kind != VariableKind::numbers && variable.kind != VariableKind::text) {
    throw BadData(
        fmt::format("{}: is {}, but labels are numbers or texts; name another variable "
                    "with --label-column. {}",
                    labels.origin, variable.type, list_of_variables(file)));
  }
  if (!is_vector(variable)) {
    throw BadData(fmt::format(
        "{}: has the shape {}, but labels are one value an instance; if this is one column a "
        "class, save the number of the column instead (argmax), or name another variable with "
        "--label-column",
        labels.origin, shape_text(variable.shape)));
  }
  if (variable.kind == VariableKind::text) {
    labels.texts = file.texts(variable);
    return labels;
  }
  const DenseMatrix values = std::visit(
      [](auto&& m) { return DenseMatrix(m.template cast<double>()); }, file.matrix(variable));
  for (const double value : values.reshaped<Eigen::RowMajor>()) {
    labels.texts.push_back(label_of_number(value, labels.origin));
  }
  return labels;
}

// ---- agreement ----

template <class Count>
bool all_are(const std::vector<Table>& views, Index number, const Count& count) {
  return std::all_of(views.begin(), views.end(),
                     [&](const Table& view) { return count(view) == number; });
}

Index rows_of(const Table& view) { return view.total.value_or(view.rows()); }
Index columns_of(const Table& view) { return column_count(view.values); }

/// How many instances the views have, if it is rows that are instances.
Index instances_of(const FileContents& contents) {
  return contents.labels ? static_cast<Index>(contents.labels->texts.size())
                         : rows_of(contents.views.front());
}

void transpose(Matrix& matrix) {
  std::visit([](auto& m) { m = std::decay_t<decltype(m)>(m.transpose()); }, matrix);
}

/// Brings views to one row an instance, and checks that they have as many rows as labels.
void orient(const VariableFile& file, FileContents& contents) {
  std::vector<Table>& views = contents.views;
  if (all_are(views, instances_of(contents), rows_of)) return;
  const Index instances = contents.labels ? instances_of(contents) : columns_of(views.front());
  if (all_are(views, instances, columns_of)) {
    for (Table& view : views) transpose(view.values);
    contents.notes.push_back(fmt::format(
        "{}: the {} columns of each view are taken as the instances: the rows do not agree{}",
        file.path(), instances, contents.labels ? " with the labels" : ""));
    return;
  }
  std::vector<std::string> shapes;
  for (const Table& view : views) {
    shapes.push_back(fmt::format("{} is {} × {}", view.origin.substr(file.path().size() + 2),
                                 rows_of(view), columns_of(view)));
  }
  throw BadData(
      fmt::format("{}: {}{}; each view must have one row an instance, all as many", file.path(),
                  fmt::join(shapes, ", "),
                  contents.labels ? fmt::format(", but there are {} labels", instances) : ""));
}

/// Which of its rows were read.
Block rows_here(const Table& view, Share share) {
  return view.total ? own_instances(*view.total, share) : Block{0, 0, view.rows()};
}

void add_names(const VariableFile& file, Share share, FileContents& contents) {
  std::vector<Table>& views = contents.views;
  if (const Variable* variable = file.find("instance_names")) {
    const auto ids = names(file, *variable, rows_of(views.front()), "instance");
    for (Table& view : views) {
      const Block own = rows_here(view, share);
      view.ids.assign(ids.begin() + own.begin, ids.begin() + own.end());
    }
    if (contents.labels) contents.labels->ids = ids;
  }
  if (const Variable* variable = file.find("view_names")) {
    auto view_names = names(file, *variable, static_cast<Index>(views.size()), "view");
    for (std::size_t v = 0; v < views.size(); ++v) views[v].name = std::move(view_names[v]);
  }
  for (std::size_t v = 0; v < views.size(); ++v) {
    if (const Variable* variable = file.find(fmt::format("feature_names_{}", v + 1))) {
      views[v].feature_names = names(file, *variable, column_count(views[v].values), "column");
    }
  }
}

/// Rows of instances that lack the view hold nothing.
void clear_absent(Table& view) {
  const auto lacks = [&](Index row) { return view.absent[static_cast<std::size_t>(row)] != 0; };
  std::visit(
      [&](auto& values) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(values)>, SparseMatrix>) {
          values.prune([&](Index row, Index, double) { return !lacks(row); });
        } else {
          for (Index row = 0; row < values.rows(); ++row) {
            if (lacks(row)) values.row(row).setZero();
          }
        }
      },
      view.values);
}

void add_missing(const VariableFile& file, Share share, std::vector<Table>& views) {
  const Variable* variable = file.find("missing");
  if (!variable) return;
  require_matrix(file, *variable);
  const Matrix matrix = file.matrix(*variable);
  const Index instances = rows_of(views.front());
  if (row_count(matrix) != instances || column_count(matrix) != static_cast<Index>(views.size())) {
    throw BadData(fmt::format(
        "{}: is {} × {}, but there are {} instances and {} views; it says which instances "
        "(rows) lack which views (columns)",
        file.origin(*variable), row_count(matrix), column_count(matrix), instances, views.size()));
  }
  const DenseMatrix missing =
      std::visit([](const auto& m) { return DenseMatrix(m.template cast<double>()); }, matrix);
  for (std::size_t v = 0; v < views.size(); ++v) {
    const Block own = rows_here(views[v], share);
    const auto column = missing.col(static_cast<Index>(v)).segment(own.begin, own.size);
    if ((column.array() == 0.0).all()) continue;
    views[v].absent.resize(static_cast<std::size_t>(own.size));
    std::ranges::transform(column, views[v].absent.begin(),
                           [](double flag) { return std::uint8_t{flag != 0.0}; });
    clear_absent(views[v]);
  }
}

}  // namespace

const Variable* VariableFile::find(std::string_view name) const {
  const auto found = std::ranges::find(variables_, name, &Variable::name);
  return found == variables_.end() ? nullptr : &*found;
}

FileContents read_variables(const VariableFile& file, const ReadContext& context) {
  FileContents contents;
  const Extent extent{context.source.ranks == 1, context.share()};
  contents.views = find_views(file, context.source, extent, contents.notes);
  // If there is a file of labels, the name of their column is meant for that file.
  const DataSource& source = context.source;
  const Variable* variable = source.labels ? nullptr : label_variable(file, source.label_column);
  if (variable) contents.labels = labels_of(file, *variable);
  if (!extent.whole && !all_are(contents.views, instances_of(contents), rows_of)) {
    contents.notes.clear();  // it is columns that are instances, perhaps
    contents.views = find_views(file, context.source, {}, contents.notes);
  }
  orient(file, contents);
  add_names(file, extent.share, contents);
  add_missing(file, extent.share, contents.views);
  return contents;
}

LabelTable read_variable_labels(const VariableFile& file, const ReadContext& context) {
  const Variable* variable = label_variable(file, context.source.label_column);
  if (!variable) {
    throw BadData(
        fmt::format("{}: no variable y, label, …, so the labels are not known; name them "
                    "with --label-column. {}",
                    file.path(), list_of_variables(file)));
  }
  LabelTable labels = labels_of(file, *variable);
  if (const Variable* ids = file.find("instance_names")) {
    labels.ids = names(file, *ids, static_cast<Index>(labels.texts.size()), "label");
  }
  return labels;
}

std::string label_of_number(double value, const std::string& origin) {
  if (std::isnan(value)) return "";
  constexpr double exact = 9007199254740992.0;  // 2^53: from here on, doubles skip whole numbers
  if (std::isfinite(value) && std::abs(value) >= exact) {
    throw BadData(fmt::format(
        "{}: the label {} is too large to be told from its neighbours; save the labels as texts",
        origin, value));
  }
  return label_text(value);
}

}  // namespace m3lak
