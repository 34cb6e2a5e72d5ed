#include "data/formats/npy/npz.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <set>

#include "data/file.h"
#include "data/formats/npy/npy_array.h"
#include "data/formats/npy/npz_handle.h"
#include "m3lak/error.h"

namespace m3lak {

namespace fs = std::filesystem;

namespace {

/// The bytes of a member, allocated without touching them: memory that a damaged file claims but
/// does not fill is never used.
struct Bytes {
  std::unique_ptr<std::byte[]> data;
  std::size_t size = 0;
  operator std::span<const std::byte>() const { return {data.get(), size}; }
};

class NpzFile : public VariableFile {
 public:
  explicit NpzFile(const fs::path& path);
  Matrix matrix(const Variable& variable) const override;
  std::vector<std::string> texts(const Variable& variable) const override;
  std::vector<NamedMatrix> members(const Variable&) const override { return {}; }

 private:
  struct Member {
    zip_uint64_t index = 0;
    NpyHeader header;
  };

  void list_members();
  void add_sparse(const std::string& name, const std::string& prefix);
  bool has(const std::string& name) const { return members_.contains(name); }
  std::string label(const std::string& name) const { return fmt::format("{}: {}", path(), name); }

  zip_stat_t checked_stat(zip_uint64_t index) const;
  Bytes read(zip_uint64_t index, const std::string& name, std::size_t limit) const;

  /// Calls f with the array of this name.
  template <class F>
  auto with_array(const std::string& name, const F& f) const {
    const auto member = members_.find(name);
    if (member == members_.end()) {
      throw BadData(
          fmt::format("{}: the array is not there, but its sparse matrix needs it", label(name)));
    }
    const Bytes bytes = read(member->second.index, name, SIZE_MAX);
    return f(NpyArray(bytes, label(name)));
  }
  std::vector<std::int64_t> integers(const std::string& name) const {
    return with_array(name, [](const NpyArray& array) { return array.integers(); });
  }
  std::vector<double> numbers(const std::string& name) const {
    return with_array(name, [](const NpyArray& array) { return array.numbers(); });
  }
  SparseMatrix sparse(const Variable& variable, const std::string& prefix) const;

  Zip zip_;
  std::map<std::string, Member> members_;
  std::map<std::string, std::string> sparse_prefix_;  // of the arrays, by the variable's name
};

NpzFile::NpzFile(const fs::path& path) : VariableFile(path) {
  const MappedFile readable(path);  // only for its messages
  int code = 0;
  zip_.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!zip_) {
    const bool is_zip = readable.text().starts_with("PK");
    throw BadData(
        fmt::format("{}: {} ({}); {}", path.string(),
                    is_zip ? "the zip file is damaged or cut short" : "is not an .npz file",
                    zip_message(code), is_zip ? "copy it again" : "save it with numpy.savez"));
  }
  list_members();
  std::set<std::string> parts;
  if (has("format") && has("data") && has("shape")) {
    add_sparse("X", "");
    return;
  }
  for (const auto& [name, member] : members_) {
    if (!name.ends_with("_indptr")) continue;
    const std::string matrix = name.substr(0, name.size() - std::strlen("_indptr"));
    if (has(matrix) || !has(matrix + "_indices") || !has(matrix + "_data")) continue;
    for (const char* part : {"_data", "_indices", "_indptr", "_shape"}) parts.insert(matrix + part);
    add_sparse(matrix, matrix + "_");
  }
  for (const auto& [name, member] : members_) {
    if (parts.contains(name)) continue;
    add({name,
         member.header.is_number() ? VariableKind::numbers
         : member.header.is_text() ? VariableKind::text
                                   : VariableKind::other,
         member.header.shape, member.header.type});
  }
}

void NpzFile::list_members() {
  const std::string suffix = ".npy";
  const auto count = static_cast<zip_uint64_t>(zip_get_num_entries(zip_.get(), 0));
  for (zip_uint64_t i = 0; i < count; ++i) {
    const std::string name = checked_stat(i).name;
    if (!name.ends_with(suffix)) continue;
    constexpr std::size_t enough_for_header = 1 << 16;
    const std::string variable = name.substr(0, name.size() - suffix.size());
    members_[variable] = {i,
                          NpyHeader::parse(read(i, variable, enough_for_header), label(variable))};
  }
  if (members_.empty()) {
    throw BadData(
        fmt::format("{}: is a zip file, but no .npz file: none of its {} members is an .npy array; "
                    "save it with "
                    "numpy.savez",
                    path(), count));
  }
}

void NpzFile::add_sparse(const std::string& name, const std::string& prefix) {
  sparse_prefix_[name] = prefix;
  std::vector<std::uint64_t> shape;
  for (const std::int64_t size : integers(prefix + "shape")) {
    shape.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0)));
  }
  if (shape.size() != 2) {
    throw BadData(fmt::format("{}: has {} values; the shape of a sparse matrix has two",
                              label(prefix + "shape"), shape.size()));
  }
  add({name, VariableKind::numbers, shape, "sparse"});
}

