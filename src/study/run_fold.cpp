#include "study/run_fold.h"

#include <fmt/format.h>

#include <atomic>
#include <optional>

#include "m3lak/error.h"
#include "numeric/clock.h"
#include "numeric/memory.h"

namespace m3lak {

Measures run_split(const Dataset& data, const std::vector<Index>& trained,
                   const std::vector<Index>& tested, const Method& method, int threads,
                   const std::function<bool()>& stop, double limit) {
  Dataset test = data.select(tested);
  test.labels.reset();  // so that no method can look at them
  const Dataset training = data.select(trained);

  // A method that is stopped may throw, or return what it has: neither is a result.
  std::atomic<bool> told_to_stop = false;
  const std::unique_ptr<Classifier> classifier = method.make();
  // Others may be at work in this process. To wait for them is not to take long.
  MemoryAccount& account = MemoryAccount::of_process();
  std::optional<MemoryAccount::Promise> memory;
  memory.emplace(account, classifier->bytes(training, threads), stop);
  Clock clock;
  const auto fit = [&] {
    clock = {};
    classifier->fit(training, threads, [&] {
      if ((stop && stop()) || clock.seconds() > limit) told_to_stop = true;
      return told_to_stop.load();
    });
  };
  try {
    fit();
  } catch (const TooLarge&) {
    if (!memory->fits_alone()) throw;
    // Then others have more than they said: once more, alone.
    memory.reset();
    memory.emplace(account, std::numeric_limits<double>::infinity(), stop);
    fit();
  }
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
