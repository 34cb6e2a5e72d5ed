#include "data/formats/variables/variable_text.h"

#include <fmt/format.h>

#include "m3lak/error.h"

namespace m3lak {

void append_utf8(std::string& text, char32_t c, const std::string& origin) {
  const auto put = [&](char32_t bits) { text.push_back(static_cast<char>(bits)); };
  const auto tail = [&](int shift) { put(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6), tail(0);
  } else if (c < 0x10000 && (c < 0xD800 || c > 0xDFFF)) {
    put(0xE0 | c >> 12), tail(6), tail(0);
  } else if (c >= 0x10000 && c < 0x110000) {
    put(0xF0 | c >> 18), tail(12), tail(6), tail(0);
  } else {
    throw BadData(fmt::format("{}: U+{:04X} is not a character", origin, static_cast<unsigned>(c)));
  }
}

std::string utf8_from_utf16(std::u16string_view text, const std::string& origin) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char32_t c = text[i];
    const bool is_pair = c >= 0xD800 && c < 0xDC00 && i + 1 < text.size() &&
                         text[i + 1] >= 0xDC00 && text[i + 1] < 0xE000;
    if (is_pair) c = 0x10000 + ((c & 0x3FF) << 10) + (text[++i] & 0x3FFU);
    append_utf8(result, c, origin);
  }
  return result;
}

std::u32string utf32_from_utf8(std::string_view text, const std::string& origin) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    const std::string_view bytes = text.substr(i, length);
    char32_t c = length == 1 ? lead : lead & (0x7FU >> length);
    for (const char byte : bytes.substr(1)) c = c << 6 | (static_cast<unsigned char>(byte) & 0x3FU);
    // What is not written back the same was not UTF-8.
    std::string again;
    if (c < 0x110000 && (c < 0xD800 || c > 0xDFFF)) append_utf8(again, c, origin);
    if (again != bytes) throw BadData(fmt::format("{}: '{}' is not UTF-8", origin, text));
    result.push_back(c);
    i += length;
  }
  return result;
}

std::u16string utf16_from_utf8(std::string_view text, const std::string& origin) {
  std::u16string result;
  for (const char32_t c : utf32_from_utf8(text, origin)) {
    if (c < 0x10000) {
      result.push_back(static_cast<char16_t>(c));
    } else {
      result.push_back(static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10)));
      result.push_back(static_cast<char16_t>(0xDC00 + ((c - 0x10000) & 0x3FF)));
    }
  }
  return result;
}

}  // namespace m3lak
