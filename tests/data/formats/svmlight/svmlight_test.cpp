#include "data/formats/svmlight/svmlight.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/formats/text/text_testing.h"

namespace m3lak {
namespace {

using namespace std::string_literals;
using Names = std::vector<std::string>;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

const SparseMatrix& sparse(const FileContents& contents) {
  return std::get<SparseMatrix>(contents.views.front().values);
}

std::string refusal(const std::string& text, const DataSource& source = {}) {
  return message_of([&] { svmlight(text, {source}); });
}

/// Whether two matrices store the same cells in the same way.
bool same_cells(const SparseMatrix& a, const SparseMatrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a.nonZeros() == b.nonZeros() &&
         std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.rows() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr()) &&
         std::memcmp(a.valuePtr(), b.valuePtr(),
                     sizeof(double) * static_cast<std::size_t>(a.nonZeros())) == 0;
}

TEST(ReadSvmlight, ReadsSparseRowsAndLabels) {
  const FileContents contents = svmlight(
      "# made by hand\n+1 1:0.5 3:-2 # the first\n-1\n\n1,3 qid:7 4:1e3 2:+1\r\n0 1:0 2:nan\n");
  DenseMatrix expected(4, 4);
  expected << 0.5, 0, -2, 0, 0, 0, 0, 0, 0, 1, 0, 1000, 0, unknown, 0, 0;
  EXPECT_TRUE(same_bits(DenseMatrix(sparse(contents)), expected));
  EXPECT_EQ(sparse(contents).nonZeros(), 5);
  EXPECT_EQ(contents.labels->texts, (Names{"+1", "-1", "1,3", "0"}));
  EXPECT_TRUE(contents.notes.empty());
}

TEST(ReadSvmlight, CountsFromZeroIfAnIndexIsZero) {
  const FileContents contents = svmlight("1 2:5\n1 0:4\n");
  EXPECT_EQ(sparse(contents).cols(), 3);
  EXPECT_EQ(sparse(contents).coeff(0, 2), 5);
  EXPECT_EQ(sparse(contents).coeff(1, 0), 4);
  EXPECT_TRUE(has_note(contents.notes, "words.svm: indices start at 0"));
}

TEST(ReadSvmlight, ReadsLinesWithoutLabels) {
  const FileContents contents = svmlight("1:2\nqid:1 2:3\n");
  EXPECT_FALSE(contents.labels);
  EXPECT_EQ(sparse(contents).coeff(1, 1), 3);
}

TEST(ReadSvmlight, ReadsGzip) { EXPECT_EQ(sparse(svmlight(gzip("1 1:2\n"))).coeff(0, 0), 2); }

TEST(ReadSvmlight, NamesLineAndText) {
  expect_parts(refusal("1 1:2\n\n1 2:x\n"), {"words.svm: line 3: '2:x' has no number"});
  expect_parts(refusal("1 1:2\n1 2:\n"), {"line 2: '2:' has no number"});
  expect_parts(refusal("1 1:2\n1 2\n"), {"line 2: '2' is not of the form index:value"});
  expect_parts(refusal("1 1:2\n1 a:2\n"), {"line 2: 'a:2' does not start with an index"});
  expect_parts(refusal("1 1:2\n1 -1:2\n"), {"line 2: '-1:2' does not start with an index"});
  expect_parts(refusal("1 1.5:2\n"), {"line 1: '1.5:2' does not start with an index"});
  expect_parts(refusal("1 2147483647:2\n"),
               {"line 1: '2147483647:2' has an index that is too large"});
  expect_parts(refusal("1 99999999999:2\n"), {"line 1", "too large"});
  expect_parts(refusal("1 1:inf\n"), {"line 1: '1:inf' is not finite"});
  expect_parts(refusal("1 1:1e999\n"), {"line 1: '1:1e999' is not finite"});
  expect_parts(refusal("1 1:2\n1 3:1 2:1 3:2\n"), {"line 2: the index 3 occurs twice"});
  expect_parts(refusal("1 1:2\n1:2\n"), {"line 2: no label"});
  expect_parts(refusal("1:2\n7 1:2\n"), {"line 2: a label, '7'"});
  expect_parts(refusal("1\n2\n"), {"words.svm: no line has an index:value"});
  expect_parts(refusal("# nothing\n"), {"words.svm: there are no data lines"});
  expect_parts(refusal("# " + std::string(5000, 'x') + "\n1 1:2\0\n"s), {"line 2: a byte of zero"});
  expect_parts(refusal("1 1:2\n1 2:nan\n", without_missing_cells()),
               {"line 2: the value of index 2 is missing", "--no-missing-cells"});
}

std::string random_file(std::mt19937& random) {
  std::string text;
  for (auto rows = 1 + random() % 20; rows > 0; --rows) {
    text += fmt::format("{}", random() % 3);
    for (auto index = 1 + random() % 5; index < 40; index += 1 + random() % 20) {
      text += fmt::format(" {}:{}", index, static_cast<double>(random() % 1000) / 8 - 50);
    }
    text += random() % 5 == 0 ? " # comment\n\n" : "\n";
  }
  return text + "2 1:1\n";
}

/// All that the reader says about a file: its contents, or its refusal.
std::string outcome(const std::string& text, int threads, std::size_t piece_size) {
  try {
    const FileContents contents = svmlight(text, {{}, threads, piece_size});
    std::string all;
    const SparseMatrix& matrix = sparse(contents);
    for (Index row = 0; row < matrix.rows(); ++row) {
      for (SparseMatrix::InnerIterator cell(matrix, row); cell; ++cell) {
        all += fmt::format("{} {} {},", row, cell.col(), cell.value());
      }
    }
    if (contents.labels) all += fmt::format("{}", fmt::join(contents.labels->texts, "|"));
    return all;
  } catch (const BadData& error) {
    return error.what();
  }
}

TEST(ReadSvmlight, PiecesAndThreadsChangeNothingEvenIfDamaged) {
  std::mt19937 random(4);
  for (int repeat = 0; repeat < 800; ++repeat) {
    std::string text = random_file(random);
    if (repeat % 10 != 0) text = damaged(text, random);
    if (text.empty()) continue;
    const std::string expected = outcome(text, 1, default_piece_size);
    const auto size = static_cast<std::size_t>(1 + repeat % 30);
    EXPECT_EQ(outcome(text, 1 + repeat % 3, size), expected) << text;
  }
}

Dataset dataset() {
  DenseMatrix dense(3, 4);
  dense << 0, 0.1, 0, 0, 0, 0, 0, 0, 1e-300, 0, -5, 0;
  Dataset data;
  data.views.emplace_back().values = SparseMatrix(dense.sparseView(0, 0));
  data.labels = Labels{{"no", "yes"}, {1, 0, 1}};
  return data;
}

std::string written(const Dataset& data) {
  const TemporaryFile file("out.svm");
  write_svmlight(data, 0, file.path());
  return file.text();
}

std::string write_refusal(const Dataset& data) {
  try {
    written(data);
  } catch (const BadUsage& error) {
    return error.what();
  }
  return "";
}

TEST(WriteSvmlight, IsReadBack) {
  Dataset data = dataset();
  EXPECT_EQ(written(data), "yes 2:0.1 4:0\nno\nyes 1:1e-300 3:-5\n");
  const FileContents contents = svmlight(written(data));
  EXPECT_TRUE(same_cells(sparse(contents), data.views[0].sparse()));
  EXPECT_EQ(contents.labels->texts, (Names{"yes", "no", "yes"}));

  data.views[0].values = DenseMatrix(data.views[0].sparse());
  EXPECT_EQ(written(data), written(dataset()));
  data.labels.reset();
  EXPECT_EQ(written(data), "2:0.1 4:0\n4:0\n1:1e-300 3:-5\n");
  EXPECT_TRUE(same_cells(sparse(svmlight(written(data))), dataset().views[0].sparse()));
}

TEST(WriteSvmlight, RefusesWhatItCannotHold) {
  Dataset data = dataset();
  data.labels->of[1] = Labels::unknown;
  expect_parts(write_refusal(data), {"out.svm", "cannot hold unknown labels", "another"});
  data = dataset();
  data.labels->classes[0] = "not yet";
  expect_parts(write_refusal(data), {"cannot hold the label 'not yet'", "another"});
  data = dataset();
  data.views[0].absent = {0, 1, 0};
  expect_parts(write_refusal(data), {"cannot hold instances that lack the view", "another"});
  data = dataset();
  data.views[0].values = DenseMatrix(DenseMatrix::Constant(3, 4, unknown));
  expect_parts(write_refusal(data), {"cannot hold missing cells", "another"});
  data = dataset();
  data.views[0].offset = Vector::Ones(4);
  expect_parts(write_refusal(data), {"cannot hold a sparse view that is centred"});
}

}  // namespace
}  // namespace m3lak
