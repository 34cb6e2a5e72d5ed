#include "data/formats/csv/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/formats/text/text_testing.h"

namespace m3lak {
namespace {

using Names = std::vector<std::string>;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

DenseMatrix matrix(std::initializer_list<std::initializer_list<double>> rows) {
  DenseMatrix values(static_cast<Index>(rows.size()), static_cast<Index>(rows.begin()->size()));
  Index r = 0;
  for (const auto& row : rows) {
    Index c = 0;
    for (const double value : row) values(r, c++) = value;
    ++r;
  }
  return values;
}

const DenseMatrix one_to_four = matrix({{1, 2}, {3, 4}});

void expect_values(const FileContents& contents, const DenseMatrix& expected) {
  EXPECT_TRUE(same_bits(values(contents), expected)) << values(contents);
}

const Table& table(const FileContents& contents) { return contents.views.front(); }

TEST(ReadCsv, FindsTheDelimiter) {
  for (const char* text :
       {"a,b\n1,2\n3,4\n", "a\tb\n1\t2\n3\t4\n", "a;b\n1;2\n3;4\n", "a b\n1 2\n3 4\n", "1,2\n3,4",
        "1\t2\n3\t4", "1;2\n3;4", "1 2\n3 4", "  1   2 \n 3  4\n", "1, 2\n3 ,4 \n",
        "\"a,1\";b\n1;2\n3;4\n", "\"a\" \"b\"\n1 2\n3 4\n"}) {
    expect_values(csv(text), one_to_four);
  }
}

TEST(ReadCsv, TakesAllEndsOfLines) {
  for (const char* text : {"a,b\n1,2\n3,4", "a,b\r\n1,2\r\n3,4\r\n", "a,b\n1,2\n3,4\n\n \n\n",
                           "\na,b\n\n1,2\n \n3,4\n", "a,b\r\n\r\n1,2\r\n3,4", "a,b\n1,2\n\t\n3,4",
                           "\xef\xbb\xbf"
                           "a,b\n1,2\n3,4\n"}) {
    const FileContents contents = csv(text);
    expect_values(contents, one_to_four);
    EXPECT_EQ(table(contents).feature_names, (Names{"a", "b"}));
    EXPECT_TRUE(table(contents).ids.empty());
    EXPECT_FALSE(contents.labels);
  }
}

TEST(ReadCsv, KeepsBlankLinesOfOneColumn) {
  expect_values(csv("a\n1\n\n3\n\n\n"), matrix({{1}, {unknown}, {3}}));
  expect_values(csv("a\r\n1\r\n\r\n\"\"\r\n"), matrix({{1}, {unknown}, {unknown}}));
  EXPECT_EQ(csv_labels("label\nx\n\ny\n").texts, (Names{"x", "", "y"}));
}

TEST(ReadCsv, TakesBlankCellsInTabSeparatedLines) {
  expect_values(csv("a\tb\n1\t2\n\t\n"), matrix({{1, 2}, {unknown, unknown}}));
}

TEST(ReadCsv, ReadsNumbersAndMissingCells) {
  const FileContents contents =
      csv("a,b,c,d\n+1,-2.5e-3,  7 ,\"8\"\n,NA,NaN,null\nNone,?,.,\" n/a \"\n1e-400,0,-0,5.\n");
  expect_values(contents, matrix({{1, -2.5e-3, 7, 8},
                                  {unknown, unknown, unknown, unknown},
                                  {unknown, unknown, unknown, unknown},
                                  {0, 0, -0.0, 5}}));
}

TEST(ReadCsv, FollowsQuotes) {
  const FileContents contents =
      csv("id,\"a,\"\"1\"\"\",\"b\nc\"\n\"x,\"\"y\"\"\",1,2\n \"u\nv\" ,3,4\n");
  expect_values(contents, one_to_four);
  EXPECT_EQ(table(contents).feature_names, (Names{"a,\"1\"", "b\nc"}));
  EXPECT_EQ(table(contents).ids, (Names{"x,\"y\"", "u\nv"}));
}

TEST(ReadCsv, TellsHeadersFromData) {
  EXPECT_TRUE(table(csv("1,2\n3,4\n")).feature_names.empty());
  EXPECT_TRUE(table(csv("s1,2\ns2,4\n")).feature_names.empty());
  EXPECT_TRUE(table(csv("NA,2\n3,4\n")).feature_names.empty());
  EXPECT_EQ(table(csv("a,b\nNA,2\n3,NA\n")).feature_names, (Names{"a", "b"}));
  EXPECT_EQ(table(csv("id,a\nx,NA\ny,NA\n")).feature_names, (Names{"a"}));
  EXPECT_EQ(table(csv("id,400.5,401.5\nx,1,2\ny,3,4\n")).feature_names, (Names{"400.5", "401.5"}));
  EXPECT_EQ(table(csv("400.5,kind\n1,u\n2,v\n", {with_label("kind")})).feature_names,
            (Names{"400.5"}));
  // "case" is the usual name of a column, but here it is a label.
  const FileContents contents = csv("case,1\ncontrol,2\ncase,3\n", {with_label("1")});
  EXPECT_EQ(contents.labels->texts, (Names{"case", "control", "case"}));
}

TEST(ReadCsv, TakesTheUsersWordOnHeaders) {
  expect_values(csv("1,2\n3,4\n", {with_header(Header::yes)}), matrix({{3, 4}}));
  EXPECT_EQ(table(csv("1,2\n3,4\n", {with_header(Header::yes)})).feature_names, (Names{"1", "2"}));
  EXPECT_EQ(csv_labels("label\na\n", {with_header(Header::no)}).texts, (Names{"label", "a"}));
}

TEST(ReadCsv, ReadsWhatPandasWrites) {
  const FileContents indexed = csv(",0,1\n0,1,2\n1,3,4\n");
  expect_values(indexed, one_to_four);
  EXPECT_EQ(table(indexed).ids, (Names{"0", "1"}));
  EXPECT_EQ(table(indexed).feature_names, (Names{"0", "1"}));
  EXPECT_TRUE(has_note(indexed.notes, "the first line counts the columns"));
  EXPECT_TRUE(has_note(indexed.notes, "the first column names the instances"));

  expect_values(csv("0,1,2\n4,5,6\n"), matrix({{4, 5, 6}}));
  expect_values(csv("0,1\n4,5\n"), matrix({{0, 1}, {4, 5}}));
  EXPECT_EQ(table(csv("Unnamed: 0,a\n7,1\n8,2\n")).ids, (Names{"7", "8"}));
}

TEST(ReadCsv, ReadsWhatRWrites) {
  for (const char* text : {"\"\",\"a\",\"b\"\n\"r1\",1,2\n\"r2\",3,4\n",
                           "\"a\" \"b\"\n\"r1\" 1 2\n\"r2\" 3 4\n", "a\tb\nr1\t1\t2\nr2\t3\t4\n"}) {
    const FileContents contents = csv(text);
    expect_values(contents, one_to_four);
    EXPECT_EQ(table(contents).ids, (Names{"r1", "r2"}));
    EXPECT_EQ(table(contents).feature_names, (Names{"a", "b"}));
  }
}

TEST(ReadCsv, ReadsLinesThatEndWithADelimiter) {
  for (const char* text : {"a,b,\n1,2,\n3,4,\n", "a,b\n1,2,\n3,4,\n", "1,2,\n3,4,\n"}) {
    expect_values(csv(text), one_to_four);
  }
}

TEST(ReadCsv, FindsTheNamesOfInstances) {
  const char* text = "Sample ID,a,b\n7,1,2\n8,3,4\n";
  const FileContents found = csv(text);
  expect_values(found, one_to_four);
  EXPECT_EQ(table(found).ids, (Names{"7", "8"}));
  EXPECT_TRUE(has_note(found.notes, "rna.csv: the first column, 'Sample ID', names the instances"));

  EXPECT_EQ(table(csv("x1,1,2\nx2,3,4\n")).ids, (Names{"x1", "x2"}));
  expect_values(csv(text, {with_id("none")}), matrix({{7, 1, 2}, {8, 3, 4}}));
  EXPECT_EQ(table(csv(text, {with_id("b")})).ids, (Names{"2", "4"}));
  const FileContents second = csv(text, {with_id("2")});
  EXPECT_EQ(table(second).ids, (Names{"1", "3"}));
  EXPECT_EQ(table(second).feature_names, (Names{"Sample ID", "b"}));
  EXPECT_TRUE(second.notes.empty());
  // A name that is a number goes before the number of a column.
  DataSource source = with_id("1");
  source.header = Header::yes;
  EXPECT_EQ(table(csv("3,2,1\n7,8,9\n", {source})).ids, (Names{"9"}));
}

TEST(ReadCsv, TakesLabelsOutOfTheView) {
  for (const char* column : {"kind", "2"}) {
    const FileContents contents = csv("id,kind,a,b\nx,u,1,2\ny, v ,3,4\n", {with_label(column)});
    expect_values(contents, one_to_four);
    ASSERT_TRUE(contents.labels);
    EXPECT_EQ(contents.labels->texts, (Names{"u", "v"}));
    EXPECT_EQ(contents.labels->ids, (Names{"x", "y"}));
    EXPECT_EQ(table(contents).feature_names, (Names{"a", "b"}));
  }
  EXPECT_FALSE(csv("a,b\n1,2\n3,4\n", {with_label("kind")}).labels);
  EXPECT_TRUE(csv("cat,1\ndog,2\n", {with_label("1")}).labels);
}

TEST(ReadCsv, UsesANumberedLabelColumnForTheFileOfLabelsOnly) {
  DataSource source = with_label("2");
  source.labels = "labels.csv";
  EXPECT_FALSE(csv("a,b\n1,2\n3,4\n", {source}).labels);
  source.label_column = "b";
  EXPECT_TRUE(csv("a,b\n1,2\n3,4\n", {source}).labels);
}

TEST(ReadCsv, NotesWhatIsOdd) {
  EXPECT_TRUE(has_note(csv("a,b,a\n1,2,3\n").notes, "the first is 'a' (columns 1 and 3)"));
  EXPECT_TRUE(has_note(csv("a,label\n1,2\n").notes,
                       "column 2 ('label') is taken as a feature (if it holds the labels, say "
                       "--label-column label)"));
  EXPECT_TRUE(has_note(csv("a b\n1 2\n").notes, "separated by blanks"));
  EXPECT_EQ(table(csv("a,,b\n1,2,3\n")).feature_names, (Names{"a", "column2", "b"}));
  EXPECT_TRUE(csv("a,b\n1,2\n").notes.empty());
}

TEST(ReadCsv, ReadsGzip) { expect_values(csv(gzip("a,b\n1,2\n") + gzip("3,4\n")), one_to_four); }

TEST(ReadCsvLabels, FindsTheColumn) {
  EXPECT_EQ(csv_labels("cat\ndog\ncat\n").texts, (Names{"cat", "dog", "cat"}));
  EXPECT_EQ(csv_labels("1\n0\n1\n").texts, (Names{"1", "0", "1"}));
  EXPECT_EQ(csv_labels("class\ncat\ndog\n").texts, (Names{"cat", "dog"}));
  EXPECT_EQ(csv_labels("stage 1\nstage 2\nstage 1\n").texts,
            (Names{"stage 1", "stage 2", "stage 1"}));
  EXPECT_EQ(csv_labels("kind\ncat\n", {with_label("kind")}).texts, (Names{"cat"}));

  for (const char* text : {"id,kind\nx,cat\ny,\n", "x,cat\ny,\n", "id\tkind\nx\tcat\ny\t\n"}) {
    const LabelTable labels = csv_labels(text);
    EXPECT_EQ(labels.ids, (Names{"x", "y"}));
    EXPECT_EQ(labels.texts, (Names{"cat", ""}));
  }
  const LabelTable spaced = csv_labels("x 1\ny 0\n");
  EXPECT_EQ(spaced.ids, (Names{"x", "y"}));
  EXPECT_EQ(spaced.texts, (Names{"1", "0"}));
  // A column of labels that comes first is not taken for names.
  EXPECT_EQ(csv_labels("class,id\ncat,1\ndog,2\n", {with_id("id")}).texts, (Names{"cat", "dog"}));
}

TEST(ReadCsvLabels, DoesNotLookAtOtherColumns) {
  const LabelTable labels =
      csv_labels("id,age,kind,note\nx,old,cat,\"a, b\"\ny,inf,dog,\n", {with_label("kind")});
  EXPECT_EQ(labels.ids, (Names{"x", "y"}));
  EXPECT_EQ(labels.texts, (Names{"cat", "dog"}));
}

TEST(ReadCsvLabels, NotesWhatItDecides) {
  std::vector<std::string> notes;
  csv_labels("cat\ndog\ncat\n", {}, &notes);
  EXPECT_TRUE(has_note(notes,
                       "the first line, which starts with 'cat', is taken as data (if it "
                       "names the columns, say --header yes)"));
}

}  // namespace
}  // namespace m3lak
