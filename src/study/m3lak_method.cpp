#include "m3lak/evaluate.h"

namespace m3lak {

Method m3lak_method(const Options& options) {
  return {"m3lak", [options](const Dataset& training, const Dataset& test, int threads,
                             const std::function<bool()>& stop) {
            Options with_threads = options;
            with_threads.threads = threads;
            Callbacks callbacks;
            callbacks.stop = stop;
            return fit(training, with_threads, callbacks).predict(test, threads);
          }};
}

}  // namespace m3lak
