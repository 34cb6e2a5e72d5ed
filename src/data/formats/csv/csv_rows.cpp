#include "data/formats/csv/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "data/formats/text/text_number.h"

namespace m3lak {

namespace {

using Kind = TextNumber::Kind;

/// Reads the records of one piece into their rows.
class PieceReader {
 public:
  PieceReader(std::string_view piece, const CsvPlan& plan, bool refuse_missing, CsvRows& rows)
      : plan_(plan), refuse_missing_(refuse_missing), rows_(rows), cursor_(piece, plan.dialect) {}

  void read(Index first_row) {
    const Block own = rows_.own;
    for (Index row = first_row; cursor_.next_record(); ++row) {
      row >= own.begin&& row < own.end() ? read_record(row) : read_label(row);
    }
  }

 private:
  void read_record(Index row);
  void read_label(Index row);
  void read_cell(std::size_t column, Index row, double*& value);
  double read_value(std::size_t column);

  void check_width() const;
  std::string about_value(std::size_t column, std::string_view cell, Kind kind) const;
  bool is_first_line() const;

  const CsvPlan& plan_;
  const bool refuse_missing_;
  CsvRows& rows_;
  CsvCursor cursor_;
  const char* record_ = nullptr;  // where the current one starts
};

void PieceReader::read_record(Index row) {
  record_ = cursor_.place();
  double* value = rows_.values.data() + (row - rows_.own.begin) * rows_.values.cols();
  for (std::size_t column = 0; column < plan_.columns(); ++column) {
    if (!cursor_.more()) check_width();
    read_cell(column, row, value);
  }
  if (cursor_.more()) check_width();
}

/// All that is wanted of a row that another process reads.
void PieceReader::read_label(Index row) {
  record_ = cursor_.place();
  if (const auto label = plan_.column_of(ColumnRole::label)) {
    for (std::size_t column = 0; column <= *label; ++column) {
      if (!cursor_.more()) check_width();
      const std::string_view cell = cursor_.read_cell();
      if (column == *label) rows_.labels[static_cast<std::size_t>(row)] = cell;
    }
    if (!cursor_.more()) return;
  }
  cursor_.skip_record();
}

void PieceReader::read_cell(std::size_t column, Index row, double*& value) {
  const auto n = static_cast<std::size_t>(row - rows_.own.begin);
  switch (plan_.roles[column]) {
    case ColumnRole::feature:
      if (!cursor_.read_number(*value)) *value = read_value(column);
      ++value;
      return;
    case ColumnRole::id:
      rows_.ids[n] = cursor_.read_cell();
      if (rows_.ids[n].empty()) {
        throw TextFault{record_, plan_.describe(column) +
                                     ": the name of the instance is empty; give it one, or say "
                                     "--id-column none"};
      }
      return;
    case ColumnRole::label:
      rows_.labels[static_cast<std::size_t>(row)] = cursor_.read_cell();
      return;
    case ColumnRole::unused:
      cursor_.read_cell();
      return;
    case ColumnRole::always_empty:
      const std::string_view cell = cursor_.read_cell();
      if (!cell.empty()) {
        throw TextFault{record_, fmt::format("{}: {} in a column without a name that is empty in "
                                             "the first lines; give the column a name",
                                             plan_.describe(column), shown(cell))};
      }
      return;
  }
}

/// A cell that is not plainly a number.
double PieceReader::read_value(std::size_t column) {
  const char* place = cursor_.place();
  const std::string_view cell = cursor_.read_cell();
  const TextNumber number = parse_number(cell);
  if (number.kind == Kind::number || (number.kind == Kind::missing && !refuse_missing_)) {
    return number.value;
  }
  const std::string message = about_value(column, cell, number.kind);
  check_width();  // a delimiter too many or too few is often why a cell is where it is
  throw TextFault{place, message};
}

std::string PieceReader::about_value(std::size_t column, std::string_view cell, Kind kind) const {
  const std::string where = plan_.describe(column) + ": ";
  if (kind == Kind::missing) {
    return where + "the value is missing; give a number, or leave out --no-missing-cells";
  }
  if (kind == Kind::infinite) {
    return where + shown(cell) +
           " is not finite; give a number, or leave the cell empty if it is not known";
  }
  const std::string problem = where + shown(cell) + " is no number; ";
  if (has_decimal_comma(cell)) return problem + "write numbers with a point, not with a comma";
  const std::string lower = lower_case(cell);
  if (lower == "true" || lower == "false") return problem + "write 1 for true and 0 for false";
  if (!plan_.has_header && is_first_line()) {
    return problem + "if the first line names the columns, say --header yes";
  }
  if (plan_.is_text[column] != 0) {
    const std::string name =
        plan_.names[column].empty() ? std::to_string(column + 1) : shown(plan_.names[column]);
    return problem + fmt::format(
                         "the column holds text: say --label-column {0} if it holds the "
                         "labels, --id-column {0} if it names the instances, or remove it",
                         name);
  }
  return problem + "leave the cell empty (or write NA) if the value is not known";
}

bool PieceReader::is_first_line() const {
  return std::find(plan_.body.data(), record_, '\n') == record_;
}

/// Throws unless the record has as many cells as it should.
void PieceReader::check_width() const {
  const char* end = plan_.body.data() + plan_.body.size();
  CsvCursor cursor({record_, static_cast<std::size_t>(end - record_)}, plan_.dialect);
  std::size_t cells = 0;
  cursor.next_record();
  for (; cursor.more(); ++cells) cursor.read_cell();
  if (cells == plan_.columns()) return;

  std::string_view remedy;
  if (cells > plan_.columns()) {
    remedy = "; put cells with the delimiter in them in quotes";
  } else if (!cursor.next_record()) {
    remedy = "; it is the last line: the file may be cut off";
  }
  throw TextFault{record_, fmt::format("{} cell{} where {} are expected, as in the first lines{}",
                                       cells, cells == 1 ? "" : "s", plan_.columns(), remedy)};
}

}  // namespace

CsvRows read_rows(const CsvPlan& plan, const ReadContext& context, std::size_t piece_size,
                  Share share) {
  const auto pieces = cut_at_records(plan.body, Quotes::bind_lines, piece_size, context.workers);
  const auto number = static_cast<Index>(pieces.size());
  std::vector<Index> first_rows(pieces.size() + 1, 0);
  context.workers.run(number, [&](Index i) {
    const auto p = static_cast<std::size_t>(i);
    first_rows[p + 1] = count_records(pieces[p], plan.dialect);
  });
  std::partial_sum(first_rows.begin(), first_rows.end(), first_rows.begin());

  CsvRows rows;
  rows.total = first_rows.back();
  rows.own = own_instances(rows.total, share);
  rows.values.resize(rows.own.size,
                     std::count(plan.roles.begin(), plan.roles.end(), ColumnRole::feature));
  const bool has_labels = plan.column_of(ColumnRole::label).has_value();
  if (plan.column_of(ColumnRole::id)) rows.ids.resize(static_cast<std::size_t>(rows.own.size));
  if (has_labels) rows.labels.resize(static_cast<std::size_t>(rows.total));
  context.workers.run(number, [&](Index i) {
    const auto p = static_cast<std::size_t>(i);
    const bool is_own = first_rows[p] < rows.own.end() && first_rows[p + 1] > rows.own.begin;
    if (!is_own && !has_labels) return;
    PieceReader(pieces[p], plan, context.source.refuse_missing_cells, rows).read(first_rows[p]);
  });
  return rows;
}

}  // namespace m3lak
