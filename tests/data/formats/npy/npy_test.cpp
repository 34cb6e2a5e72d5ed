#include "data/formats/npy/npy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "data/formats/variables/variable_testing.h"

namespace m3lak {
namespace {

/// The bytes of an .npy file with this header and these values.
std::string npy(const std::string& dictionary, const std::string& values, char version = 1) {
  std::string file = "\x93NUMPY";
  file += {version, '\0', static_cast<char>(dictionary.size()), '\0'};
  if (version > 1) file += std::string(2, '\0');
  return file + dictionary + values;
}

std::string header(const std::string& type, const std::string& shape,
                   const std::string& order = "False") {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", type, order, shape);
}

template <class T>
std::string raw(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

class Npy : public testing::Test {
 protected:
  DenseMatrix matrix(const std::string& bytes) {
    put_bytes(path_, bytes);
    return std::visit(
        [](const auto& values) { return DenseMatrix(values.template cast<double>()); },
        read_with(read_npy, path_).views.at(0).values);
  }
  std::vector<std::string> labels(const std::string& bytes) {
    put_bytes(path_, bytes);
    Workers workers(1);
    return read_npy_labels(path_, {{}, workers}).texts;
  }
  void expect_refused(const std::string& bytes, std::initializer_list<const char*> words) {
    expect_error<BadData>([&] { matrix(bytes); }, {"x.npy"});
    expect_error<BadData>([&] { matrix(bytes); }, words);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "x.npy";
};

TEST_F(Npy, ReadsBothOrders) {
  const std::string values = raw<double>({1, 2, 3, 4, 5, 6});
  const DenseMatrix by_rows = matrix(npy(header("<f8", "(2, 3)"), values));
  EXPECT_EQ(by_rows, (DenseMatrix(2, 3) << 1, 2, 3, 4, 5, 6).finished());
  const DenseMatrix by_columns = matrix(npy(header("<f8", "(2, 3)", "True"), values));
  EXPECT_EQ(by_columns, (DenseMatrix(2, 3) << 1, 3, 5, 2, 4, 6).finished());
}

TEST_F(Npy, KeepsFloatsAsTheyAre) {
  put_bytes(path_, npy(header("<f4", "(2, 2)", "True"), raw<float>({1, 2, 3, 4})));
  const FloatMatrix values = std::get<FloatMatrix>(read_with(read_npy, path_).views.at(0).values);
  EXPECT_EQ(values, (FloatMatrix(2, 2) << 1, 3, 2, 4).finished());
}

TEST_F(Npy, ReadsBothEndsAndAllSizes) {
  const DenseMatrix expected = (DenseMatrix(2, 1) << 1, 2).finished();
  EXPECT_EQ(matrix(npy(header("<i2", "(2, 1)"), raw<std::int16_t>({1, 2}))), expected);
  EXPECT_EQ(matrix(npy(header(">i2", "(2, 1)"), raw<std::int16_t>({0x100, 0x200}))), expected);
  EXPECT_EQ(matrix(npy(header("|u1", "(2, 1)"), "\1\2")), expected);
  EXPECT_EQ(matrix(npy(header("<f4", "(2, 1)"), raw<float>({1, 2}))), expected);
  EXPECT_EQ(matrix(npy(header("<f2", "(2, 1)"), raw<std::uint16_t>({0x3C00, 0x4000}))), expected);
  EXPECT_EQ(matrix(npy(header("|b1", "(2,)"), std::string("\0\7", 2))),
            (DenseMatrix(2, 1) << 0, 1).finished());
}

TEST_F(Npy, ReadsAllVersionsAndAnyPlaceInMemory) {
  for (const char version : {'\1', '\2', '\3'}) {
    for (std::size_t pad = 0; pad < 9; ++pad) {  // values need not be aligned
      const std::string dictionary = header("<f8", "(1,)") + std::string(pad, ' ');
      EXPECT_EQ(matrix(npy(dictionary, raw<double>({0.1}), version))(0, 0), 0.1);
    }
  }
}

TEST_F(Npy, AVectorIsOneColumnAndANumberOneCell) {
  EXPECT_EQ(matrix(npy(header("<f8", "(3,)"), raw<double>({1, 2, 3}))).cols(), 1);
  EXPECT_EQ(matrix(npy(header("<f8", "()"), raw<double>({1}))).size(), 1);
}

TEST_F(Npy, ReadsLabels) {
  EXPECT_EQ(labels(npy(header("<f8", "(3, 1)"), raw<double>({3, 0.5, std::nan("")}))),
            (std::vector<std::string>{"3", "0.5", ""}));
  EXPECT_EQ(labels(npy(header("<U2", "(2,)"), raw<char32_t>({U'ö', U'東', U'a', 0}))),
            (std::vector<std::string>{"ö東", "a"}));
  EXPECT_EQ(labels(npy(header("|S3", "(2,)"), std::string("abca\0\0", 6))),
            (std::vector<std::string>{"abc", "a"}));
}

TEST_F(Npy, RefusesAHeaderThatLies) {
  expect_refused(npy(header("<f8", "(1000, 1000)"), raw<double>({1})),
                 {"1000 × 1000", "8000000", "8 bytes are there"});
  expect_refused(npy(header("<f8", "(4611686018427387904, 2)"), ""), {"4611686018427387904 × 2"});
  expect_refused(npy(header("<f8", "(4294967296, 4294967296)"), ""), {"memory"});
  expect_refused(npy(header("<f8", "(0, 18446744073709551615)"), ""), {"memory"});
  expect_refused(npy(header("<f8", "(-1, 2)"), ""), {"damaged", "-1"});
  expect_refused(npy(header("<f8", "(99999999999999999999, 2)"), ""), {"damaged"});
  expect_refused(npy(header("<U4294967295", "(2,)"), ""), {"damaged"});
  std::string long_header = npy(header("<f8", "(1,)"), raw<double>({1}));
  long_header[9] = '\x7F';
  expect_refused(long_header, {"header claims", "are there"});
}

TEST_F(Npy, SaysWhatToDoWithOtherTypes) {
  expect_refused(npy(header("|O", "(2,)"), "…"), {"pickle", "astype"});
  expect_refused(npy(header("<c16", "(1,)"), std::string(16, ' ')), {"complex", "astype"});
  expect_refused(npy(header("<f16", "(1,)"), std::string(16, ' ')), {"float128"});
  expect_refused(npy(header("<M8[D]", "(1,)"), std::string(8, ' ')), {"dates"});
  expect_refused(
      npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", raw<double>({1})),
      {"structured"});
  expect_refused(npy(header("<U1", "(1,)"), raw<char32_t>({U'a'})), {"text", "numbers"});
  expect_refused(npy(header("<f8", "(1, 1, 1)"), raw<double>({1})), {"1 × 1 × 1", "reshape"});
}

TEST_F(Npy, RefusesWhatIsNoArray) {
  expect_refused("hello, I am a text file", {"numpy.save"});
  expect_refused(std::string("\x93NUMPY\x07\0\x01\0{}", 12), {"version 7"});
  expect_refused(npy("{'descr': '<f8'}   ", ""), {"fortran_order"});
  expect_refused(npy("{'descr': '<f8", ""), {"damaged"});
}

TEST_F(Npy, RefusesLabelsThatCannotBe) {
  expect_error<BadData>(
      [&] {
        labels(npy(header("<f8", "(2, 2)"), raw<double>({0, 1, 1, 0})));
      },
      {"2 × 2", "argmax"});
  expect_error<BadData>([&] { labels(npy(header("<i8", "(1,)"), raw<std::int64_t>({1L << 60}))); },
                        {"too large", "texts"});
  expect_error<BadData>([&] { labels(npy(header("<U1", "(1,)"), raw<std::uint32_t>({0x110000}))); },
                        {"U+110000"});
}

TEST_F(Npy, WritesWhatItReads) {
  const Dataset data = full_dataset();
  write_npy(data, 0, path_);
  DenseMatrix expected = data.views[0].dense();
  expected.row(2).setConstant(std::nan(""));
  expect_same_values(read_with(read_npy, path_).views[0].values, expected);
  EXPECT_EQ(bytes_of(path_).find('\n') % 64, 63U);  // NumPy wants the values aligned
  expect_error<BadUsage>([&] { write_npy(data, 1, path_); }, {"words", "sparse", ".npz"});
}

TEST_F(Npy, WritesLabels) {
  Workers workers(1);
  for (const auto& texts : {std::vector<std::string>{"köln", "", "a", "a", "b"},
                            std::vector<std::string>{"2", "0.5", "", "2", "-1"}}) {
    write_npy_labels(full_dataset(texts), path_);
    EXPECT_EQ(read_npy_labels(path_, {{}, workers}).texts, texts);
  }
}

}  // namespace
}  // namespace m3lak
