// The files of MuData (.h5mu: several modalities) and AnnData (.h5ad: one).
#pragma once

#include <filesystem>

#include "data/table.h"

namespace m3lak {

/// Whether an HDF5 file is one of these two.
bool is_h5mu(const std::filesystem::path& path);

/// One view a modality, rows named by its obs, columns by its var. Labels are a column of the
/// global obs or of that of a modality ("rna:leiden", or only there); without a name there are
/// none.
FileContents read_h5mu(const std::filesystem::path& path, const ReadContext& context);

/// The labels alone; their column must be named.
LabelTable read_h5mu_labels(const std::filesystem::path& path, const ReadContext& context);

/// An instance that lacks a view is not in that modality. The labels are the column `label` of obs.
void write_h5mu(const Dataset& data, const std::filesystem::path& path);

}  // namespace m3lak
