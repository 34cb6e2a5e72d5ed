// Text files: opened whatever they are packed in, and cut into pieces to be read in parallel.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/file.h"
#include "m3lak/error.h"
#include "numeric/parallel.h"

namespace m3lak {

/// Something wrong at a place of a text. Lines are only counted when the user is to be told.
struct TextFault {
  const char* place;
  std::string message;
};

/// The text of a file, packed by gzip or not, without byte order mark. Throws BadData if it is
/// another kind of file.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path);

  /// The path as it was given: how messages start.
  const std::string& origin() const { return origin_; }
  std::string_view text() const { return text_; }

  /// "rna.csv: line 7: …"
  BadData error(const TextFault& fault) const;

 private:
  std::string origin_;
  std::optional<MappedFile> file_;  // empty once it is unpacked
  std::string unpacked_;
  std::string_view text_;
};

/// What `read` returns; its TextFault becomes an error that names file and line.
template <class Read>
auto with_line_numbers(const TextFile& file, const Read& read) {
  try {
    return read();
  } catch (const TextFault& fault) {
    throw file.error(fault);
  }
}

/// Whether a line that ends between quotes goes on in the next one.
enum class Quotes { bind_lines, mean_nothing };

/// Where the record ends that `at` is in, its newline included. `inside`: `at` is between quotes.
std::size_t record_end(std::string_view text, std::size_t at, Quotes quotes, bool inside = false);

/// Small enough to give all threads work, large enough that nobody waits.
constexpr std::size_t default_piece_size = std::size_t{1} << 20;

/// Pieces of whole records, each of about `piece_size` bytes. They depend on the text alone.
std::vector<std::string_view> cut_at_records(std::string_view text, Quotes quotes,
                                             std::size_t piece_size, Workers& workers);

/// Text for a message: in quotes, on one line, and not too long.
std::string shown(std::string_view text);

}  // namespace m3lak
