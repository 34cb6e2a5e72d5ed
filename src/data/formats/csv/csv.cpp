#include "data/formats/csv/csv.h"

#include "data/formats/csv/csv_plan.h"
#include "data/formats/csv/csv_rows.h"

namespace m3lak {

namespace {

struct CsvFile {
  CsvPlan plan;
  CsvRows rows;
};

CsvFile read(const TextFile& file, const ReadContext& context, CsvContent content,
             std::size_t piece_size, Share share) {
  return with_line_numbers(file, [&] {
    CsvPlan plan = plan_csv(file, context.source, content);
    CsvRows rows = read_rows(plan, context, piece_size, share);
    return CsvFile{std::move(plan), std::move(rows)};
  });
}

std::vector<std::string> feature_names(const CsvPlan& plan) {
  std::vector<std::string> names;
  if (!plan.has_header) return names;
  for (std::size_t column = 0; column < plan.columns(); ++column) {
    if (plan.roles[column] == ColumnRole::feature) names.push_back(plan.names[column]);
  }
  return names;
}

}  // namespace

FileContents read_csv(const std::filesystem::path& path, const ReadContext& context,
                      std::size_t piece_size) {
  const TextFile file(path);
  auto [plan, rows] = read(file, context, CsvContent::view, piece_size, context.share());
  FileContents contents;
  const bool shared = context.source.ranks > 1;
  if (plan.column_of(ColumnRole::label)) {
    contents.labels = LabelTable{file.origin(), {}, std::move(rows.labels)};
    if (!shared) contents.labels->ids = rows.ids;
  }
  Table& table = contents.views.emplace_back();
  if (shared) table.total = rows.total;
  table.origin = file.origin();
  table.values = std::move(rows.values);
  table.feature_names = feature_names(plan);
  table.ids = std::move(rows.ids);
  contents.notes = std::move(plan.notes);
  return contents;
}

LabelTable read_csv_labels(const std::filesystem::path& path, const ReadContext& context,
                           std::vector<std::string>* notes, std::size_t piece_size) {
  const TextFile file(path);
  auto [plan, rows] = read(file, context, CsvContent::labels, piece_size, {});
  if (notes != nullptr) notes->insert(notes->end(), plan.notes.begin(), plan.notes.end());
  return {file.origin(), std::move(rows.ids), std::move(rows.labels)};
}

}  // namespace m3lak
