#include <fmt/format.h>

#include <array>
#include <list>

#include "data/formats/npy/npy_array.h"
#include "data/formats/npy/npz.h"
#include "data/formats/npy/npz_handle.h"
#include "data/formats/variables/variable_sink.h"
#include "m3lak/error.h"

namespace m3lak {

namespace fs = std::filesystem;

namespace {

class NpzSink : public VariableSink {
 public:
  explicit NpzSink(const fs::path& path) : path_(path.string()) {
    int code = 0;
    zip_.reset(zip_open(path_.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!zip_) throw Error(fmt::format("{}: cannot be written: {}", path_, zip_message(code)));
  }

  void matrix(const std::string& name, const DenseMatrix& values) override {
    member(name, "<f8", {size(values.rows()), size(values.cols())}, values.data());
  }
  void matrix(const std::string& name, const SparseMatrix& values) override {
    const SparseMatrix* packed = &values;
    if (!values.isCompressed()) {
      packed = &packed_.emplace_back(values);
      packed_.back().makeCompressed();
    }
    member(name + "_data", "<f8", {size(packed->nonZeros())}, packed->valuePtr());
    member(name + "_indices", "<i4", {size(packed->nonZeros())}, packed->innerIndexPtr());
    member(name + "_indptr", "<i4", {size(packed->rows()) + 1}, packed->outerIndexPtr());
    const auto& shape = shapes_.emplace_back(std::array{values.rows(), values.cols()});
    member(name + "_shape", "<i8", {2}, shape.data());
  }
  void numbers(const std::string& name, std::span<const double> values) override {
    member(name, "<f8", {values.size()}, values.data());
  }
  void texts(const std::string& name, std::span<const std::string> values) override {
    add(name, npy_texts(values, path_ + ": " + name), nullptr, 0);
  }
  void finish() override {
    if (zip_close(zip_.get()) != 0) fail();
    zip_.release();
  }

 private:
  static std::uint64_t size(Index count) { return static_cast<std::uint64_t>(count); }

  [[noreturn]] void fail() const {
    throw Error(fmt::format("{}: cannot be written: {}", path_, zip_strerror(zip_.get())));
  }

  template <class T>
  void member(const std::string& name, std::string_view type, std::vector<std::uint64_t> shape,
              const T* values) {
    std::uint64_t count = 1;
    for (const std::uint64_t extent : shape) count *= extent;
    add(name, npy_header(type, shape), values, count * sizeof(T));
  }

  /// The values are not copied: libzip reads them when it closes the file.
  void add(const std::string& name, std::string header, const void* values, std::uint64_t bytes) {
    std::string& kept = headers_.emplace_back(std::move(header));
    const std::array<zip_buffer_fragment_t, 2> fragments{{
        {reinterpret_cast<zip_uint8_t*>(kept.data()), kept.size()},
        {static_cast<zip_uint8_t*>(const_cast<void*>(values)), bytes},
    }};
    zip_source_t* source =
        zip_source_buffer_fragment(zip_.get(), fragments.data(), bytes > 0 ? 2 : 1, 0);
    if (!source) fail();
    const zip_int64_t index =
        zip_file_add(zip_.get(), (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      fail();
    }
    const auto place = static_cast<zip_uint64_t>(index);
    // Stored, as numpy.savez does: numbers of full precision hardly get smaller. And without the
    // time of writing, so that the same data gives the same file.
    if (zip_set_file_compression(zip_.get(), place, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(zip_.get(), place, 0, 33, 0) != 0) {
      fail();
    }
  }

  std::string path_;
  std::list<std::string> headers_;
  std::list<SparseMatrix> packed_;
  std::list<std::array<Index, 2>> shapes_;
  Zip zip_;
};

}  // namespace

void write_npz(const Dataset& data, const fs::path& path) {
  NpzSink sink(path);
  write_variables(data, sink);
}

}  // namespace m3lak
