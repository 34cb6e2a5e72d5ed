#include "cli/reliability.h"

#include <algorithm>
#include <cmath>

#include "cli/csv_table.h"
#include "cli/picture.h"

namespace m3lak::cli {

namespace {

/// A bin as people read it.
struct Row {
  double from, to;  ///< confidence
  double instances;
  double confidence;  ///< the mean of theirs
  double right;       ///< the share of them
  double error;       ///< its standard error
};

std::vector<Row> rows_of(const Reliability& reliability) {
  std::vector<Row> rows;
  const auto count = static_cast<double>(reliability.bins.size());
  for (std::size_t i = 0; i < reliability.bins.size(); ++i) {
    const auto& [instances, confidence, right] = reliability.bins[i];
    if (instances == 0) continue;
    const auto at = static_cast<double>(i);
    // Of a share that was drawn towards a half, so that few instances that are all right do not
    // seem to be sure.
    const double drawn = (right + 1) / (instances + 2);
    rows.push_back({at / count, (at + 1) / count, instances, confidence / instances,
                    right / instances, std::sqrt(drawn * (1 - drawn) / instances)});
  }
  return rows;
}

void write_table(const std::vector<MethodReliability>& methods, const std::filesystem::path& file) {
  CsvTable table({"method", "from", "to", "instances", "confidence", "right", "standard_error"});
  for (const auto& [method, reliability] : methods) {
    for (const Row& row : rows_of(reliability)) {
      table.add(method);
      for (const double value :
           {row.from, row.to, row.instances, row.confidence, row.right, row.error}) {
        table.add(value);
      }
    }
  }
  table.write(file);
}

void draw(const std::vector<MethodReliability>& methods, const std::filesystem::path& file) {
  Plot plot{"Reliability", "confidence (%)", "right (%)", {}};
  plot.least = 0;
  plot.most = 100;
  double least = 100;
  for (const auto& [method, reliability] : methods) {
    Series& series = plot.series.emplace_back(Series{method, {}, {}});
    for (const Row& row : rows_of(reliability)) {
      series.x.push_back(100 * row.confidence);
      series.y.push_back(100 * row.right);
      series.error.push_back(100 * row.error);
      least = std::min(least, series.x.back());
    }
  }
  plot.series.push_back({"right as often as sure", {least, 100}, {least, 100}});
  write_picture({plot}, file);
}

}  // namespace

void add_reliability_option(CLI::App& command, std::optional<std::filesystem::path>& file) {
  command
      .add_option(
          "--reliability", file,
          "Draw how many of the predictions were right against how sure they were, or write "
          "it as a CSV table")
      ->type_name("FILE.svg|FILE.png|FILE.csv");
}

void check_reliability_option(const std::filesystem::path& file) {
  check_picture_or_table("--reliability", file);
}

Json reliability_json(const Reliability& reliability) {
  Json json = Json::array();
  for (const Row& row : rows_of(reliability)) {
    json.push_back({{"from", row.from},
                    {"to", row.to},
                    {"instances", row.instances},
                    {"confidence", row.confidence},
                    {"right", row.right},
                    {"standard_error", row.error}});
  }
  return json;
}

void write_reliability(const std::vector<MethodReliability>& methods,
                       const std::filesystem::path& file) {
  (is_picture(file) ? draw : write_table)(methods, file);
}

}  // namespace m3lak::cli
