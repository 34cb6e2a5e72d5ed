#include "data/formats/text/text.h"

#include <gtest/gtest.h>

#include <limits>

#include "data/formats/text/text_number.h"
#include "data/formats/text/text_testing.h"
#include "data/formats/text/text_writer.h"

namespace m3lak {
namespace {

using namespace std::string_view_literals;
using Kind = TextNumber::Kind;

std::string opened(std::string_view bytes) {
  const TemporaryFile file("some.txt", bytes);
  return std::string(TextFile(file.path()).text());
}

std::string refusal(std::string_view bytes) {
  return message_of([&] { opened(bytes); });
}

TEST(TextFile, GivesTheTextWithoutByteOrderMark) {
  EXPECT_EQ(opened("a\nb"), "a\nb");
  EXPECT_EQ(opened("\xef\xbb\xbf"
                   "a\nb"),
            "a\nb");
}

TEST(TextFile, UnpacksGzipWhateverItsName) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + "\n";
  EXPECT_EQ(opened(gzip(text)), text);
  EXPECT_EQ(opened(gzip("a\n") + gzip(text) + gzip("b\n")), "a\n" + text + "b\n");
  EXPECT_EQ(opened(gzip(text) + std::string(512, '\0')), text);
}

TEST(TextFile, RefusesDamagedGzip) {
  const std::string packed = gzip("some text to be packed, some more text to be packed\n");
  for (std::size_t size = 2; size < packed.size(); ++size) {
    expect_parts(refusal(packed.substr(0, size)), {"some.txt: the gzip file is cut off"});
  }
  std::string changed = packed;
  changed[packed.size() - 6] ^= 1;  // the check sum
  expect_parts(refusal(changed), {"some.txt: the gzip file is damaged", "gzip -t"});
  expect_parts(refusal(packed + "more"), {"4 bytes after the end of the gzip data"});
}

TEST(TextFile, NamesOtherKindsOfFiles) {
  expect_parts(refusal("\x89HDF\r\n\x1a\n\0\0"sv), {"some.txt: this is no text file but", "HDF5"});
  expect_parts(refusal("\x93NUMPY\1\0"sv), {"no text file but", "NumPy"});
  expect_parts(refusal("PK\3\4\0\0"sv), {"no text file but", "zip"});
  expect_parts(refusal("MATLAB 5.0 MAT-file\0\0"sv), {"no text file but", "MATLAB"});
  expect_parts(refusal("\xff\xfe\x31\0"sv), {"no text file but UTF-16"});
  expect_parts(refusal("1,2\0,3"sv), {"no text file: it has bytes of zero"});
  expect_parts(refusal("1,2\r3,4\r"), {"CR alone", "tr"});
  expect_parts(refusal(" \r\n\t\n"), {"the file has no text"});
  expect_parts(refusal(gzip("")), {"the file has no text"});
  EXPECT_EQ(opened("MATLAB x\n"), "MATLAB x\n");
}

TEST(CutAtRecords, GivesWholeRecordsForAnySize) {
  const std::string text = "a,\"b\nc\"\n\nd,\"\"\"\n\"\nsome longer record\n\"\n\n\n\"\ne";
  const std::vector<std::string_view> records = {
      "a,\"b\nc\"\n", "\n", "d,\"\"\"\n\"\n", "some longer record\n", "\"\n\n\n\"\n", "e"};
  for (std::size_t size = 1; size <= text.size() + 1; ++size) {
    Workers workers(2);
    const auto pieces = cut_at_records(text, Quotes::bind_lines, size, workers);
    std::size_t record = 0;
    for (const std::string_view piece : pieces) {
      ASSERT_FALSE(piece.empty());
      std::size_t covered = 0;
      while (covered < piece.size()) covered += records[record++].size();
      EXPECT_EQ(covered, piece.size()) << "pieces of " << size;
    }
    EXPECT_EQ(record, records.size());
  }
}

TEST(CutAtRecords, CutsAtEachLineIfQuotesMeanNothing) {
  Workers workers(1);
  const auto pieces = cut_at_records("a\"\nb\nc\"\n", Quotes::mean_nothing, 1, workers);
  EXPECT_EQ(pieces, (std::vector<std::string_view>{"a\"\n", "b\n", "c\"\n"}));
}

TEST(ParseNumber, KnowsNumbers) {
  const std::pair<const char*, double> numbers[] = {
      {"1", 1},
      {"-1.5", -1.5},
      {"+1.5", 1.5},
      {"1e3", 1000},
      {"1E-3", 0.001},
      {".5", 0.5},
      {"5.", 5},
      {"-0", -0.0},
      {"007", 7},
      {"1e-400", 0},
      {"4e-324", 4e-324},
      {"0.1", 0.1},
      {"1.7976931348623157e308", 1.7976931348623157e308},
      {"123456789012345678901234567890", 123456789012345678901234567890.0}};
  for (const auto& [text, value] : numbers) {
    EXPECT_EQ(parse_number(text).kind, Kind::number) << text;
    EXPECT_EQ(parse_number(text).value, value) << text;
  }
  for (const char* text : {"", "NA", "na", "N/A", "NaN", "-nan", "null", "None", "?", "."}) {
    EXPECT_EQ(parse_number(text).kind, Kind::missing) << text;
    EXPECT_TRUE(std::isnan(parse_number(text).value)) << text;
  }
  for (const char* text : {"inf", "-Inf", "+INFINITY", "1e999", "-1e999"}) {
    EXPECT_EQ(parse_number(text).kind, Kind::infinite) << text;
  }
  for (const char* text :
       {"a", "1a", "+-1", "++1", "-", "+", "e5", "0x10", "1,5", "1 2", "nan(1)"}) {
    EXPECT_EQ(parse_number(text).kind, Kind::text) << text;
  }
}

TEST(Shown, IsShortAndOnOneLine) {
  EXPECT_EQ(shown("a\nb"), "'a b'");
  const std::string cut = shown(std::string(39, 'x') + "üüü");
  EXPECT_EQ(cut, "'" + std::string(39, 'x') + "ü…'");
}

TEST(TextWriter, SaysWhenTheDiskIsFull) {
  for (const std::size_t size : {10, 10'000'000}) {
    try {
      TextWriter writer("/dev/full");
      writer.add(std::string(size, 'x'));
      writer.close();
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      expect_parts(error.what(), {"/dev/full: cannot be written: No space left on device"});
    }
  }
  EXPECT_THROW(TextWriter("/nowhere/file"), Error);
}

}  // namespace
}  // namespace m3lak
