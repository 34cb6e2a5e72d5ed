// Tables as text: CSV, TSV and their kin, packed by gzip or not.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/text/text.h"
#include "data/table.h"

namespace m3lak {

/// One view of numbers, the names of its rows if a column has them (csv_plan.h says which), and the
/// labels if `label_column` is one of its columns.
FileContents read_csv(const std::filesystem::path& path, const ReadContext& context,
                      std::size_t piece_size = default_piece_size);

/// A file of labels: one column of them, as text, and the names of the rows if a column has them.
/// Other columns are not looked at. What was decided is added to `notes` if it is given.
LabelTable read_csv_labels(const std::filesystem::path& path, const ReadContext& context,
                           std::vector<std::string>* notes = nullptr,
                           std::size_t piece_size = default_piece_size);

/// A text as it stands in a cell: in quotes where it needs them.
M3LAK_API std::string csv_cell(std::string_view text, char delimiter);

/// Views need to be written with the names of their rows if these have names, or if they are to be
/// matched because not all views have all instances.
bool needs_instance_names(const Dataset& data);

/// i1, i2, … if the instances have no names.
std::string instance_name(const Dataset& data, Index row);

/// One view with a header: names (f1, f2, … if there are none), preceded by `id` if the rows have
/// to be named. Instances that lack the view are left out; unknown cells are empty. Numbers are as
/// short as they can be read back.
void write_csv(const Dataset& data, Index view, const std::filesystem::path& path, char delimiter);

/// The columns `id`, if the rows have to be named, and `label`: empty if it is unknown.
void write_csv_labels(const Dataset& data, const std::filesystem::path& path, char delimiter);

}  // namespace m3lak
