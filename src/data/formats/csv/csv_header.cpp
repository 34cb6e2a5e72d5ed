#include "data/formats/csv/csv_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "data/formats/text/text.h"
#include "data/formats/text/text_number.h"

namespace m3lak {

namespace {

using Kind = TextNumber::Kind;

Kind kind_of(const std::string& cell) { return parse_number(cell).kind; }
bool is_number(const std::string& cell) {
  return kind_of(cell) == Kind::number || has_decimal_comma(cell);
}
bool is_text(const std::string& cell) { return kind_of(cell) == Kind::text && !is_number(cell); }

/// "Sample ID", "sample-id" and "sample.id" are spelled "sample_id".
std::string plain_name(const std::string& name) {
  std::string plain = lower_case(name);
  for (char& c : plain) {
    if (c == ' ' || c == '-' || c == '.') c = '_';
  }
  return plain;
}

template <std::size_t n>
bool is_one_of(const std::string& name, const std::string_view (&names)[n]) {
  return std::find(std::begin(names), std::end(names), plain_name(name)) != std::end(names);
}

/// Whether `test` holds for a cell below the first line in this column.
template <class Test>
bool any_below(const std::vector<CsvRow>& rows, std::size_t column, const Test& test) {
  return std::any_of(rows.begin() + 1, rows.end(),
                     [&](const CsvRow& row) { return column < row.size() && test(row[column]); });
}

bool names_a_given_column(const CsvRow& first, const DataSource& source) {
  return std::any_of(first.begin(), first.end(), [&](const std::string& cell) {
    return is_text(cell) && (cell == source.id_column || cell == source.label_column);
  });
}

bool is_usual_name(const std::vector<CsvRow>& rows, std::size_t column) {
  const std::string& cell = rows.front()[column];
  return (is_name_of_ids(cell) || is_name_of_labels(cell)) &&
         !any_below(rows, column, [&](const std::string& other) { return other == cell; });
}

/// Whether the numbers in the first line are 0, 1, 2, … or 1, 2, 3, …: enough of them not to be
/// chance, or after an empty cell, the place of an index.
bool counts_columns(const CsvRow& first) {
  std::vector<std::string> numbers;
  std::copy_if(first.begin(), first.end(), std::back_inserter(numbers), is_number);
  if (numbers.empty() || (numbers.size() < 3 && !first.front().empty())) return false;
  const std::size_t start = numbers.front() == "0" ? 0 : 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != std::to_string(start + i)) return false;
  }
  return true;
}

}  // namespace

bool is_name_of_ids(const std::string& name) {
  static constexpr std::string_view names[] = {
      "id",        "ids",      "name",        "names",     "sample",    "samples",
      "sample_id", "sampleid", "sample_name", "patient",   "patients",  "patient_id",
      "patientid", "subject",  "subject_id",  "subjectid", "barcode",   "barcodes",
      "index",     "instance", "instance_id", "instances", "case",      "case_id",
      "cell",      "cell_id",  "row",         "row_id",    "rowname",   "rownames",
      "row_names", "key",      "uid",         "uuid",      "unnamed:_0"};
  return is_one_of(name, names);
}

bool is_name_of_labels(const std::string& name) {
  static constexpr std::string_view names[] = {
      "label", "labels", "class", "classes", "target", "targets", "outcome", "category", "y"};
  return is_one_of(name, names);
}

bool is_header_short(const std::vector<CsvRow>& rows) {
  return rows.size() > 1 && std::all_of(rows.begin() + 1, rows.end(), [&](const CsvRow& row) {
           return row.size() == rows.front().size() + 1;
         });
}

HeaderVerdict judge_header(const std::vector<CsvRow>& rows, const DataSource& source) {
  if (source.header != Header::automatic) return {source.header == Header::yes, ""};
  const CsvRow& first = rows.front();
  if (is_header_short(rows) || names_a_given_column(first, source)) return {true, ""};

  const bool has_numbers = std::any_of(first.begin(), first.end(), is_number);
  if (!has_numbers) {
    if (rows.size() == 1 && first.size() > 1) return {true, ""};
    for (std::size_t column = 0; column < first.size(); ++column) {
      if (is_text(first[column]) && any_below(rows, column, is_number)) return {true, ""};
    }
  }
  const std::size_t may_be_usual = has_numbers ? 1 : first.size();
  for (std::size_t column = 0; column < may_be_usual; ++column) {
    if (is_usual_name(rows, column)) return {true, ""};
  }
  if (counts_columns(first)) {
    return {true,
            "the first line counts the columns and is taken as their names (if it is data, "
            "say --header no)"};
  }
  if (has_numbers) return {false, ""};
  return {false, fmt::format("the first line, which starts with {}, is taken as data (if it names "
                             "the columns, say --header yes)",
                             shown(first.front()))};
}

}  // namespace m3lak
