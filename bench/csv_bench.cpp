// Reading of CSV in MB/s of text, from the page cache: our reader against getline and strtod.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "data/formats/csv/csv.h"

namespace m3lak {
namespace {

constexpr Index columns = 100;
constexpr std::size_t file_size = 100'000'000;

/// A temporary file of normal numbers, the same each time.
class NumbersFile {
 public:
  explicit NumbersFile(int digits)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("m3lak_csv_bench_{}_{}.csv", ::getpid(), digits)) {
    std::mt19937_64 random(20160601);
    std::normal_distribution<double> normal;
    std::ofstream file(path_);
    std::string line;
    for (Index column = 0; column < columns; ++column) line += fmt::format("f{},", column + 1);
    for (std::size_t size = 0; size < file_size; size += line.size()) {
      line.back() = '\n';
      file << line;
      line.clear();
      for (Index column = 0; column < columns; ++column) {
        line += fmt::format("{:.{}g},", normal(random), digits);
      }
    }
  }
  ~NumbersFile() { std::filesystem::remove(path_); }
  NumbersFile(const NumbersFile&) = delete;
  NumbersFile& operator=(const NumbersFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

const std::filesystem::path& file_with(int digits) {
  static std::map<int, std::unique_ptr<NumbersFile>> files;
  auto& file = files[digits];
  if (!file) file = std::make_unique<NumbersFile>(digits);
  return file->path();
}

DenseMatrix read_ours(const std::filesystem::path& path, Workers& workers) {
  const DataSource source;
  FileContents contents = read_csv(path, {source, workers});
  return std::get<DenseMatrix>(std::move(contents.views.front().values));
}

DenseMatrix read_plainly(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<double> values;
  while (std::getline(file, line)) {
    const char* at = line.c_str();
    for (Index column = 0; column < columns; ++column) {
      char* end = nullptr;
      values.push_back(std::strtod(at, &end));
      at = end + 1;
    }
  }
  const auto rows = static_cast<Index>(values.size()) / columns;
  return Eigen::Map<DenseMatrix>(values.data(), rows, columns);
}

void count_bytes(benchmark::State& state, const std::filesystem::path& path) {
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(std::filesystem::file_size(path)));
}

void ours(benchmark::State& state) {
  const auto& path = file_with(static_cast<int>(state.range(0)));
  Workers workers(static_cast<int>(state.range(1)));
  if (read_ours(path, workers) != read_plainly(path)) state.SkipWithError("numbers differ");
  for (auto _ : state) benchmark::DoNotOptimize(read_ours(path, workers));
  count_bytes(state, path);
}

void getline_strtod(benchmark::State& state) {
  const auto& path = file_with(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(read_plainly(path));
  count_bytes(state, path);
}

BENCHMARK(ours)
    ->ArgNames({"digits", "threads"})
    ->ArgsProduct({{6, 17}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(getline_strtod)
    ->ArgName("digits")
    ->Arg(6)
    ->Arg(17)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace m3lak

BENCHMARK_MAIN();
