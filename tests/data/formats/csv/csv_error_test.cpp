// What the CSV readers say when a file is not as it should be.
#include <gtest/gtest.h>

#include "data/formats/text/text_testing.h"

namespace m3lak {
namespace {

using namespace std::string_literals;

std::string refusal(std::string_view text, const DataSource& source = {}) {
  return message_of([&] { csv(text, {source}); });
}

std::string label_refusal(std::string_view text, const DataSource& source = {}) {
  return message_of([&] { csv_labels(text, {source}); });
}

TEST(CsvErrors, TextInsteadOfANumber) {
  expect_parts(refusal("a,b\n1,2\n\n3,x7\n"),
               {"rna.csv: line 4: column 2 ('b'): 'x7' is no number", "leave the cell empty"});
  expect_parts(refusal("1,2\n3,4x\n"), {"line 2: column 2: '4x' is no number"});
  expect_parts(refusal("a;b\n1,5;2,5\n"),
               {"line 2: column 1 ('a'): '1,5' is no number", "a point, not with a comma"});
  expect_parts(refusal("a,b\n1,True\n"), {"'True' is no number", "write 1 for true"});
  expect_parts(refusal("a,kind\n1,cat\n2,dog\n"),
               {"line 2: column 2 ('kind'): 'cat' is no number", "holds text",
                "--label-column 'kind'", "--id-column 'kind'", "remove it"});
  expect_parts(refusal("a,b\n1,2\n", with_header(Header::no)), {"line 1", "say --header yes"});
}

TEST(CsvErrors, CountLinesWithinQuotes) {
  expect_parts(refusal("id,a\n\"x\n\ny\",1\nz,w\n"), {"line 5: column 2 ('a'): 'w'"});
}

TEST(CsvErrors, InfiniteNumbers) {
  for (const char* text : {"inf", "-Infinity", "1e999"}) {
    expect_parts(refusal("a,b\n1,2\n3," + std::string(text) + "\n"),
                 {"line 3: column 2 ('b'): '", text, "' is not finite", "leave the cell empty"});
  }
}

TEST(CsvErrors, MissingCellsThatAreRefused) {
  expect_parts(refusal("a,b\n1,2\n3,\n", without_missing_cells()),
               {"line 3: column 2 ('b'): the value is missing", "--no-missing-cells"});
}

TEST(CsvErrors, RaggedLines) {
  const std::string short_line = refusal("a,b,c\n1,2,3\n4,5\n6,7,8\n");
  expect_parts(short_line, {"rna.csv: line 3: 2 cells where 3 are expected"});
  EXPECT_EQ(short_line.find("cut off"), short_line.npos);
  expect_parts(refusal("a,b\n1,2\n3,4,5\n"), {"line 3: 3 cells where 2 are expected", "in quotes"});
  expect_parts(refusal("a,b,c\n1,2,3\n4,5"), {"line 3: 2 cells", "cut off"});
  // A comma too many moves text to the place of a number: the comma is the cause.
  expect_parts(refusal("id,a\nx,1\ny,z,2\n"), {"line 3: 3 cells where 2 are expected"});
  expect_parts(refusal("a\n1\n2,3\n"), {"line 3: 2 cells where 1 are expected"});
  std::string trailing = "a,b,\n";
  for (int line = 2; line < 100; ++line) trailing += "1,2,\n";
  expect_parts(refusal(trailing + "3,4,5\n"),
               {"line 100: column 3: '5' in a column without a name"});
}

TEST(CsvErrors, Quotes) {
  expect_parts(refusal("id,a\nx,1\n\"y,2\nz,3\n"),
               {"line 3: a quote opens here and is never closed"});
  expect_parts(refusal("id,a\nx,1\n\"y,2\nz,3\n\"w\",4\n"),
               {"line 3: a quote opens here, and text follows", "w"});
  expect_parts(refusal("id,a\nx\"1,1\ny\"2,2\n"),
               {"line 2: a quote in the middle of a cell", "x\""});
}

TEST(CsvErrors, BytesOfZero) {
  const std::string head = "id,a\n" + std::string(5000, 'x') + ",1\n";
  expect_parts(refusal(head + "x\0y,2\n"s), {"line 3: a byte of zero"});
  expect_parts(refusal(head + "\"x\0y\",2\n"s), {"line 3: a byte of zero"});
  expect_parts(refusal(head + "x,2\0\n"s), {"line 3: a byte of zero"});
}

TEST(CsvErrors, FilesWithoutData) {
  expect_parts(refusal("id,a,b\n"), {"rna.csv: there is a header but no data", "--header no"});
  expect_parts(refusal("a,b\n\n\n"), {"there is a header but no data"});
  expect_parts(refusal("id,kind\nx,u\n", with_label("kind")), {"no column of numbers"});
}

TEST(CsvErrors, InstancesWithoutAName) {
  expect_parts(refusal("id,a\nx,1\n,2\n"),
               {"line 3: column 1 ('id'): the name of the instance is empty", "--id-column none"});
}

TEST(CsvErrors, ColumnsThatAreNotThere) {
  DataSource both = with_id("id");
  both.label_column = "id";
  expect_parts(refusal("id,a\nx,1\n", with_id("key")),
               {"rna.csv: there is no column 'key' (--id-column)", "1 'id', 2 'a'"});
  expect_parts(refusal("id,a\nx,1\n", with_id("3")), {"there is no column '3'"});
  expect_parts(refusal("1,2\n3,4\n", with_id("key")),
               {"there is no column 'key'", "2 columns and no names", "--header yes"});
  expect_parts(label_refusal("id,kind\nx,u\n", with_label("class")),
               {"labels.csv: there is no column 'class' (--label-column)", "1 'id', 2 'kind'"});
  expect_parts(refusal("id,a,id\n1,2,3\n", with_id("id")),
               {"columns 1 and 3 are both called 'id'", "by its number"});
  expect_parts(refusal("id,a\nx,1\n", both), {"column 1 ('id') cannot both"});
  expect_parts(label_refusal("id,kind,stage\nx,u,v\n"),
               {"several columns may hold the labels", "2 'kind', 3 'stage'", "--label-column"});
  EXPECT_NO_THROW(csv("id,a,id\n1,2,3\n", {with_id("3")}));
}

TEST(CsvErrors, TheFirstInTheFileIsReported) {
  std::string text = "a,b\n";
  for (int line = 2; line < 400; ++line) {
    if (line == 57) text += "1,x\n";
    if (line == 58) text += "\"1,2\n";
    text += line % 50 == 0 ? "1\n" : "1,2\n";
  }
  const std::string all = refusal(text);
  for (const int threads : {1, 2, 3}) {
    for (const std::size_t size : {1U, 7U, 100U, 100000U}) {
      EXPECT_EQ(message_of([&] { csv(text, {{}, threads, size}); }), all);
    }
  }
  expect_parts(all, {"line 50: 1 cell where 2 are expected"});
}

}  // namespace
}  // namespace m3lak
