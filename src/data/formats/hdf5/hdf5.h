// HDF5 files of named variables (.h5, .hdf5).
#pragma once

#include <filesystem>
#include <memory>

#include "data/formats/variables/variable_file.h"

namespace m3lak {

/// Variables are the members of the root group: datasets, sparse matrices as AnnData encodes them,
/// and groups of both.
std::unique_ptr<VariableFile> open_hdf5(const std::filesystem::path& path);

inline FileContents read_hdf5(const std::filesystem::path& path, const ReadContext& context) {
  return read_variables(*open_hdf5(path), context);
}

void write_h5(const Dataset& data, const std::filesystem::path& path);

}  // namespace m3lak
