// NumPy's .npz files: named arrays in a zip file.
#pragma once

#include <filesystem>
#include <memory>

#include "data/formats/variables/variable_file.h"

namespace m3lak {

/// A sparse matrix X1 is four arrays: X1_data, X1_indices, X1_indptr and X1_shape, by rows (CSR). A
/// file that scipy.sparse.save_npz wrote holds the one variable X.
std::unique_ptr<VariableFile> open_npz(const std::filesystem::path& path);

inline FileContents read_npz(const std::filesystem::path& path, const ReadContext& context) {
  return read_variables(*open_npz(path), context);
}

void write_npz(const Dataset& data, const std::filesystem::path& path);

}  // namespace m3lak
