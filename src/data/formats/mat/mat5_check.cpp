#include "data/formats/mat/mat5_check.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "m3lak/error.h"

namespace m3lak {

namespace {

using Bytes = std::span<const std::byte>;

enum Type : std::uint32_t {
  int8 = 1,
  int32 = 5,
  uint32 = 6,
  matrix = 14,
  compressed = 15,
  utf8 = 16
};
enum Class : std::uint32_t {
  cell = 1,
  structure = 2,
  object = 3,
  text = 4,
  sparse = 5,
  last_number = 15
};

/// Bytes of one value of a type; 0: not a type of values.
std::uint64_t size_of(std::uint32_t type) {
  constexpr std::array<std::uint64_t, 19> sizes = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8,
                                                   0, 0, 8, 8, 0, 0, 1, 2, 4};
  return type < sizes.size() ? sizes[type] : 0;
}

struct Element {
  std::uint32_t type = 0;
  Bytes data;
  std::uint64_t count() const { return data.size() / std::max<std::uint64_t>(size_of(type), 1); }
};

/// Takes one element after the other from a piece of the file.
class Reader {
 public:
  Reader(Bytes bytes, bool swap, const std::string& origin)
      : rest_(bytes), swap_(swap), origin_(origin) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw BadData(fmt::format("{}: the file is cut short or damaged: {}", origin_, what));
  }
  bool done() const { return rest_.empty(); }
  Reader inside(Bytes bytes) const { return {bytes, swap_, origin_}; }

  std::uint32_t number(Bytes bytes, std::size_t at) const {
    std::array<std::byte, 4> four;
    std::memcpy(four.data(), bytes.data() + 4 * at, 4);
    if (swap_) std::ranges::reverse(four);
    return std::bit_cast<std::uint32_t>(four);
  }

  Element next() {
    if (rest_.size() < 8) fail(fmt::format("{} bytes where an element should begin", rest_.size()));
    const std::uint32_t first = number(rest_, 0);
    if (first >> 16 != 0) {  // up to four bytes are kept in the tag itself
      const std::uint32_t bytes = first >> 16;
      if (bytes > 4) fail("a small element of more than 4 bytes");
      const Element element{first & 0xFFFF, rest_.subspan(4, bytes)};
      rest_ = rest_.subspan(8);
      return element;
    }
    const std::uint32_t bytes = number(rest_, 1);
    if (bytes > rest_.size() - 8) {
      fail(fmt::format("an element claims {} bytes, but {} are there", bytes, rest_.size() - 8));
    }
    const Element element{first, rest_.subspan(8, bytes)};
    const std::size_t padding = first == compressed ? 0 : (8 - bytes % 8) % 8;
    rest_ = rest_.subspan(std::min<std::size_t>(8 + bytes + padding, rest_.size()));
    return element;
  }

  Element next(Type type, const char* what) {
    const Element element = next();
    if (element.type != type) fail(fmt::format("{} of type {}", what, element.type));
    return element;
  }

 private:
  Bytes rest_;
  bool swap_;
  const std::string& origin_;
};

struct Head {
  std::uint32_t kind = 0;
  bool complex = false;
  std::uint64_t stored = 0;  // of a sparse matrix
  std::uint64_t columns = 1, count = 1;
};

Head read_head(Reader& reader) {
  Head head;
  const Element flags = reader.next(uint32, "flags");
  if (flags.data.size() != 8) reader.fail("flags that are not 8 bytes");
  head.kind = reader.number(flags.data, 0) & 0xFF;
  head.complex = (reader.number(flags.data, 0) & 0x800) != 0;
  head.stored = reader.number(flags.data, 1);
  const Element sizes = reader.next(int32, "sizes");
  if (sizes.count() < 2 || sizes.count() > 32 || sizes.data.size() % 4 != 0) {
    reader.fail(fmt::format("{} sizes of a variable", sizes.count()));
  }
  for (std::size_t d = 0; d < sizes.count(); ++d) {
    const std::uint32_t size = reader.number(sizes.data, d);
    constexpr std::uint64_t most = std::uint64_t{1} << 31;
    if (size >= most || (size > 0 && head.count >= most * most / size)) {
      reader.fail("a variable of more values than can be");
    }
    head.count *= size;
    if (d == 1) head.columns = size;
  }
  const Element name = reader.next(int8, "name");
  if (name.data.size() > 4096) reader.fail("a name of more than 4096 letters");
  return head;
}

