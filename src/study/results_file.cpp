#include "study/results_file.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <utility>

#include "m3lak/error.h"
#include "study/named_measures.h"

namespace m3lak {

namespace {

/// The sums of a bin by their names in JSON.
constexpr std::pair<const char*, double Reliability::Bin::*> named_sums[] = {
    {"instances", &Reliability::Bin::instances},
    {"confidence_sum", &Reliability::Bin::confidence},
    {"right", &Reliability::Bin::right},
};

Json sums_json(const Reliability& reliability) {
  Json json;
  for (const auto& [key, value] : named_sums) {
    json[key] = Json::array();
    for (const Reliability::Bin& bin : reliability.bins) json[key].push_back(bin.*value);
  }
  return json;
}

Json to_json(const Cell& cell, const Circumstances& circumstances) {
  Json json = {{"data", cell.data},
               {"method", cell.method},
               {"seed", cell.seed},
               {"fold", cell.fold},
               {"fingerprint", circumstances.data},
               {"settings", circumstances.settings},
               {"trained", cell.trained},
               {"tested", cell.tested},
               {"peak_bytes", cell.peak_bytes}};
  json.update(measures_json(cell.measures));
  return json;
}

Cell from_json(const Json& json) {
  Cell cell{json.at("data"),
            json.at("method"),
            json.at("seed"),
            json.at("fold"),
            {},
            json.at("trained"),
            json.at("tested"),
            json.at("peak_bytes"),
            {}};
  cell.measures = measures_of(json);
  return cell;
}

}  // namespace

Json measures_json(const Measures& measures) {
  Json json;
  for (const NamedMeasure& measure : named_measures) json[measure.key] = measures.*measure.value;
  json["reliability"] = sums_json(measures.reliability);
  return json;
}

Measures measures_of(const Json& json) {
  Measures measures;
  for (const NamedMeasure& measure : named_measures) {
    const Json& value = json.at(measure.key);
    measures.*measure.value =
        value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
  }
  if (!json.contains("reliability")) return measures;  // as in files of before it was measured
  for (const auto& [key, value] : named_sums) {
    const Json& sums = json["reliability"].at(key);
    for (std::size_t i = 0; i < measures.reliability.bins.size(); ++i) {
      measures.reliability.bins[i].*value = sums.at(i).get<double>();
    }
  }
  return measures;
}

std::string ResultsFile::key(const Cell& cell, const Circumstances& circumstances) {
  return fmt::format("{}\n{}\n{}\n{}", cell.seed, cell.fold, circumstances.data,
                     circumstances.settings);
}

ResultsFile::ResultsFile(std::filesystem::path path, bool to_add) : path_(std::move(path)) {
  if (path_.empty()) return;
  std::ifstream in(path_);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    try {
      const Json json = Json::parse(line);
      const Cell cell = from_json(json);
      found_[key(cell, {json.at("fingerprint"), json.at("settings")})] = cell;
    } catch (const nlohmann::json::exception&) {
      // A line that was cut off when the program ended is computed again.
      if (in.eof() || in.peek() == std::ifstream::traits_type::eof()) break;
      if (line.starts_with("{\"data\":")) continue;
      throw BadData(
          fmt::format("{}, line {}: is not a finished cell; give another file for results",
                      path_.string(), number));
    }
  }
  if (!to_add) return;
  in.close();
  std::ofstream out(path_, std::ios::app);
  if (!out) throw BadUsage(fmt::format("{}: cannot be written to", path_.string()));
  std::ifstream end(path_, std::ios::ate | std::ios::binary);
  if (end.tellg() > 0) {
    end.seekg(-1, std::ios::end);
    if (end.get() != '\n') out << '\n';
  }
}

std::optional<Cell> ResultsFile::find(const Cell& wanted,
                                      const Circumstances& circumstances) const {
  const auto at = found_.find(key(wanted, circumstances));
  if (at == found_.end()) return std::nullopt;
  Cell cell = at->second;
  cell.data = wanted.data;
  cell.method = wanted.method;
  return cell;
}

void ResultsFile::add(const Cell& cell, const Circumstances& circumstances) {
  if (path_.empty()) return;
  const std::lock_guard lock(mutex_);
  std::ofstream out(path_, std::ios::app);
  out << to_json(cell, circumstances).dump() + "\n" << std::flush;
  if (!out) throw Error(fmt::format("{}: cannot be written (is the disk full?)", path_.string()));
}

}  // namespace m3lak
