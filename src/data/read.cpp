#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "data/file.h"
#include "data/formats/csv/csv.h"
#include "data/formats/hdf5/h5mu.h"
#include "data/formats/hdf5/hdf5.h"
#include "data/formats/mat/mat.h"
#include "data/formats/npy/npy.h"
#include "data/formats/npy/npz.h"
#include "data/formats/svmlight/svmlight.h"
#include "data/join.h"
#include "data/join_shares.h"
#include "data/table.h"
#include "m3lak/error.h"

namespace m3lak {

namespace fs = std::filesystem;

namespace {

enum class Kind { csv, svmlight, npy, npz, mat, hdf5, h5mu };

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The name of a file without folder, ".gz" and its ending.
fs::path stem_of(const fs::path& path) {
  const fs::path inner = lower(path.extension().string()) == ".gz" ? path.stem() : path.filename();
  return inner.stem();
}

std::string ending_of(const fs::path& path) {
  const std::string ending = lower(path.extension().string());
  return ending == ".gz" ? lower(path.stem().extension().string()) : ending;
}

/// "label index:value …" in the first line that is not a comment.
bool looks_like_svmlight(std::string_view text) {
  while (text.starts_with('#')) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  std::size_t digits = colon;
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(line[digits - 1])) != 0) --digits;
  return digits < colon && digits > 0 && line[digits - 1] == ' ' &&
         line.substr(0, digits).find_first_of(",;\t") == std::string_view::npos;
}

