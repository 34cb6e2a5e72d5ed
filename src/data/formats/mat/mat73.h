// MATLAB's files of version 7.3, which are HDF5 files with MATLAB's conventions.
#pragma once

#include <filesystem>
#include <memory>

#include "data/formats/variables/variable_file.h"

namespace m3lak {

std::unique_ptr<VariableFile> open_mat73(const std::filesystem::path& path);

}  // namespace m3lak
