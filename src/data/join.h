// Views and labels of several files, put together instance by instance.
#pragma once

#include <vector>

#include "data/table.h"

namespace m3lak {

/// Gives views without a name one (view1, view2, …); throws BadData if two have the same.
void name_views(std::vector<Table>& views);

/// A table as the view that it is.
View view_of(Table&& table);

/// Views in the order given. If all tables name their rows, they are joined by these names: the
/// instances are those of the views, in the order in which they first occur, and an instance that
/// a view does not name lacks it. Otherwise row n of each table is instance n. `notes` gains what
/// the user should know (labels without data, data without labels).
Dataset join(std::vector<Table> views, std::optional<LabelTable> labels,
             const std::vector<std::string>& unknown_labels, std::vector<std::string>& notes);

}  // namespace m3lak
