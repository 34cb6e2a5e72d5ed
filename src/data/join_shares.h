// Views and labels put together where several processes share the instances out.
#pragma once

#include "data/table.h"

namespace m3lak {

/// Leaves a table that was read whole with the rows of this process.
void cut_to_share(Table& table, Share share);

/// Views in the order given, all of this process's rows: row n of each is the same instance.
/// Wherever rows are named, names must agree row by row; each process compares its own. The classes
/// are those of all labels. Throws BadData.
Dataset join_shares(std::vector<Table> views, const std::optional<LabelTable>& labels,
                    const std::vector<std::string>& unknown_labels, Share share);

}  // namespace m3lak
