#include <fmt/format.h>

#include "data/dense_view.h"
#include "data/formats/svmlight/svmlight.h"
#include "data/formats/text/text_writer.h"

namespace m3lak {

namespace {

BadUsage cannot_hold(const std::filesystem::path& path, const std::string& what) {
  return BadUsage(
      fmt::format("{}: the svmlight format cannot hold {}; choose another one (csv, npz, mat, h5)",
                  path.string(), what));
}

void refuse_what_is_lost(const Dataset& data, const View& view, const std::filesystem::path& path) {
  if (view.absent_count() > 0) throw cannot_hold(path, "instances that lack the view");
  if (view.missing_cells() > 0) throw cannot_hold(path, "missing cells");
  if (view.offset.size() > 0) throw cannot_hold(path, "a sparse view that is centred");
  if (!data.labels) return;
  if (data.labels->unknown_count() > 0) {
    throw cannot_hold(path, "unknown labels beside known ones");
  }
  for (const std::string& name : data.labels->classes) {
    if (name.empty() || name.find_first_of(" \t\r\n#:") != name.npos) {
      throw cannot_hold(path, fmt::format("the label '{}', which has blanks, '#' or ':'", name));
    }
  }
}

/// Writes one line, a word after the other.
class Line {
 public:
  explicit Line(TextWriter& writer) : writer_(writer) {}

  void add(std::string_view word) {
    if (!is_empty_) writer_.add(' ');
    writer_.add(word);
    is_empty_ = false;
  }

  void add(Index column, double value) {
    add(std::to_string(column + 1));
    writer_.add(':');
    writer_.add(value);
    last_column_ = column;
  }

  bool is_empty() const { return is_empty_; }
  Index last_column() const { return last_column_; }

 private:
  TextWriter& writer_;
  bool is_empty_ = true;
  Index last_column_ = -1;
};

template <class Dense>
void add_cells(Line& line, const Dense& values, Index row) {
  for (Index column = 0; column < values.cols(); ++column) {
    if (values(row, column) != 0) line.add(column, static_cast<double>(values(row, column)));
  }
}

void add_cells(Line& line, const SparseMatrix& values, Index row) {
  for (SparseMatrix::InnerIterator cell(values, row); cell; ++cell) {
    if (cell.value() != 0) line.add(cell.col(), cell.value());
  }
}

}  // namespace

void write_svmlight(const Dataset& data, Index view_index, const std::filesystem::path& path) {
  const View& view = data.views[static_cast<std::size_t>(view_index)];
  refuse_what_is_lost(data, view, path);
  TextWriter writer(path);
  const Index last = view.features() - 1;
  for (Index row = 0; row < view.instances(); ++row) {
    Line line(writer);
    if (data.labels) {
      const int label = data.labels->of[static_cast<std::size_t>(row)];
      line.add(data.labels->classes[static_cast<std::size_t>(label)]);
    }
    if (view.is_sparse()) {
      add_cells(line, view.sparse(), row);
    } else {
      with_dense(view, [&](const auto& values) { add_cells(line, values, row); });
    }
    const bool shows_width = row > 0 || line.last_column() == last;
    if (!shows_width || line.is_empty()) line.add(last, 0.0);
    writer.add('\n');
  }
  writer.close();
}

}  // namespace m3lak
