// NumPy's .npy files: one view, or the labels.
#pragma once

#include <filesystem>

#include "data/table.h"

namespace m3lak {

/// A matrix is a view; a vector is a view of one column. Of several processes, each takes just its
/// rows, and leaves them in the file if they need not be converted.
FileContents read_npy(const std::filesystem::path& path, const ReadContext& context);

/// A vector, or a matrix of one row or column, of numbers or texts.
LabelTable read_npy_labels(const std::filesystem::path& path, const ReadContext& context);

/// Instances that lack the view become rows of NaN. Throws BadUsage if the view is sparse.
void write_npy(const Dataset& data, Index view, const std::filesystem::path& path);

/// Numbers if all classes are numbers, else texts. Throws BadUsage if there are no labels.
void write_npy_labels(const Dataset& data, const std::filesystem::path& path);

}  // namespace m3lak
