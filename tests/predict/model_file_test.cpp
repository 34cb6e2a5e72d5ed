#include "predict/model_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "data/expect_error.h"
#include "data/temporary_folder.h"
#include "m3lak/error.h"
#include "m3lak/simulate.h"
#include "m3lak/version.h"

namespace m3lak {
namespace {

/// Numbers that are all different, so that no two places can be mixed up unseen.
class Counter {
 public:
  double next() { return value_ += 1.0 / 3; }
  void fill(auto& matrix, Index rows, Index columns) {
    matrix.resize(rows, columns);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) matrix(i, j) = next();
    }
  }
  template <class Plain>
  void fill(Kept<Plain>& matrix, Index rows, Index columns) {
    Plain numbers;
    fill(numbers, rows, columns);
    matrix = numbers;
  }

 private:
  double value_ = 0;
};

Scaler made_up_scaler(Counter& counter, const std::vector<Index>& features) {
  std::vector<Scaler::ViewScale> scales;
  for (const Index d : features) {
    auto& scale = scales.emplace_back();
    scale.name = fmt::format("view {}", scales.size());
    counter.fill(scale.mean, d, 1);
    counter.fill(scale.factor, d, 1);
  }
  return {Scaling::equal_variance, std::move(scales)};
}

Draw made_up_draw(Counter& counter, const Model::Parts& parts, std::size_t components) {
  const Index m = parts.options.latent, M = parts.options.features;
  Draw draw;
  for (const auto& scale : parts.scaler.views()) {
    auto& view = draw.views.emplace_back();
    counter.fill(view.projection, scale.mean.size(), m + parts.options.private_latent);
    counter.fill(view.relevance, m, 1);
    view.noise = counter.next();
  }
  counter.fill(draw.frequencies, m, M);
  counter.fill(draw.weights, 2 * M + 1, parts.classes.size() == 2 ? 1 : 3);
  counter.fill(draw.linear_weights, 4, parts.classes.size() == 2 ? 1 : 3);
  draw.weight_precision = counter.next();
  draw.concentration = counter.next();
  draw.components.resize(components);
  for (auto& component : draw.components) {
    component.weight = counter.next();
    counter.fill(component.mean, m, 1);
    counter.fill(component.factor, m, m);
  }
  for (Index j = 0; j < M; ++j) {
    draw.component_of.push_back(static_cast<int>(j) % static_cast<int>(components));
  }
  return draw;
}

TraceRow made_up_row(Counter& counter, int iteration) {
  TraceRow row;
  row.chain = iteration % 2;
  row.iteration = iteration;
  row.kept = iteration > 3;
  for (double* value :
       {&row.log_joint, &row.latent_acceptance, &row.frequency_acceptance, &row.latent_step,
        &row.frequency_step, &row.weight_norm, &row.kernel_scale, &row.training_accuracy}) {
    *value = counter.next();
  }
  row.components = 4 + iteration;
  counter.fill(row.noise, 2, 1);
  counter.fill(row.probes, 3, 1);
  return row;
}

Model::Parts made_up(std::vector<std::string> classes = {"a", "b", "c"}) {
  Counter counter;
  Model::Parts parts;
  parts.options.latent = 3;
  parts.options.private_latent = 2;
  parts.options.features = 4;
  parts.options.C = 1.0 / 7;
  parts.options.chains = 2;
  parts.options.hmc = Hmc::plain;
  parts.options.threads = 5;
  parts.scaler = made_up_scaler(counter, {2, 5});
  parts.classes = std::move(classes);
  parts.feature_names = {{}, {"α", "b", "c \"quoted\"", "", "e"}};
  for (const Index d : {2, 5}) counter.fill(parts.directions.emplace_back(), d, 4);
  for (const std::size_t components : {2, 1, 3}) {
    parts.draws.push_back(made_up_draw(counter, parts, components));
  }
  parts.chain_of = {0, 0, 1};
  for (int i = 1; i < 7; ++i) parts.trace.push_back(made_up_row(counter, i));
  parts.trace.back().frequency_acceptance = std::nan("");
  parts.tried = {{Scaling::center, 1, 0.25, 0.7, 0.4, Vector{{0.5, 1.5}}},
                 {Scaling::standardize, 2, 1.0 / 3, 0.6, 0, Vector{{0.0, 0.0}}}};
  parts.weight = 0.75;
  parts.link = {1.5, -0.1};
  parts.stopped_early = true;
  return parts;
}

std::string bytes_of(const Model::Parts& parts) {
  std::ostringstream out;
  write_model(parts, out);
  return out.str();
}