void check_values(Reader& reader, std::uint64_t count, const char* what) {
  const Element values = reader.next();
  if (size_of(values.type) == 0) reader.fail(fmt::format("{} of type {}", what, values.type));
  if (values.count() < count) {
    reader.fail(fmt::format("{} {} claimed, but {} are there", count, what, values.count()));
  }
}

void check_matrix(Reader reader, int depth);

void check_nested(Reader& reader, std::uint64_t count, int depth) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const Element nested = reader.next(matrix, "a nested variable");
    if (!nested.data.empty()) check_matrix(reader.inside(nested.data), depth + 1);
  }
}

void check_fields(Reader& reader, std::uint64_t count, int depth) {
  const Element width = reader.next(int32, "the length of names");
  if (width.data.size() != 4) reader.fail("the length of names");
  const std::uint32_t letters = reader.number(width.data, 0);
  const Element names = reader.next(int8, "names of fields");
  if (letters == 0 || letters > 4096 || names.data.size() % letters != 0) {
    reader.fail("names of fields");
  }
  check_nested(reader, count * (names.data.size() / letters), depth);
}

void check_matrix(Reader reader, int depth) {
  if (depth > 64) reader.fail("variables nested more than 64 times");
  const Head head = read_head(reader);
  const int parts = head.complex ? 2 : 1;
  switch (head.kind) {
    case cell:
      return check_nested(reader, head.count, depth);
    case object:
      reader.next(int8, "the name of a class");
      [[fallthrough]];
    case structure:
      return check_fields(reader, head.count, depth);
    case sparse:
      check_values(reader, 0, "rows");
      check_values(reader, head.columns + 1, "starts of columns");
      break;
    default:
      if (head.kind < text || head.kind > last_number) {
        reader.fail(fmt::format("a variable of class {}, which is not read", head.kind));
      }
  }
  if (reader.done() && (head.kind == text || head.count == 0)) return;
  const std::uint64_t count = head.kind == sparse ? 0 : head.count;
  for (int part = 0; part < parts; ++part) check_values(reader, count, "values");
}

/// What is in a compressed element: one variable with its tag.
class Inflated {
 public:
  Inflated(Bytes bytes, const Reader& reader) {
    z_stream stream{};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> closing(&stream, inflateEnd);
    std::array<std::byte, tag_bytes> tag;
    fill(stream, tag, reader);
    const std::uint64_t claimed = reader.number(tag, 1);
    constexpr std::uint64_t ratio = 1040;  // zlib makes data at most about 1032 times smaller
    if (claimed > ratio * bytes.size()) {
      reader.fail(fmt::format("{} compressed bytes claim to hold {}", bytes.size(), claimed));
    }
    size_ = tag_bytes + claimed;
    data_ = std::make_unique_for_overwrite<std::byte[]>(size_);
    std::ranges::copy(tag, data_.get());
    fill(stream, {data_.get() + tag_bytes, size_ - tag_bytes}, reader);
  }
  Bytes bytes() const { return {data_.get(), size_}; }

 private:
  static constexpr std::size_t tag_bytes = 8;

  static void fill(z_stream& stream, std::span<std::byte> into, const Reader& reader) {
    stream.next_out = reinterpret_cast<Bytef*>(into.data());
    stream.avail_out = static_cast<uInt>(into.size());
    const int code = into.empty() ? Z_OK : inflate(&stream, Z_SYNC_FLUSH);
    if (stream.avail_out > 0 || (code != Z_OK && code != Z_STREAM_END)) {
      reader.fail(fmt::format("a compressed variable cannot be unpacked{}{}",
                              stream.msg ? ": " : "", stream.msg ? stream.msg : ""));
    }
  }

  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
};

}  // namespace

int check_mat5(Bytes file, const std::string& origin) {
  constexpr std::size_t header = 128, endian = 126;
  if (file.size() < header) {
    throw BadData(fmt::format("{}: the file is cut short: it has {} bytes", origin, file.size()));
  }
  const bool big = file[endian] == std::byte{'M'};
  Reader reader(file.subspan(header), big != (std::endian::native == std::endian::big), origin);
  int variables = 0;
  for (; !reader.done(); ++variables) {
    const Element element = reader.next();
    if (element.type == matrix) {
      check_matrix(reader.inside(element.data), 0);
    } else if (element.type == compressed) {
      const Inflated inflated(element.data, reader);
      Reader inner = reader.inside(inflated.bytes());
      check_matrix(inner.inside(inner.next(matrix, "a compressed element").data), 0);
    } else {
      reader.fail(fmt::format("an element of type {}", element.type));
    }
  }
  return variables;
}

}  // namespace m3lak
