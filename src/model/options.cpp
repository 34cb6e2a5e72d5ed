#include "m3lak/options.h"

#include <fmt/format.h>

#include "m3lak/error.h"
#include "model/parameters.h"

namespace m3lak {

namespace {

void check_iterations(const Options& options) {
  if (options.burn_in >= options.iterations) {
    throw BadUsage(
        fmt::format("`burn-in = {}`: must be below `iterations = {}`, which count the burn-in",
                    options.burn_in, options.iterations));
  }
  const int after = options.iterations - options.burn_in;
  if (options.thin > after) {
    throw BadUsage(fmt::format(
        "`thin = {}`: must be at most {}, the number of iterations after burn-in; else no draw is "
        "kept",
        options.thin, after));
  }
}

void check_degrees(const Options& options) {
  if (options.base_dof == 0) return;
  const int m = options.latent > 0 ? options.latent : usual_latent;
  if (options.base_degrees() <= m - 1) {
    throw BadUsage(
        fmt::format("`base-dof = {}`: must be above latent - 1 = {}; with `latent = {}`, set "
                    "base-dof to {} (the paper's choice is m), or to auto",
                    options.base_dof, m - 1, m, m));
  }
  if (options.base == Base::reconstruction && options.base_degrees() <= m + 1) {
    throw BadUsage(fmt::format(
        "`base-dof = {}`: must be above latent + 1 = {} with `base = reconstruction`, where the "
        "covariances need a mean; set base-dof to {} or more, or to auto",
        options.base_dof, m + 1, m + 2));
  }
}

Options paper() {
  Options options;
  options.latent = 20;
  options.label_weight = 1;
  options.private_latent = 1;
  options.features = 100;
  options.linear = 0;
  options.C = 0;
  options.weight_precision = 0.01;
  options.relevance_shape = 0.1;
  options.relevance_rate = 1e-5;
  options.private_precision = 1e3;
  options.noise_shape = 0.01;
  options.noise_rate = 1e-5;
  options.concentration = 1;
  options.base = Base::isotropic;
  options.base_mean = 0.01;
  options.base_strength = 1;
  options.base_dof = options.latent;
  options.base_scale = 1;
  options.scaling = Scaling::center;
  options.iterations = 1000;
  options.burn_in = 800;
  options.thin = 1;
  options.tuning_folds = 5;
  options.weight_leapfrog = 0;
  options.calibrate = false;
  return options;
}

}  // namespace

void Options::check() const {
  check_fields(*this);
  check_iterations(*this);
  check_degrees(*this);
}

Options Options::preset(const std::string& name) {
  if (name == "default") return {};
  if (name == "paper") return paper();
  throw BadUsage(fmt::format("`preset = {}`: must be one of default|paper", name));
}

}  // namespace m3lak
