#include "data/formats/csv/csv_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <span>

#include "data/formats/csv/csv_header.h"
#include "data/formats/csv/csv_sample.h"
#include "data/formats/text/text_number.h"

namespace m3lak {

namespace {

using Kind = TextNumber::Kind;
using Column = std::optional<std::size_t>;

std::optional<std::size_t> as_column_number(const std::string& text, std::size_t columns) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || number < 1 || number > columns) return std::nullopt;
  return number - 1;
}

/// Decides step by step what each column is for.
class Planner {
 public:
  Planner(const TextFile& file, const DataSource& source, CsvContent content)
      : file_(file), source_(source), content_(content) {}

  CsvPlan plan();

 private:
  void take_sample();
  void find_names();
  void find_empty_column();
  void find_text_columns();
  void choose_roles();
  void check_names();

  Column named(const std::string& wanted) const;
  Column given_label() const;
  Column find_id(Column label);
  bool looks_like_ids(Column label) const;
  std::size_t only_other_column(Column id) const;
  void note(const std::string& text) { plan_.notes.push_back(file_.origin() + ": " + text); }
  BadData error(const std::string& text) const { return BadData(file_.origin() + ": " + text); }
  BadData no_such_column(const std::string& option, const std::string& wanted) const;
  std::string list_columns() const;

  /// The rows of the sample that are data.
  std::span<const CsvRow> data() const {
    return std::span(rows_).subspan(plan_.has_header ? 1 : 0);
  }

  const TextFile& file_;
  const DataSource& source_;
  const CsvContent content_;
  std::vector<CsvRow> rows_;
  CsvPlan plan_;
};

CsvPlan Planner::plan() {
  take_sample();
  find_names();
  find_empty_column();
  find_text_columns();
  choose_roles();
  check_names();
  return std::move(plan_);
}

void Planner::take_sample() {
  std::string_view text = file_.text();
  text = text.substr(0, text.find_last_not_of(" \r\n") + 1);
  const std::vector<std::string_view> records = first_records(text);
  plan_.dialect.delimiter = find_delimiter(records);
  for (const std::string_view record : records) {
    rows_.push_back(cells_of(record, plan_.dialect.delimiter));
  }
  const HeaderVerdict verdict = judge_header(rows_, source_);
  plan_.has_header = verdict.is_header;
  if (!verdict.doubt.empty()) note(verdict.doubt);
  if (plan_.dialect.delimiter == ' ') note("cells are taken to be separated by blanks");

  plan_.body = text;
  if (plan_.has_header) {
    plan_.body.remove_prefix(
        static_cast<std::size_t>(records.front().data() + records.front().size() - text.data()));
    if (data().empty()) {
      throw error("there is a header but no data (if the first line is data, say --header no)");
    }
  }
}

void Planner::find_names() {
  plan_.names.resize(rows_.front().size());
  if (plan_.has_header) {
    plan_.names = rows_.front();
    const bool ends_with_delimiter =
        std::ranges::all_of(data(), [](const CsvRow& row) { return row.back().empty(); });
    if (is_header_short(rows_)) {
      plan_.names.insert(ends_with_delimiter ? plan_.names.end() : plan_.names.begin(), "");
    }
  }
  plan_.roles.resize(plan_.names.size(),
                     content_ == CsvContent::view ? ColumnRole::feature : ColumnRole::unused);
  plan_.dialect.blank_lines_count = plan_.columns() == 1;
}

void Planner::find_empty_column() {
  const std::size_t last = plan_.columns() - 1;
  const bool is_empty = std::ranges::all_of(
      data(), [&](const CsvRow& row) { return row.size() == last + 1 && row[last].empty(); });
  if (last > 0 && plan_.names[last].empty() && is_empty) {
    plan_.roles[last] = ColumnRole::always_empty;
  }
}

void Planner::find_text_columns() {
  for (std::size_t column = 0; column < plan_.columns(); ++column) {
    bool has_text = false, has_number = false;
    for (const CsvRow& row : data()) {
      if (column >= row.size()) continue;
      const Kind kind = parse_number(row[column]).kind;
      has_text |= kind == Kind::text;
      has_number |= kind == Kind::number;
    }
    plan_.is_text.push_back(has_text && !has_number);
  }
}

void Planner::choose_roles() {
  Column label = given_label();
  const Column id = find_id(label);
  if (id && label == id) {
    throw error(
        fmt::format("{} cannot both name the instances and hold the labels", plan_.describe(*id)));
  }
  if (content_ == CsvContent::labels && !label) label = only_other_column(id);
  if (id) plan_.roles[*id] = ColumnRole::id;
  if (label) plan_.roles[*label] = ColumnRole::label;
  if (content_ == CsvContent::view && !plan_.column_of(ColumnRole::feature)) {
    throw error("there is no column of numbers beside the names of instances and the labels");
  }
}

