#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "data/file.h"
#include "data/formats/csv/csv.h"
#include "data/formats/hdf5/h5mu.h"
#include "data/formats/hdf5/hdf5.h"
#include "data/formats/mat/mat.h"
#include "data/formats/npy/npy.h"
#include "data/formats/npy/npz.h"
#include "data/formats/svmlight/svmlight.h"
#include "m3lak/error.h"
#include "m3lak/io.h"

namespace m3lak {

namespace fs = std::filesystem;

namespace {

/// DATA.csv becomes DATA.<part>.csv.
fs::path part_of(const fs::path& file, const std::string& part) {
  std::string safe = part;  // a view may be called anything; a file may not
  for (char& c : safe) {
    if (c == '/' || std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '_';
  }
  return file.parent_path() /
         fmt::format("{}.{}{}", file.stem().string(), safe, file.extension().string());
}

/// Writes one file a view by write_view(view, path), and the labels by write_labels(path).
template <class WriteView, class WriteLabels>
std::vector<fs::path> write_parts(const Dataset& data, const fs::path& file, AtomicFiles& files,
                                  const WriteView& write_view, const WriteLabels& write_labels) {
  std::vector<fs::path> written;
  const auto next = [&](const std::string& part) {
    const fs::path path = part_of(file, part);
    if (std::find(written.begin(), written.end(), path) != written.end()) {
      throw BadUsage(
          fmt::format("two parts of the data would be written to {}: give the view "
                      "another name, or choose a format of one file (.npz)",
                      path.string()));
    }
    written.push_back(path);
    return files.stage(path);
  };
  for (std::size_t v = 0; v < data.views.size(); ++v) {
    write_view(static_cast<Index>(v), next(data.views[v].name));
  }
  if (data.labels) write_labels(next);
  return written;
}

}  // namespace

FileFormat format_of(const fs::path& file) {
  constexpr std::array<std::pair<std::string_view, FileFormat>, 11> endings = {{
      {".csv", FileFormat::csv},
      {".tsv", FileFormat::tsv},
      {".npy", FileFormat::npy},
      {".npz", FileFormat::npz},
      {".mat", FileFormat::mat},
      {".h5", FileFormat::h5},
      {".hdf5", FileFormat::h5},
      {".h5mu", FileFormat::h5mu},
      {".svm", FileFormat::svmlight},
      {".svmlight", FileFormat::svmlight},
      {".libsvm", FileFormat::svmlight},
  }};
  for (const auto& [ending, format] : endings) {
    if (file.extension() == ending) return format;
  }
  throw BadUsage(
      fmt::format("{}: the ending does not tell the format; use one of .npz, .csv, .tsv, "
                  ".npy, .mat, .h5, .h5mu, .svm",
                  file.string()));
}

std::vector<fs::path> write_dataset(const Dataset& data, const fs::path& file, FileFormat format) {
  for (const View& view : data.views) {
    if (view.offset.size() > 0) {
      throw BadUsage(
          fmt::format("view '{}' is centred and sparse, which no format can say: write "
                      "the data before it is scaled",
                      view.name));
    }
  }
  AtomicFiles files;
  std::vector<fs::path> written;
  const auto delimited = [&](char delimiter) {
    return write_parts(
        data, file, files,
        [&](Index view, const fs::path& path) { write_csv(data, view, path, delimiter); },
        [&](const auto& next) { write_csv_labels(data, next("labels"), delimiter); });
  };
  const auto whole = [&](const auto& write) {
    write(files.stage(file));
    return std::vector{file};
  };
  switch (format) {
    case FileFormat::csv:
      written = delimited(',');
      break;
    case FileFormat::tsv:
      written = delimited('\t');
      break;
    case FileFormat::npy:
      written = write_parts(
          data, file, files, [&](Index view, const fs::path& path) { write_npy(data, view, path); },
          [&](const auto& next) { write_npy_labels(data, next("labels")); });
      break;
    case FileFormat::svmlight:  // each file has the labels in it
      written = write_parts(
          data, file, files,
          [&](Index view, const fs::path& path) { write_svmlight(data, view, path); },
          [](const auto&) {});
      break;
    case FileFormat::npz:
      written = whole([&](const fs::path& path) { write_npz(data, path); });
      break;
    case FileFormat::mat:
      written = whole([&](const fs::path& path) { write_mat(data, path, false); });
      break;
    case FileFormat::mat73:
      written = whole([&](const fs::path& path) { write_mat(data, path, true); });
      break;
    case FileFormat::h5:
      written = whole([&](const fs::path& path) { write_h5(data, path); });
      break;
    case FileFormat::h5mu:
      written = whole([&](const fs::path& path) { write_h5mu(data, path); });
      break;
  }
  files.commit();
  return written;
}

}  // namespace m3lak
