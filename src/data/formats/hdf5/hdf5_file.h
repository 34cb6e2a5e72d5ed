// Reading arrays, texts and sparse matrices from an HDF5 file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/formats/hdf5/hdf5_handle.h"
#include "data/formats/variables/variable_matrix.h"

namespace m3lak {

/// What a dataset holds.
struct Hdf5Array {
  bool is_number = false;
  bool is_text = false;
  std::vector<std::uint64_t> shape;
  std::string type;  // "float64": for messages

  /// Values in all; more than there can be if that does not fit.
  std::uint64_t count() const;
};

/// Objects are named by their paths ("/obs/label"). Errors are BadData and name file and object.
class Hdf5File {
 public:
  explicit Hdf5File(const std::filesystem::path& path);

  /// "data.h5: /X1".
  std::string origin(const std::string& object) const { return path_ + ": " + object; }

  bool has(const std::string& object) const;
  bool is_group(const std::string& object) const;
  bool is_dataset(const std::string& object) const;

  /// Names of a group's members, sorted.
  std::vector<std::string> members(const std::string& group) const;

  Hdf5Array describe(const std::string& dataset) const;

  /// A dataset of at most two sizes (a vector is one column), or a group that AnnData's convention
  /// makes a sparse matrix.
  Matrix matrix(const std::string& object) const;

  /// Some rows of such a dataset.
  DenseMatrix rows(const std::string& dataset, Block rows) const;

  /// The rows and columns of such a group; nothing if it is another one.
  std::optional<std::vector<std::uint64_t>> sparse_shape(const std::string& group) const;

  /// All values of a dataset in the order of the file.
  std::vector<double> numbers(const std::string& dataset) const;
  std::vector<std::int64_t> integers(const std::string& dataset) const;
  std::vector<std::string> texts(const std::string& dataset) const;

  /// The objects to which a dataset of references refers.
  std::vector<std::string> references(const std::string& dataset) const;

  /// Nothing if there is no such attribute, or one of another type.
  std::optional<std::vector<std::string>> text_attribute(const std::string& object,
                                                         const std::string& name) const;
  std::optional<std::vector<std::int64_t>> integer_attribute(const std::string& object,
                                                             const std::string& name) const;

 private:
  struct Attribute {
    Hdf5Handle handle, type, space;
    std::uint64_t count = 0;
  };

  [[noreturn]] void fail(const std::string& object) const;
  std::optional<Attribute> attribute(const std::string& object, const std::string& name,
                                     H5T_class_t wanted) const;
  Hdf5Handle open(const std::string& object) const;
  Hdf5Handle open_dataset(const std::string& object) const;
  std::string sparse_format(const std::string& group) const;
  SparseMatrix sparse(const std::string& group) const;
  std::vector<std::uint64_t> matrix_shape(const std::string& dataset) const;

  template <class T>
  std::vector<T> values(const std::string& dataset, hid_t memory_type) const;

  std::string path_;
  Hdf5Silence silence_;
  Hdf5Handle file_;
};

}  // namespace m3lak
