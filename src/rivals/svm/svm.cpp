#include "rivals/svm/svm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "data/gram.h"
#include "data/labelled.h"
#include "m3lak/error.h"
#include "m3lak/folds.h"
#include "m3lak/scaling.h"
#include "predict/link.h"
#include "rivals/svm/solver.h"

namespace m3lak {

namespace {

// Raw and centred views are one and the same to a machine with a free intercept. Views are divided
// by one number more, so that an instance has a squared norm of 1 on average; C and γ are for that.
constexpr std::array scalings = {Scaling::center, Scaling::standardize, Scaling::equal_variance};
constexpr std::array linear_C = {0.01, 0.1, 1.0, 10.0, 100.0, 1000.0};
constexpr std::array radial_C = {0.1, 1.0, 10.0, 100.0, 1000.0};
constexpr std::array gammas = {1.0 / 16, 1.0 / 4, 1.0, 4.0, 16.0};
constexpr Index inner_folds = 5;  // of very few instances, each is a fold

struct Choice {
  Scaling scaling = Scaling::center;
  double gamma = 0;  ///< 0: linear
  double C = 1;
  double accuracy = -1;
  Matrix held_out = {};  ///< scores of all instances, each by those that were trained without it
};

std::vector<Index> all_of(Index count) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

std::vector<int> decide(const Matrix& scores) {
  std::vector<int> labels;
  for (Index n = 0; n < scores.rows(); ++n) {
    Index best = scores(n, 0) > 0 ? 1 : 0;
    if (scores.cols() > 1) scores.row(n).maxCoeff(&best);
    labels.push_back(static_cast<int>(best));
  }
  return labels;
}

/// Kernel values between scaled instances, all divided by one norm.
class Kernel {
 public:
  Kernel(const Dataset& x, const Dataset& y, double squared_norm)
      : products_(products(x, y) / squared_norm),
        x_norms_(squared_norms(x) / squared_norm),
        y_norms_(squared_norms(y) / squared_norm) {}

  /// γ = 0: linear.
  Matrix operator()(double gamma) const {
    return gamma > 0 ? radial(products_, x_norms_, y_norms_, gamma) : products_;
  }

 private:
  Matrix products_;
  Vector x_norms_, y_norms_;
};

double mean_squared_norm(const Dataset& scaled) {
  const double mean = squared_norms(scaled).mean();
  return mean > 0 ? mean : 1;
}

class Tuning {
 public:
  Tuning(const Dataset& training, const std::function<bool()>& stop)
      : training_(training),
        labels_(training.labels->of),
        folds_(stratified_folds(*training.labels,
                                static_cast<int>(std::min(inner_folds, training.instances())), 1)),
        machine_(labels_, static_cast<int>(training.labels->classes.size())),
        stop_(stop) {}

  Choice best() {
    for (const Scaling scaling : scalings) {
      Dataset scaled = training_;
      Scaler::fit(scaled, scaling).apply(scaled);
      const Kernel kernel(scaled, scaled, mean_squared_norm(scaled));
      try_kernel(kernel(0), {.scaling = scaling}, linear_C);
      for (const double gamma : gammas) {
        try_kernel(kernel(gamma), {.scaling = scaling, .gamma = gamma}, radial_C);
      }
    }
    return best_;
  }

 private:
  template <std::size_t count>
  void try_kernel(const Matrix& kernel, Choice choice, const std::array<double, count>& Cs) {
    machine_.set_kernel(kernel);
    double best_of_kernel = -1;
    int worse = 0;
    for (const double C : Cs) {
      choice.C = C;
      if (!hold_out(kernel, choice)) break;
      if (choice.accuracy > best_.accuracy) best_ = choice;  // of equals, the first
      // Beyond its best, accuracy falls with C, and time grows.
      worse = choice.accuracy < best_of_kernel ? worse + 1 : 0;
      if (worse == 2) break;
      best_of_kernel = std::max(best_of_kernel, choice.accuracy);
    }
  }

  /// Whether it could be done: a machine that gives up takes long, and with a larger C too. The
  /// very first is taken as it is.
  bool hold_out(const Matrix& kernel, Choice& choice) {
    Index right = 0;
    for (int fold = 0; fold < folds_.count; ++fold) {
      if (stop_ && stop_()) throw Stopped("stopped");
      const std::vector<Index> held = folds_.test(fold), part = folds_.train(fold);
      const PairMachines machines = machine_.train(part, choice.C);
      if (!machines.converged && best_.accuracy >= 0) return false;
      const Matrix scores = machines.scores(kernel(held, part));
      choice.held_out.resize(training_.instances(), scores.cols());
      choice.held_out(held, Eigen::all) = scores;
      const std::vector<int> labels = decide(scores);
      for (std::size_t i = 0; i < held.size(); ++i) {
        right += labels[i] == labels_[static_cast<std::size_t>(held[i])];
      }
    }
    choice.accuracy = static_cast<double>(right) / static_cast<double>(labels_.size());
    return true;
  }

