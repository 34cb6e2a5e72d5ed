#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/dense_view.h"
#include "data/formats/csv/csv.h"
#include "data/formats/text/text_writer.h"

namespace m3lak {

namespace {

/// Writes one table, cell by cell.
class CsvWriter {
 public:
  CsvWriter(const std::filesystem::path& path, char delimiter, Index columns)
      : writer_(path), delimiter_(delimiter), columns_(columns) {}

  void add(std::string_view text) {
    // An empty cell that is alone in its line would leave the line blank.
    writer_.add(text.empty() && columns_ == 1 ? "\"\"" : csv_cell(text, delimiter_));
    end_cell();
  }

  void add(double value) {
    if (std::isnan(value)) return add("");
    writer_.add(value);
    end_cell();
  }

  void close() { writer_.close(); }

 private:
  void end_cell() {
    written_ = (written_ + 1) % columns_;
    writer_.add(written_ == 0 ? '\n' : delimiter_);
  }

  TextWriter writer_;
  char delimiter_;
  Index columns_;
  Index written_ = 0;  // cells of the current row
};

/// One row of the view, its zeros and offset included.
Vector row_of(const View& view, Index row) {
  Vector values = view.is_sparse() ? Vector(view.sparse().row(row).transpose())
                                   : with_dense(view, [&](const auto& dense) -> Vector {
                                       return dense.row(row).transpose().template cast<double>();
                                     });
  if (view.offset.size() > 0) values -= view.offset;
  return values;
}

}  // namespace

std::string csv_cell(std::string_view text, char delimiter) {
  const bool plain = text.empty() || (text.front() != ' ' && text.back() != ' ' &&
                                      text.find(delimiter) == text.npos &&
                                      text.find_first_of("\"\t\r\n") == text.npos);
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

bool needs_instance_names(const Dataset& data) {
  return !data.instance_names.empty() ||
         std::any_of(data.views.begin(), data.views.end(),
                     [](const View& view) { return view.absent_count() > 0; });
}

std::string instance_name(const Dataset& data, Index row) {
  if (data.instance_names.empty()) return fmt::format("i{}", row + 1);
  return data.instance_names[static_cast<std::size_t>(row)];
}

void write_csv(const Dataset& data, Index view_index, const std::filesystem::path& path,
               char delimiter) {
  const View& view = data.views[static_cast<std::size_t>(view_index)];
  const bool has_ids = needs_instance_names(data);
  CsvWriter writer(path, delimiter, view.features() + (has_ids ? 1 : 0));
  if (has_ids) writer.add("id");
  for (Index feature = 0; feature < view.features(); ++feature) {
    writer.add(view.feature_names.empty() ? fmt::format("f{}", feature + 1)
                                          : view.feature_names[static_cast<std::size_t>(feature)]);
  }
  for (Index row = 0; row < view.instances(); ++row) {
    if (!view.has(row)) continue;
    if (has_ids) writer.add(instance_name(data, row));
    for (const double value : row_of(view, row)) writer.add(value);
  }
  writer.close();
}

void write_csv_labels(const Dataset& data, const std::filesystem::path& path, char delimiter) {
  const bool has_ids = needs_instance_names(data);
  CsvWriter writer(path, delimiter, has_ids ? 2 : 1);
  if (has_ids) writer.add("id");
  writer.add("label");
  for (std::size_t row = 0; row < data.labels->of.size(); ++row) {
    if (has_ids) writer.add(instance_name(data, static_cast<Index>(row)));
    const int label = data.labels->of[row];
    const bool is_known = label != Labels::unknown;
    writer.add(is_known ? data.labels->classes[static_cast<std::size_t>(label)] : "");
  }
  writer.close();
}

}  // namespace m3lak
