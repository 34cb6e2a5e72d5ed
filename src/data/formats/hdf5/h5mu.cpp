#include "data/formats/hdf5/h5mu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "data/formats/hdf5/hdf5_file.h"
#include "data/formats/variables/variable_file.h"
#include "m3lak/error.h"

namespace m3lak {

namespace fs = std::filesystem;

namespace {

/// A data frame as AnnData keeps it: a group with one member a column, one of them the index.
class Frame {
 public:
  Frame(const Hdf5File& file, std::string object) : file_(file), object_(std::move(object)) {
    if (!file_.is_group(object_)) {
      throw BadData(fmt::format(
          "{}: {}; write the file with a current version of anndata or mudata",
          file_.origin(object_),
          file_.has(object_) ? "is a table of the time before AnnData 0.7" : "is not there"));
    }
    const auto name = file_.text_attribute(object_, "_index");
    index_ = name && name->size() == 1 ? name->front() : "_index";
  }

  std::vector<std::string> index() const { return column(index_); }

  std::vector<std::string> columns() const {
    std::vector<std::string> names = file_.members(object_);
    std::erase_if(
        names, [&](const std::string& name) { return name == index_ || name == "__categories"; });
    return names;
  }

  bool has(const std::string& name) const {
    return name.find('/') == std::string::npos && file_.has(object_ + "/" + name);
  }

  std::vector<std::string> column(const std::string& name) const {
    const std::string object = object_ + "/" + name;
    if (!file_.has(object)) {
      throw BadData(fmt::format("{}: is not there, but the table needs it", file_.origin(object)));
    }
    const std::string old_categories = object_ + "/__categories/" + name;
    if (file_.has(old_categories)) return categorical(object, old_categories);
    if (file_.is_dataset(object)) return plain(object);
    if (file_.has(object + "/codes")) return categorical(object + "/codes", object + "/categories");
    if (file_.has(object + "/values")) return nullable(object);
    throw BadData(
        fmt::format("{}: is a column of a kind that is not read; make it categorical, "
                    "text or numbers",
                    file_.origin(object)));
  }

 private:
  std::vector<std::string> plain(const std::string& object) const {
    if (file_.describe(object).is_text) return file_.texts(object);
    std::vector<std::string> texts;
    for (const double value : file_.numbers(object)) {
      texts.push_back(label_of_number(value, file_.origin(object)));
    }
    return texts;
  }

  std::vector<std::string> categorical(const std::string& codes,
                                       const std::string& categories) const {
    const std::vector<std::string> names = plain(categories);
    std::vector<std::string> texts;
    for (const std::int64_t code : file_.integers(codes)) {
      if (code >= static_cast<std::int64_t>(names.size())) {
        throw BadData(fmt::format("{}: the code {} is there, but only {} categories",
                                  file_.origin(codes), code, names.size()));
      }
      texts.push_back(code < 0 ? "" : names[static_cast<std::size_t>(code)]);
    }
    return texts;
  }

  std::vector<std::string> nullable(const std::string& object) const {
    std::vector<std::string> texts = plain(object + "/values");
    const std::vector<double> mask = file_.numbers(object + "/mask");
    if (mask.size() != texts.size()) {
      throw BadData(fmt::format("{}: has {} values, but a mask of {}", file_.origin(object),
                                texts.size(), mask.size()));
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (mask[i] != 0) texts[i].clear();
    }
    return texts;
  }

  const Hdf5File& file_;
  std::string object_, index_;
};

/// An open .h5mu or .h5ad file.
class MultiModal {
 public:
  explicit MultiModal(const fs::path& path) : path_(path.string()), file_(path) {
    if (!file_.is_group("/mod")) {
      if (!file_.has("/X") || !file_.has("/obs")) {
        throw BadData(fmt::format(
            "{}: has neither modalities (/mod) nor a matrix with its table (/X, /obs); it was not "
            "written by mudata or anndata",
            path_));
      }
      return;
    }
    names_ = file_.members("/mod");
    const auto order = file_.text_attribute("/mod", "mod-order");
    if (order && std::ranges::is_permutation(*order, names_)) names_ = *order;
    if (names_.empty()) throw BadData(fmt::format("{}: /mod has no modalities", path_));
  }

