// Trains on simulated data with gaps, saves the model, loads it again and predicts.
#include <m3lak/evaluate.h>
#include <m3lak/model.h>
#include <m3lak/simulate.h>

#include <cstdio>
#include <filesystem>
#include <numeric>

int main() {
  // Two views of 600 instances. The classes are the inside and the outside of a ring in the latent
  // space; a tenth of the views, of the cells and of the labels is missing.
  m3lak::SimulationOptions world;
  world.instances = 600;
  world.latent = 2;
  world.noise = 0.2;
  world.boundary = m3lak::Boundary::ring;
  world.missing_views = world.missing_cells = world.unknown_labels = 0.1;
  const m3lak::Dataset data = m3lak::simulate(world);
  std::vector<m3lak::Index> rows(600);
  std::iota(rows.begin(), rows.end(), m3lak::Index{0});
  const m3lak::Dataset training = data.select({rows.begin(), rows.begin() + 400});
  m3lak::Dataset fresh = data.select({rows.begin() + 400, rows.end()});

  m3lak::Options options;  // the header explains each
  options.latent = 5;
  options.features = 50;
  options.iterations = 200;
  options.burn_in = 100;
  m3lak::Callbacks callbacks;
  callbacks.progress = [](const m3lak::Progress& progress) {
    if (progress.done % 50 == 0) std::printf("%d of %d\n", progress.done, progress.total);
  };
  const m3lak::Model model = m3lak::fit(training, options, callbacks);

  const auto file = std::filesystem::temp_directory_path() / "ring.m3lak";
  model.save(file);
  const m3lak::Model loaded = m3lak::Model::load(file);
  std::filesystem::remove(file);

  const std::vector<int> truth = fresh.labels->of;
  fresh.labels.reset();
  const m3lak::Prediction prediction = loaded.predict(fresh);
  for (m3lak::Index n = 0; n < 3; ++n) {
    const auto label = static_cast<std::size_t>(prediction.label[static_cast<std::size_t>(n)]);
    std::printf("class %s, score %.2f ± %.2f, probability %.2f\n", loaded.classes()[label].c_str(),
                prediction.score(n, 0), prediction.spread(n, 0),
                prediction.probability(n, static_cast<m3lak::Index>(label)));
  }
  const m3lak::Measures measures =
      m3lak::measure(truth, prediction.label, prediction.score, prediction.probability);
  std::printf("accuracy %.3f\n", measures.accuracy);
  return measures.accuracy > 0.8 ? 0 : 1;
}
