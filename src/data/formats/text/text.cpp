#include "data/formats/text/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/formats/text/gzip.h"

namespace m3lak {

namespace {

using namespace std::string_view_literals;

/// The kind of a file that is no text, if its first bytes tell; else empty.
std::string_view kind_of(std::string_view bytes) {
  static constexpr std::pair<std::string_view, std::string_view> kinds[] = {
      {"\x89HDF\r\n\x1a\n"sv, "an HDF5 file (.h5, .h5mu or .mat 7.3)"},
      {"\x93NUMPY"sv, "a NumPy file (.npy)"},
      {"PK\x03\x04"sv, "a zip archive (.zip, .npz or .xlsx)"},
      {"MATLAB "sv, "a MATLAB file (.mat)"},
      {"\xff\xfe"sv, "UTF-16 text: save it as UTF-8"},
      {"\xfe\xff"sv, "UTF-16 text: save it as UTF-8"},
      {"BZh"sv, "packed by bzip2: unpack it first"},
      {"\xfd"
       "7zXZ"sv,
       "packed by xz: unpack it first"},
      {"\x28\xb5\x2f\xfd"sv, "packed by zstd: unpack it first"},
      {"PAR1"sv, "a Parquet file: save it as CSV"},
  };
  for (const auto& [start, kind] : kinds) {
    if (bytes.starts_with(start)) return kind;
  }
  return {};
}

void refuse_other_kinds(std::string_view bytes, const std::string& origin) {
  const bool has_zeros = bytes.substr(0, 4096).find('\0') != bytes.npos;
  // A text may start with the letters of some kinds, as a name of a column.
  const bool starts_as_text = bytes.front() >= 'A' && bytes.front() <= 'Z';
  const std::string_view kind = kind_of(bytes);
  if (!kind.empty() && (has_zeros || !starts_as_text)) {
    throw BadData(fmt::format("{}: this is no text file but {}", origin, kind));
  }
  if (has_zeros) {
    throw BadData(fmt::format("{}: this is no text file: it has bytes of zero", origin));
  }
}

bool odd_quotes(std::string_view text) {
  unsigned char odd = 0;  // a byte, so that the compiler counts many at once
  for (const char c : text) odd = static_cast<unsigned char>(odd ^ (c == '"'));
  return odd != 0;
}

}  // namespace

TextFile::TextFile(const std::filesystem::path& path) : origin_(path.string()), file_(path) {
  text_ = file_->text();
  if (is_gzip(text_)) {
    unpacked_ = unpack_gzip(text_, origin_);
    text_ = unpacked_;
    file_.reset();
  }
  if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  if (text_.find_first_not_of(" \t\r\n") == text_.npos) {
    throw BadData(fmt::format("{}: the file has no text", origin_));
  }
  refuse_other_kinds(text_, origin_);
  if (text_.find('\n') == text_.npos && text_.find_first_of('\r') < text_.find_last_not_of('\r')) {
    throw BadData(fmt::format(
        "{}: its lines end as on old Macs (CR alone); convert it first (tr '\\r' '\\n')", origin_));
  }
}

BadData TextFile::error(const TextFault& fault) const {
  const auto line = 1 + std::count(text_.data(), fault.place, '\n');
  return BadData(fmt::format("{}: line {}: {}", origin_, line, fault.message));
}

std::size_t record_end(std::string_view text, std::size_t at, Quotes quotes, bool inside) {
  while (at < text.size()) {
    const std::size_t newline = text.find('\n', at);
    const std::size_t next = newline == text.npos ? text.size() : newline + 1;
    if (quotes == Quotes::bind_lines) inside ^= odd_quotes(text.substr(at, next - at));
    at = next;
    if (!inside) break;
  }
  return at;
}

std::vector<std::string_view> cut_at_records(std::string_view text, Quotes quotes,
                                             std::size_t piece_size, Workers& workers) {
  const Blocks blocks{static_cast<Eigen::Index>(text.size()),
                      static_cast<Eigen::Index>(piece_size)};
  const auto begin_of = [&](Eigen::Index b) { return static_cast<std::size_t>(blocks[b].begin); };
  std::vector<std::uint8_t> odd(static_cast<std::size_t>(blocks.number()), 0);
  if (quotes == Quotes::bind_lines) {
    for_each_block(workers, blocks, [&](Block block) {
      const auto part = text.substr(begin_of(block.index), static_cast<std::size_t>(block.size));
      odd[static_cast<std::size_t>(block.index)] = odd_quotes(part);
    });
  }

  // A place is between quotes if the number of quotes before it is odd (doubled quotes add two).
  std::vector<std::string_view> pieces;
  std::size_t start = 0;
  bool inside = false;
  for (Eigen::Index b = 1; b < blocks.number(); ++b) {
    inside ^= odd[static_cast<std::size_t>(b - 1)] != 0;
    if (start > begin_of(b)) continue;  // a long record, whose end is known already
    const std::size_t next = record_end(text, begin_of(b), quotes, inside);
    pieces.push_back(text.substr(start, next - start));
    start = next;
  }
  if (start < text.size()) pieces.push_back(text.substr(start));
  return pieces;
}

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result = "'";
  std::size_t at = 0;
  // A character of several bytes is shown whole.
  for (; at < text.size() && (at < longest || (text[at] & 0xC0) == 0x80); ++at) {
    const bool is_control = static_cast<unsigned char>(text[at]) < ' ';
    result += is_control ? ' ' : text[at];
  }
  return result + (at < text.size() ? "…'" : "'");
}

}  // namespace m3lak
