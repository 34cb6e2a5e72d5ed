#include "study/results_file.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>

#include "data/dense_view.h"
#include "m3lak/error.h"
#include "study/named_measures.h"

namespace m3lak {

namespace {

/// FNV-1a.
class Hash {
 public:
  void add(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 0x100000001b3ULL;
  }
  template <class Value>
  void add_all(const Value* values, Index count) {
    add(values, static_cast<std::size_t>(count) * sizeof(Value));
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

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
  return json;
}

Measures measures_of(const Json& json) {
  Measures measures;
  for (const NamedMeasure& measure : named_measures) {
    const Json& value = json.at(measure.key);
    measures.*measure.value =
        value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
  }
  return measures;
}

std::string fingerprint(const Dataset& data) {
  Hash hash;
  for (const View& view : data.views) {
    const Index shape[] = {view.instances(), view.features()};
    hash.add_all(shape, 2);
    if (view.is_sparse()) {
      const SparseMatrix& values = view.sparse();
      for (Index n = 0; n < values.rows(); ++n) {
        for (SparseMatrix::InnerIterator cell(values, n); cell; ++cell) {
          const Index column = cell.col();
          const double value = cell.value();
          hash.add_all(&column, 1);
          hash.add_all(&value, 1);
        }
      }
    } else {
      with_dense(view, [&](const auto& values) { hash.add_all(values.data(), values.size()); });
    }
    hash.add_all(view.absent.data(), std::ssize(view.absent));
  }
  if (data.labels) hash.add_all(data.labels->of.data(), std::ssize(data.labels->of));
  return hash.text();
}

std::string ResultsFile::key(const Cell& cell, const Circumstances& circumstances) {
  return fmt::format("{}\n{}\n{}\n{}", cell.seed, cell.fold, circumstances.data,
                     circumstances.settings);
}

ResultsFile::ResultsFile(std::filesystem::path path) : path_(std::move(path)) {
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
