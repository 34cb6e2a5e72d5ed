// Views that stay in their files give the same model, to the last bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "data/expect_error.h"
#include "data/npy_bytes.h"
#include "data/temporary_folder.h"
#include "m3lak/error.h"
#include "m3lak/io.h"
#include "m3lak/model.h"
#include "m3lak/simulate.h"

namespace m3lak {
namespace {

namespace fs = std::filesystem;

constexpr Index N = 700;  // three blocks, the last of them short

Options quick() {
  Options options;
  options.latent = 4;
  options.features = 20;
  options.iterations = 12;
  options.burn_in = 6;
  options.threads = 2;
  options.thin = 1;
  options.scaling = Scaling::standardize;
  options.calibrate = false;
  return options;
}

SimulationOptions with_gaps() {
  SimulationOptions world;
  world.instances = N;
  world.views = {7, 33};
  world.missing_views = 0.2;
  world.missing_cells = 0.03;
  world.unknown_labels = 0.1;
  return world;
}

SimulationOptions complete() {
  SimulationOptions world;
  world.instances = N;
  world.views = {7, 33};
  return world;
}

class Stream : public testing::Test {
 protected:
  /// One view in float, one in double.
  DataSource written(const SimulationOptions& world) {
    const Dataset data = simulate(world);
    DataSource source;
    for (std::size_t v = 0; v < data.views.size(); ++v) {
      const View& view = data.views[v];
      Eigen::MatrixXd values = view.dense().transpose();
      for (Index n = 0; n < values.cols(); ++n) {
        if (!view.has(n)) values.col(n).setConstant(std::nan(""));
      }
      const fs::path file = folder_ / fmt::format("v{}.npy", v);
      std::ofstream(file, std::ios::binary)
          << (v == 0 ? npy_bytes<float>("<f4", values.cast<float>(), values.cols(), values.rows())
                     : npy_bytes<double>("<f8", values, values.cols(), values.rows()));
      source.views.push_back(file.string());
    }
    std::ofstream labels(folder_ / "y.csv");
    for (const int label : data.labels->of) {
      labels << (label < 0 ? "?" : fmt::format("{}", label)) << "\n";
    }
    source.labels = folder_ / "y.csv";
    source.threads = 1;
    return source;
  }

