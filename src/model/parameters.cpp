#include "model/parameters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

#include "m3lak/error.h"

namespace m3lak {

namespace {

using Field = std::variant<int Options::*, double Options::*, std::uint64_t Options::*,
                           bool Options::*, Base Options::*, Scaling Options::*, Start Options::*,
                           Precision Options::*, Hmc Options::*, Sweep Options::*>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Sums of a few integer settings must stay integers.
constexpr double largest_integer = 1e9;

/// Which numbers a setting may have.
struct Limits {
  double least = -infinity;
  bool above = false;  ///< `least` itself is too small
  double most = infinity;
  bool below = false;      ///< `most` itself is too large
  bool automatic = false;  ///< "auto" is allowed, and is kept as 0
};

constexpr Limits any{};
constexpr Limits positive{.least = 0, .above = true};
constexpr Limits positive_or_auto{.least = 0, .above = true, .automatic = true};
constexpr Limits share{.least = 0, .most = 1};
constexpr Limits inner_share{.least = 0, .above = true, .most = 1, .below = true};
constexpr Limits at_least(double least) { return {.least = least}; }
constexpr Limits at_least_one_or_auto{.least = 1, .automatic = true};

struct Row {
  const char* name;
  const char* symbol;
  Field field;
  Limits rule;
  const char* help;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {"latent", "m", &Options::latent, at_least_one_or_auto,
       "dimension of the latent space that all views share; auto: 50, or the number of features if "
       "there are fewer"},
      {"private-latent", "K", &Options::private_latent, at_least(0),
       "dimension of each view's own latent space; 0: none"},
      {"features", "M", &Options::features, at_least(1),
       "number of random frequencies; too few cannot draw a curved boundary"},
      {"linear", "", &Options::linear, at_least(0),
       "how many principal coordinates of the views the classifier also sees, linearly; 0: none"},
      {"linear-variance", "g", &Options::linear_variance, positive,
       "prior variance of their weights over that of the others"},
      {"C", "C", &Options::C, positive_or_auto,
       "weight of the hinge; auto: chosen among 1 … 10 by cross-validation"},
      {"weight-precision", "v", &Options::weight_precision, positive,
       "prior precision of the classifier's weights; small: sharp boundaries"},
      {"sample-weight-precision", "", &Options::sample_weight_precision, any,
       "draw v from its posterior; it starts at weight-precision"},
      {"weight-shape", "a_v", &Options::weight_shape, positive,
       "shape of the Gamma prior of v, if it is drawn"},
      {"weight-rate", "b_v", &Options::weight_rate, positive,
       "rate of the Gamma prior of v, if it is drawn"},
      {"label-weight", "ρ", &Options::label_weight, share,
       "the labels' weight on the latent space of training; 0: it is drawn from the views alone"},
      {"relevance-shape", "a_r", &Options::relevance_shape, positive,
       "shape of the Gamma prior of each latent dimension's precision"},
      {"relevance-rate", "b_r", &Options::relevance_rate, positive,
       "rate of the Gamma prior of each latent dimension's precision"},
      {"private-precision", "η", &Options::private_precision, positive,
       "precision of the projections of the views' own latent spaces"},
      {"noise-shape", "a_τ", &Options::noise_shape, positive,
       "shape of the Gamma prior of each view's noise precision"},
      {"noise-rate", "b_τ", &Options::noise_rate, positive,
       "rate of the Gamma prior of each view's noise precision"},
      {"concentration", "α", &Options::concentration, positive,
       "concentration of the Dirichlet process; large: many mixture components"},
      {"sample-concentration", "", &Options::sample_concentration, any,
       "draw α from its posterior; it starts at concentration"},
      {"concentration-shape", "a_α", &Options::concentration_shape, positive,
       "shape of the Gamma prior of α, if it is drawn"},
      {"concentration-rate", "b_α", &Options::concentration_rate, positive,
       "rate of the Gamma prior of α, if it is drawn"},
      {"base", "", &Options::base, any,
       "centre of the prior of the frequencies' covariances: as the latent space reconstructs the "
       "views, or a multiple of I"},
      {"base-mean", "μ_0", &Options::base_mean, any,
       "centre of the mixture components' means, the same in each dimension"},
      {"base-strength", "κ_0", &Options::base_strength, positive,
       "a component's mean is as sure as this many frequencies"},
      {"base-dof", "ν_0", &Options::base_dof, positive_or_auto,
       "degrees of freedom of the components' covariances, above m - 1; auto: m + 102"},
      {"base-scale", "Ψ_0", &Options::base_scale, positive,
       "size of the base: the trace of E[Σ] with reconstruction, Ψ_0 = base-scale · I with "
       "isotropic"},
      {"scaling", "", &Options::scaling, any,
       "scaling of the views, fitted on the training data; auto: scalings and weights of the views "
       "that tell classes apart best; none fits badly"},
      {"fits", "", &Options::fits, at_least(1),
       "with scaling auto: of how many fits the model may be the average"},
      {"follow-ridge", "", &Options::follow_ridge, any,
       "with scaling auto: C, base-scale, linear-variance and features follow the ridge regression "
       "that "
       "predicts best"},
      {"iterations", "", &Options::iterations, at_least(1), "all iterations, burn-in included"},
      {"burn-in", "", &Options::burn_in, at_least(0),
       "iterations at the start that are thrown away"},
      {"thin", "", &Options::thin, at_least_one_or_auto,
       "keep every so many-th draw after burn-in; auto: 50 draws of each chain"},
      {"chains", "", &Options::chains, at_least(1),
       "independent chains; their agreement is the best test of convergence"},
      {"seed", "", &Options::seed, at_least(0),
       "the same seed gives the same result, for any number of threads"},
      {"threads", "", &Options::threads, at_least_one_or_auto,
       "threads to use; auto: as many as there are cores"},
      {"draws-memory", "", &Options::draws_memory, at_least(1),
       "MiB of memory that the draws may take; what is beyond that goes to a temporary file "
       "(TMPDIR)"},
      {"precision", "", &Options::precision, any,
       "double, or mixed: data and features in float, sums in double; faster, and X takes half the "
       "room"},
      {"start", "", &Options::start, any,
       "where the latent space starts: singular vectors of the views, or N(0, I)"},
      {"hmc", "", &Options::hmc, any, "how the latent space and the frequencies are moved"},
      {"sweep", "", &Options::sweep, any,
       "frequencies are moved each given the others, or in one trajectory"},
      {"latent-leapfrog", "", &Options::latent_leapfrog, at_least(1),
       "leapfrog steps of a move of the latent space"},
      {"frequency-leapfrog", "", &Options::frequency_leapfrog, at_least(0),
       "leapfrog steps of a move of the frequencies; 0: they are not learned, and stay as they "
       "were drawn from the base at the start"},
      {"weight-leapfrog", "", &Options::weight_leapfrog, at_least(0),
       "leapfrog steps of a move of all weights of a class, with λ integrated out; 0: they "
       "are drawn given λ alone, as they are of large data"},
      {"target-acceptance", "", &Options::target_acceptance, inner_share,
       "share of accepted moves that the adaptation of the steps aims at"},
      {"integrate-private", "", &Options::integrate_private, any,
       "move h with the views' own latent spaces integrated out"},
      {"integrate-augmentation", "", &Options::integrate_augmentation, any,
       "move h and the frequencies with λ integrated out"},
      {"tuning-folds", "", &Options::tuning_folds, at_least(2),
       "folds of the cross-validation inside of the training data"},
      {"calibrate", "", &Options::calibrate, any,
       "fit probabilities, and with them the border between two classes, to held-out scores of "
       "that "
       "cross-validation; no: as the scores are, and quicker"},
  };
  return table;
}

const Row& row_of(const std::string& name) {
  for (const Row& row : rows()) {
    if (row.name == name) return row;
  }
  std::vector<std::string> names;
  for (const Row& row : rows()) names.push_back(row.name);
  throw BadUsage(fmt::format("`{}`: no such setting; there are {}", name, fmt::join(names, ", ")));
}

// The words of settings that are not numbers, the first that fits a value being the one to write.

template <class Value>
using Words = std::vector<std::pair<std::string, Value>>;

Words<Base> words(Base) {
  return {{"reconstruction", Base::reconstruction}, {"isotropic", Base::isotropic}};
}

Words<Precision> words(Precision) {
  return {{"double", Precision::full}, {"mixed", Precision::mixed}};
}
Words<Start> words(Start) { return {{"svd", Start::svd}, {"random", Start::random}}; }

Words<Hmc> words(Hmc) {
  return {
      {"preconditioned", Hmc::preconditioned}, {"plain", Hmc::plain}, {"authors", Hmc::authors}};
}

Words<Sweep> words(Sweep) {
  return {{"one-by-one", Sweep::one_by_one}, {"together", Sweep::together}};
}

Words<Scaling> words(Scaling) {
  Words<Scaling> words;
  for (const Scaling scaling :
       {Scaling::automatic, Scaling::none, Scaling::center, Scaling::standardize,
        Scaling::equal_variance, Scaling::unit_length, Scaling::root_center,
        Scaling::root_standardize, Scaling::root_unit_length}) {
    words.emplace_back(name_of(scaling), scaling);
  }
  return words;
}

Words<bool> words(bool) { return {{"yes", true}, {"no", false}}; }

template <class Value>
std::string listed(const Words<Value>& words) {
  std::string list;
  for (const auto& [word, value] : words) list += (list.empty() ? "" : "|") + word;
  return list;
}

template <class Value>
constexpr bool is_number = std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>;

/// "at least 1", "above 0 and below 1".
std::string bounds_of(const Limits& rule) {
  std::string text;
  if (rule.least > -infinity) {
    text += fmt::format("{} {}", rule.above ? "above" : "at least", rule.least);
  }
  if (rule.most < infinity) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " and ", rule.below ? "below" : "at most",
                        rule.most);
  }
  return text;
}

