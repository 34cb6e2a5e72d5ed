// Bytes that end in the CRC-32 of all before it, 4 bytes, little-endian.
#pragma once

#include <zlib.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <ostream>
#include <string_view>

namespace m3lak {

static_assert(std::endian::native == std::endian::little, "numbers are as they are in memory");

/// Writes, and keeps the checksum of what was written.
class CheckedOutput {
 public:
  explicit CheckedOutput(std::ostream& out) : out_(out) {}

  void bytes(const void* data, std::size_t size) {
    if (size == 0) return;  // zlib takes no data at all as a wish to begin anew
    checksum_ = ::crc32_z(checksum_, static_cast<const Bytef*>(data), size);
    out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
    written_ += size;
  }
  void text(std::string_view text) { bytes(text.data(), text.size()); }

  std::size_t written() const { return written_; }

  void finish() {
    const auto checksum = static_cast<std::uint32_t>(checksum_);
    bytes(&checksum, sizeof checksum);
  }

 private:
  std::ostream& out_;
  uLong checksum_ = 0;
  std::size_t written_ = 0;
};

/// What is before the checksum; nothing if that does not fit.
inline std::optional<std::string_view> checked(std::string_view bytes) {
  std::uint32_t expected = 0;
  if (bytes.size() < sizeof expected) return std::nullopt;
  const std::string_view body = bytes.substr(0, bytes.size() - sizeof expected);
  std::memcpy(&expected, body.data() + body.size(), sizeof expected);
  const uLong found = ::crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  if (found != expected) return std::nullopt;
  return body;
}

}  // namespace m3lak
