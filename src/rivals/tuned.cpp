#include "rivals/tuned.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "data/labelled.h"
#include "m3lak/error.h"
#include "m3lak/folds.h"
#include "model/rule.h"
#include "numeric/memory.h"
#include "predict/link.h"

namespace m3lak {

namespace {

/// +1 for one class, -1 for the others.
Vector signs(const Labels& labels, int of) {
  Vector y(std::ssize(labels.of));
  for (Index n = 0; n < y.size(); ++n) {
    y[n] = labels.of[static_cast<std::size_t>(n)] == of ? 1 : -1;
  }
  return y;
}

double share_right(const Matrix& scores, const std::vector<int>& truth) {
  Index right = 0;
  for (Index n = 0; n < scores.rows(); ++n) {
    right += decide(scores.row(n).transpose()) == truth[static_cast<std::size_t>(n)];
  }
  return static_cast<double>(right) / static_cast<double>(scores.rows());
}

std::string bytes_text(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6)
                     : fmt::format("{:.0f} GB", bytes / 1e9);
}

/// The classes that have a machine: of two the second, else each.
std::vector<int> classes_with_machines(int classes) {
  if (classes == 2) return {1};
  std::vector<int> all(static_cast<std::size_t>(classes));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// The score of a class that was not there to be learnt: far on the wrong side of any margin.
constexpr double never = -10;

class Tuned : public Classifier {
 public:
  Tuned(std::string name, std::shared_ptr<const Rival> rival, const TuneOptions& options)
      : name_(std::move(name)), rival_(std::move(rival)), options_(options) {}

  double bytes(const Dataset& training, int threads) const override {
    // Folds are tuned on in parallel, each on its part.
    Size part = size_of(training);
    const double whole = rival_->bytes(part);
    if (options_.folds == 0) return whole;
    part.instances -= part.instances / options_.folds;
    const int at_once = std::min(Workers(threads).threads(), options_.folds);
    return std::max(whole, at_once * rival_->bytes(part));
  }

  void fit(const Dataset& data, int threads, const std::function<bool()>& stop) override {
    const Dataset training = labelled(data, name_);
    training.labels->require_two_classes();
    const std::vector<Index> counts = training.labels->counts();
    classes_ = static_cast<int>(counts.size());
    if (std::ranges::count_if(counts, [](Index count) { return count > 0; }) < 2) {
      throw BadData(name_ + ": all instances with a label are of one class");
    }
    require_memory(training, threads);
    const std::vector<int> columns = classes_with_machines(classes_);
    std::size_t setting = rival_->settings() / 2;
    if (can_be_tuned(counts)) setting = tune(training, columns, threads, stop);
    Workers workers(threads);
    machines_.clear();
    for (const int c : columns) {
      machines_.emplace_back();
      if (counts[static_cast<std::size_t>(c)] == 0) continue;
      const Vector y = signs(*training.labels, c);
      machines_.back() =
          std::move(rival_->train(training, y, {&setting, 1}, workers, stop).front());
    }
  }

  Prediction predict(const Dataset& data, int threads) const override {
    Workers workers(threads);
    Prediction prediction;
    prediction.score = scores(machines_, data, workers);
    const Index N = data.instances();
    prediction.probability.resize(N, classes_);
    for (Index n = 0; n < N; ++n) {
      const Vector row = prediction.score.row(n).transpose();
      prediction.probability.row(n) = probabilities(link_, row).transpose();
      prediction.label.push_back(decide(row));
    }
    prediction.spread = Matrix::Zero(N, prediction.score.cols());
    prediction.latent.resize(N, 0);
    return prediction;
  }

 private:
  using Machines = std::vector<std::unique_ptr<Machine>>;

  /// One column a class, or one in all.
  static Matrix scores(const Machines& machines, const Dataset& data, Workers& workers) {
    Matrix all = Matrix::Constant(data.instances(), std::ssize(machines), never);
    for (std::size_t c = 0; c < machines.size(); ++c) {
      if (machines[c]) all.col(static_cast<Index>(c)) = machines[c]->scores(data, workers);
    }
    return all;
  }

  void require_memory(const Dataset& training, int threads) const {
    const double needed = bytes(training, threads);
    const double there = options_.memory > 0 ? options_.memory : available_memory();
    if (needed <= there) return;
    throw TooLarge(fmt::format("{}: training on {} instances needs {} of memory, have {}", name_,
                               training.instances(), bytes_text(needed), bytes_text(there)));
  }

  /// Two members at least of two classes.
  bool can_be_tuned(const std::vector<Index>& counts) const {
    return options_.folds > 0 &&
           std::ranges::count_if(counts, [](Index count) { return count >= 2; }) >= 2;
  }

  /// The best setting; fits the link to its held-out scores.
  std::size_t tune(const Dataset& training, const std::vector<int>& columns, int threads,
                   const std::function<bool()>& stop) {
    std::vector<std::size_t> settings(rival_->settings());
    std::iota(settings.begin(), settings.end(), std::size_t{0});
    const auto width = std::ssize(columns);
    std::vector<Matrix> held(settings.size(), Matrix::Constant(training.instances(), width, never));
    const Folds folds = stratified_folds(*training.labels, options_.folds, options_.seed);
    Workers workers(threads);
    workers.run(folds.count * width, [&](Index job) {
      const auto fold = static_cast<int>(job / width);
      const Index column = job % width;
      const std::vector<Index> tested = folds.test(fold);
      const Dataset part = training.select(folds.train(fold));
      const Vector y = signs(*part.labels, columns[static_cast<std::size_t>(column)]);
      if (y.cwiseAbs().sum() == std::abs(y.sum())) return;  // one class alone
      Workers alone(1);
      const Machines machines = rival_->train(part, y, settings, alone, stop);
      const Dataset rest = training.select(tested);
      for (std::size_t s = 0; s < settings.size(); ++s) {
        held[s].col(column)(tested) = machines[s]->scores(rest, alone);
      }
    });
    const std::vector<int>& truth = training.labels->of;
    std::size_t best = 0;
    double most = -1;
    for (const std::size_t s : settings) {
      const double accuracy = share_right(held[s], truth);
      if (accuracy <= most) continue;
      most = accuracy;
      best = s;
    }
    link_ = judge(held[best], truth).link;
    return best;
  }

  std::string name_;
  std::shared_ptr<const Rival> rival_;
  TuneOptions options_;
  int classes_ = 2;
  Machines machines_;
  Link link_;
};

}  // namespace

std::unique_ptr<Classifier> tuned(std::string name, std::shared_ptr<const Rival> rival,
                                  const TuneOptions& options) {
  return std::make_unique<Tuned>(std::move(name), std::move(rival), options);
}

}  // namespace m3lak