/// "integer >= 1", "number > 0 or auto".
template <class Value>
std::string values_of(const Limits& rule) {
  std::string text = std::is_integral_v<Value> ? "integer" : "number";
  if (rule.least > -infinity) text += fmt::format(" {} {}", rule.above ? ">" : ">=", rule.least);
  if (rule.most < infinity) {
    text += fmt::format("{} {} {}", rule.least > -infinity ? " and" : "",
                        rule.below ? "<" : "<=", rule.most);
  }
  return text + (rule.automatic ? " or auto" : "");
}

[[noreturn]] void refuse(const Row& row, const std::string& value, const std::string& rule) {
  throw BadUsage(fmt::format("`{} = {}`: must be {}{}", row.name, value, rule,
                             row.rule.automatic ? ", or auto" : ""));
}

template <class Value>
void check_number(const Row& row, Value value) {
  const auto number = static_cast<double>(value);
  const Limits& rule = row.rule;
  if (rule.automatic && value == 0) return;
  const std::string text = fmt::format("{}", value);
  if (!std::isfinite(number)) refuse(row, text, "finite");
  if (number < rule.least || (rule.above && number == rule.least)) {
    refuse(row, text, bounds_of({.least = rule.least, .above = rule.above}));
  }
  if (number > rule.most || (rule.below && number == rule.most)) {
    refuse(row, text, bounds_of({.most = rule.most, .below = rule.below}));
  }
  if (std::is_same_v<Value, int> && number > largest_integer) {
    refuse(row, text, bounds_of({.most = largest_integer}));
  }
}