zip_stat_t NpzFile::checked_stat(zip_uint64_t index) const {
  zip_stat_t stat;
  constexpr zip_uint64_t needed =
      ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if (zip_stat_index(zip_.get(), index, 0, &stat) != 0 || (stat.valid & needed) != needed) {
    throw BadData(fmt::format("{}: member {} of the zip file is damaged", path(), index + 1));
  }
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
    throw BadData(
        fmt::format("{}: {} is compressed by method {}; save the file with numpy.savez_compressed",
                    path(), stat.name, stat.comp_method));
  }
  // Deflate makes data at most about 1032 times smaller.
  const zip_uint64_t ratio = stat.comp_method == ZIP_CM_STORE ? 1 : 1040;
  const std::uintmax_t file_bytes = fs::file_size(path());
  if (stat.comp_size > file_bytes || stat.size / ratio > stat.comp_size) {
    throw BadData(
        fmt::format("{}: {} claims {} bytes, but only {} of the file's {} bytes are its own; the "
                    "file is damaged",
                    path(), stat.name, stat.size, stat.comp_size, file_bytes));
  }
  return stat;
}

Bytes NpzFile::read(zip_uint64_t index, const std::string& name, std::size_t limit) const {
  const zip_stat_t stat = checked_stat(index);
  const ZipMember member(zip_fopen_index(zip_.get(), index, 0));
  if (!member) {
    throw BadData(fmt::format("{}: cannot be read: {}", label(name), zip_strerror(zip_.get())));
  }
  Bytes bytes;
  const auto wanted = std::min<std::size_t>(stat.size, limit);
  bytes.data = std::make_unique_for_overwrite<std::byte[]>(wanted + 1);
  // One byte more than there should be: only at the end does libzip compare the checksum.
  const std::size_t ask = wanted == stat.size ? wanted + 1 : wanted;
  while (bytes.size < ask) {
    const zip_int64_t got =
        zip_fread(member.get(), bytes.data.get() + bytes.size, ask - bytes.size);
    if (got < 0) {
      throw BadData(fmt::format("{}: the zip file is damaged: {}; copy it again", label(name),
                                zip_file_strerror(member.get())));
    }
    if (got == 0) break;
    bytes.size += static_cast<std::size_t>(got);
  }
  if (bytes.size != wanted) {
    throw BadData(fmt::format("{}: claims {} bytes, but {} are there; the file is damaged",
                              label(name), wanted, bytes.size));
  }
  return bytes;
}

SparseMatrix NpzFile::sparse(const Variable& variable, const std::string& prefix) const {
  const std::string format = has(prefix + "format")
                                 ? with_array(prefix + "format",
                                              [](const NpyArray& array) {
                                                const auto texts = array.texts();
                                                return texts.empty() ? "" : texts.front();
                                              })
                                 : "csr";
  if (format == "coo") {
    return to_sparse(variable.shape[0], variable.shape[1], integers(prefix + "row"),
                     integers(prefix + "col"), numbers(prefix + "data"), origin(variable));
  }
  if (format != "csr" && format != "csc") {
    throw BadData(fmt::format("{}: a sparse matrix in the format '{}'; convert it with .tocsr()",
                              origin(variable), format));
  }
  return to_sparse(
      {variable.shape[0], variable.shape[1], format == "csc", integers(prefix + "indptr"),
       integers(prefix + "indices"), numbers(prefix + "data")},
      origin(variable));
}

Matrix NpzFile::matrix(const Variable& variable) const {
  const auto prefix = sparse_prefix_.find(variable.name);
  if (prefix != sparse_prefix_.end()) return sparse(variable, prefix->second);
  return with_array(variable.name, [](const NpyArray& array) { return array.matrix(); });
}

std::vector<std::string> NpzFile::texts(const Variable& variable) const {
  return with_array(variable.name, [](const NpyArray& array) { return array.texts(); });
}

}  // namespace

std::unique_ptr<VariableFile> open_npz(const fs::path& path) {
  return std::make_unique<NpzFile>(path);
}

}  // namespace m3lak
