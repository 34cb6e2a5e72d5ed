// Sparse views as text, one instance a line: "label index:value index:value … # comment".
#pragma once

#include <filesystem>

#include "data/formats/text/text.h"
#include "data/table.h"

namespace m3lak {

/// One sparse view and its labels, as text ("1,3" is one label); no labels if the lines start with
/// an index. Indices are from 1, or from 0 if one of them is 0; in any order. `qid:` is left out, a
/// value nan is a missing cell.
FileContents read_svmlight(const std::filesystem::path& path, const ReadContext& context,
                           std::size_t piece_size = default_piece_size);

/// Indices are from 1. A zero is written where the number of features, or an instance, would
/// otherwise be lost. Throws BadUsage for what this format cannot hold: instances without label or
/// view, missing cells, labels with blanks, '#' or ':'.
void write_svmlight(const Dataset& data, Index view, const std::filesystem::path& path);

}  // namespace m3lak
