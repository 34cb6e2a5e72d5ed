#include "data/formats/hdf5/hdf5_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "data/file.h"
#include "data/formats/hdf5/hdf5_probe.h"
#include "m3lak/error.h"

namespace m3lak {

namespace {

std::vector<std::uint64_t> shape_of(hid_t space) {
  const int rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> sizes(rank > 0 ? static_cast<std::size_t>(rank) : 0);
  if (rank > 0) H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  std::vector<std::uint64_t> shape(sizes.begin(), sizes.end());
  if (H5Sget_simple_extent_type(space) == H5S_NULL) shape.assign(1, 0);
  return shape;
}

/// The number of values; the largest number if there are too many to count.
std::uint64_t values_of(const std::vector<std::uint64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t size : shape) {
    if (__builtin_mul_overflow(count, size, &count)) return UINT64_MAX;
  }
  return count;
}

/// HDF5 keeps NumPy's booleans as an enumeration of FALSE and TRUE.
bool is_boolean(hid_t type) {
  return H5Tget_class(type) == H5T_ENUM && H5Tget_size(type) == 1 && H5Tget_nmembers(type) == 2;
}

std::string type_name(hid_t type) {
  const std::size_t bits = 8 * H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return fmt::format("{}int{}", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "", bits);
    case H5T_FLOAT:
      return fmt::format("float{}", bits);
    case H5T_STRING:
      return "text";
    case H5T_ENUM:
      return is_boolean(type) ? "bool" : "an enumeration";
    case H5T_COMPOUND:
      return "complex or structured";
    case H5T_REFERENCE:
      return "references";
    default:
      return "of a type that is not read";
  }
}

/// Throws BadData if a dataset claims far more than the file holds for it; or, if it is to be read
/// as a `whole`, than memory could hold.
void check_size(hid_t dataset, hid_t type, const std::vector<std::uint64_t>& shape,
                const std::string& origin, bool whole = true) {
  const std::uint64_t claimed =
      (whole ? checked_bytes : counted_bytes)(shape, H5Tget_size(type), origin);
  const std::uint64_t stored = H5Dget_storage_size(dataset);
  // Deflate makes data at most about 1032 times smaller; and a few values may never be written.
  constexpr std::uint64_t ratio = 1040, unwritten = 64 << 20;
  if (claimed > unwritten && (claimed - unwritten) / ratio > stored) {
    throw BadData(fmt::format(
        "{}: claims {} values, {} bytes, but the file holds only {} bytes for it; it is damaged or "
        "was never written",
        origin, shape_text(shape), claimed, stored));
  }
}

/// `read(memory_type, buffer)` of a dataset or an attribute of `count` texts.
template <class Read>
std::optional<std::vector<std::string>> read_texts(hid_t type, hid_t space, std::size_t count,
                                                   const Read& read) {
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type) > 0) {
    const Hdf5Handle memory(H5Tcopy(type), H5Tclose);
    std::vector<char*> pointers(count, nullptr);
    if (count > 0 && read(memory.get(), pointers.data()) < 0) return std::nullopt;
    for (const char* text : pointers) texts.emplace_back(text ? text : "");
    if (count > 0) H5Dvlen_reclaim(memory.get(), space, H5P_DEFAULT, pointers.data());
    return texts;
  }
  const std::size_t width = H5Tget_size(type);
  const bool by_spaces = H5Tget_strpad(type) == H5T_STR_SPACEPAD;
  std::vector<char> bytes(count * width);
  if (count > 0 && read(type, bytes.data()) < 0) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text(bytes.data() + i * width, width);
    text.resize(std::min(text.find('\0'), width));
    if (by_spaces) text.erase(text.find_last_not_of(' ') + 1);
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

std::uint64_t Hdf5Array::count() const { return values_of(shape); }

