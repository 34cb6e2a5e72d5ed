// What the search for scalings and weights of views is worth by itself: kernel ridge regression
// with what it finds, on held-out folds of data sets.
//
//   bench/run representations FILE[@LABEL,…]… (as for `m3lak compare`)
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "data/gram.h"
#include "data/labelled.h"
#include "m3lak/folds.h"
#include "m3lak/io.h"
#include "m3lak/scaling.h"
#include "predict/link.h"
#include "study/representation.h"

namespace {

using namespace m3lak;

constexpr int folds = 10, inner_folds = 5;
constexpr Index most_compared = 500, most_refined = 2000, most_learned = 2000;

Dataset first_of(const Dataset& data, Index most) {
  if (data.instances() <= most) return data;
  const int parts = static_cast<int>(data.instances() / most) + 1;
  return data.select(stratified_folds(*data.labels, parts, 7).test(0));
}

/// Of the second class, for each held-out instance.
Vector probabilities_by(const Representation& found, Dataset training, Dataset test) {
  const auto signs = [](const Dataset& data) {
    Vector y(data.instances());
    for (Index n = 0; n < y.size(); ++n)
      y[n] = 2 * data.labels->of[static_cast<std::size_t>(n)] - 1;
    return y;
  };
  const auto scores_on = [&](Dataset from, Dataset to) {
    const Vector y = signs(from);
    const Scaler scaler = Scaler::fit(from, found.scaling, found.variances);
    scaler.apply(from);
    scaler.apply(to);
    const double norm = squared_norms(from).mean();
    Matrix own = products(from, from) / norm, across = products(from, to) / norm;
    if (found.width > 0) {
      const Vector a = squared_norms(from) / norm, b = squared_norms(to) / norm;
      own = radial(own, a, a, found.width);
      across = radial(across, a, b, found.width);
    }
    return Vector(ridge_scores(own, across, found.ridge, y));
  };
  std::vector<double> held_out;
  std::vector<int> truth;
  const Folds inner = stratified_folds(*training.labels, inner_folds, 3);
  for (int i = 0; i < inner_folds; ++i) {
    const Dataset part = training.select(inner.test(i));
    for (const double score : scores_on(training.select(inner.train(i)), part)) {
      held_out.push_back(score);
    }
    for (const double sign : signs(part)) truth.push_back(static_cast<int>(sign));
  }
  const Link link = fit_link(held_out, truth);
  return scores_on(training, test).unaryExpr([&](double f) {
    return 1 / (1 + std::exp(-(link.slope * f + link.intercept)));
  });
}

struct Sums {
  double accuracy = 0, log_loss = 0;
};

void add(const Vector& p, const std::vector<int>& truth, Sums& sums) {
  double right = 0, loss = 0;
  for (Index n = 0; n < p.size(); ++n) {
    const bool is = truth[static_cast<std::size_t>(n)] == 1;
    right += (p[n] > 0.5) == is ? 1 : 0;
    loss -= std::log(std::max(is ? p[n] : 1 - p[n], 1e-9));
  }
  sums.accuracy += right / static_cast<double>(p.size()) / folds;
  sums.log_loss += loss / static_cast<double>(p.size()) / folds;
}

/// Each representation, and averages of those that are first.
void add_all(Workers& workers, const std::vector<Representation>& all, const Dataset& training,
             const Dataset& test, const std::string& prefix, std::map<std::string, Sums>& sums) {
  std::vector<Vector> p(all.size());
  workers.run(std::ssize(all), [&](Index i) {
    p[static_cast<std::size_t>(i)] =
        probabilities_by(all[static_cast<std::size_t>(i)], training, test);
  });
  const auto add_as = [&](const Vector& of, const std::string& name) {
    add(of, test.labels->of, sums[prefix + name]);
  };
  std::vector<Vector> plain;
  for (std::size_t i = 0; i < all.size(); ++i) {
    add_as(p[i], name_of(all[i].scaling));
    if (!row_scaling_of(all[i].scaling).root) plain.push_back(p[i]);
  }
  add_as(p[0], "1 best");
  add_as((p[0] + p[1]) / 2, "2 best");
  add_as((p[0] + p[1] + p[2]) / 3, "3 best");
  add_as(plain[0], "1 best without roots");
  add_as((plain[0] + plain[1]) / 2, "2 best without roots");
}

void measure(const std::string& text) {
  const auto at = text.rfind('@');
  DataSource source;
  source.files = {text.substr(0, at)};
  Dataset data = labelled(read_dataset(source).data, "this bench");
  std::vector<std::string> positive;
  for (std::size_t begin = at + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    positive.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  Labels binary{{"rest", "positive"}, {}};
  for (const int label : data.labels->of) {
    const std::string& name = data.labels->classes[static_cast<std::size_t>(label)];
    binary.of.push_back(std::ranges::count(positive, name) > 0 ? 1 : 0);
  }
  data.labels = binary;

  const Folds outer = stratified_folds(*data.labels, folds, 1);
  std::map<std::string, Sums> sums;
  Workers workers(0);
  for (int fold = 0; fold < folds; ++fold) {
    const Dataset training = first_of(data.select(outer.train(fold)), most_learned);
    const Dataset test = data.select(outer.test(fold));
    const Dataset compared = first_of(training, most_compared);
    const auto found =
        representations(workers, compared, stratified_folds(*compared.labels, inner_folds, 1));
    add_all(workers, found, training, test, "by 500: ", sums);
    const Dataset more = first_of(training, most_refined);
    if (more.instances() * 2 < compared.instances() * 3) continue;
    const auto better =
        refined(workers, found, more, stratified_folds(*more.labels, inner_folds, 1));
    add_all(workers, better, training, test, "by 2,000: ", sums);
  }
  fmt::print("{}\n", text);
  for (const auto& [name, sum] : sums) {
    fmt::print("  {:32} {:.4f}  {:.3f}\n", name, sum.accuracy, sum.log_loss);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  fmt::print("accuracy and log-loss, {} folds\n", folds);
  for (int i = 1; i < count; ++i) measure(words[i]);
}
