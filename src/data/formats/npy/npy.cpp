#include "data/formats/npy/npy.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <system_error>

#include "data/file.h"
#include "data/formats/npy/npy_array.h"
#include "data/formats/variables/variable_file.h"
#include "data/formats/variables/variable_sink.h"
#include "data/streamed_rows.h"
#include "m3lak/error.h"

namespace m3lak {

namespace fs = std::filesystem;

namespace {

/// Leaves rows where they are in the file, if they need not be converted.
template <class Value>
bool borrow(const NpyArray& array, Block rows, std::shared_ptr<const MappedFile> file,
            Table& table) {
  const Value* values = array.in_place<Value>();
  if (values == nullptr) return false;
  const Index columns = array.columns();
  table.in_file =
      Borrowed<Value>{values + rows.begin * columns, rows.size, columns, std::move(file)};
  return true;
}

/// Leaves all rows where they are.
void stream(const fs::path& path, std::span<const std::byte> bytes, const ReadContext& context,
            Table& table) {
  const NpyArray array(bytes, table.origin, false);
  const bool is_float = array.in_place<float>() != nullptr;
  if (!is_float && array.in_place<double>() == nullptr) {
    throw BadUsage(fmt::format(
        "{}: is {}{}, but --stream needs float32 or float64 in C order; convert it "
        "once (m3lak convert … -o DATA.npy)",
        table.origin, array.header().type, array.header().by_columns ? " in Fortran order" : ""));
  }
  const Index rows = array.rows();
  const Block part = own_instances(rows, context.share());
  const auto file = std::make_shared<const RowsFile>(
      path, RowsFile::Layout{array.header().end, rows, array.columns(), is_float});
  table.in_file = Streamed{std::make_shared<const StreamedRows>(file, part)};
  if (context.source.ranks > 1) table.total = rows;
}

std::string_view as_text(const double* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(double)};
}

void write_file(const fs::path& path, std::string_view header, std::string_view values) {
  std::ofstream file(path, std::ios::binary);
  file << header << values;
  file.close();
  if (!file) {
    throw Error(fmt::format("{}: cannot be written: {}", path.string(),
                            std::generic_category().message(errno)));
  }
}

}  // namespace

FileContents read_npy(const fs::path& path, const ReadContext& context) {
  const auto file = std::make_shared<const MappedFile>(path);
  Table table;
  table.origin = path.string();
  if (context.source.stream) {
    stream(path, file->bytes(), context, table);
  } else if (context.source.ranks > 1) {
    const NpyArray array(file->bytes(), table.origin, false);
    table.total = array.rows();
    const Block own = own_instances(*table.total, context.share());
    if (!borrow<float>(array, own, file, table) && !borrow<double>(array, own, file, table)) {
      table.values = array.matrix(own);
    }
  } else {
    table.values = NpyArray(file->bytes(), table.origin).matrix();
  }
  FileContents contents;
  contents.views.push_back(std::move(table));
  return contents;
}

LabelTable read_npy_labels(const fs::path& path, const ReadContext&) {
  const MappedFile file(path);
  LabelTable labels;
  labels.origin = path.string();
  const NpyArray array(file.bytes(), labels.origin);
  const auto& shape = array.header().shape;
  if (std::ranges::count_if(shape, [](std::uint64_t size) { return size != 1; }) > 1) {
    throw BadData(fmt::format(
        "{}: has the shape {}, but labels are one value an instance; if this is one column a "
        "class, save the number of the column instead (argmax)",
        labels.origin, shape_text(shape)));
  }
  if (array.header().is_text()) {
    labels.texts = array.texts();
  } else {
    for (const double value : array.numbers()) {
      labels.texts.push_back(label_of_number(value, labels.origin));
    }
  }
  return labels;
}

void write_npy(const Dataset& data, Index view, const fs::path& path) {
  const View& source = data.views.at(static_cast<std::size_t>(view));
  if (source.is_sparse()) {
    throw BadUsage(fmt::format(
        "{}: the view '{}' is sparse, and .npy holds dense arrays only; write .npz instead",
        path.string(), source.name));
  }
  const DenseMatrix values = with_absent_as_nan(source);
  write_file(path,
             npy_header("<f8", {static_cast<std::uint64_t>(values.rows()),
                                static_cast<std::uint64_t>(values.cols())}),
             as_text(values.data(), static_cast<std::size_t>(values.size())));
}

void write_npy_labels(const Dataset& data, const fs::path& path) {
  if (!data.labels) {
    throw BadUsage(fmt::format("{}: there are no labels to write", path.string()));
  }
  if (const auto values = numeric_labels(*data.labels)) {
    write_file(path, npy_header("<f8", {values->size()}), as_text(values->data(), values->size()));
  } else {
    write_file(path, npy_texts(label_texts(*data.labels), path.string()), "");
  }
}

}  // namespace m3lak
