// All methods by name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "m3lak/classifier.h"
#include "m3lak/error.h"
#include "m3lak/version.h"
#include "rivals/bemkl/bemkl.h"
#include "rivals/bm2smvl/bm2smvl.h"
#include "rivals/mmh/mmh.h"
#include "rivals/mvmed/mvmed.h"
#include "rivals/nearest_mean.h"
#include "rivals/svm/svm.h"
#include "rivals/tuned.h"
#include "rivals/vmrml/vmrml.h"

namespace m3lak {

namespace {

class M3lak : public Classifier {
 public:
  explicit M3lak(Options options) : options_(std::move(options)) {}

  void fit(const Dataset& training, int threads, const std::function<bool()>& stop) override {
    Options with_threads = options_;
    with_threads.threads = threads;
    Callbacks callbacks;
    callbacks.stop = stop;
    model_.emplace(m3lak::fit(training, with_threads, callbacks));
  }

  Prediction predict(const Dataset& data, int threads) const override {
    return model_->predict(data, threads);
  }

 private:
  Options options_;
  std::optional<Model> model_;
};

/// m3lak's own, as the settings want it.
Options own_options(Options options, const MethodSettings& settings) {
  options.seed = settings.options.seed;
  if (settings.latent > 0) options.latent = settings.latent;
  if (settings.C > 0) {
    options.C = settings.C;
    options.follow_ridge = false;  // which might take another
  }
  if (!settings.tune) {
    options.calibrate = false;
    if (options.scaling == Scaling::automatic) options.scaling = Scaling::standardize;
    if (options.C == 0) options.C = 1;
  }
  return options;
}

std::shared_ptr<const Rival> rival_of(const std::string& name, const MethodSettings& settings) {
  const std::uint64_t seed = settings.options.seed;
  if (name.starts_with("bm2smvl")) {
    Bm2smvlOptions options{.seed = seed};
    if (name == "bm2smvl-gibbs") options.engine = Bm2smvlOptions::Engine::gibbs;
    if (settings.latent > 0) options.latent = settings.latent;
    options.C = settings.C;
    return bm2smvl(options);
  }
  if (name == "mmh") {
    MmhOptions options{.seed = seed};
    if (settings.latent > 0) options.latent = settings.latent;
    options.C2 = settings.C;
    return mmh(options);
  }
  if (name == "mvmed") return mvmed();
  if (name == "vmrml") return vmrml();
  if (name == "vmrml-full") return vmrml({.solver = VmrmlOptions::Solver::full});
  BemklOptions options{.seed = seed};
  if (name == "bemkl-all") options.least_width = 0;
  return bemkl(options);
}

std::unique_ptr<Classifier> make(const std::string& name, const MethodSettings& settings) {
  if (name == "m3lak") return std::make_unique<M3lak>(own_options(settings.options, settings));
  if (name == "m3lak-paper") {
    return std::make_unique<M3lak>(own_options(Options::preset("paper"), settings));
  }
  if (name == "svm") return svm();
  if (name == "nearest-mean") return nearest_mean();
  TuneOptions tuning{.seed = settings.options.seed};
  if (!settings.tune) tuning.folds = 0;
  return tuned(name, rival_of(name, settings), tuning);
}

std::string settings_text(const std::string& name, const MethodSettings& settings) {
  std::string text = fmt::format("m3lak {} tune={} latent={} C={}", version(), settings.tune,
                                 settings.latent, settings.C);
  if (name != "m3lak") return text;
  for (const Parameter& parameter : parameters()) {
    if (parameter.name == "threads" || parameter.name == "seed") continue;
    text += fmt::format(" {}={}", parameter.name, get(settings.options, parameter.name));
  }
  return text;
}

}  // namespace

Classifier::~Classifier() = default;

double Classifier::bytes(const Dataset&, int) const { return 0; }

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = {
      "m3lak",      "m3lak-paper", "bm2smvl", "bm2smvl-gibbs", "mvmed", "vmrml",
      "vmrml-full", "mmh",         "bemkl",   "bemkl-all",     "svm",   "nearest-mean"};
  return names;
}

Method method_of(const std::string& name, const MethodSettings& settings) {
  const auto& names = method_names();
  if (std::ranges::find(names, name) == names.end()) {
    throw BadUsage(fmt::format("--method {}: must be one of {}", name, fmt::join(names, "|")));
  }
  return {name, [name, settings] { return make(name, settings); }, settings_text(name, settings)};
}

Method method_of(const std::string& name, const Options& options) {
  return method_of(name, MethodSettings{.options = options});
}

}  // namespace m3lak
