#include <fmt/format.h>

#include <array>
#include <limits>

#include "data/file.h"
#include "data/formats/hdf5/hdf5_handle.h"
#include "data/formats/mat/mat.h"
#include "data/formats/mat/mat5_check.h"
#include "data/formats/mat/mat_log.h"
#include "data/formats/variables/variable_sink.h"
#include "data/formats/variables/variable_text.h"
#include "m3lak/error.h"

namespace m3lak {

namespace fs = std::filesystem;

namespace {

using Shape = std::array<std::size_t, 2>;
using ByColumns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;

std::size_t size(Index count) { return static_cast<std::size_t>(count); }

class MatSink : public VariableSink {
 public:
  MatSink(const fs::path& path, bool version_73) : path_(path.string()), version_73_(version_73) {
    keep_mat_messages();
    file_.reset(Mat_CreateVer(path.c_str(), nullptr, version_73 ? MAT_FT_MAT73 : MAT_FT_MAT5));
    if (!file_) fail();
  }

  void matrix(const std::string& name, const DenseMatrix& values) override {
    check_size(name, size(values.size()) * sizeof(double));
    const ByColumns columns = values;
    write(numbers(name, {size(values.rows()), size(values.cols())}, columns.data()));
  }

  void matrix(const std::string& name, const SparseMatrix& values) override {
    check_size(name, size(values.nonZeros()) * sizeof(double));
    Eigen::SparseMatrix<double, Eigen::ColMajor, int> columns = values;
    columns.makeCompressed();
    const auto stored = static_cast<mat_uint32_t>(columns.nonZeros());
    static_assert(sizeof(int) == sizeof(mat_uint32_t));
    mat_sparse_t parts{};
    parts.nzmax = parts.nir = parts.ndata = stored;
    parts.ir = reinterpret_cast<mat_uint32_t*>(columns.innerIndexPtr());
    parts.jc = reinterpret_cast<mat_uint32_t*>(columns.outerIndexPtr());
    parts.njc = static_cast<mat_uint32_t>(columns.cols() + 1);
    parts.data = columns.valuePtr();
    Shape shape{size(values.rows()), size(values.cols())};
    write(create(name.c_str(), MAT_C_SPARSE, MAT_T_DOUBLE, shape, &parts));
  }

  void numbers(const std::string& name, std::span<const double> values) override {
    check_size(name, values.size_bytes());
    write(numbers(name, {values.size(), 1}, values.data()));
  }

  void texts(const std::string& name, std::span<const std::string> values) override {
    std::vector<matvar_t*> cells;
    for (const std::string& text : values) {
      std::u16string characters = utf16_from_utf8(text, path_ + ": " + name);
      Shape shape{characters.empty() ? std::size_t{0} : 1, characters.size()};
      cells.push_back(
          Mat_VarCreate(nullptr, MAT_C_CHAR, MAT_T_UTF16, 2, shape.data(), characters.data(), 0));
    }
    // The cell takes over its cells.
    Shape shape{values.size(), 1};
    write(create(name.c_str(), MAT_C_CELL, MAT_T_CELL, shape, cells.data(), 0));
  }

  void finish() override {
    if (Mat_Close(file_.release()) != 0) fail();
    if (!version_73_ && !is_whole()) {
      throw Error(fmt::format("{}: cannot be written whole; is the disk full?", path_));
    }
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(fmt::format("{}: cannot be written: {}", path_, mat_message()));
  }

  /// matio does not say if a file of version 5 could not be written.
  bool is_whole() const {
    try {
      return check_mat5(MappedFile(path_).bytes(), path_) == written_;
    } catch (const BadData&) {
      return false;
    }
  }

  void check_size(const std::string& name, std::size_t bytes) const {
    if (!version_73_ && bytes > std::numeric_limits<std::int32_t>::max()) {
      throw BadUsage(fmt::format(
          "{}: {} has {} bytes, but a variable of a MATLAB file of version 5 at most 2 GB; write "
          "version 7.3 instead (--format mat73)",
          path_, name, bytes));
    }
  }

  MatVariable create(const char* name, matio_classes kind, matio_types type, Shape shape,
                     const void* data, int options = MAT_F_DONT_COPY_DATA) const {
    MatVariable variable(
        Mat_VarCreate(name, kind, type, 2, shape.data(), const_cast<void*>(data), options));
    if (!variable) fail();
    return variable;
  }
  MatVariable numbers(const std::string& name, Shape shape, const double* values) const {
    return create(name.c_str(), MAT_C_DOUBLE, MAT_T_DOUBLE, shape, values);
  }
  void write(const MatVariable& variable) {
    ++written_;
    if (Mat_VarWrite(file_.get(), variable.get(),
                     version_73_ ? MAT_COMPRESSION_NONE : MAT_COMPRESSION_ZLIB) != 0) {
      fail();
    }
  }

  std::string path_;
  bool version_73_;
  int written_ = 0;
  Hdf5Silence silence_;  // version 7.3 is HDF5
  MatHandle file_;
};

}  // namespace

void write_mat(const Dataset& data, const fs::path& path, bool version_73) {
  MatSink sink(path, version_73);
  write_variables(data, sink);
}

}  // namespace m3lak
