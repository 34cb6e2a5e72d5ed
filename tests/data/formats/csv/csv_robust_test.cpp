// CSV files at random: pieces and threads change nothing, damage never does worse than an error.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "data/formats/text/text_testing.h"

namespace m3lak {
namespace {

/// A file of names, numbers and labels with quotes, newlines and blank lines in all places.
std::string random_file(std::mt19937& random) {
  static const std::string names[] = {"a",        "\"b\"",        "\"c,d\"",       "\"e\nf\"",
                                      "\"\"\"\"", "\"g\"\"\nh\"", "\"\n,\"\"\n\"", "i"};
  static const std::string numbers[] = {"1", "-2.5", "3e-7", "", "NA", "\"4\"", " 5 ", "+6"};
  const auto any = [&](const auto& texts) { return texts[random() % std::size(texts)]; };
  const std::string newline = random() % 2 == 0 ? "\n" : "\r\n";
  std::string text = "id,x,kind,y" + newline;
  for (auto rows = 1 + random() % 30; rows > 0; --rows) {
    text += any(names) + "," + any(numbers) + "," + any(names) + "," + any(numbers) + newline;
    if (random() % 8 == 0) text += newline;
  }
  if (random() % 2 == 0) text.resize(text.size() - newline.size());
  return text;
}

/// All that a reader says about a file: its contents, or its refusal.
std::string outcome(const std::string& text, int threads, std::size_t piece_size) {
  try {
    const FileContents contents = csv(text, {with_label("kind"), threads, piece_size});
    const DenseMatrix& cells = values(contents);
    std::string all(reinterpret_cast<const char*>(cells.data()),
                    sizeof(double) * static_cast<std::size_t>(cells.size()));
    for (const std::string& id : contents.views.front().ids) all += id + "|";
    if (contents.labels) all += fmt::format("{}", fmt::join(contents.labels->texts, "|"));
    return all + fmt::format("{}", fmt::join(contents.notes, "|"));
  } catch (const BadData& error) {
    return error.what();
  }
}

TEST(CsvRobust, PiecesAndThreadsChangeNothing) {
  std::mt19937 random(1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const std::string text = random_file(random);
    const FileContents whole = csv(text, {with_label("kind")});
    EXPECT_EQ(whole.labels->texts.size(), static_cast<std::size_t>(values(whole).rows()));
    const std::string expected = outcome(text, 1, default_piece_size);
    for (std::size_t size = 1; size < 40; size += 1 + size / 5) {
      EXPECT_EQ(outcome(text, 1 + static_cast<int>(size % 3), size), expected) << text;
    }
  }
}

TEST(CsvRobust, DamageNeverDoesWorseThanAnError) {
  std::mt19937 random(2);
  int refused = 0;
  constexpr int repeats = 1500;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const std::string text = damaged(random_file(random), random);
    if (text.empty()) continue;
    const std::string expected = outcome(text, 1, default_piece_size);
    EXPECT_EQ(outcome(text, 2, 5), expected) << text;
    refused += expected.find("rna.csv: ") != expected.npos;
    try {
      csv_labels(text, {with_label("kind")});
    } catch (const BadData&) {
    }
  }
  EXPECT_GT(refused, repeats / 10);
}

TEST(CsvRobust, DamagedGzipNeverDoesWorseThanAnError) {
  std::mt19937 random(3);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const std::string packed = damaged(gzip(random_file(random)), random);
    if (!packed.empty()) outcome(packed, 1, default_piece_size);
  }
}

TEST(CsvRobust, ManyRowsInPieces) {
  std::string text = "a,b,c\n";
  const Index rows = 100000;
  for (Index row = 0; row < rows; ++row) {
    text += fmt::format("{},{},{}\n", row, static_cast<double>(row) * 0.1, -row);
  }
  const FileContents contents = csv(text, {{}, 2, 1 << 16});
  ASSERT_EQ(values(contents).rows(), rows);
  for (Index row = 0; row < rows; ++row) {
    const auto n = static_cast<double>(row);
    ASSERT_EQ(values(contents).row(row), Eigen::RowVector3d(n, n * 0.1, -n));
  }
}

}  // namespace
}  // namespace m3lak
