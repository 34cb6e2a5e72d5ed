// The rows of a CSV file, read in parallel by a plan.
#pragma once

#include <string>
#include <vector>

#include "data/formats/csv/csv_plan.h"
#include "data/table.h"

namespace m3lak {

struct CsvRows {
  DenseMatrix values;
  std::vector<std::string> ids, labels;  // empty if no column has this role
};

/// Throws the TextFault that is first in the file.
CsvRows read_rows(const CsvPlan& plan, const ReadContext& context, std::size_t piece_size);

}  // namespace m3lak
