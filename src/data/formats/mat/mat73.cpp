#include "data/formats/mat/mat73.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/formats/hdf5/hdf5_file.h"
#include "data/formats/variables/variable_text.h"
#include "m3lak/error.h"

namespace m3lak {

namespace fs = std::filesystem;

namespace {

/// MATLAB's order is by columns, HDF5's by rows: sizes are reversed, values stay as they are.
class Mat73File : public VariableFile {
 public:
  explicit Mat73File(const fs::path& path) : VariableFile(path), file_(path) {
    for (const std::string& name : file_.members("/")) {
      const bool internal = name == "#refs#" || name == "#subsystem#";
      if (!internal && file_.has("/" + name)) add(describe("/" + name));
    }
  }

  Matrix matrix(const Variable& variable) const override {
    return to_matrix("/" + variable.name, variable);
  }

  std::vector<std::string> texts(const Variable& variable) const override {
    const std::string object = "/" + variable.name;
    if (class_of(object) == "char") return char_rows(object);
    std::vector<std::string> result;
    for (const std::string& cell : file_.references(object)) {
      std::vector<std::string> rows =
          is_empty(cell) ? std::vector<std::string>(1) : char_rows(cell);
      if (rows.size() != 1) {
        throw BadData(fmt::format("{}: cell {} has {} rows of text, but one is needed",
                                  origin(variable), result.size() + 1, rows.size()));
      }
      result.push_back(std::move(rows.front()));
    }
    return result;
  }

  std::vector<NamedMatrix> members(const Variable& variable) const override {
    std::vector<NamedMatrix> result;
    for (const std::string& cell : file_.references("/" + variable.name)) {
      const std::string name = fmt::format("{}{{{}}}", variable.name, result.size() + 1);
      const Variable described = describe(cell);
      if (described.kind != VariableKind::numbers || described.shape.size() != 2) {
        throw BadData(fmt::format("{}: {}: is {} ({}), but a matrix of real numbers is needed",
                                  path(), name, shape_text(described.shape), described.type));
      }
      result.push_back({"", name, to_matrix(cell, described)});
    }
    return result;
  }

 private:
  std::string class_of(const std::string& object) const {
    const auto name = file_.text_attribute(object, "MATLAB_class");
    return name && name->size() == 1 ? name->front() : "";
  }

  /// An empty array holds its sizes instead of values.
  bool is_empty(const std::string& object) const {
    const auto flag = file_.integer_attribute(object, "MATLAB_empty");
    return flag && flag->size() == 1 && flag->front() != 0;
  }

  Variable describe(const std::string& object) const {
    Variable result;
    result.name = object.substr(1);
    result.type = class_of(object);
    if (file_.is_group(object)) {
      if (const auto rows = file_.integer_attribute(object, "MATLAB_sparse");
          rows && rows->size() == 1 && rows->front() >= 0 && file_.has(object + "/jc")) {
        const std::uint64_t starts = file_.describe(object + "/jc").count();
        result.kind = VariableKind::numbers;
        result.type = "sparse";
        result.shape = {static_cast<std::uint64_t>(rows->front()), starts > 0 ? starts - 1 : 0};
      } else if (result.type.empty()) {
        result.type = "struct";
      }
      return result;
    }
    const Hdf5Array array = file_.describe(object);
    if (is_empty(object)) {
      for (const std::int64_t size : file_.integers(object)) {
        result.shape.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0)));
      }
    } else {
      result.shape.assign(array.shape.rbegin(), array.shape.rend());
    }
    if (result.type == "char") {
      result.kind = VariableKind::text;
      result.shape.resize(std::min<std::size_t>(result.shape.size(), 1));  // a text a row
    } else if (result.type == "cell") {
      const auto is_text = [&](const std::string& cell) {
        return class_of(cell) == "char" || is_empty(cell);
      };
      const bool texts =
          !is_empty(object) && std::ranges::all_of(file_.references(object), is_text);
      result.kind = texts ? VariableKind::text : VariableKind::list;
    } else if (array.is_number) {
      result.kind = VariableKind::numbers;
      if (result.type.empty()) result.type = array.type;
    } else {
      result.type = array.type;
    }
    return result;
  }

  Matrix to_matrix(const std::string& object, const Variable& variable) const {
    if (file_.is_group(object)) return sparse(object, variable);
    const auto rows = static_cast<Index>(variable.shape.empty() ? 1 : variable.shape[0]);
    const auto columns = static_cast<Index>(variable.shape.size() < 2 ? 1 : variable.shape[1]);
    if (is_empty(object)) {
      const std::uint64_t bytes = checked_bytes(variable.shape, sizeof(double), origin(variable));
      if (bytes > 0) throw BadData(fmt::format("{}: is damaged", origin(variable)));
      return DenseMatrix(rows, columns);
    }
    const std::vector<double> values = file_.numbers(object);
    return from_column_major(rows, columns,
                             [&](Index k) { return values[static_cast<std::size_t>(k)]; });
  }

  SparseMatrix sparse(const std::string& group, const Variable& variable) const {
    CompressedMatrix matrix;
    matrix.rows = variable.shape[0];
    matrix.columns = variable.shape[1];
    matrix.by_columns = true;
    matrix.starts = file_.integers(group + "/jc");
    if (file_.has(group + "/ir") && file_.has(group + "/data")) {  // else there are no values
      matrix.indices = file_.integers(group + "/ir");
      matrix.values = file_.numbers(group + "/data");
    }
    return to_sparse(matrix, origin(variable));
  }

  std::vector<std::string> char_rows(const std::string& object) const {
    const Hdf5Array array = file_.describe(object);
    if (is_empty(object)) return {""};
    const std::vector<std::int64_t> units = file_.integers(object);
    const std::size_t rows = array.shape.size() == 2 ? array.shape[1] : 1;
    std::vector<std::string> texts;
    for (std::size_t r = 0; r < rows; ++r) {
      std::u16string text;
      for (std::size_t k = r; k < units.size(); k += rows) {
        text.push_back(static_cast<char16_t>(units[k]));
      }
      text.erase(text.find_last_not_of(u'\0') + 1);
      if (rows > 1) text.erase(text.find_last_not_of(u' ') + 1);  // filled up with spaces
      texts.push_back(utf8_from_utf16(text, file_.origin(object)));
    }
    return texts;
  }

  Hdf5File file_;
};

}  // namespace

std::unique_ptr<VariableFile> open_mat73(const fs::path& path) {
  return std::make_unique<Mat73File>(path);
}

}  // namespace m3lak