template <class Value>
const std::string& word_of(const Row& row, Value value) {
  static const Words<Value> known = words(Value{});
  for (const auto& [word, meaning] : known) {
    if (meaning == value) return word;
  }
  throw BadUsage(fmt::format("`{}`: must be one of {}", row.name, listed(known)));
}

template <class Value>
Value number_from(const Row& row, const std::string& text) {
  if (row.rule.automatic && text == "auto") return 0;
  Value value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(static_cast<double>(value))) {
    const std::string kind = std::is_integral_v<Value> ? "an integer" : "a number";
    const std::string bounds = bounds_of(row.rule);
    // "an integer of at least 1", but "a number above 0"
    const char* link = bounds.empty() ? "" : bounds.starts_with("at") ? " of " : " ";
    refuse(row, text, kind + link + bounds);
  }
  check_number(row, value);
  return value;
}

template <class Value>
Value choice_from(const Row& row, const std::string& text) {
  const Words<Value> known = words(Value{});
  for (const auto& [word, value] : known) {
    if (word == text) return value;
  }
  if constexpr (std::is_same_v<Value, bool>) {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
  }
  refuse(row, text, fmt::format("one of {}", listed(known)));
}

template <class Value>
std::string text_of(const Row& row, Value value) {
  if constexpr (is_number<Value>) {
    return row.rule.automatic && value == 0 ? "auto" : fmt::format("{}", value);
  } else {
    return word_of(row, value);
  }
}

template <class Value>
std::string values_of(const Row& row) {
  if constexpr (is_number<Value>) {
    return values_of<Value>(row.rule);
  } else {
    return listed(words(Value{}));
  }
}

void check_field(const Options& options, const Row& row) {
  std::visit(
      [&]<class Value>(Value Options::*field) {
        if constexpr (is_number<Value>) {
          check_number(row, options.*field);
        } else {
          word_of(row, options.*field);
        }
      },
      row.field);
}

}  // namespace

const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> all = [] {
    std::vector<Parameter> list;
    for (const Row& row : rows()) {
      const std::string values = std::visit(
          [&]<class Value>(Value Options::*) { return values_of<Value>(row); }, row.field);
      list.push_back({row.name, row.symbol, row.help, values});
    }
    return list;
  }();
  return all;
}

std::string get(const Options& options, const std::string& name) {
  const Row& row = row_of(name);
  return std::visit([&](auto field) { return text_of(row, options.*field); }, row.field);
}

void set(Options& options, const std::string& name, const std::string& value) {
  const Row& row = row_of(name);
  std::visit(
      [&]<class Value>(Value Options::*field) {
        if constexpr (is_number<Value>) {
          options.*field = number_from<Value>(row, value);
        } else {
          options.*field = choice_from<Value>(row, value);
        }
      },
      row.field);
}

void check_fields(const Options& options) {
  for (const Row& row : rows()) check_field(options, row);
}

}  // namespace m3lak
