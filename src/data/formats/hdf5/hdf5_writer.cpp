#include "data/formats/hdf5/hdf5_writer.h"

#include <fmt/format.h>

#include "m3lak/error.h"

namespace m3lak {

namespace {

hsize_t size(Index count) { return static_cast<hsize_t>(count); }

Hdf5Handle text_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

/// As h5py writes NumPy's booleans.
Hdf5Handle boolean_type() {
  Hdf5Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
  const std::int8_t no = 0, yes = 1;
  H5Tenum_insert(type.get(), "FALSE", &no);
  H5Tenum_insert(type.get(), "TRUE", &yes);
  return type;
}

Hdf5Handle simple_space(const std::vector<hsize_t>& shape) {
  return {H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose};
}

std::vector<const char*> pointers_to(std::span<const std::string> texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

}  // namespace

Hdf5Writer::Hdf5Writer(const std::filesystem::path& path, hsize_t user_block)
    : path_(path.string()) {
  const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_userblock(creation.get(), user_block);
  file_ = Hdf5Handle(checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), H5P_DEFAULT)),
                     H5Fclose);
}

void Hdf5Writer::fail() const {
  throw Error(fmt::format("{}: cannot be written: {}", path_, hdf5_reason()));
}

hid_t Hdf5Writer::checked(hid_t id) const {
  if (id < 0) fail();
  return id;
}

void Hdf5Writer::group(const std::string& object) {
  const Hdf5Handle group(
      checked(H5Gcreate2(file_.get(), object.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
      H5Gclose);
}

void Hdf5Writer::encode(const std::string& object, const std::string& encoding,
                        const std::string& version) {
  attribute(object, "encoding-type", encoding);
  attribute(object, "encoding-version", version);
}

void Hdf5Writer::encoded_group(const std::string& object, const std::string& encoding,
                               const std::string& version) {
  group(object);
  encode(object, encoding, version);
}

void Hdf5Writer::plain_array(const std::string& object, hid_t type,
                             const std::vector<hsize_t>& shape, const void* values) {
  const Hdf5Handle space = simple_space(shape);
  Hdf5Handle dataset(checked(H5Dcreate2(file_.get(), object.c_str(), type, space.get(), H5P_DEFAULT,
                                        H5P_DEFAULT, H5P_DEFAULT)),
                     H5Dclose);
  const bool empty = H5Sget_simple_extent_npoints(space.get()) == 0;
  if (!empty && H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) fail();
  if (!dataset.close()) fail();
}

void Hdf5Writer::array(const std::string& object, const DenseMatrix& values) {
  plain_array(object, H5T_NATIVE_DOUBLE, {size(values.rows()), size(values.cols())}, values.data());
  encode(object, "array", "0.2.0");
}

void Hdf5Writer::array(const std::string& object, std::span<const double> values) {
  plain_array(object, H5T_NATIVE_DOUBLE, {values.size()}, values.data());
  encode(object, "array", "0.2.0");
}

void Hdf5Writer::array(const std::string& object, std::span<const std::int32_t> values) {
  plain_array(object, H5T_NATIVE_INT32, {values.size()}, values.data());
  encode(object, "array", "0.2.0");
}

void Hdf5Writer::array(const std::string& object, std::span<const std::uint32_t> values) {
  plain_array(object, H5T_NATIVE_UINT32, {values.size()}, values.data());
  encode(object, "array", "0.2.0");
}

void Hdf5Writer::texts(const std::string& object, std::span<const std::string> values) {
  plain_array(object, text_type().get(), {values.size()}, pointers_to(values).data());
  encode(object, "string-array", "0.2.0");
}

void Hdf5Writer::sparse(const std::string& object, const SparseMatrix& values) {
  SparseMatrix packed;
  if (!values.isCompressed()) {
    packed = values;
    packed.makeCompressed();
  }
  const SparseMatrix& matrix = values.isCompressed() ? values : packed;
  encoded_group(object, "csr_matrix", "0.1.0");
  attribute(object, "shape", std::vector<std::int64_t>{matrix.rows(), matrix.cols()});
  plain_array(object + "/data", H5T_NATIVE_DOUBLE, {size(matrix.nonZeros())}, matrix.valuePtr());
  plain_array(object + "/indices", H5T_NATIVE_INT32, {size(matrix.nonZeros())},
              matrix.innerIndexPtr());
  plain_array(object + "/indptr", H5T_NATIVE_INT32, {size(matrix.rows()) + 1},
              matrix.outerIndexPtr());
}

void Hdf5Writer::plain_attribute(const std::string& object, const std::string& name, hid_t type,
                                 const Hdf5Handle& space, const void* values) {
  const Hdf5Handle attribute(
      checked(H5Acreate_by_name(file_.get(), object.c_str(), name.c_str(), type, space.get(),
                                H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
      H5Aclose);
  const bool empty = H5Sget_simple_extent_npoints(space.get()) == 0;
  if (!empty && H5Awrite(attribute.get(), type, values) < 0) fail();
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           const std::string& value) {
  const char* text = value.c_str();
  plain_attribute(object, name, text_type().get(), {H5Screate(H5S_SCALAR), H5Sclose}, &text);
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           std::span<const std::string> values) {
  plain_attribute(object, name, text_type().get(), simple_space({values.size()}),
                  pointers_to(values).data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name,
                           const std::vector<std::int64_t>& values) {
  plain_attribute(object, name, H5T_NATIVE_INT64, simple_space({values.size()}), values.data());
}

void Hdf5Writer::attribute(const std::string& object, const std::string& name, bool value) {
  const std::int8_t flag = value;
  plain_attribute(object, name, boolean_type().get(), {H5Screate(H5S_SCALAR), H5Sclose}, &flag);
}

void Hdf5Writer::close() {
  if (H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) < 0 || !file_.close()) fail();
}

}  // namespace m3lak
