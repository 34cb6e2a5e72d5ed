#include "data/formats/text/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "m3lak/error.h"

namespace m3lak {

namespace {

class Inflater {
 public:
  Inflater() {
    constexpr int largest_window_and_gzip = 15 + 16;
    if (inflateInit2(&stream_, largest_window_and_gzip) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

/// zlib counts in 32 bits.
uInt as_step(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

/// Unpacks one member to the end of `text`; returns how many bytes it takes.
std::size_t unpack_member(std::string_view bytes, std::string& text, const std::string& origin) {
  Inflater inflater;
  z_stream& stream = inflater.stream();
  std::size_t taken = 0, filled = text.size();
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (filled == text.size()) text.resize(std::max(2 * filled, filled + 4 * bytes.size() + 1024));
    const uInt input = as_step(bytes.size() - taken), room = as_step(text.size() - filled);
    // zlib does not write to its input; its type says so only if ZLIB_CONST is defined everywhere.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken));
    stream.avail_in = input;
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + filled);
    stream.avail_out = room;
    state = inflate(&stream, Z_NO_FLUSH);
    taken += input - stream.avail_in;
    filled += room - stream.avail_out;
    if (state == Z_MEM_ERROR) throw std::bad_alloc();
    if (state == Z_BUF_ERROR || (state == Z_OK && taken == bytes.size() && stream.avail_out > 0)) {
      throw BadData(fmt::format(
          "{}: the gzip file is cut off; copy or download it again (gzip -t tests it)", origin));
    }
    if (state != Z_OK && state != Z_STREAM_END) {
      throw BadData(
          fmt::format("{}: the gzip file is damaged ({}); copy or download it again (gzip -t tests "
                      "it)",
                      origin, stream.msg != nullptr ? stream.msg : "unknown reason"));
    }
  }
  text.resize(filled);
  return taken;
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::string unpack_gzip(std::string_view bytes, const std::string& origin) {
  std::string text;
  while (!bytes.empty()) {
    bytes.remove_prefix(unpack_member(bytes, text, origin));
    // Zeros may fill up the last block of a tape or disk.
    if (bytes.find_first_not_of('\0') == bytes.npos) break;
    if (!is_gzip(bytes)) {
      throw BadData(
          fmt::format("{}: {} bytes after the end of the gzip data are not gzip; unpack "
                      "the file yourself (gunzip) and read the result",
                      origin, bytes.size()));
    }
  }
  return text;
}

}  // namespace m3lak