void expect_same_draw(const Draw& a, const Draw& b) {
  ASSERT_EQ(a.views.size(), b.views.size());
  for (std::size_t v = 0; v < a.views.size(); ++v) {
    EXPECT_EQ(a.views[v].projection, b.views[v].projection);
    EXPECT_EQ(a.views[v].relevance, b.views[v].relevance);
    EXPECT_EQ(a.views[v].noise, b.views[v].noise);
  }
  EXPECT_EQ(a.frequencies, b.frequencies);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.linear_weights, b.linear_weights);
  EXPECT_EQ(a.weight_precision, b.weight_precision);
  EXPECT_EQ(a.concentration, b.concentration);
  ASSERT_EQ(a.components.size(), b.components.size());
  for (std::size_t k = 0; k < a.components.size(); ++k) {
    EXPECT_EQ(a.components[k].weight, b.components[k].weight);
    EXPECT_EQ(a.components[k].mean, b.components[k].mean);
    EXPECT_EQ(a.components[k].factor, b.components[k].factor);
  }
  EXPECT_EQ(a.component_of, b.component_of);
}

TEST(ModelFile, KeepsEverythingToTheLastBit) {
  const TemporaryFolder folder;
  const Model model(std::make_shared<const Model::Parts>(made_up()));
  model.save(folder / "a.m3lak");
  const Model loaded = Model::load(folder / "a.m3lak");

  for (const Parameter& parameter : parameters()) {
    if (parameter.name == "threads") continue;
    EXPECT_EQ(get(loaded.options(), parameter.name), get(model.options(), parameter.name));
  }
  EXPECT_EQ(loaded.classes(), model.classes());
  EXPECT_EQ(loaded.feature_names(), model.feature_names());
  EXPECT_EQ(loaded.tried(), model.tried());
  EXPECT_EQ(loaded.weight(), model.weight());
  EXPECT_TRUE(loaded.stopped_early());
  EXPECT_EQ(loaded.parts().chain_of, model.parts().chain_of);
  EXPECT_EQ(loaded.parts().link.slope, 1.5);
  EXPECT_EQ(loaded.parts().link.intercept, -0.1);
  EXPECT_EQ(loaded.scaler().scaling(), Scaling::equal_variance);
  for (std::size_t v = 0; v < 2; ++v) {
    EXPECT_EQ(loaded.scaler().views()[v].name, model.scaler().views()[v].name);
    EXPECT_EQ(loaded.scaler().views()[v].mean, model.scaler().views()[v].mean);
    EXPECT_EQ(loaded.scaler().views()[v].factor, model.scaler().views()[v].factor);
  }
  ASSERT_EQ(loaded.draws().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) expect_same_draw(loaded.draws()[i], model.draws()[i]);
  ASSERT_EQ(loaded.trace().size(), 6U);
  EXPECT_EQ(loaded.trace()[4].chain, 1);
  EXPECT_EQ(loaded.trace()[4].iteration, 5);
  EXPECT_TRUE(loaded.trace()[4].kept);
  EXPECT_EQ(loaded.trace()[4].components, 9);
  EXPECT_EQ(loaded.trace()[4].log_joint, model.trace()[4].log_joint);
  EXPECT_EQ(loaded.trace()[4].training_accuracy, model.trace()[4].training_accuracy);
  EXPECT_EQ(loaded.trace()[4].noise, model.trace()[4].noise);
  EXPECT_EQ(loaded.trace()[4].probes, model.trace()[4].probes);
  EXPECT_TRUE(std::isnan(loaded.trace()[5].frequency_acceptance));
}

TEST(ModelFile, OfAFittedModelPredictsTheSame) {
  SimulationOptions simulation;
  simulation.instances = 60;
  simulation.views = {4, 5};
  const Dataset data = simulate(simulation);
  Options options;
  options.latent = 3;
  options.features = 10;
  options.iterations = 20;
  options.burn_in = 10;
  options.chains = 2;
  const Model model = fit(data, options);
  const TemporaryFolder folder;
  model.save(folder / "a.m3lak");
  const Model loaded = Model::load(folder / "a.m3lak");
  EXPECT_EQ(loaded.predict(data).score, model.predict(data).score);
  EXPECT_EQ(loaded.predict(data).probability, model.predict(data).probability);
  EXPECT_EQ(loaded.checks()[0].value, model.checks()[0].value);
}

TEST(ModelFile, IsTheSameBytesWhenSavedAgain) {
  for (const auto& classes : {std::vector<std::string>{"a", "b", "c"}, {"-1", "1"}}) {
    Model::Parts parts = made_up(classes);
    const std::string bytes = bytes_of(parts);
    EXPECT_EQ(bytes_of(read_model(bytes, "x")), bytes);
    parts.options.threads = 1;
    EXPECT_EQ(bytes_of(parts), bytes) << "threads must not show in the file";
  }
}

