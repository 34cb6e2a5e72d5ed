#include "data/formats/mat/mat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "data/file.h"
#include "data/formats/mat/mat5_check.h"
#include "data/formats/mat/mat73.h"
#include "data/formats/mat/mat_log.h"
#include "data/formats/variables/variable_text.h"
#include "m3lak/error.h"

namespace m3lak {

namespace fs = std::filesystem;

namespace {

std::uint64_t count_of(const matvar_t& variable) {
  std::uint64_t count = 1;
  for (int d = 0; d < variable.rank; ++d) count *= variable.dims[d];
  return count;
}

bool is_number(const matvar_t& variable) {
  return variable.class_type >= MAT_C_SPARSE && variable.class_type <= MAT_C_UINT64;
}

std::span<matvar_t* const> cells_of(const matvar_t& variable) {
  if (!variable.data) return {};
  return {static_cast<matvar_t* const*>(variable.data), count_of(variable)};
}

bool is_list_of_texts(const matvar_t& variable) {
  const auto cells = cells_of(variable);
  const auto is_text = [](const matvar_t* cell) {
    return !cell || cell->class_type == MAT_C_CHAR || count_of(*cell) == 0;
  };
  return variable.class_type == MAT_C_CELL && !cells.empty() && std::ranges::all_of(cells, is_text);
}

std::string type_name(const matvar_t& variable) {
  if (variable.isComplex) return "complex numbers";
  if (variable.isLogical) return variable.class_type == MAT_C_SPARSE ? "sparse" : "logical";
  switch (variable.class_type) {
    case MAT_C_EMPTY:
      return "empty";
    case MAT_C_CELL:
      return "cell";
    case MAT_C_STRUCT:
      return "struct";
    case MAT_C_OBJECT:
      return "object";
    case MAT_C_CHAR:
      return "char";
    case MAT_C_SPARSE:
      return "sparse";
    case MAT_C_DOUBLE:
      return "double";
    case MAT_C_SINGLE:
      return "single";
    case MAT_C_INT8:
      return "int8";
    case MAT_C_UINT8:
      return "uint8";
    case MAT_C_INT16:
      return "int16";
    case MAT_C_UINT16:
      return "uint16";
    case MAT_C_INT32:
      return "int32";
    case MAT_C_UINT32:
      return "uint32";
    case MAT_C_INT64:
      return "int64";
    case MAT_C_UINT64:
      return "uint64";
    case MAT_C_FUNCTION:
      return "function handle";
    case MAT_C_OPAQUE:
      return "object";
  }
  return "of an unknown class";
}

Variable describe(const matvar_t& variable) {
  Variable result;
  result.name = variable.name ? variable.name : "";
  result.type = type_name(variable);
  result.shape.assign(variable.dims, variable.dims + variable.rank);
  if (is_number(variable) && !variable.isComplex) {
    result.kind = VariableKind::numbers;
  } else if (variable.class_type == MAT_C_CHAR || is_list_of_texts(variable)) {
    result.kind = VariableKind::text;
    if (variable.class_type == MAT_C_CHAR) result.shape = {variable.dims[0]};  // a text a row
  } else if (variable.class_type == MAT_C_CELL) {
    result.kind = VariableKind::list;
  }
  return result;
}

/// Calls f with a null pointer to the C++ type of the variable's values.
template <class F>
bool with_type(matio_types type, const F& f) {
  switch (type) {
    case MAT_T_DOUBLE:
      return f(static_cast<const double*>(nullptr)), true;
    case MAT_T_SINGLE:
      return f(static_cast<const float*>(nullptr)), true;
    case MAT_T_INT8:
      return f(static_cast<const std::int8_t*>(nullptr)), true;
    case MAT_T_UINT8:
      return f(static_cast<const std::uint8_t*>(nullptr)), true;
    case MAT_T_INT16:
      return f(static_cast<const std::int16_t*>(nullptr)), true;
    case MAT_T_UINT16:
      return f(static_cast<const std::uint16_t*>(nullptr)), true;
    case MAT_T_INT32:
      return f(static_cast<const std::int32_t*>(nullptr)), true;
    case MAT_T_UINT32:
      return f(static_cast<const std::uint32_t*>(nullptr)), true;
    case MAT_T_INT64:
      return f(static_cast<const std::int64_t*>(nullptr)), true;
    case MAT_T_UINT64:
      return f(static_cast<const std::uint64_t*>(nullptr)), true;
    default:
      return false;
  }
}

DenseMatrix dense(const matvar_t& variable, const std::string& origin) {
  const auto rows = static_cast<Index>(variable.dims[0]);
  const auto columns = static_cast<Index>(variable.dims[1]);
  const std::uint64_t count = count_of(variable);
  const auto bytes = checked_bytes({variable.dims, variable.dims + variable.rank},
                                   static_cast<std::uint64_t>(variable.data_size), origin);
  DenseMatrix result(rows, columns);
  if (count == 0) return result;
  const bool known = with_type(variable.data_type, [&](auto type) {
    if (!variable.data || variable.nbytes < bytes) return;
    const auto values = static_cast<decltype(type)>(variable.data);
    result =
        from_column_major(rows, columns, [&](Index k) { return static_cast<double>(values[k]); });
  });
  if (!known || !variable.data || variable.nbytes < bytes) {
    throw BadData(fmt::format("{}: cannot be read; the file is damaged", origin));
  }
  return result;
}

SparseMatrix sparse(const matvar_t& variable, const std::string& origin) {
  const auto* parts = static_cast<const mat_sparse_t*>(variable.data);
  CompressedMatrix matrix;
  matrix.rows = variable.dims[0];
  matrix.columns = variable.dims[1];
  matrix.by_columns = true;
  if (!parts || !parts->jc) {  // MATLAB leaves the parts of an empty matrix out
    matrix.starts.assign(matrix.columns + 1, 0);
    return to_sparse(matrix, origin);
  }
  matrix.starts.assign(parts->jc, parts->jc + parts->njc);
  // There may be room for more values than there are.
  const auto stored = static_cast<std::size_t>(std::clamp<std::int64_t>(
      matrix.starts.empty() ? 0 : matrix.starts.back(), 0, std::min(parts->nir, parts->ndata)));
  matrix.indices.assign(parts->ir, parts->ir + stored);
  with_type(variable.data_type, [&](auto type) {
    const auto values = static_cast<decltype(type)>(parts->data);
    std::copy(values, values + stored, std::back_inserter(matrix.values));
  });
  return to_sparse(matrix, origin);
}

Matrix to_matrix(const matvar_t& variable, const std::string& origin) {
  if (!is_number(variable) || variable.isComplex || variable.rank != 2) {
    throw BadData(fmt::format("{}: is {} ({}), but a matrix of real numbers is needed", origin,
                              shape_text({variable.dims, variable.dims + variable.rank}),
                              type_name(variable)));
  }
  if (variable.class_type == MAT_C_SPARSE) return sparse(variable, origin);
  return dense(variable, origin);
}

/// The rows of a char array.
std::vector<std::string> char_rows(const matvar_t& variable, const std::string& origin) {
  const std::uint64_t count = count_of(variable), rows = variable.dims[0];
  if (count == 0) return std::vector<std::string>(rows <= 1 ? 1 : 0);
  if (!variable.data) throw BadData(fmt::format("{}: has no characters; damaged", origin));
  const bool wide = variable.data_type == MAT_T_UINT16 || variable.data_type == MAT_T_UTF16;
  const bool narrow = variable.data_type == MAT_T_UINT8 || variable.data_type == MAT_T_INT8 ||
                      variable.data_type == MAT_T_UTF8;
  const std::size_t units = variable.nbytes / (wide ? 2 : 1);
  if ((!wide && !narrow) || units < count || variable.rank != 2) {
    throw BadData(fmt::format("{}: its characters are not encoded in a way that is read", origin));
  }
  std::vector<std::string> texts;
  // In UTF-8 there may be more bytes than characters; only of one row is it then sure whose.
  const std::size_t width = rows == 1 ? units : static_cast<std::size_t>(count / rows);
  for (std::size_t r = 0; r < rows; ++r) {
    std::u16string characters;
    std::string bytes;
    for (std::size_t c = 0; c < width; ++c) {
      const std::size_t at = c * rows + r;
      if (wide) {
        characters.push_back(static_cast<const char16_t*>(variable.data)[at]);
      } else {
        bytes.push_back(static_cast<const char*>(variable.data)[at]);
      }
    }
    std::string text = wide ? utf8_from_utf16(characters, origin) : bytes;
    text.erase(text.find_last_not_of(std::string_view("\0", 1)) + 1);
    if (rows > 1) text.erase(text.find_last_not_of(' ') + 1);  // rows are filled up with spaces
    texts.push_back(std::move(text));
  }
  return texts;
}

/// Version 5, read by matio.
class Mat5File : public VariableFile {
 public:
  explicit Mat5File(const fs::path& path) : VariableFile(path) {
    keep_mat_messages();
    file_.reset(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
    if (!file_) {
      throw BadData(fmt::format("{}: cannot be read: {}", this->path(), mat_message()));
    }
    while (const MatVariable variable{Mat_VarReadNextInfo(file_.get())}) add(describe(*variable));
  }

  Matrix matrix(const Variable& variable) const override {
    return to_matrix(*read(variable), origin(variable));
  }

  std::vector<std::string> texts(const Variable& variable) const override {
    const MatVariable value = read(variable);
    if (value->class_type == MAT_C_CHAR) return char_rows(*value, origin(variable));
    std::vector<std::string> result;
    for (const matvar_t* cell : cells_of(*value)) {
      result.emplace_back();
      if (!cell || count_of(*cell) == 0) continue;
      auto rows = char_rows(*cell, origin(variable));
      if (rows.size() != 1) {
        throw BadData(fmt::format("{}: cell {} has {} rows of text, but one is needed",
                                  origin(variable), result.size(), rows.size()));
      }
      result.back() = std::move(rows.front());
    }
    return result;
  }

  std::vector<NamedMatrix> members(const Variable& variable) const override {
    const MatVariable value = read(variable);
    std::vector<NamedMatrix> result;
    for (const matvar_t* cell : cells_of(*value)) {
      const std::string name = fmt::format("{}{{{}}}", variable.name, result.size() + 1);
      if (!cell) throw BadData(fmt::format("{}: {} is empty", path(), name));
      result.push_back({"", name, to_matrix(*cell, path() + ": " + name)});
    }
    return result;
  }

 private:
  MatVariable read(const Variable& variable) const {
    keep_mat_messages();
    MatVariable result(Mat_VarRead(file_.get(), variable.name.c_str()));
    if (!result) {
      throw BadData(fmt::format("{}: cannot be read: {}", origin(variable), mat_message()));
    }
    return result;
  }

  MatHandle file_;
};

}  // namespace

std::unique_ptr<VariableFile> open_mat(const fs::path& path) {
  const MappedFile file(path);
  constexpr std::size_t header = 128, version_at = 124;
  const std::string_view text = file.text();
  const std::string_view version =
      text.size() < header ? "" : text.substr(version_at, header - version_at);
  using namespace std::string_view_literals;
  if (version == "\x00\x01IM"sv || version == "\x01\x00MI"sv) {
    check_mat5(file.bytes(), path.string());
    return std::make_unique<Mat5File>(path);
  }
  if (version == "\x00\x02IM"sv || version == "\x02\x00MI"sv) return open_mat73(path);
  throw BadData(fmt::format(
      "{}: is not a MATLAB file of version 5, 6, 7 or 7.3; if it is one of version 4, load it in "
      "MATLAB or Octave and save it again with save('-v7', …)",
      path.string()));
}

}  // namespace m3lak
