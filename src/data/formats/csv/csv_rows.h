// The rows of a CSV file, read in parallel by a plan.
#pragma once

#include <string>
#include <vector>

#include "data/formats/csv/csv_plan.h"
#include "data/table.h"

namespace m3lak {

struct CsvRows {
  Index total = 0;  // rows of the file
  Block own;        // those of which there are values and ids; labels are of all
  DenseMatrix values;
  std::vector<std::string> ids, labels;  // empty if no column has this role
};

/// Of several processes, each looks at the numbers of its own rows alone. Throws the TextFault that
/// is first in the file.
CsvRows read_rows(const CsvPlan& plan, const ReadContext& context, std::size_t piece_size,
                  Share share);

}  // namespace m3lak