Hdf5File::Hdf5File(const std::filesystem::path& path) : path_(path.string()) {
  { const MappedFile readable(path); }  // only for its messages
  probe_hdf5(path);
  file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, hdf5_read_access().get()), H5Fclose);
  if (!file_) {
    throw BadData(fmt::format("{}: is not an HDF5 file, or it is cut short or damaged ({})", path_,
                              hdf5_reason()));
  }
}

void Hdf5File::fail(const std::string& object) const {
  throw BadData(fmt::format("{}: cannot be read: {}", origin(object), hdf5_reason()));
}

bool Hdf5File::has(const std::string& object) const {
  // HDF5 wants each step of the way to exist before it answers for the next.
  for (std::size_t end = object.find('/', 1);; end = object.find('/', end + 1)) {
    const std::string part = object.substr(0, end);
    if (part != "/" && (H5Lexists(file_.get(), part.c_str(), H5P_DEFAULT) <= 0 ||
                        H5Oexists_by_name(file_.get(), part.c_str(), H5P_DEFAULT) <= 0)) {
      return false;
    }
    if (end == std::string::npos) return true;
  }
}

Hdf5Handle Hdf5File::open(const std::string& object) const {
  Hdf5Handle handle(H5Oopen(file_.get(), object.c_str(), H5P_DEFAULT), H5Oclose);
  if (!handle) fail(object);
  return handle;
}

Hdf5Handle Hdf5File::open_dataset(const std::string& object) const {
  Hdf5Handle handle = open(object);
  if (H5Iget_type(handle.get()) != H5I_DATASET) {
    throw BadData(fmt::format("{}: is a group, but an array is needed", origin(object)));
  }
  return handle;
}

bool Hdf5File::is_group(const std::string& object) const {
  return has(object) && H5Iget_type(open(object).get()) == H5I_GROUP;
}

bool Hdf5File::is_dataset(const std::string& object) const {
  return has(object) && H5Iget_type(open(object).get()) == H5I_DATASET;
}

std::vector<std::string> Hdf5File::members(const std::string& group) const {
  std::vector<std::string> names;
  const Hdf5Handle handle = open(group);
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  if (H5Literate(handle.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names) < 0) fail(group);
  return names;
}

Hdf5Array Hdf5File::describe(const std::string& dataset) const {
  const Hdf5Handle handle = open_dataset(dataset);
  const Hdf5Handle type(H5Dget_type(handle.get()), H5Tclose);
  const Hdf5Handle space(H5Dget_space(handle.get()), H5Sclose);
  if (!type || !space) fail(dataset);
  const H5T_class_t kind = H5Tget_class(type.get());
  Hdf5Array array;
  array.is_number = kind == H5T_INTEGER || kind == H5T_FLOAT || is_boolean(type.get());
  array.is_text = kind == H5T_STRING;
  array.shape = shape_of(space.get());
  array.type = type_name(type.get());
  return array;
}

template <class T>
std::vector<T> Hdf5File::values(const std::string& dataset, hid_t memory_type) const {
  const Hdf5Array array = describe(dataset);
  if (!array.is_number) {
    throw BadData(fmt::format("{}: is {}, but numbers are needed", origin(dataset), array.type));
  }
  const Hdf5Handle handle = open_dataset(dataset);
  const Hdf5Handle type(H5Dget_type(handle.get()), H5Tclose);
  check_size(handle.get(), type.get(), array.shape, origin(dataset));
  std::vector<T> result(array.count());
  if (!result.empty() &&
      H5Dread(handle.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.data()) < 0) {
    fail(dataset);
  }
  return result;
}

std::vector<double> Hdf5File::numbers(const std::string& dataset) const {
  return values<double>(dataset, H5T_NATIVE_DOUBLE);
}

std::vector<std::int64_t> Hdf5File::integers(const std::string& dataset) const {
  return values<std::int64_t>(dataset, H5T_NATIVE_INT64);
}