Column Planner::given_label() const {
  const std::string& wanted = source_.label_column;
  if (wanted.empty()) return std::nullopt;
  // A number is meant for the file of labels, if there is one.
  const bool is_elsewhere = content_ == CsvContent::view && source_.labels;
  const Column label = named(wanted);
  if (label && is_elsewhere && plan_.names[*label] != wanted) return std::nullopt;
  if (!label && content_ == CsvContent::labels) throw no_such_column("--label-column", wanted);
  return label;
}

Column Planner::find_id(Column label) {
  const std::string& wanted = source_.id_column;
  if (wanted == "none") return std::nullopt;
  if (!wanted.empty()) {
    const Column id = named(wanted);
    if (!id) throw no_such_column("--id-column", wanted);
    return id;
  }
  if (!looks_like_ids(label)) return std::nullopt;
  const std::string& name = plan_.names.front();
  note(fmt::format("the first column{} names the instances (if not, say --id-column none)",
                   name.empty() ? "" : ", " + shown(name) + ","));
  return 0;
}

bool Planner::looks_like_ids(Column label) const {
  if (plan_.columns() == 1 || label == Column(0)) return false;
  const std::string& name = plan_.names.front();
  if (plan_.has_header && (name.empty() || is_name_of_ids(name))) return true;
  if (is_name_of_labels(name)) return false;
  for (const CsvRow& row : data()) {
    const std::string& cell = row.front();
    if (is_missing(cell)) continue;
    return parse_number(cell).kind == Kind::text && !has_decimal_comma(cell);
  }
  return false;
}

std::size_t Planner::only_other_column(Column id) const {
  Column only;
  for (std::size_t column = 0; column < plan_.columns(); ++column) {
    if (column == id || plan_.roles[column] == ColumnRole::always_empty) continue;
    if (only) {
      throw error(fmt::format("several columns may hold the labels: {}; say which (--label-column)",
                              list_columns()));
    }
    only = column;
  }
  if (!only) throw error("there is no column of labels beside the names of instances");
  return *only;
}

Column Planner::named(const std::string& wanted) const {
  const auto& names = plan_.names;
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found == names.end()) return as_column_number(wanted, plan_.columns());
  const auto again = std::find(found + 1, names.end(), wanted);
  if (again != names.end()) {
    throw error(fmt::format("columns {} and {} are both called {}; say which by its number",
                            found - names.begin() + 1, again - names.begin() + 1, shown(wanted)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

BadData Planner::no_such_column(const std::string& option, const std::string& wanted) const {
  if (!plan_.has_header) {
    return error(fmt::format(
        "there is no column {} ({}): the file has {} columns and no names for them; give a number "
        "from 1, or say --header yes if the first line has the names",
        shown(wanted), option, plan_.columns()));
  }
  return error(fmt::format("there is no column {} ({}); the columns are {}", shown(wanted), option,
                           list_columns()));
}

std::string Planner::list_columns() const {
  constexpr std::size_t most = 20;
  std::string list;
  for (std::size_t column = 0; column < std::min(most, plan_.columns()); ++column) {
    if (column > 0) list += ", ";
    list += fmt::format("{}", column + 1);
    if (plan_.has_header) list += " " + shown(plan_.names[column]);
  }
  if (plan_.columns() > most) list += fmt::format(", … ({} in all)", plan_.columns());
  return list;
}

/// Features need names, and should have different ones.
void Planner::check_names() {
  if (!plan_.has_header || content_ != CsvContent::view) return;
  std::map<std::string_view, std::size_t> columns;
  std::size_t repeated = 0;
  std::string example;
  for (std::size_t column = 0; column < plan_.columns(); ++column) {
    if (plan_.roles[column] != ColumnRole::feature) continue;
    std::string& name = plan_.names[column];
    if (name.empty()) name = fmt::format("column{}", column + 1);
    const auto [first, is_new] = columns.emplace(name, column);
    if (!is_new && ++repeated == 1) {
      example = fmt::format("{} (columns {} and {})", shown(name), first->second + 1, column + 1);
    }
    if (is_name_of_labels(name)) {
      note(fmt::format("{} is taken as a feature (if it holds the labels, say --label-column {})",
                       plan_.describe(column), name));
    }
  }
  if (repeated > 0) {
    note(fmt::format("{} names of columns occur before, the first is {}", repeated, example));
  }
}

}  // namespace

std::optional<std::size_t> CsvPlan::column_of(ColumnRole role) const {
  const auto found = std::find(roles.begin(), roles.end(), role);
  if (found == roles.end()) return std::nullopt;
  return static_cast<std::size_t>(found - roles.begin());
}

std::string CsvPlan::describe(std::size_t column) const {
  const std::string number = fmt::format("column {}", column + 1);
  return names[column].empty() ? number : number + " (" + shown(names[column]) + ")";
}

CsvPlan plan_csv(const TextFile& file, const DataSource& source, CsvContent content) {
  return Planner(file, source, content).plan();
}

}  // namespace m3lak
