#include "data/formats/npy/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "data/formats/variables/variable_matrix.h"
#include "m3lak/error.h"

namespace m3lak {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// Reads the header's text, a Python dictionary: {'descr': '<f8', 'shape': (3, 4), …}.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& origin) : rest_(text), origin_(origin) {}

  [[noreturn]] void fail(std::string_view what) const {
    throw BadData(fmt::format("{}: the header of the .npy array is damaged: {}", origin_, what));
  }
  bool at(char c) {
    skip_space();
    return !rest_.empty() && rest_.front() == c;
  }
  bool take(char c) {
    if (!at(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(fmt::format("'{}' is missing", c));
  }
  std::string_view quoted() {
    const char quote = at('"') ? '"' : '\'';
    expect(quote);
    return until(rest_.find(quote), 1);
  }
  std::string_view word() { return skip_space(), until(rest_.find_first_of(",} ")); }
  std::uint64_t size() {
    skip_space();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail(fmt::format("a size in {}", until(rest_.find(')'))));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    take('L');  // Python 2 wrote sizes so
    return value;
  }
  void skip_brackets() {
    int depth = 0;
    do {
      if (rest_.empty()) fail("']' is missing");
      depth += rest_.front() == '[' ? 1 : rest_.front() == ']' ? -1 : 0;
      rest_.remove_prefix(1);
    } while (depth > 0);
  }

 private:
  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }
  std::string_view until(std::size_t end, std::size_t skip = 0) {
    if (end == std::string_view::npos) fail("it ends too early");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + skip);
    return text;
  }

  std::string_view rest_;
  const std::string& origin_;
};

std::string type_name(char kind, std::uint64_t bytes) {
  switch (kind) {
    case 'b':
      return "bool";
    case 'i':
      return fmt::format("int{}", 8 * bytes);
    case 'u':
      return fmt::format("uint{}", 8 * bytes);
    case 'f':
      return fmt::format("float{}", 8 * bytes);
    case 'c':
      return "complex numbers";
    case 'U':
    case 'S':
      return "text";
    case 'O':
      return "Python objects";
    case 'M':
    case 'm':
      return "dates or times";
    case 'V':
      return "structured";
    default:
      return fmt::format("of the unknown type '{}'", kind);
  }
}

void set_type(std::string_view text, NpyHeader& header, const Scanner& scanner) {
  if (text.size() < 2) scanner.fail(fmt::format("the type '{}'", text));
  header.big_endian = text[0] == '>';
  header.kind = text[1];
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), bytes);
  const bool has_size = error == std::errc() && (end == text.data() + text.size() || *end == '[');
  if ((!has_size || bytes == 0) && header.kind != 'O')
    scanner.fail(fmt::format("the type '{}'", text));
  header.item_bytes = header.kind == 'U' ? 4 * (bytes & 0x3FFF'FFFF) : bytes;
  if (header.kind == 'U' && bytes > 0x3FFF'FFFF) scanner.fail(fmt::format("the type '{}'", text));
}

void set_shape(Scanner& scanner, NpyHeader& header) {
  scanner.expect('(');
  while (!scanner.take(')')) {
    header.shape.push_back(scanner.size());
    if (header.shape.size() > 32) scanner.fail("it has more than 32 sizes");
    if (!scanner.take(',') && !scanner.at(')')) scanner.fail("',' is missing in its shape");
  }
}

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

}  // namespace

bool NpyHeader::is_number() const {
  switch (kind) {
    case 'b':
      return item_bytes == 1;
    case 'i':
    case 'u':
      return item_bytes == 1 || item_bytes == 2 || item_bytes == 4 || item_bytes == 8;
    case 'f':
      return item_bytes == 2 || item_bytes == 4 || item_bytes == 8;
    default:
      return false;
  }
}

std::size_t NpyHeader::count() const {
  std::size_t result = 1;
  for (const std::uint64_t size : shape) result *= size;
  return result;
}

NpyHeader NpyHeader::parse(std::span<const std::byte> bytes, const std::string& origin) {
  if (bytes.size() < 12 || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0) {
    throw BadData(
        fmt::format("{}: is not an .npy array (it does not begin with \\x93NUMPY); save "
                    "it with numpy.save",
                    origin));
  }
  const auto version = std::to_integer<int>(bytes[6]);
  if (version < 1 || version > 3) {
    throw BadData(fmt::format("{}: version {} of the .npy format is not known; 1, 2 and 3 are read",
                              origin, version));
  }
  const std::size_t begin = version == 1 ? 10 : 12;
  const std::uint64_t length = little_endian(bytes.subspan(8, begin - 8));
  NpyHeader header;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (length > bytes.size() - begin) {
    throw BadData(fmt::format(
        "{}: the header claims {} bytes, but {} are there; the file is cut short or damaged",
        origin, length, bytes.size() - begin));
  }
  header.end = begin + length;

  Scanner scanner(text.substr(begin, length), origin);
  bool has_type = false, has_order = false, has_shape = false;
  scanner.expect('{');
  while (!scanner.take('}')) {
    const std::string_view key = scanner.quoted();
    scanner.expect(':');
    if (key == "descr" && !has_type) {
      has_type = true;
      if (scanner.at('[')) {
        scanner.skip_brackets();
        header.kind = 'V';
      } else {
        set_type(scanner.quoted(), header, scanner);
      }
    } else if (key == "fortran_order" && !has_order) {
      has_order = true;
      header.by_columns = scanner.word() == "True";
    } else if (key == "shape" && !has_shape) {
      has_shape = true;
      set_shape(scanner, header);
    } else {
      scanner.fail(fmt::format("the key '{}'", key));
    }
    if (!scanner.take(',') && !scanner.at('}')) scanner.fail("',' is missing");
  }
  if (!has_type || !has_order || !has_shape) {
    scanner.fail("it must have descr, fortran_order and shape");
  }
  header.type = type_name(header.kind, header.item_bytes);
  return header;
}

std::string npy_header(std::string_view type, const std::vector<std::uint64_t>& shape) {
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                  fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t before = 10, alignment = 64;
  const std::size_t padding = alignment - (before + dictionary.size() + 1) % alignment;
  dictionary.append(padding % alignment, ' ').push_back('\n');
  const std::size_t length = dictionary.size();
  return std::string(magic) + '\x01' + '\0' + static_cast<char>(length & 0xFF) +
         static_cast<char>(length >> 8) + dictionary;
}

}  // namespace m3lak