  std::string model_file(const Dataset& data, const Options& options) {
    fit(data, options).save(folder_ / "model.m3lak");
    std::ifstream file(folder_ / "model.m3lak", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void expect_same_model(DataSource source, const Options& options) {
    const std::string in_memory = model_file(read_dataset(source).data, options);
    source.stream = true;
    const Dataset data = read_dataset(source).data;
    for (const View& view : data.views) EXPECT_TRUE(view.is_streamed());
    EXPECT_TRUE(model_file(data, options) == in_memory);
  }

  TemporaryFolder folder_;
};

TEST_F(Stream, SameModelInBothPrecisionsWithAnyNumberOfThreads) {
  const DataSource source = written(with_gaps());
  for (const Precision precision : {Precision::full, Precision::mixed}) {
    for (const int threads : {1, 2, 3}) {
      SCOPED_TRACE(fmt::format("{} threads, {}", threads, static_cast<int>(precision)));
      Options options = quick();
      options.precision = precision;
      options.threads = threads;
      expect_same_model(source, options);
    }
  }
}

TEST_F(Stream, SameModelForAllWaysToScale) {
  const DataSource source = written(with_gaps());
  for (const Scaling scaling :
       {Scaling::none, Scaling::center, Scaling::equal_variance, Scaling::unit_length,
        Scaling::root_standardize, Scaling::root_unit_length}) {
    for (const Precision precision : {Precision::full, Precision::mixed}) {
      SCOPED_TRACE(name_of(scaling));
      Options options = quick();
      options.scaling = scaling;
      options.precision = precision;
      expect_same_model(source, options);
    }
  }
}

TEST_F(Stream, SameModelOfCompleteViewsWithLinearPartAndTwoChains) {
  Options options = quick();
  options.linear = 10;
  options.chains = 2;
  options.precision = Precision::mixed;
  expect_same_model(written(complete()), options);
}

TEST_F(Stream, SameModelWhenItIsTuned) {
  Options options = quick();
  options.scaling = Scaling::automatic;
  options.calibrate = true;
  SimulationOptions world = with_gaps();
  world.missing_cells = 0;
  expect_same_model(written(world), options);
}

TEST_F(Stream, SameModelWhereLabelsAreHeldBack) {
  SimulationOptions world = complete();
  world.instances = 10'000;
  world.views = {3, 4};
  Options options = quick();
  options.calibrate = true;
  options.tuning_folds = 2;
  expect_same_model(written(world), options);
}

TEST_F(Stream, AWideViewIsTurned) {
  SimulationOptions world = complete();
  world.views = {7, 2000};
  expect_same_model(written(world), quick());
}

TEST_F(Stream, KnowsItsGaps) {
  DataSource source = written(with_gaps());
  const ReadResult in_memory = read_dataset(source);
  source.stream = true;
  const ReadResult streamed = read_dataset(source);
  EXPECT_EQ(streamed.notes, in_memory.notes);
  for (std::size_t v = 0; v < 2; ++v) {
    EXPECT_EQ(streamed.data.views[v].absent, in_memory.data.views[v].absent);
    EXPECT_EQ(streamed.data.views[v].is_float(), in_memory.data.views[v].is_float());
  }
}

TEST_F(Stream, EachProcessHasItsRows) {
  DataSource source = written(with_gaps());
  const Dataset whole = read_dataset(source).data;
  source.stream = true;
  source.ranks = 2;
  source.rank = 1;
  auto [part, notes, first, total] = read_dataset(source);
  EXPECT_EQ(total, N);
  for (std::size_t v = 0; v < 2; ++v) {
    EXPECT_TRUE(part.views[v].is_streamed());
    part.views[v].own();
  }
  EXPECT_TRUE(part.views[0].floats().array().isNaN().any());
  for (Index n = 0; n < part.instances(); ++n) {
    EXPECT_EQ(part.views[1].has(n), whole.views[1].has(first + n));
    if (whole.views[1].dense().row(first + n).array().isNaN().any()) continue;
    EXPECT_EQ(part.views[1].dense().row(n), whole.views[1].dense().row(first + n));
  }
}

TEST_F(Stream, AFileThatIsChangedMeanwhileIsAnError) {
  const DataSource source = [&] {
    DataSource with = written(with_gaps());
    with.stream = true;
    return with;
  }();
  const fs::path file = source.views[1];
  const Dataset data = read_dataset(source).data;
  Callbacks callbacks;
  callbacks.progress = [&](const Progress& progress) {
    if (progress.done == 5) fs::resize_file(file, fs::file_size(file) / 2);
  };
  expect_error<BadData>([&] { fit(data, quick(), callbacks); },
                        {"v1.npy", "was changed while it was being read", "--stream"});
  const Dataset cut = [&] {
    DataSource first = source;
    first.views.pop_back();
    return read_dataset(first).data;
  }();
  std::ofstream(source.views[0], std::ios::binary | std::ios::in | std::ios::out) << "changed";
  expect_error<BadData>([&] { fit(cut, quick()); }, {"v0.npy", "was changed"});
}

TEST_F(Stream, RefusesWhatItCannotLeaveInItsFile) {
  DataSource source = written(complete());
  const Dataset data = read_dataset(source).data;
  const auto as_csv = write_dataset(data, folder_ / "d.csv", FileFormat::csv);
  source.stream = true;
  const auto refused = [&](const std::string& view, std::initializer_list<const char*> words) {
    source.views = {view};
    expect_error<BadUsage>([&] { read_dataset(source); }, words);
  };
  refused(as_csv.front().string(), {"d.v0.csv", "--stream", ".npy", "m3lak convert"});
  const auto put = [&](const std::string& bytes) {
    std::ofstream(folder_ / "x.npy", std::ios::binary) << bytes;
    return (folder_ / "x.npy").string();
  };
  refused(put(npy_bytes<double>("<f8", Eigen::MatrixXd::Random(N, 3), N, 3, true)),
          {"x.npy", "Fortran order", "m3lak convert"});
  refused(put(npy_bytes<int>("<i4", Eigen::MatrixXi::Random(3, N), N, 3)),
          {"x.npy", "int32", "float32 or float64"});
}

}  // namespace
}  // namespace m3lak
