// Data that several processes read, each its own instances, is the data that one reads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/expect_error.h"
#include "data/formats/hdf5/hdf5_writer.h"
#include "data/formats/text/text_testing.h"
#include "data/npy_bytes.h"
#include "m3lak/error.h"
#include "m3lak/io.h"
#include "m3lak/simulate.h"
#include "numeric/share.h"

namespace m3lak {
namespace {

namespace fs = std::filesystem;

constexpr Index N = 1100;  // five blocks, the last of them short; fewer than eight processes
constexpr int numbers_of_processes[] = {1, 2, 3, 4, 8};

DenseMatrix numbers(const View& view) {
  if (view.is_sparse()) return DenseMatrix(view.sparse());
  return view.is_float() ? DenseMatrix(view.floats().cast<double>()) : DenseMatrix(view.dense());
}

void expect_same(const View& part, const View& expected) {
  EXPECT_EQ(part.name, expected.name);
  EXPECT_EQ(part.feature_names, expected.feature_names);
  EXPECT_EQ(part.is_sparse(), expected.is_sparse());
  EXPECT_EQ(part.is_float(), expected.is_float());
  const DenseMatrix a = numbers(part), b = numbers(expected);
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  EXPECT_TRUE((a.array() == b.array() || (a.array().isNaN() && b.array().isNaN())).all());
  for (Index n = 0; n < a.rows(); ++n) EXPECT_EQ(part.has(n), expected.has(n)) << n;
}

/// Reads as so many processes would, and compares each part with that of the whole.
void expect_parts_of_whole(DataSource source) {
  const ReadResult whole = read_dataset(source);
  EXPECT_EQ(whole.first, 0);
  EXPECT_EQ(whole.total, whole.data.instances());
  for (const int ranks : numbers_of_processes) {
    SCOPED_TRACE(fmt::format("{} processes", ranks));
    Index next = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      source.rank = rank;
      source.ranks = ranks;
      const auto [data, notes, first, total] = read_dataset(source);
      EXPECT_EQ(first, next);
      EXPECT_EQ(total, whole.total);
      EXPECT_EQ(data.instances(), own_instances(total, {rank, ranks}).size);
      std::vector<Index> rows(static_cast<std::size_t>(data.instances()));
      for (Index& row : rows) row = next++;
      const Dataset expected = whole.data.select(rows);
      ASSERT_EQ(data.views.size(), expected.views.size());
      for (std::size_t v = 0; v < data.views.size(); ++v) {
        expect_same(data.views[v], expected.views[v]);
      }
      EXPECT_EQ(data.instance_names, expected.instance_names);
      ASSERT_EQ(data.labels.has_value(), expected.labels.has_value());
      if (!data.labels) continue;
      EXPECT_EQ(data.labels->classes, whole.data.labels->classes);
      EXPECT_EQ(data.labels->of, expected.labels->of);
    }
    EXPECT_EQ(next, whole.total);
  }
}

/// Two views; classes of which some occur in the last block alone.
Dataset example(double missing_views = 0.1, double missing_cells = 0.02) {
  SimulationOptions options;
  options.instances = N;
  options.views = {3, 5};
  options.missing_views = missing_views;
  options.missing_cells = missing_cells;
  options.threads = 1;
  Dataset data = simulate(options);
  std::vector<std::string> texts;
  for (Index n = 0; n < N; ++n) {
    texts.push_back(n % 7 == 0 ? "" : fmt::format("{}", n > 1050 ? 5 : 1 + n % 3));
  }
  data.labels = Labels::from_texts(texts);
  data.views[0].feature_names = {"a", "b", "c"};
  return data;
}

DataSource views_of(std::vector<std::string> views) {
  DataSource source;
  source.views = std::move(views);
  source.threads = 2;
  return source;
}

class Shares : public testing::Test {
 protected:
  void put(const std::string& name, std::string_view bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// All in one file, of which each format has its own way.
  DataSource written(const Dataset& data, const std::string& name) {
    DataSource source;
    source.files = write_dataset(data, folder_ / name, format_of(name));
    source.threads = 2;
    return source;
  }

  /// A table; an instance that lacks the view is a row of empty cells.
  std::string table(const View& view, bool ids, bool labels, const Dataset& data) const {
    std::string text = fmt::format("{}{}", ids ? "id," : "", labels ? "class," : "");
    for (Index d = 0; d < view.features(); ++d) text += fmt::format("{}f{}", d ? "," : "", d);
    for (Index n = 0; n < view.instances(); ++n) {
      text += n % 100 == 50 ? "\n\n" : "\n";  // blank lines are no rows
      if (ids) text += n % 9 == 0 ? fmt::format("\"i,\n{}\",", n) : fmt::format("i{},", n);
      const int label = data.labels->of[static_cast<std::size_t>(n)];
      if (labels) text += fmt::format("{},", label < 0 ? "NA" : fmt::format("class {}", label));
      for (Index d = 0; d < view.features(); ++d) {
        const double value = view.dense()(n, d);
        text += d ? "," : "";
        if (view.has(n) && !std::isnan(value)) text += fmt::format("{}", value);
      }
    }
    return text + "\n";
  }

  TemporaryFolder folder_;
};

TEST_F(Shares, FilesOfVariables) {
  Dataset data = example();
  for (const char* name : {"d.npz", "d.mat", "d.h5"}) {
    SCOPED_TRACE(name);
    expect_parts_of_whole(written(data, name));
  }
  for (Index n = 0; n < N; ++n) data.instance_names.push_back(fmt::format("i{}", n));
  expect_parts_of_whole(written(data, "named.h5"));
  expect_parts_of_whole(written(data, "named.npz"));
  expect_parts_of_whole(written(example(0), "d.h5mu"));
}

TEST_F(Shares, HalfAsManyBlocksAsProcesses) {
  Dataset data = example();
  std::vector<Index> rows(300);
  for (std::size_t n = 0; n < rows.size(); ++n) rows[n] = static_cast<Index>(n);
  data = data.select(rows);
  for (const char* name : {"d.npz", "d.h5", "d.npy"}) {
    SCOPED_TRACE(name);
    DataSource source = written(data, name);
    if (source.files.size() == 3) {
      source.labels = source.files.back();
      source.files.pop_back();
    }
    expect_parts_of_whole(source);
  }
}

TEST_F(Shares, Hdf5InOtherForms) {
  const Dataset data = example(0, 0);
  const DenseMatrix X1 = data.views[0].dense(), X2 = data.views[1].dense();
  std::vector<double> y(static_cast<std::size_t>(N));
  for (std::size_t n = 0; n < y.size(); ++n) y[n] = static_cast<double>(n % 4);
  SparseMatrix sparse = X2.sparseView();
  {
    Hdf5Writer writer(path("transposed.h5"));  // an instance a column
    writer.array("/X1", DenseMatrix(X1.transpose()));
    writer.array("/X2", DenseMatrix(X2.transpose()));
    writer.array("/y", y);
    writer.close();
  }
  {
    Hdf5Writer writer(path("group.h5"));
    writer.group("/X");
    writer.array("/X/dense", X1);
    writer.sparse("/X/sparse", sparse);
    writer.array("/X/vector", y);
    writer.close();
  }
  for (const char* name : {"transposed.h5", "group.h5"}) {
    SCOPED_TRACE(name);
    DataSource source;
    source.files = {path(name)};
    expect_parts_of_whole(source);
  }
}

TEST_F(Shares, NpyOfAllKinds) {
  const Dataset data = example();
  using Doubles = Eigen::MatrixXd;
  Doubles values = data.views[1].dense().transpose();  // by rows in memory
  for (Index n = 0; n < N; ++n) {
    if (!data.views[1].has(n)) values.col(n).setConstant(std::nan(""));
  }
  Doubles complete = Doubles::Random(4, N);
  put("f8.npy", npy_bytes<double>("<f8", values, N, 5));
  put("f4.npy", npy_bytes<float>("<f4", values.cast<float>(), N, 5));
  put("complete.npy", npy_bytes<float>("<f4", complete.cast<float>(), N, 4));
  put("columns.npy", npy_bytes<double>("<f8", values.transpose(), N, 5, true));
  put("columns4.npy", npy_bytes<float>("<f4", values.transpose().cast<float>(), N, 5, true));
  put("i2.npy", npy_bytes<std::int16_t>("<i2", (100 * complete).cast<std::int16_t>(), N, 4));
  put("big.npy", npy_bytes<std::int16_t>(">i2", (100 * complete).cast<std::int16_t>(), N, 4));
  DataSource source;
  source.files = write_dataset(data, folder_ / "d.npy", FileFormat::npy);
  source.labels = source.files.back();
  source.files.pop_back();
  for (const char* name : {"f8", "f4", "complete", "columns", "columns4", "i2", "big"}) {
    source.views.push_back(path(fmt::format("{}.npy", name)));
  }
  expect_parts_of_whole(source);
}

TEST_F(Shares, NpyIsLeftInItsFile) {
  put("x.npy", npy_bytes<float>("<f4", Eigen::MatrixXf::Random(4, N), N, 4));
  put("y.npy", npy_bytes<double>("<f8", Eigen::MatrixXd::Random(2, N), N, 2));
  DataSource source = views_of({path("x.npy"), path("y.npy")});
  source.rank = 1;
  source.ranks = 2;
  const Dataset data = read_dataset(source).data;
  EXPECT_TRUE(std::holds_alternative<Borrowed<float>>(data.views[0].values));
  EXPECT_TRUE(std::holds_alternative<Borrowed<double>>(data.views[1].values));
}

TEST_F(Shares, Tables) {
  const Dataset data = example();
  for (const bool ids : {false, true}) {
    for (const bool labels : {false, true}) {
      SCOPED_TRACE(fmt::format("{} {}", ids, labels));
      const std::string first = table(data.views[0], ids, labels, data);
      put("a.csv", first);
      put("b.csv", table(data.views[1], ids, false, data));
      put("c.csv.gz", gzip(table(data.views[1], false, false, data)));
      DataSource source = views_of({path("a.csv"), path("b.csv"), path("c.csv.gz")});
      if (labels) source.label_column = "class";
      expect_parts_of_whole(source);

      std::string y = ids ? "id,y\n" : "y\n";
      for (Index n = 0; n < N; ++n) {
        if (ids) y += n % 9 == 0 ? fmt::format("\"i,\n{}\",", n) : fmt::format("i{},", n);
        y += fmt::format("{}\n", n > 1080 ? "rare" : n % 2 ? "odd" : "even");
      }
      put("y.csv", y);
      source.label_column = "";
      source.labels = path("y.csv");
      if (!labels) expect_parts_of_whole(source);
    }
  }
}

TEST_F(Shares, TablesInManyPieces) {
  const Dataset data = example();
  DataSource source = with_label("class");
  const std::string text = table(data.views[1], true, true, data);
  const FileContents whole = csv(text, {source});
  for (const std::size_t piece : {std::size_t{50}, std::size_t{3000}, std::size_t{20000}}) {
    for (int rank = 0; rank < 3; ++rank) {
      source.rank = rank;
      source.ranks = 3;
      const FileContents part = csv(text, {source, 2, piece});
      const Block own = own_instances(N, {rank, 3});
      EXPECT_EQ(part.views.front().total, N);
      EXPECT_TRUE(same_bits(values(part), values(whole).middleRows(own.begin, own.size)));
      EXPECT_EQ(part.labels->texts, whole.labels->texts);
    }
  }
}

TEST_F(Shares, SparseText) {
  Dataset data = example(0, 0);
  for (int& label : data.labels->of) label = std::max(label, 0);  // it cannot say "unknown"
  DataSource source;
  const auto files = write_dataset(data, folder_ / "d.svm", FileFormat::svmlight);
  for (const fs::path& file : files) source.files.push_back(file);
  expect_parts_of_whole(source);
}

TEST_F(Shares, RefuseAnotherOrder) {
  const Dataset data = example(0, 0);
  std::string a = "id,x\n", b = "id,x\n", y = "id,y\n";
  for (Index n = 0; n < N; ++n) {
    const Index other = n == 900 ? 901 : n == 901 ? 900 : n;
    a += fmt::format("i{},{}\n", n, n);
    b += fmt::format("i{},{}\n", other, n);
    y += fmt::format("i{},{}\n", other, n % 2);
  }
  put("a.csv", a);
  put("b.csv", b);
  put("y.csv", y);
  DataSource source = views_of({path("a.csv"), path("b.csv")});
  source.ranks = 2;
  read_dataset(source);  // it has the first half, which agrees
  source.rank = 1;
  const auto refused = [&] { read_dataset(source); };
  expect_error<BadData>(
      refused, {"b.csv: data row 901 is 'i901'", "a.csv", "'i900'", "same order", "m3lak convert"});
  source.views.pop_back();
  source.labels = path("y.csv");
  expect_error<BadData>(refused, {"y.csv: data row 901 is 'i901'", "m3lak convert"});
}

TEST_F(Shares, RefuseOtherNumbersOfInstances) {
  put("a.npy", npy_bytes<double>("<f8", Eigen::MatrixXd::Random(1, N), N, 1));
  put("b.npy", npy_bytes<double>("<f8", Eigen::MatrixXd::Random(1, N - 1), N - 1, 1));
  put("y.npy", npy_bytes<double>("<f8", Eigen::MatrixXd::Ones(1, N + 1), N + 1, 1));
  DataSource source = views_of({path("a.npy"), path("b.npy")});
  source.ranks = 4;
  const auto refused = [&] { read_dataset(source); };
  expect_error<BadData>(refused, {"a.npy has 1100 rows", "b.npy has 1099", "m3lak convert"});
  source.views.pop_back();
  source.labels = path("y.npy");
  expect_error<BadData>(refused, {"y.npy has 1101 labels", "a.npy has 1100 rows"});
}

TEST_F(Shares, NameTheRowOfAnInfiniteValueAsTheFileHasIt) {
  Eigen::MatrixXd values = Eigen::MatrixXd::Random(1, N);
  values(0, 1000) = std::numeric_limits<double>::infinity();
  put("a.npy", npy_bytes<double>("<f8", values, N, 1));
  DataSource source = views_of({path("a.npy")});
  source.ranks = 2;
  EXPECT_EQ(read_dataset(source).data.instances(), 512);
  source.rank = 1;
  expect_error<BadData>([&] { read_dataset(source); }, {"row 1001", "infinite"});
}

TEST_F(Shares, RefuseProcessesThatAreNone) {
  DataSource source = views_of({path("a.npy")});
  source.rank = 2;
  source.ranks = 2;
  expect_error<BadUsage>([&] { read_dataset(source); }, {"rank = 2", "0 to ranks - 1 = 1"});
}

}  // namespace
}  // namespace m3lak
