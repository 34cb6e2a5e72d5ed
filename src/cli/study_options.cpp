#include "cli/study_options.h"

#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>

#include "cli/command.h"
#include "cli/csv_table.h"
#include "cli/data_options.h"
#include "cli/json.h"
#include "cli/print.h"
#include "m3lak/error.h"
#include "study/named_measures.h"

namespace m3lak::cli {

namespace {

Json cell_json(const Cell& cell) {
  Json json = {{"data", cell.data},     {"method", cell.method},   {"seed", cell.seed},
               {"fold", cell.fold + 1}, {"trained", cell.trained}, {"tested", cell.tested}};
  if (cell.peak_bytes > 0) json["peak_bytes"] = cell.peak_bytes;
  if (!cell.failure.empty()) {
    json["failure"] = cell.failure;
    return json;
  }
  for (const NamedMeasure& measure : named_measures) {
    json[measure.key] = cell.measures.*measure.value;
  }
  return json;
}

Json cells_json(const std::vector<Cell>& cells) {
  Json json = {{"cells", Json::array()}};
  for (const Cell& cell : cells) json["cells"].push_back(cell_json(cell));
  return json;
}

}  // namespace

void StudyOptions::add_to(CLI::App& command) {
  add_data_options(command, source);
  command.remove_option(command.get_option("DATA"));
  command
      .add_option("DATA", sets,
                  "Files that hold all views and labels of a set each; FILE@A,B: its classes A and "
                  "B against the rest")
      ->type_name("FILE[@LABEL,…]");
  add_positive_option(command, positive);
  command
      .add_option("--methods", methods,
                  fmt::format("Which, the first being the one that others are compared with: {}",
                              fmt::join(method_names(), ", ")))
      ->type_name("NAME,…")
      ->delimiter(',')
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->capture_default_str();
  auto* file = command
                   .add_option("--results", results,
                               "Keep finished cells in this file, and do not compute again what is "
                               "there")
                   ->type_name("FILE");
  command
      .add_flag("--finished", finished,
                "Show what is in that file, also while another process adds to it; compute nothing")
      ->needs(file);
  command.add_flag("--quiet", quiet, "No notes and no progress");
  auto* as_json = command.add_flag("--json", json, "Print JSON: all cells, and summaries");
  command.add_flag("--csv", csv, "Print CSV: one line a cell")->excludes(as_json);
}

std::vector<NamedData> StudyOptions::read(int threads) const {
  std::vector<NamedData> all;
  const auto add = [&](const std::string& name, DataSource from,
                       const std::vector<std::string>& against) {
    from.threads = threads;
    all.push_back({name, read_labelled(from, against, quiet)});
    if (!quiet) say("{}: {}", name, shape_text(all.back().data));
  };
  for (const std::string& text : sets) {
    const std::size_t at = text.rfind('@');
    DataSource one = source;
    one.views.clear();
    one.files = {text.substr(0, at)};
    add(one.files.front().stem().string(), one,
        at == std::string::npos ? positive : CLI::detail::split(text.substr(at + 1), ','));
  }
  if (!source.views.empty()) add("views", source, positive);
  return all;
}

void StudyOptions::check() const {
  for (const std::string& name : methods) method_of(name);
  if (finished && !std::filesystem::exists(results)) {
    throw BadUsage(fmt::format("--finished: there are no results yet in {}", results));
  }
}

CompareCallbacks StudyOptions::callbacks(ProgressBar& bar, const Interrupt& interrupt) const {
  CompareCallbacks all;
  all.progress = [&bar](int done, int total, const Cell& last) {
    bar.show("cells", done, total, fmt::format("{}, {}", last.data, last.method));
  };
  all.note = [this](const std::string& note) {
    if (!quiet) say("note: {}", note);
  };
  all.stop = [&interrupt] { return interrupt.requested(); };
  return all;
}

void StudyOptions::end(const Interrupt& interrupt, std::size_t finished, std::size_t all) const {
  if (!interrupt.requested()) return;
  say("m3lak: stopped early: {} of {} cells were finished{}", finished, all,
      results.empty() ? "; with --results FILE they would be kept"
                      : fmt::format(" and are kept in {}: run the same command again", results));
  throw Exit{interrupt.exit_status()};
}

std::vector<std::string> names_of(const std::vector<NamedData>& sets) {
  std::vector<std::string> names;
  for (const NamedData& set : sets) names.push_back(set.name);
  return names;
}

void print_cells_csv(const std::vector<Cell>& cells) {
  std::vector<std::string> heading = {"data",    "method", "seed",      "fold",
                                      "trained", "tested", "peak_bytes"};
  for (const NamedMeasure& measure : named_measures) heading.push_back(measure.key);
  heading.push_back("failure");
  CsvTable table(heading);
  for (const Cell& cell : cells) {
    table.add(cell.data);
    table.add(cell.method);
    table.add(std::to_string(cell.seed));
    table.add(std::to_string(cell.fold + 1));
    table.add(std::to_string(cell.trained));
    table.add(std::to_string(cell.tested));
    table.add(cell.peak_bytes > 0 ? cell.peak_bytes : std::nan(""));
    for (const NamedMeasure& measure : named_measures) {
      table.add(cell.failure.empty() ? cell.measures.*measure.value : std::nan(""));
    }
    table.add(cell.failure);
  }
  table.write(std::nullopt);
}

void print_cells_json(const std::vector<Cell>& cells) { print_json(cells_json(cells)); }

void print_cells_json(const std::vector<Cell>& cells, const std::vector<std::string>& sets,
                      const std::vector<std::string>& methods) {
  Json json = cells_json(cells);
  json["summary"] = Json::array();
  for (const std::string& set : sets) {
    for (const std::string& method : methods) {
      Json row = {{"data", set}, {"method", method}};
      for (const NamedMeasure& measure : named_measures) {
        const Summary found = summary(cells, set, method, measure.value);
        if (found.folds == 0) continue;
        row[measure.key] = {{"mean", found.mean}, {"std", found.deviation}};
      }
      const Paired pair = paired(cells, set, method, methods.front());
      if (method != methods.front() && pair.folds > 0) {
        row["against"] = methods.front();
        row["difference"] = pair.difference;
        row["p_resampled_t"] = pair.resampled_t;
        row["p_wilcoxon"] = pair.wilcoxon;
      }
      json["summary"].push_back(row);
    }
  }
  print_json(json);
}

}  // namespace m3lak::cli
