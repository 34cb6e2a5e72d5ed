// What the tests of text formats share.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/csv/csv.h"
#include "data/formats/svmlight/svmlight.h"
#include "data/temporary_folder.h"
#include "m3lak/error.h"

namespace m3lak {

/// A file in a folder of this program, so that a file is always called the same in messages.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name, std::string_view text = "") {
    static const TemporaryFolder folder;
    path_ = folder / name;
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

inline DataSource with_label(const std::string& column) {
  DataSource source;
  source.label_column = column;
  return source;
}

inline DataSource with_id(const std::string& column) {
  DataSource source;
  source.id_column = column;
  return source;
}

inline DataSource with_header(Header header) {
  DataSource source;
  source.header = header;
  return source;
}

inline DataSource without_missing_cells() {
  DataSource source;
  source.refuse_missing_cells = true;
  return source;
}

/// How a text is to be read.
struct Reading {
  DataSource source = {};
  int threads = 1;
  std::size_t piece_size = default_piece_size;
};

inline FileContents csv(std::string_view text, const Reading& how = {}) {
  const TemporaryFile file("rna.csv", text);
  Workers workers(how.threads);
  return read_csv(file.path(), {how.source, workers}, how.piece_size);
}

inline LabelTable csv_labels(std::string_view text, const Reading& how = {},
                             std::vector<std::string>* notes = nullptr) {
  const TemporaryFile file("labels.csv", text);
  Workers workers(how.threads);
  return read_csv_labels(file.path(), {how.source, workers}, notes, how.piece_size);
}

inline FileContents svmlight(std::string_view text, const Reading& how = {}) {
  const TemporaryFile file("words.svm", text);
  Workers workers(how.threads);
  return read_svmlight(file.path(), {how.source, workers}, how.piece_size);
}

/// The message of the BadData that `work` throws.
template <class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const BadData& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

/// Expects all parts in a message, in this order.
inline void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
  std::size_t at = 0;
  for (const std::string& part : parts) {
    const std::size_t found = message.find(part, at);
    if (found == message.npos) {
      ADD_FAILURE() << "'" << part << "' is not (or not in order) in:\n" << message;
      return;
    }
    at = found + part.size();
  }
}

/// Whether some note has this text in it.
inline bool has_note(const std::vector<std::string>& notes, std::string_view text) {
  for (const std::string& note : notes) {
    if (note.find(text) != note.npos) return true;
  }
  return false;
}

/// Equal to the last bit, where two NaN are equal.
inline bool same_bits(const DenseMatrix& a, const DenseMatrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       sizeof(double) * static_cast<std::size_t>(a.size())) == 0);
}

inline const DenseMatrix& values(const FileContents& contents) {
  return std::get<DenseMatrix>(contents.views.front().values);
}

inline std::string gzip(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// A text with one or two changes: cut off, a byte replaced or inserted, a part doubled or removed.
inline std::string damaged(std::string text, std::mt19937& random) {
  constexpr std::string_view bytes("\",;\t \n\r0.e-+xN:#\0\xff", 19);
  const auto below = [&](std::size_t n) { return random() % n; };
  for (std::size_t changes = 1 + below(2); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = below(text.size()), length = below(10);
    const char byte = bytes[below(bytes.size())];
    switch (below(5)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text[at] = byte;
        break;
      case 2:
        text.insert(at, 1, byte);
        break;
      case 3:
        text.erase(at, length);
        break;
      default:
        text.insert(at, text.substr(below(text.size()), length));
    }
  }
  return text;
}

}  // namespace m3lak
