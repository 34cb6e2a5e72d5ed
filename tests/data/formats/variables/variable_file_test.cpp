#include "data/formats/variables/variable_file.h"

#include <gtest/gtest.h>

#include "data/formats/variables/variable_testing.h"

namespace m3lak {
namespace {

using Texts = std::vector<std::string>;

/// A file that is only in memory.
class Variables : public VariableFile {
 public:
  Variables() : VariableFile("d.any") {}

  Variables& with(const std::string& name, const Matrix& values) {
    const bool sparse = std::holds_alternative<SparseMatrix>(values);
    add({name,
         VariableKind::numbers,
         {static_cast<std::uint64_t>(row_count(values)),
          static_cast<std::uint64_t>(column_count(values))},
         sparse ? "sparse" : "double"});
    matrices_[name] = values;
    return *this;
  }
  Variables& with(const std::string& name, const Texts& texts) {
    add({name, VariableKind::text, {texts.size()}, "text"});
    texts_[name] = texts;
    return *this;
  }
  Variables& with_list(const std::string& name, std::vector<NamedMatrix> members) {
    add({name, VariableKind::list, {}, "cell"});
    lists_[name] = std::move(members);
    return *this;
  }
  Variables& with_other(const std::string& name) {
    add({name, VariableKind::other, {1, 1}, "struct"});
    return *this;
  }

  Matrix matrix(const Variable& v) const override { return matrices_.at(v.name); }
  Texts texts(const Variable& v) const override { return texts_.at(v.name); }
  std::vector<NamedMatrix> members(const Variable& v) const override { return lists_.at(v.name); }

  FileContents read(const DataSource& source = {}) const {
    Workers workers(1);
    return read_variables(*this, {source, workers});
  }
  void expect_refused(std::initializer_list<const char*> words,
                      const DataSource& source = {}) const {
    expect_error<BadData>([&] { read(source); }, {"d.any"});
    expect_error<BadData>([&] { read(source); }, words);
  }