std::vector<std::string> Hdf5File::texts(const std::string& dataset) const {
  const Hdf5Array array = describe(dataset);
  if (!array.is_text) {
    throw BadData(fmt::format("{}: is {}, but texts are needed", origin(dataset), array.type));
  }
  const Hdf5Handle handle = open_dataset(dataset);
  const Hdf5Handle type(H5Dget_type(handle.get()), H5Tclose);
  const Hdf5Handle space(H5Dget_space(handle.get()), H5Sclose);
  check_size(handle.get(), type.get(), array.shape, origin(dataset));
  auto texts =
      read_texts(type.get(), space.get(), array.count(), [&](hid_t memory_type, void* buffer) {
        return H5Dread(handle.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
      });
  if (!texts) fail(dataset);
  return std::move(*texts);
}

std::vector<std::string> Hdf5File::references(const std::string& dataset) const {
  const Hdf5Array array = describe(dataset);
  const Hdf5Handle handle = open_dataset(dataset);
  const Hdf5Handle type(H5Dget_type(handle.get()), H5Tclose);
  if (!H5Tequal(type.get(), H5T_STD_REF_OBJ)) {
    throw BadData(fmt::format("{}: is {}, but references are needed", origin(dataset), array.type));
  }
  check_size(handle.get(), type.get(), array.shape, origin(dataset));
  std::vector<hobj_ref_t> references(array.count());
  if (!references.empty() && H5Dread(handle.get(), H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                     references.data()) < 0) {
    fail(dataset);
  }
  std::vector<std::string> objects;
  for (const hobj_ref_t& reference : references) {
    const Hdf5Handle object(H5Rdereference2(file_.get(), H5P_DEFAULT, H5R_OBJECT, &reference),
                            H5Oclose);
    const ssize_t length = object ? H5Iget_name(object.get(), nullptr, 0) : -1;
    if (length <= 0) fail(dataset);
    std::string name(static_cast<std::size_t>(length), '\0');
    H5Iget_name(object.get(), name.data(), name.size() + 1);
    objects.push_back(std::move(name));
  }
  return objects;
}

std::vector<std::uint64_t> Hdf5File::matrix_shape(const std::string& object) const {
  Hdf5Array array = describe(object);
  if (!array.is_number) {
    throw BadData(
        fmt::format("{}: is {}, but a matrix of numbers is needed", origin(object), array.type));
  }
  if (array.shape.size() > 2) {
    throw BadData(fmt::format(
        "{}: has the shape {}, but a matrix is needed, with one row an instance; reshape it",
        origin(object), shape_text(array.shape)));
  }
  return std::move(array.shape);
}

Matrix Hdf5File::matrix(const std::string& object) const {
  if (is_group(object)) return sparse(object);
  const auto shape = matrix_shape(object);
  const Hdf5Handle handle = open_dataset(object);
  const Hdf5Handle type(H5Dget_type(handle.get()), H5Tclose);
  check_size(handle.get(), type.get(), shape, origin(object));
  DenseMatrix matrix(shape.empty() ? 1 : static_cast<Index>(shape[0]),
                     shape.size() < 2 ? 1 : static_cast<Index>(shape[1]));
  if (matrix.size() > 0 &&
      H5Dread(handle.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, matrix.data()) < 0) {
    fail(object);
  }
  return matrix;
}

DenseMatrix Hdf5File::rows(const std::string& dataset, Block rows) const {
  const auto shape = matrix_shape(dataset);
  const Hdf5Handle handle = open_dataset(dataset);
  const Hdf5Handle type(H5Dget_type(handle.get()), H5Tclose);
  check_size(handle.get(), type.get(), shape, origin(dataset), false);
  const std::uint64_t columns = shape.size() < 2 ? 1 : shape[1];
  checked_bytes({static_cast<std::uint64_t>(rows.size), columns}, sizeof(double), origin(dataset));
  DenseMatrix matrix(rows.size, static_cast<Index>(columns));
  if (matrix.size() == 0) return matrix;
  const hsize_t start[] = {static_cast<hsize_t>(rows.begin), 0};
  const hsize_t count[] = {static_cast<hsize_t>(rows.size), columns};
  const auto sizes = static_cast<int>(shape.size());
  const Hdf5Handle space(H5Dget_space(handle.get()), H5Sclose);
  const Hdf5Handle memory(H5Screate_simple(sizes, count, nullptr), H5Sclose);
  if (!space || !memory ||
      H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, count, nullptr) < 0 ||
      H5Dread(handle.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT,
              matrix.data()) < 0) {
    fail(dataset);
  }
  return matrix;
}

