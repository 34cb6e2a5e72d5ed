// Texts of files in other encodings than UTF-8, which all texts have inside.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace m3lak {

/// Errors are BadData and begin with `origin`.
void append_utf8(std::string& text, char32_t character, const std::string& origin);
std::string utf8_from_utf16(std::u16string_view text, const std::string& origin);
std::u16string utf16_from_utf8(std::string_view text, const std::string& origin);
std::u32string utf32_from_utf8(std::string_view text, const std::string& origin);

}  // namespace m3lak
