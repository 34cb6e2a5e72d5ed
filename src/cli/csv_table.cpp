#include "cli/csv_table.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/print.h"
#include "cli/write_text.h"
#include "data/formats/csv/csv.h"

namespace m3lak::cli {

CsvTable::CsvTable(const std::vector<std::string>& heading) : columns_(heading.size()) {
  for (const std::string& name : heading) add(name);
}

void CsvTable::add(std::string_view text) {
  text_ += csv_cell(text, ',');
  end_cell();
}

void CsvTable::add(double value) {
  if (!std::isnan(value)) text_ += fmt::format("{}", value);
  end_cell();
}

void CsvTable::end_cell() {
  filled_ = (filled_ + 1) % columns_;
  text_ += filled_ == 0 ? '\n' : ',';
}

void CsvTable::write(const std::optional<std::filesystem::path>& file) const {
  if (!file) return print(text_);
  write_text(text_, *file);
}

}  // namespace m3lak::cli
