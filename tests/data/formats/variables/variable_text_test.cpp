#include "data/formats/variables/variable_text.h"

#include <gtest/gtest.h>

#include "data/formats/variables/variable_testing.h"

namespace m3lak {
namespace {

TEST(Text, SurvivesEachEncoding) {
  const std::string text = "aé東😀\xEF\xBF\xBF";
  EXPECT_EQ(utf32_from_utf8(text, "f"), U"aé東😀\uFFFF");
  EXPECT_EQ(utf16_from_utf8(text, "f"), u"aé東😀\uFFFF");
  EXPECT_EQ(utf8_from_utf16(u"aé東😀\uFFFF", "f"), text);
}

TEST(Text, RefusesWhatIsNoText) {
  for (const char* bytes : {"\x80", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF8\x88\x80\x80",
                            "\xF4\x90\x80\x80", "caf\xE9", "\xE9 a", "\xFF"}) {
    expect_error<BadData>([&] { utf32_from_utf8(bytes, "d.mat: y"); }, {"d.mat: y", "UTF-8"});
  }
  expect_error<BadData>([] { utf8_from_utf16(std::u16string(1, 0xD800), "f"); }, {"U+D800"});
  expect_error<BadData>([] { utf8_from_utf16(std::u16string(1, 0xDC00), "f"); }, {"U+DC00"});
}

}  // namespace
}  // namespace m3lak
