// MATLAB's files: version 5 (with or without compression) and 7.3.
#pragma once

#include <filesystem>
#include <memory>

#include "data/formats/variables/variable_file.h"

namespace m3lak {

std::unique_ptr<VariableFile> open_mat(const std::filesystem::path& path);

inline FileContents read_mat(const std::filesystem::path& path, const ReadContext& context) {
  return read_variables(*open_mat(path), context);
}

/// Version 5, or 7.3. A variable of version 5 has at most 2 GB; throws BadUsage if one has more.
void write_mat(const Dataset& data, const std::filesystem::path& path, bool version_73);

}  // namespace m3lak