std::string Hdf5File::sparse_format(const std::string& group) const {
  // Files from before AnnData 0.7 have h5sparse's names.
  for (const char* name : {"encoding-type", "h5sparse_format"}) {
    const auto format = text_attribute(group, name);
    if (format && format->size() == 1) return format->front().substr(0, 3);
  }
  return "";
}

std::optional<std::vector<std::uint64_t>> Hdf5File::sparse_shape(const std::string& group) const {
  const std::string format = sparse_format(group);
  if (format != "csr" && format != "csc") return std::nullopt;
  auto shape = integer_attribute(group, "shape");
  if (!shape) shape = integer_attribute(group, "h5sparse_shape");
  if (!shape || shape->size() != 2 || shape->at(0) < 0 || shape->at(1) < 0) return std::nullopt;
  return std::vector<std::uint64_t>(shape->begin(), shape->end());
}

SparseMatrix Hdf5File::sparse(const std::string& group) const {
  const auto shape = sparse_shape(group);
  if (!shape) {
    throw BadData(
        fmt::format("{}: is a group, but no sparse matrix: it lacks the attributes encoding-type "
                    "(csr_matrix or "
                    "csc_matrix) and shape",
                    origin(group)));
  }
  for (const char* part : {"/data", "/indices", "/indptr"}) {
    if (!has(group + part)) {
      throw BadData(
          fmt::format("{}: is not there, but its sparse matrix needs it", origin(group + part)));
    }
  }
  return to_sparse(
      {shape->at(0), shape->at(1), sparse_format(group) == "csc", integers(group + "/indptr"),
       integers(group + "/indices"), numbers(group + "/data")},
      origin(group));
}

std::optional<Hdf5File::Attribute> Hdf5File::attribute(const std::string& object,
                                                       const std::string& name,
                                                       H5T_class_t wanted) const {
  Hdf5Handle handle(
      H5Aopen_by_name(file_.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
  if (!handle) return std::nullopt;
  Hdf5Handle type(H5Aget_type(handle.get()), H5Tclose);
  Hdf5Handle space(H5Aget_space(handle.get()), H5Sclose);
  if (!type || !space || H5Tget_class(type.get()) != wanted) return std::nullopt;
  const auto shape = shape_of(space.get());
  checked_bytes(shape, H5Tget_size(type.get()), origin(object));
  return Attribute{std::move(handle), std::move(type), std::move(space), values_of(shape)};
}

std::optional<std::vector<std::string>> Hdf5File::text_attribute(const std::string& object,
                                                                 const std::string& name) const {
  const auto found = attribute(object, name, H5T_STRING);
  if (!found) return std::nullopt;
  return read_texts(
      found->type.get(), found->space.get(), found->count,
      [&](hid_t memory, void* buffer) { return H5Aread(found->handle.get(), memory, buffer); });
}

std::optional<std::vector<std::int64_t>> Hdf5File::integer_attribute(
    const std::string& object, const std::string& name) const {
  const auto found = attribute(object, name, H5T_INTEGER);
  if (!found) return std::nullopt;
  std::vector<std::int64_t> values(found->count);
  if (!values.empty() && H5Aread(found->handle.get(), H5T_NATIVE_INT64, values.data()) < 0) {
    return std::nullopt;
  }
  return values;
}

}  // namespace m3lak