  std::vector<Table> views() const {
    if (names_.empty()) return {view("", "")};
    std::vector<Table> views;
    for (const std::string& name : names_) views.push_back(view(name, "/mod/" + name));
    return views;
  }

  LabelTable labels(const std::string& column) const {
    LabelTable labels;
    const auto take = [&](const std::string& object, const std::string& name) {
      const Frame obs(file_, object);
      labels.origin = file_.origin(object + "/" + name);
      labels.texts = obs.column(name);
      labels.ids = obs.index();
      if (labels.ids.size() != labels.texts.size()) {
        throw BadData(fmt::format("{}: has {} values, but the table has {} rows", labels.origin,
                                  labels.texts.size(), labels.ids.size()));
      }
      return labels;
    };
    if (file_.has("/obs") && Frame(file_, "/obs").has(column)) return take("/obs", column);
    std::vector<std::string> holders;
    for (const std::string& name : names_) {
      const std::string object = "/mod/" + name + "/obs";
      if (column.starts_with(name + ":")) {
        const std::string rest = column.substr(name.size() + 1);
        if (Frame(file_, object).has(rest)) return take(object, rest);
      }
      if (Frame(file_, object).has(column)) holders.push_back(object);
    }
    if (holders.size() == 1) return take(holders.front(), column);
    if (holders.size() > 1) {
      throw BadData(fmt::format(
          "{}: '{}' is a column of several modalities; say which one: --label-column {}:{}", path_,
          column, names_.front(), column));
    }
    throw BadData(fmt::format("{}: obs has no column '{}', which --label-column names. {}", path_,
                              column, list_of_columns()));
  }

  std::string list_of_columns() const {
    std::vector<std::string> all;
    if (file_.has("/obs")) all = Frame(file_, "/obs").columns();
    for (const std::string& name : names_) {
      for (const std::string& column : Frame(file_, "/mod/" + name + "/obs").columns()) {
        const std::string full = name + ":" + column;
        if (std::ranges::find(all, full) == all.end()) all.push_back(full);
      }
    }
    return all.empty() ? "There are no columns"
                       : fmt::format("The columns are: {}", fmt::join(all, ", "));
  }

 private:
  Table view(const std::string& name, const std::string& object) const {
    const std::string matrix = object + "/X";
    if (!file_.has(matrix)) {
      throw BadData(
          fmt::format("{}: the modality '{}' has no matrix X; give it one, or remove the modality",
                      path_, name));
    }
    Table table;
    table.name = name;
    table.origin = file_.origin(matrix);
    table.values = file_.matrix(matrix);
    table.ids = Frame(file_, object + "/obs").index();
    table.feature_names = Frame(file_, object + "/var").index();
    const auto rows = static_cast<std::size_t>(row_count(table.values));
    const auto columns = static_cast<std::size_t>(column_count(table.values));
    if (table.ids.size() != rows || table.feature_names.size() != columns) {
      throw BadData(fmt::format("{}: is {} × {}, but obs has {} rows and var {}", table.origin,
                                rows, columns, table.ids.size(), table.feature_names.size()));
    }
    return table;
  }

  std::string path_;
  Hdf5File file_;
  std::vector<std::string> names_;  // of the modalities; none in .h5ad
};

}  // namespace

bool is_h5mu(const fs::path& path) {
  const Hdf5File file(path);
  return file.is_group("/mod") || (file.has("/X") && file.is_group("/obs") && file.has("/var"));
}

FileContents read_h5mu(const fs::path& path, const ReadContext& context) {
  const MultiModal file(path);
  const DataSource& source = context.source;
  FileContents contents;
  contents.views = file.views();
  // If there is a file of labels, the name of their column is meant for that file.
  if (source.labels) return contents;
  if (!source.label_column.empty()) {
    contents.labels = file.labels(source.label_column);
  } else {
    contents.notes.push_back(
        fmt::format("{}: no labels, as --label-column does not name a column of obs. {}",
                    path.string(), file.list_of_columns()));
  }
  return contents;
}

LabelTable read_h5mu_labels(const fs::path& path, const ReadContext& context) {
  const MultiModal file(path);
  if (context.source.label_column.empty()) {
    throw BadUsage(
        fmt::format("{}: name the column of obs that holds the labels: --label-column. {}",
                    path.string(), file.list_of_columns()));
  }
  return file.labels(context.source.label_column);
}

}  // namespace m3lak