TEST(ModelFile, KeepsFitsThatPredictTogether) {
  Model::Parts parts = made_up();
  Model::Parts other = made_up();
  other.options.C = 3;
  other.weight = 0.25;
  other.draws.pop_back();
  other.chain_of.pop_back();
  parts.others = {std::make_shared<const Model::Parts>(other),
                  std::make_shared<const Model::Parts>(made_up())};
  const std::string bytes = bytes_of(parts);
  const Model::Parts loaded = read_model(bytes, "x");
  ASSERT_EQ(loaded.others.size(), 2U);
  EXPECT_EQ(loaded.others[0]->options.C, 3);
  EXPECT_EQ(loaded.others[0]->weight, 0.25);
  EXPECT_EQ(loaded.others[0]->draws.size(), 2U);
  EXPECT_EQ(loaded.others[1]->draws.size(), 3U);
  EXPECT_EQ(bytes_of(loaded), bytes);

  other.classes[0] = "z";
  parts.others = {std::make_shared<const Model::Parts>(other)};
  EXPECT_THROW(read_model(bytes_of(parts), "x"), BadData);
}

TEST(ModelFile, LeavesManyDrawsInTheFile) {
  const TemporaryFolder folder;
  Model::Parts parts = made_up();
  parts.options.draws_memory = 1;  // MiB
  const auto save = [&] {
    const Model model(std::make_shared<const Model::Parts>(parts));
    model.save(folder / "a.m3lak");
  };
  save();
  EXPECT_FALSE(Model::load(folder / "a.m3lak").draws()[0].weights.is_in_file());

  while (parts.draws.size() < 4000) {
    parts.draws.push_back(parts.draws[parts.draws.size() % 3]);
    parts.chain_of.push_back(0);
  }
  save();
  const Model model = Model::load(folder / "a.m3lak");
  EXPECT_TRUE(model.draws()[0].weights.is_in_file());
  EXPECT_TRUE(model.draws()[0].views[1].projection.is_in_file());
  EXPECT_EQ(model.bytes(), bytes_of(parts));
  model.save(folder / "a.m3lak");  // the file that it is in
  std::filesystem::remove(folder / "a.m3lak");
  for (std::size_t i = 0; i < 4000; ++i) expect_same_draw(model.draws()[i], parts.draws[i]);
}

TEST(ModelFile, MayHaveNoDraws) {
  Model::Parts parts = made_up();
  parts.draws.clear();
  parts.chain_of.clear();
  parts.trace.clear();
  parts.tried.clear();
  const std::string bytes = bytes_of(parts);
  EXPECT_TRUE(read_model(bytes, "x").draws.empty());
  EXPECT_EQ(bytes_of(read_model(bytes, "x")), bytes);
}

TEST(ModelFile, KeepsNamesThatAreNotUtf8) {
  Model::Parts parts = made_up({"caf\xe9", "na\xefve", "plain"});
  parts.feature_names[0] = {"\xff", "ok"};
  const Model::Parts loaded = read_model(bytes_of(parts), "x");
  EXPECT_EQ(loaded.classes, parts.classes);
  EXPECT_EQ(loaded.feature_names, parts.feature_names);
}

TEST(ModelFile, DescribesItself) {
  const std::string bytes = bytes_of(made_up());
  EXPECT_TRUE(bytes.starts_with("m3lak model 1\n"));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data() + 14, sizeof length);
  EXPECT_EQ((22 + length) % 8, 0U);
  const std::string header = bytes.substr(22, length);
  for (const std::string& text :
       {fmt::format("\"program\":\"m3lak {}\"", version()), std::string("\"hmc\":\"plain\""),
        std::string("\"name\":\"view/1/projection\",\"shape\":[3,5,5],\"offset\":")}) {
    EXPECT_NE(header.find(text), std::string::npos) << text << " is not in " << header;
  }
  EXPECT_EQ(header.find("threads"), std::string::npos);
}

TEST(ModelFile, IsNotWrittenIfItCouldNotBeRead) {
  const auto refused = [](const auto& spoil) {
    Model::Parts parts = made_up();
    spoil(parts);
    const TemporaryFolder folder;
    const Model model(std::make_shared<const Model::Parts>(parts));
    EXPECT_THROW(model.save(folder / "a.m3lak"), Error);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  };
  refused([](auto& parts) { parts.draws[1].weights = Matrix::Zero(2, 2); });
  refused([](auto& parts) { parts.draws[1].views.pop_back(); });
  refused([](auto& parts) { parts.draws[1].component_of[0] = 7; });
  refused([](auto& parts) { parts.draws[1].component_of.pop_back(); });
  refused([](auto& parts) { parts.chain_of.pop_back(); });
  refused([](auto& parts) { parts.directions.pop_back(); });
  refused([](auto& parts) { parts.directions[1].resize(2, 2); });
  refused([](auto& parts) { parts.draws[2].linear_weights = Matrix::Zero(1, 1); });
  refused([](auto& parts) { parts.trace[2].noise.resize(5); });
  refused([](auto& parts) { parts.trace[2].probes.resize(5); });
  refused([](auto& parts) { parts.feature_names[1].pop_back(); });
}

