// Finished cells, one line of JSON each: whatever ends the program, no more than the last line is
// lost.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "m3lak/study.h"

namespace m3lak {

using Json = nlohmann::ordered_json;

/// NaN is null.
Json measures_json(const Measures& measures);
Measures measures_of(const Json& json);

/// What a result depends on, besides the cell's own names.
struct Circumstances {
  std::string data;      ///< a fingerprint of the data
  std::string settings;  ///< of the method, and how it was split
};

class ResultsFile {
 public:
  /// Reads what is there. Nothing is kept if the path is empty. Throws BadUsage if it cannot be
  /// written to, unless nothing is to be added, and BadData if it holds something else.
  explicit ResultsFile(std::filesystem::path path, bool to_add = true);

  std::optional<Cell> find(const Cell& wanted, const Circumstances& circumstances) const;

  /// Any thread may. Throws Error if it cannot be written.
  void add(const Cell& cell, const Circumstances& circumstances);

 private:
  static std::string key(const Cell& cell, const Circumstances& circumstances);

  std::filesystem::path path_;
  std::map<std::string, Cell> found_;
  std::mutex mutex_;
};

}  // namespace m3lak
