// Writing arrays, texts and sparse matrices to an HDF5 file, each encoded as AnnData does it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "data/formats/hdf5/hdf5_handle.h"
#include "m3lak/dataset.h"

namespace m3lak {

/// Objects are named by their paths ("/obs/label"); groups on the way must exist. Throws Error if
/// something cannot be written.
class Hdf5Writer {
 public:
  /// The first `user_block` bytes of the file are left to the caller.
  explicit Hdf5Writer(const std::filesystem::path& path, hsize_t user_block = 0);

  void group(const std::string& object);
  void encoded_group(const std::string& object, const std::string& encoding,
                     const std::string& version);

  void array(const std::string& object, const DenseMatrix& values);
  void array(const std::string& object, std::span<const double> values);
  void array(const std::string& object, std::span<const std::int32_t> values);
  void array(const std::string& object, std::span<const std::uint32_t> values);
  void texts(const std::string& object, std::span<const std::string> values);
  void sparse(const std::string& object, const SparseMatrix& values);

  void attribute(const std::string& object, const std::string& name, const std::string& value);
  void attribute(const std::string& object, const std::string& name,
                 std::span<const std::string> values);
  void attribute(const std::string& object, const std::string& name,
                 const std::vector<std::int64_t>& values);
  void attribute(const std::string& object, const std::string& name, bool value);

  /// To be called at last: only then is it known whether all was written.
  void close();

 private:
  [[noreturn]] void fail() const;
  hid_t checked(hid_t id) const;
  void encode(const std::string& object, const std::string& encoding, const std::string& version);
  void plain_array(const std::string& object, hid_t type, const std::vector<hsize_t>& shape,
                   const void* values);
  void plain_attribute(const std::string& object, const std::string& name, hid_t type,
                       const Hdf5Handle& space, const void* values);

  std::string path_;
  Hdf5Silence silence_;
  Hdf5Handle file_;
};

}  // namespace m3lak
