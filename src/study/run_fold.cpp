#include "study/run_fold.h"

#include <fmt/format.h>

#include <atomic>

#include "m3lak/error.h"
#include "numeric/clock.h"

namespace m3lak {

Measures run_split(const Dataset& data, const std::vector<Index>& trained,
                   const std::vector<Index>& tested, const Method& method, int threads,
                   const std::function<bool()>& stop) {
  Dataset test = data.select(tested);
  test.labels.reset();  // so that no method can look at them
  const Dataset training = data.select(trained);

  // A method that is stopped may throw, or return what it has: neither is a result.
  std::atomic<bool> told_to_stop = false;
  const Clock clock;
  const std::unique_ptr<Classifier> classifier = method.make();
  classifier->fit(training, threads, [&] {
    if (stop && stop()) told_to_stop = true;
    return told_to_stop.load();
  });
  const double fit_seconds = clock.seconds();
  const Prediction prediction = classifier->predict(test, threads);
  const double seconds = clock.seconds();
  if (told_to_stop) throw Stopped("stopped in the middle of a fold");

  std::vector<int> truth;
  for (const Index n : tested) truth.push_back(data.labels->of[static_cast<std::size_t>(n)]);
  Measures measures = measure(truth, prediction.label, prediction.score, prediction.probability);
  measures.seconds = seconds;
  measures.fit_seconds = fit_seconds;
  return measures;
}

std::string longer_than(double seconds) {
  if (seconds < 120) return fmt::format("longer than {:g} s", seconds);
  if (seconds < 7200) return fmt::format("longer than {:g} min", seconds / 60);
  return fmt::format("longer than {:g} h", seconds / 3600);
}

}  // namespace m3lak
