// The verdicts on a model's chains.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "inference/diagnostics.h"
#include "m3lak/model.h"

namespace m3lak {

namespace {

constexpr double largest_r_hat = 1.05;
constexpr double fewest_effective_samples = 50;
constexpr std::size_t fewest_draws = 50;
constexpr double smallest_acceptance = 0.4;

struct Quantity {
  std::string name;
  Chains chains;
};

/// A quantity along each chain after burn-in, also where draws were left out.
Quantity quantity(const Model& model, std::string name,
                  const std::function<double(const TraceRow&)>& value) {
  std::map<int, std::vector<double>> chains;
  for (const TraceRow& row : model.trace()) {
    if (row.iteration > model.options().burn_in) chains[row.chain].push_back(value(row));
  }
  Quantity result{std::move(name), {}};
  for (auto& [chain, values] : chains) result.chains.push_back(std::move(values));
  return result;
}

/// What predictions are made of: scores of a few training instances.
std::vector<Quantity> scores(const Model& model) {
  std::vector<Quantity> all;
  const Index probes = model.trace().empty() ? 0 : model.trace().front().probes.size();
  for (Index i = 0; i < probes; ++i) {
    all.push_back(quantity(model, "score", [i](const TraceRow& row) { return row.probes[i]; }));
  }
  return all;
}

/// The variables behind them. Some may wander for long while the scores, which have several ways to
/// come about, are at rest.
std::vector<Quantity> variables(const Model& model) {
  std::vector<Quantity> all = {
      quantity(model, "log joint density", [](const TraceRow& row) { return row.log_joint; }),
      quantity(model, "norm of the weights", [](const TraceRow& row) { return row.weight_norm; }),
      quantity(model, "scale of the kernel", [](const TraceRow& row) { return row.kernel_scale; })};
  const auto& views = model.scaler().views();
  for (std::size_t v = 0; v < views.size(); ++v) {
    all.push_back(quantity(model, fmt::format("noise of view '{}'", views[v].name),
                           [v](const TraceRow& row) { return row.noise[static_cast<Index>(v)]; }));
  }
  return all;
}

/// The worst of several quantities.
struct Worst {
  double value = 0;
  std::string name;

  bool operator<(const Worst& other) const { return value < other.value; }
};

Worst largest_disagreement(const std::vector<Quantity>& all) {
  Worst worst;
  for (const Quantity& each : all) worst = std::max(worst, Worst{r_hat(each.chains), each.name});
  return worst;
}

Worst fewest_samples(const std::vector<Quantity>& all) {
  Worst worst{std::numeric_limits<double>::infinity(), ""};
  for (const Quantity& each : all) {
    worst = std::min(worst, Worst{effective_samples(each.chains), each.name});
  }
  return worst;
}

Check check_agreement(const Model& model) {
  const Worst hidden = largest_disagreement(variables(model));
  Check check{"R-hat", true, largest_disagreement(scores(model)).value, "", ""};
  check.passed = check.value < largest_r_hat;
  check.meaning = fmt::format(
      "how far chains, and the two halves of each, disagree about the scores of a few training "
      "instances (1: not at all; less than {} is good); of what is behind the scores, the {} "
      "disagrees most: {:.3f}",
      largest_r_hat, hidden.name, hidden.value);
  if (!check.passed) {
    check.remedy = "raise burn-in and iterations; with chains = 4 it is seen more clearly";
  }
  return check;
}

Check check_effective_samples(const Model& model) {
  const Worst hidden = fewest_samples(variables(model));
  Check check{"effective samples", true, fewest_samples(scores(model)).value, "", ""};
  check.passed = check.value >= fewest_effective_samples;
  check.meaning = fmt::format(
      "how many independent draws the chains are worth for the scores of a few training instances "
      "({} or more is good); of what is behind the scores, the {} has fewest: {:.0f}",
      fewest_effective_samples, hidden.name, hidden.value);
  if (!check.passed) check.remedy = "raise iterations, or run more chains";
  return check;
}

Check check_acceptance(const Model& model, const std::string& of, double TraceRow::*acceptance) {
  double sum = 0;
  int rows = 0;
  for (const TraceRow& row : model.trace()) {
    if (!row.kept || std::isnan(row.*acceptance)) continue;
    sum += row.*acceptance;
    ++rows;
  }
  Check check{"acceptance of " + of, true, sum / rows, "", ""};
  if (rows == 0) {
    check.value = std::numeric_limits<double>::quiet_NaN();
    check.meaning = fmt::format("no {} moves were tried after burn-in", of);
    return check;
  }
  check.passed = check.value >= smallest_acceptance;
  check.meaning = fmt::format(
      "the share of {} moves that were accepted ({} or more is good; near 1 is fine for "
      "preconditioned moves)",
      of, smallest_acceptance);
  if (!check.passed) {
    check.remedy =
        "raise burn-in, in which steps are adapted, and target-acceptance; take hmc = "
        "preconditioned";
  }
  return check;
}

Check check_draws(const Model& model) {
  const std::size_t draws = model.draws().size();
  Check check{"draws", draws >= fewest_draws, static_cast<double>(draws), "", ""};
  check.meaning = fmt::format("draws that were kept and that predict together ({} or more is good)",
                              fewest_draws);
  if (!check.passed) {
    check.remedy = "raise iterations above burn-in, or lower thin";
  }
  return check;
}

/// The chain that came least far: how many iterations it has.
int finished_iterations(const Model& model) {
  std::map<int, int> last;
  for (const TraceRow& row : model.trace()) {
    last[row.chain] = std::max(last[row.chain], row.iteration);
  }
  int least = last.empty() ? 0 : std::numeric_limits<int>::max();
  for (const auto& [chain, iteration] : last) least = std::min(least, iteration);
  return least;
}

Check check_end(const Model& model) {
  const int done = finished_iterations(model), burn_in = model.options().burn_in;
  Check check{"iterations", !model.stopped_early() || done > burn_in, static_cast<double>(done), "",
              ""};
  if (!model.stopped_early()) {
    check.meaning = "all iterations were made";
  } else if (check.passed) {
    check.meaning = fmt::format(
        "the fit was stopped after {} of {} iterations; the draws until "
        "then are kept",
        done, model.options().iterations);
  } else {
    check.meaning = fmt::format(
        "the fit was stopped after {} iterations, within the burn-in of {}: the draws depend on "
        "where the chain started",
        done, burn_in);
    check.remedy = "train again and let it run, or lower iterations and burn-in";
  }
  return check;
}

}  // namespace

std::vector<Check> Model::checks() const {
  return {check_agreement(*this),
          check_effective_samples(*this),
          check_acceptance(*this, "latent", &TraceRow::latent_acceptance),
          check_acceptance(*this, "frequency", &TraceRow::frequency_acceptance),
          check_draws(*this),
          check_end(*this)};
}

}  // namespace m3lak