/// By what the file holds where that is certain, else by the ending of its name.
Kind kind_of(const fs::path& path) {
  const MappedFile file(path);
  const std::string_view text = file.text();
  const std::string ending = ending_of(path);
  constexpr std::string_view hdf5_magic = "\x89HDF\r\n\x1a\n";
  if (text.starts_with("\x93NUMPY")) return Kind::npy;
  if (text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06")) return Kind::npz;
  if (text.starts_with("MATLAB ")) return Kind::mat;
  // A user block of 512, 1024, … bytes may stand before HDF5's magic.
  for (std::size_t at = 0; at + hdf5_magic.size() <= text.size(); at = at == 0 ? 512 : 2 * at) {
    if (text.substr(at).starts_with(hdf5_magic)) {
      return is_h5mu(path) ? Kind::h5mu : Kind::hdf5;
    }
  }
  if (ending == ".mat") return Kind::mat;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> binary = {{
      {".npy", "NumPy array"},
      {".npz", "NumPy archive"},
      {".h5", "HDF5 file"},
      {".hdf5", "HDF5 file"},
      {".h5mu", "HDF5 file"},
      {".h5ad", "HDF5 file"},
  }};
  for (const auto& [name, what] : binary) {
    if (ending == name) {
      throw BadData(fmt::format("{}: is no {}, whatever its name says: it does not begin like one",
                                path.string(), what));
    }
  }
  const bool svmlight = ending == ".svm" || ending == ".svmlight" || ending == ".libsvm";
  return svmlight || looks_like_svmlight(text) ? Kind::svmlight : Kind::csv;
}

FileContents read_file(const fs::path& path, const ReadContext& context) {
  const Kind kind = kind_of(path);
  if (context.source.stream && kind != Kind::npy) {
    throw BadUsage(fmt::format(
        "{}: --stream leaves views in .npy files only; convert it once, where memory holds it "
        "(m3lak convert {} -o DATA.npy), and give what that writes",
        path.string(), path.string()));
  }
  switch (kind) {
    case Kind::csv:
      return read_csv(path, context);
    case Kind::svmlight:
      return read_svmlight(path, context);
    case Kind::npy:
      return read_npy(path, context);
    case Kind::npz:
      return read_npz(path, context);
    case Kind::mat:
      return read_mat(path, context);
    case Kind::hdf5:
      return read_hdf5(path, context);
    case Kind::h5mu:
      return read_h5mu(path, context);
  }
  throw Error("no such kind of file");
}

LabelTable read_labels(const fs::path& path, const ReadContext& context,
                       std::vector<std::string>& notes) {
  switch (kind_of(path)) {
    case Kind::csv:
      return read_csv_labels(path, context, &notes);
    case Kind::svmlight:
      if (auto labels = read_svmlight(path, context).labels) return std::move(*labels);
      throw BadData(fmt::format("{}: its lines have no labels", path.string()));
    case Kind::npy:
      return read_npy_labels(path, context);
    case Kind::npz:
      return read_variable_labels(*open_npz(path), context);
    case Kind::mat:
      return read_variable_labels(*open_mat(path), context);
    case Kind::hdf5:
      return read_variable_labels(*open_hdf5(path), context);
    case Kind::h5mu:
      return read_h5mu_labels(path, context);
  }
  throw Error("no such kind of file");
}

/// "NAME=FILE" or "FILE".
std::pair<std::string, fs::path> name_and_path(const std::string& view) {
  const std::size_t sign = view.find('=');
  if (sign == std::string::npos || fs::exists(view)) return {"", view};
  return {view.substr(0, sign), view.substr(sign + 1)};
}

void refuse_missing_cells(const Dataset& data) {
  for (const View& view : data.views) {
    if (const Index missing = view.missing_cells(); missing > 0) {
      throw BadData(
          fmt::format("view '{}': {} cells are missing (NaN or empty), which was not to "
                      "be accepted",
                      view.name, missing));
    }
  }
}

void note_gaps(const Dataset& data, std::vector<std::string>& notes) {
  for (const View& view : data.views) {
    const Index missing = view.missing_cells();
    if (missing > 0) {
      notes.push_back(fmt::format("view '{}': {} cells are NaN or empty: taken as missing",
                                  view.name, missing));
    }
  }
  Index without_any = 0;
  for (Index n = 0; n < data.instances(); ++n) {
    without_any += std::none_of(data.views.begin(), data.views.end(),
                                [n](const View& view) { return view.has(n); });
  }
  if (without_any > 0) {
    notes.push_back(fmt::format("{} instances lack every view", without_any));
  }
}

/// All files of a source, read one after the other.
class Reading {
 public:
  explicit Reading(const ReadContext& context) : context_(context) {}

  void add(const std::string& name, const fs::path& path) {
    FileContents contents = read_file(path, context_);
    if (!name.empty() && contents.views.size() != 1) {
      throw BadUsage(
          fmt::format("{}={}: the file has {} views, so one name does not do; leave the "
                      "name out",
                      name, path.string(), contents.views.size()));
    }
    for (Table& view : contents.views) {
      if (!name.empty()) view.name = name;
      if (view.name.empty() && contents.views.size() == 1) view.name = stem_of(path).string();
      if (context_.source.ranks > 1) cut_to_share(view, context_.share());
      views_.push_back(std::move(view));
    }
    if (contents.labels) use_labels(std::move(*contents.labels));
    notes_.insert(notes_.end(), contents.notes.begin(), contents.notes.end());
  }

  void add_labels(const fs::path& path) {
    labels_ = read_labels(path, context_, notes_);
    own_file_ = true;
  }

  ReadResult finish() && {
    const DataSource& source = context_.source;
    if (views_.empty()) throw BadUsage("no data: name a file, or give --view FILE");
    if (!source.label_column.empty() && !labels_) {
      throw BadData(
          fmt::format("no file has a column or variable '{}' for the labels", source.label_column));
    }
    ReadResult result;
    result.notes = std::move(notes_);
    if (source.ranks > 1) {
      result.total = views_.front().total.value();
      result.first = own_instances(result.total, context_.share()).begin;
      result.data =
          join_shares(std::move(views_), labels_, source.unknown_labels, context_.share());
    } else {
      result.data =
          join(std::move(views_), std::move(labels_), source.unknown_labels, result.notes);
      result.total = result.data.instances();
    }
    if (source.refuse_missing_cells) refuse_missing_cells(result.data);
    note_gaps(result.data, result.notes);
    return result;
  }

 private:
  /// Labels that come with a view (svmlight has them in each file) must agree; a file of labels
  /// alone overrules them.
  void use_labels(LabelTable labels) {
    if (own_file_) return;
    if (!labels_) {
      labels_ = std::move(labels);
    } else if (labels_->texts != labels.texts || labels_->ids != labels.ids) {
      throw BadData(
          fmt::format("{} and {} disagree in their labels; give the right ones in a file "
                      "of their own (--labels FILE)",
                      labels_->origin, labels.origin));
    }
  }

  const ReadContext& context_;
  std::vector<Table> views_;
  std::optional<LabelTable> labels_;
  bool own_file_ = false;
  std::vector<std::string> notes_;
};

}  // namespace

ReadResult read_dataset(const DataSource& source) {
  if (source.rank < 0 || source.rank >= source.ranks) {
    throw BadUsage(
        fmt::format("rank = {}: must be from 0 to ranks - 1 = {}", source.rank, source.ranks - 1));
  }
  Workers workers(source.threads);
  const ReadContext context{source, workers};
  Reading reading(context);
  if (source.labels) reading.add_labels(*source.labels);
  for (const fs::path& path : source.files) reading.add("", path);
  for (const std::string& view : source.views) {
    const auto [name, path] = name_and_path(view);
    reading.add(name, path);
  }
  return std::move(reading).finish();
}

}  // namespace m3lak