// Files that are no model, or no longer one.

void expect_bad_file(const std::string& contents, std::initializer_list<const char*> words) {
  const TemporaryFolder folder;
  const auto file = folder / "x.m3lak";
  std::ofstream(file, std::ios::binary) << contents;
  expect_error<BadData>([&] { Model::load(file); }, words);
}

TEST(ModelFile, NamesWhatIsNoModel) {
  const auto words = {"x.m3lak", "not a model of m3lak", "m3lak train"};
  expect_bad_file("a,b,c\n1,2,3\n", words);
  expect_bad_file(std::string("PK\x03\x04\x14\0\0\0", 8), words);
  expect_bad_file("m3lak", words);
  expect_bad_file("", {"x.m3lak", "empty"});
  expect_error<BadData>([] { Model::load("/nowhere/x.m3lak"); }, {"x.m3lak", "no such file"});
}

TEST(ModelFile, OfANewerFormatSaysSo) {
  std::string bytes = bytes_of(made_up());
  bytes[12] = '3';
  expect_bad_file(bytes,
                  {"written by a newer m3lak (format 3); this one reads format 1", "update m3lak"});
}

TEST(ModelFile, CutShortAnywhereIsRefused) {
  const std::string bytes = bytes_of(made_up());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    expect_error<BadData>([&] { read_model(std::string_view(bytes).substr(0, size), "x"); },
                          {"x: is", ";"});
  }
  expect_bad_file(bytes.substr(0, bytes.size() / 2), {"damaged or cut short", "copy it once more"});
  expect_error<BadData>([&] { read_model(bytes + '\0', "x"); }, {"checksum"});
}

TEST(ModelFile, AlteredAnywhereIsRefused) {
  std::string bytes = bytes_of(made_up());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {1, 0x80}) {
      const char right = bytes[at];
      bytes[at] = static_cast<char>(right ^ flip);
      EXPECT_THROW(read_model(bytes, "x"), BadData) << "byte " << at;
      bytes[at] = right;
    }
  }
}

std::string with_checksum(std::string bytes) {
  const std::size_t size = bytes.size() - 4;
  const auto checksum =
      static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), size));
  std::memcpy(bytes.data() + size, &checksum, sizeof checksum);
  return bytes;
}

TEST(ModelFile, AlteredWithARightChecksumIsRefusedOrHarmless) {
  const std::string bytes = bytes_of(made_up());
  int refused = 0;
  for (std::size_t at = 0; at + 4 < bytes.size(); ++at) {
    for (const int flip : {1, 0x40}) {
      std::string altered = bytes;
      altered[at] = static_cast<char>(altered[at] ^ flip);
      try {
        read_model(with_checksum(altered), "x");
      } catch (const BadData&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

/// The file with a piece of its header replaced by one of the same length.
std::string forged(const std::string& piece, const std::string& by) {
  std::string bytes = bytes_of(made_up());
  const std::size_t at = bytes.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  EXPECT_EQ(piece.size(), by.size());
  return with_checksum(bytes.replace(at, piece.size(), by));
}

TEST(ModelFile, WhoseHeaderLiesIsRefused) {
  for (const auto& [piece, by] : std::vector<std::pair<std::string, std::string>>{
           {R"("latent":"3")", R"("latent":"4")"},
           {R"("features":"4")", R"("features":"9")"},
           {R"("shape":[3,5,5])", R"("shape":[3,5,6])"},
           {R"("shape":[3,5,5])", R"("shape":[3,-5,])"},
           {R"("shape":[6,3,3])", R"("shape":[9e9,1])"},
           {R"("name":"chain_of")", R"("name":"chain_on")"},
           {R"(["a","b","c"])", R"(["a","bcdef"])"},
           {R"("scaling":"equal-variance","v)", R"("scaling":"equal-varianes","v)"},
           {R"("stopped_early":true)", R"("stopped_early":1234)"}}) {
    const std::string file = forged(piece, by);
    EXPECT_THROW(read_model(file, "x"), BadData) << by;
  }
  expect_error<BadData>([] { read_model(forged(R"("thin":)", R"("thim":)"), "x"); },
                        {"`thim`: no such setting", "update m3lak"});
}

}  // namespace
}  // namespace m3lak