 private:
  std::map<std::string, Matrix> matrices_;
  std::map<std::string, Texts> texts_;
  std::map<std::string, std::vector<NamedMatrix>> lists_;
};

DenseMatrix ones(Index rows, Index columns, double value = 1) {
  return DenseMatrix::Constant(rows, columns, value);
}

DenseMatrix column(std::initializer_list<double> values) {
  DenseMatrix matrix(static_cast<Index>(values.size()), 1);
  std::copy(values.begin(), values.end(), matrix.data());
  return matrix;
}

Texts names_of(const FileContents& contents) {
  Texts names;
  for (const Table& view : contents.views) names.push_back(view.name);
  return names;
}

DataSource views_named(const Texts& names) {
  DataSource source;
  source.view_variables = names;
  return source;
}

DataSource labels_named(const std::string& name) {
  DataSource source;
  source.label_column = name;
  return source;
}

TEST(ReadVariables, TakesNumberedViewsInTheOrderOfTheirNumbers) {
  Variables file;
  for (const char* name : {"X10", "X2", "X1", "Xa", "X01", "X3b", "x4", "other"}) {
    file.with(name, ones(3, 2));
  }
  const FileContents contents = file.read();
  EXPECT_EQ(names_of(contents), (Texts{"X1", "X2", "X10"}));
  EXPECT_EQ(contents.views[0].origin, "d.any: X1");
  ASSERT_EQ(contents.notes.size(), 1U);  // of the gap
  EXPECT_NE(contents.notes[0].find("X1, X2, X10"), std::string::npos);
}

TEST(ReadVariables, TakesSmallLettersToo) {
  const FileContents contents = Variables().with("x1", ones(3, 2)).with("x2", ones(3, 1)).read();
  EXPECT_EQ(names_of(contents), (Texts{"x1", "x2"}));
  EXPECT_TRUE(contents.notes.empty());
}

TEST(ReadVariables, TakesOneMatrixOrAListOfThem) {
  EXPECT_EQ(names_of(Variables().with("X", ones(3, 2)).read()), Texts{""});
  const std::vector<NamedMatrix> two{{"", "X{1}", ones(3, 1)}, {"", "X{2}", ones(3, 2)}};
  const FileContents cells = Variables().with_list("X", two).read();
  EXPECT_EQ(names_of(cells), (Texts{"X1", "X2"}));
  EXPECT_EQ(cells.views[1].origin, "d.any: X{2}");
  const FileContents group =
      Variables().with_list("views", {{"rna", "views/rna", ones(3, 1)}}).read();
  EXPECT_EQ(names_of(group), Texts{"rna"});
  Variables().with_list("X", {}).expect_refused({"X", "no members"});
}

TEST(ReadVariables, TakesTheViewsThatAreNamed) {
  Variables file;
  file.with("X1", ones(3, 2)).with("a", ones(3, 1)).with("b", ones(3, 4));
  EXPECT_EQ(names_of(file.read(views_named({"b", "a"}))), (Texts{"b", "a"}));
  file.expect_refused({"'c'", "--view-variables", "a (3 × 1 double)"}, views_named({"a", "c"}));
}

TEST(ReadVariables, SaysWhatIsThereIfNoViewIs) {
  Variables()
      .with("A", ones(3, 2))
      .with_other("s")
      .expect_refused({"A (3 × 2 double)", "s (1 × 1 struct)", "--view-variables A,B"});
  Variables().expect_refused({"no variables"});
  Variables().with_other("X1").expect_refused({"X1", "struct", "matrix of numbers"});
}

TEST(ReadVariables, FindsLabels) {
  for (const char* name : {"y", "Y", "gt", "label", "labels", "truth", "target", "class"}) {
    Variables file;
    file.with("X1", ones(3, 2)).with(name, column({3, -0.5, std::nan("")}));
    const FileContents contents = file.read();
    EXPECT_EQ(contents.labels->texts, (Texts{"3", "-0.5", ""}));
    EXPECT_EQ(contents.labels->origin, std::string("d.any: ") + name);
  }
  const FileContents row = Variables()
                               .with("X1", ones(3, 2))
                               .with("y", DenseMatrix(column({1, 2, 1}).transpose()))
                               .read();
  EXPECT_EQ(row.labels->texts, (Texts{"1", "2", "1"}));
  EXPECT_FALSE(Variables().with("X1", ones(3, 2)).read().labels);
}

TEST(ReadVariables, FindsLabelsByName) {
  Variables file;
  file.with("X1", ones(3, 2)).with("y", column({1, 2, 3})).with("who", Texts{"a", "", "c"});
  EXPECT_EQ(file.read(labels_named("who")).labels->texts, (Texts{"a", "", "c"}));
  file.expect_refused({"'whom'", "--label-column", "who (3 text)"}, labels_named("whom"));
}

TEST(ReadVariables, LeavesLabelsToTheirOwnFile) {
  DataSource source = labels_named("whom");
  source.labels = "labels.csv";
  EXPECT_FALSE(Variables().with("X1", ones(3, 2)).with("y", column({1, 2, 3})).read(source).labels);
}

TEST(ReadVariables, RefusesLabelsThatCannotBe) {
  Variables().with("X1", ones(3, 2)).with("y", ones(3, 2)).expect_refused({"y", "3 × 2", "argmax"});
  Variables()
      .with("X1", ones(3, 2))
      .with_other("y")
      .expect_refused({"y", "struct", "--label-column"});
  Variables().with("X1", ones(1, 2)).with("y", column({1e16})).expect_refused({"1e+16", "texts"});
}

TEST(ReadVariables, TurnsViewsWithInstancesInColumns) {
  const DenseMatrix x = DenseMatrix::Random(2, 3);
  const SparseMatrix s = DenseMatrix::Identity(4, 3).eval().sparseView();
  const FileContents contents =
      Variables().with("X1", x).with("X2", s).with("y", column({1, 2, 1})).read();
  expect_same_values(contents.views[0].values, DenseMatrix(x.transpose()));
  expect_same_values(contents.views[1].values, SparseMatrix(s.transpose()));
  EXPECT_EQ(contents.notes.size(), 1U);
  // Without labels only if the columns agree and the rows do not.
  EXPECT_EQ(row_count(Variables().with("X1", x).with("X2", s).read().views[0].values), 3);
  EXPECT_EQ(row_count(Variables().with("X1", x).with("X2", x).read().views[0].values), 2);
}

TEST(ReadVariables, NeverTurnsWhatFits) {
  const DenseMatrix x = DenseMatrix::Random(3, 3);
  const FileContents contents = Variables().with("X1", x).with("y", column({1, 2, 1})).read();
  expect_same_values(contents.views[0].values, x);
  EXPECT_TRUE(contents.notes.empty());
}

TEST(ReadVariables, RefusesViewsThatDoNotAgree) {
  Variables().with("X1", ones(3, 2)).with("X2", ones(4, 5)).expect_refused({"3 × 2", "4 × 5"});
  Variables()
      .with("X1", ones(3, 2))
      .with("X2", ones(4, 3))
      .with("y", column({1, 2, 1}))
      .expect_refused({"X1 is 3 × 2", "X2 is 4 × 3", "3 labels"});
}

TEST(ReadVariables, TakesNames) {
  Variables file;
  file.with("X1", ones(2, 2)).with("X2", ones(2, 1)).with("y", column({1, 2}));
  file.with("instance_names", Texts{"a", "b"}).with("view_names", Texts{"rna", "dna"});
  file.with("feature_names_2", Texts{"f"});
  const FileContents contents = file.read();
  EXPECT_EQ(names_of(contents), (Texts{"rna", "dna"}));
  EXPECT_EQ(contents.views[1].ids, (Texts{"a", "b"}));
  EXPECT_EQ(contents.labels->ids, (Texts{"a", "b"}));
  EXPECT_TRUE(contents.views[0].feature_names.empty());
  EXPECT_EQ(contents.views[1].feature_names, Texts{"f"});
}

TEST(ReadVariables, RefusesNamesOfOtherSizes) {
  for (const char* name : {"instance_names", "view_names", "feature_names_1"}) {
    Variables file;
    file.with("X1", ones(2, 2)).with(name, Texts{"a", "b", "c"}).expect_refused({name, "3 names"});
  }
  Variables()
      .with("X1", ones(2, 2))
      .with("view_names", ones(1, 1))
      .expect_refused({"view_names", "texts"});
}

TEST(ReadVariables, TakesWhoLacksWhat) {
  DenseMatrix missing = DenseMatrix::Zero(3, 2);
  missing(1, 1) = 1;
  SparseMatrix sparse = ones(3, 2).sparseView();
  const FileContents contents =
      Variables().with("X1", ones(3, 1)).with("X2", sparse).with("missing", missing).read();
  EXPECT_TRUE(contents.views[0].absent.empty());
  EXPECT_EQ(contents.views[1].absent, (std::vector<std::uint8_t>{0, 1, 0}));
  EXPECT_EQ(std::get<SparseMatrix>(contents.views[1].values).nonZeros(), 4);
  Variables()
      .with("X1", ones(3, 1))
      .with("missing", missing)
      .expect_refused({"missing", "3 × 2", "3 instances and 1 views"});
}

TEST(ReadVariableLabels, NeedNoViews) {
  Workers workers(1);
  Variables file;
  file.with("y", Texts{"a", "b"}).with("instance_names", Texts{"p", "q"});
  EXPECT_EQ(read_variable_labels(file, {{}, workers}).texts, (Texts{"a", "b"}));
  EXPECT_EQ(read_variable_labels(file, {{}, workers}).ids, (Texts{"p", "q"}));
  expect_error<BadData>(
      [&] {
        read_variable_labels(Variables().with("z", ones(2, 1)), {{}, workers});
      },
      {"--label-column", "z (2 × 1 double)"});
}

}  // namespace
}  // namespace m3lak
