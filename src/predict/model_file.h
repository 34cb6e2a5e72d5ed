// The model file, format 1:
//
//   "m3lak model 1\n"
//   length of the header, 8 bytes
//   header: JSON, filled up with blanks so that the numbers begin at a multiple of 8 bytes
//   arrays of doubles, where and in which shape the header says (row by row, like NumPy's)
//   CRC-32 of everything before it, 4 bytes
//
// All is little-endian. The same model gives the same bytes.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

#include "predict/model_parts.h"

namespace m3lak {

/// Throws Error if the parts of the model contradict each other: such a file could not be read.
void write_model(const Model::Parts& parts, std::ostream& out);

/// `file` is the name for messages. Throws BadData, with the remedy, if these are not the bytes of
/// a model that this program can use. If `owner` is what keeps the bytes, and there are more of
/// them than the model's settings allow in memory, the matrices of its draws stay where they are.
Model::Parts read_model(std::string_view bytes, const std::string& file,
                        const std::shared_ptr<const void>& owner = nullptr);

}  // namespace m3lak
