// Whether the HDF5 library survives a file.
#pragma once

#include <filesystem>

namespace m3lak {

/// HDF5 itself can crash, or never end, on a damaged file. So all objects of the file are first
/// opened and read (of large arrays a little) in a process that may die: if it does, this throws
/// BadData. Damage that HDF5 notices is left to the real reading to report.
void probe_hdf5(const std::filesystem::path& path);

}  // namespace m3lak