  const Dataset& training_;
  const std::vector<int>& labels_;
  Folds folds_;
  KernelSvm machine_;
  const std::function<bool()>& stop_;
  Choice best_;
};

/// The slope s for which p ∝ exp(s · score) says most about held-out labels; a coarse search of its
/// logarithm, then a fine one.
double fit_softmax(const Matrix& scores, const std::vector<int>& labels) {
  const auto loss = [&](double slope) {
    double sum = 0;
    for (Index n = 0; n < scores.rows(); ++n) {
      const double largest = scores.row(n).maxCoeff();
      sum += std::log((slope * (scores.row(n).array() - largest)).exp().sum()) -
             slope * (scores(n, labels[static_cast<std::size_t>(n)]) - largest);
    }
    return sum;
  };
  double best = 0, least = loss(0);
  for (double step = 1; step > 0.01; step /= 4) {
    const double centre = best;
    for (int k = -8; k <= 8; ++k) {
      const double slope = centre > 0 ? centre * std::exp(k * step / 2) : std::exp(k * step);
      const double now = loss(slope);
      if (now < least) {
        least = now;
        best = slope;
      }
    }
  }
  return best;
}

Matrix probabilities(const Choice& choice, const std::vector<int>& labels, const Matrix& scores) {
  if (scores.cols() == 1) {
    std::vector<int> signs;
    for (const int label : labels) signs.push_back(label == 1 ? 1 : -1);
    const Link link =
        fit_link({choice.held_out.data(), choice.held_out.data() + signs.size()}, signs);
    Matrix both(scores.rows(), 2);
    both.col(1) = 1 / (1 + (-(link.slope * scores.array() + link.intercept)).exp());
    both.col(0) = 1 - both.col(1).array();
    return both;
  }
  const double slope = fit_softmax(choice.held_out, labels);
  Matrix p = scores;
  for (Index n = 0; n < p.rows(); ++n) {
    p.row(n) = (slope * (p.row(n).array() - p.row(n).maxCoeff())).exp();
    p.row(n) /= p.row(n).sum();
  }
  return p;
}

/// The machine on all of the training data.
class Final {
 public:
  /// `by_kernel`: with the kernel's values in memory; else from the rows themselves.
  Final(Dataset training, const Choice& choice, bool by_kernel)
      : gamma_(choice.gamma), scaler_(Scaler::fit(training, choice.scaling)) {
    const auto classes = static_cast<int>(training.labels->classes.size());
    const std::vector<int> labels = training.labels->of;
    scaler_.apply(training);
    squared_norm_ = mean_squared_norm(training);
    if (by_kernel) {
      training_ = std::move(training);
      KernelSvm machine(labels, classes);
      machine.set_kernel(Kernel(training_, training_, squared_norm_)(gamma_));
      pairs_ = machine.train(all_of(training_.instances()), choice.C);
    } else {
      const DenseMatrix rows = rows_of(training) / std::sqrt(squared_norm_);
      of_rows_ = gamma_ == 0 ? linear_machine(rows, labels, classes, choice.C)
                             : radial_machine(rows, labels, classes, gamma_, choice.C);
    }
  }

  Matrix scores(Dataset test) const {
    scaler_.apply(test);
    if (of_rows_) return of_rows_->scores(rows_of(test) / std::sqrt(squared_norm_));
    return pairs_.scores(Kernel(test, training_, squared_norm_)(gamma_));
  }

 private:
  double gamma_;
  Scaler scaler_;
  double squared_norm_ = 1;
  Dataset training_;
  PairMachines pairs_;
  std::unique_ptr<RowMachine> of_rows_;
};

class Svm : public Classifier {
 public:
  explicit Svm(Index tuned_on) : tuned_on_(tuned_on) {}

  double bytes(const Dataset& training, int) const override {
    // The kernel and LIBSVM's copy of it; LIBSVM's cache of float.
    const auto tuned = static_cast<double>(std::min(training.instances(), tuned_on_));
    const auto all = static_cast<double>(training.instances());
    return tuned * tuned * (8 + 16) + std::min(4 * all * all, 1e6 * libsvm_cache);
  }

  void fit(const Dataset& data, int, const std::function<bool()>& stop) override {
    const Dataset training = labelled(data, "svm");
    if (training.instances() < 2) throw BadData("svm: only one instance has a label");
    const Index parts = (training.instances() + tuned_on_ - 1) / tuned_on_;
    const Dataset tuned =
        parts == 1 ? training
                   : training.select(
                         stratified_folds(*training.labels, static_cast<int>(parts), 1).test(0));
    choice_ = Tuning(tuned, stop).best();
    tuned_labels_ = tuned.labels->of;
    machine_.emplace(training, choice_, parts == 1);
  }

  Prediction predict(const Dataset& data, int) const override {
    Prediction prediction;
    prediction.score = machine_->scores({data.views, {}, {}});
    prediction.label = decide(prediction.score);
    prediction.probability = probabilities(choice_, tuned_labels_, prediction.score);
    prediction.spread = Matrix::Zero(prediction.score.rows(), prediction.score.cols());
    prediction.latent.resize(data.instances(), 0);
    return prediction;
  }

 private:
  Index tuned_on_;
  Choice choice_;
  std::vector<int> tuned_labels_;
  std::optional<Final> machine_;
};

}  // namespace

std::unique_ptr<Classifier> svm(Index tuned_on) { return std::make_unique<Svm>(tuned_on); }

}  // namespace m3lak
