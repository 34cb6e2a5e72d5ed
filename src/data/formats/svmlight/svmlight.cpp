#include "data/formats/svmlight/svmlight.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "data/formats/svmlight/svmlight_line.h"

namespace m3lak {

namespace {

/// The lines of one piece, in compressed rows.
struct Rows {
  std::vector<int> sizes, indices;
  std::vector<double> values;
  std::vector<std::string> labels;
  int smallest = std::numeric_limits<int>::max(), largest = -1;  // index, zeros included
};

/// The lines of a text that are not blank, one after the other.
template <class Work>
void for_each_line(std::string_view text, const Work& work) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = record_end(text, at, Quotes::mean_nothing);
    const SvmlightLine line = parse_svmlight_line(text.substr(at, next - at));
    if (!line.is_empty() && !work(line, text.data() + at)) return;
    at = next;
  }
}

/// Whether the first instance has a label. Then all must have one.
bool starts_with_label(const TextFile& file) {
  std::optional<bool> has_label;
  for_each_line(file.text(), [&](const SvmlightLine& line, const char*) {
    has_label = line.label.has_value();
    return false;
  });
  if (!has_label) throw BadData(file.origin() + ": there are no data lines");
  return *has_label;
}

Rows read_piece(std::string_view piece, bool has_labels, bool refuse_missing) {
  Rows rows;
  for_each_line(piece, [&](const SvmlightLine& line, const char* place) {
    if (line.label.has_value() != has_labels) {
      throw TextFault{place, has_labels ? "no label, but the lines before it have one"
                                        : fmt::format("a label, {}, but the lines before it have "
                                                      "none",
                                                      shown(*line.label))};
    }
    if (has_labels) rows.labels.emplace_back(*line.label);
    const std::size_t before = rows.values.size();
    for (const SvmlightCell& cell : line.cells) {
      rows.smallest = std::min(rows.smallest, cell.index);
      rows.largest = std::max(rows.largest, cell.index);
      if (refuse_missing && std::isnan(cell.value)) {
        throw TextFault{place, fmt::format("the value of index {} is missing; give a number, or "
                                           "leave out --no-missing-cells",
                                           cell.index)};
      }
      if (cell.value == 0) continue;
      rows.indices.push_back(cell.index);
      rows.values.push_back(cell.value);
    }
    rows.sizes.push_back(static_cast<int>(rows.values.size() - before));
    return true;
  });
  return rows;
}

/// Where each piece starts in the whole, and its end.
struct Starts {
  std::vector<std::size_t> rows{0}, cells{0};

  explicit Starts(const std::vector<Rows>& pieces) {
    for (const Rows& piece : pieces) {
      rows.push_back(rows.back() + piece.sizes.size());
      cells.push_back(cells.back() + piece.values.size());
    }
  }
};

SparseMatrix assemble(const std::vector<Rows>& pieces, const Starts& starts, int base, int largest,
                      Workers& workers) {
  SparseMatrix matrix(static_cast<Index>(starts.rows.back()), largest - base + 1);
  matrix.resizeNonZeros(static_cast<Index>(starts.cells.back()));
  workers.run(static_cast<Index>(pieces.size()), [&](Index p) {
    const Rows& piece = pieces[static_cast<std::size_t>(p)];
    const std::size_t first_row = starts.rows[static_cast<std::size_t>(p)];
    const std::size_t first_cell = starts.cells[static_cast<std::size_t>(p)];
    int* row_start = matrix.outerIndexPtr() + first_row;
    auto cell = static_cast<int>(first_cell);
    for (const int size : piece.sizes) {
      *row_start++ = cell;
      cell += size;
    }
    std::transform(piece.indices.begin(), piece.indices.end(), matrix.innerIndexPtr() + first_cell,
                   [&](int index) { return index - base; });
    std::copy(piece.values.begin(), piece.values.end(), matrix.valuePtr() + first_cell);
  });
  matrix.outerIndexPtr()[starts.rows.back()] = static_cast<int>(starts.cells.back());
  return matrix;
}

}  // namespace

FileContents read_svmlight(const std::filesystem::path& path, const ReadContext& context,
                           std::size_t piece_size) {
  const TextFile file(path);
  return with_line_numbers(file, [&] {
    const bool has_labels = starts_with_label(file);
    const auto texts =
        cut_at_records(file.text(), Quotes::mean_nothing, piece_size, context.workers);
    std::vector<Rows> pieces(texts.size());
    context.workers.run(static_cast<Index>(texts.size()), [&](Index i) {
      const auto p = static_cast<std::size_t>(i);
      pieces[p] = read_piece(texts[p], has_labels, context.source.refuse_missing_cells);
    });

    int smallest = std::numeric_limits<int>::max(), largest = -1;
    for (const Rows& piece : pieces) {
      smallest = std::min(smallest, piece.smallest);
      largest = std::max(largest, piece.largest);
    }
    const Starts starts(pieces);
    if (largest < 0) throw BadData(file.origin() + ": no line has an index:value");
    if (starts.cells.back() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw BadData(fmt::format("{}: {} values are more than a sparse view can hold (2147483647)",
                                file.origin(), starts.cells.back()));
    }

    FileContents contents;
    Table& table = contents.views.emplace_back();
    table.origin = file.origin();
    table.values = assemble(pieces, starts, std::min(smallest, 1), largest, context.workers);
    if (smallest == 0) contents.notes.push_back(file.origin() + ": indices start at 0");
    if (has_labels) {
      LabelTable& labels = contents.labels.emplace();
      labels.origin = file.origin();
      for (Rows& piece : pieces) {
        std::move(piece.labels.begin(), piece.labels.end(), std::back_inserter(labels.texts));
      }
    }
    return contents;
  });
}

}  // namespace m3lak
