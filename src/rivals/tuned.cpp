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
      : name_(std::move(name)),
        rival_(std::move(rival)),
        options_(options),
        there_(options.memory > 0 ? options.memory : available_memory()) {}

  double bytes(const Dataset& training, int threads) const override {
    const Course course = course_of(training, threads);
    const double whole = sparing(1)->bytes(course.whole, course.threads);
    if (course.folds == 0) return whole + course.kept;
    const int at_once = course.at_once();
    return std::max(whole + course.kept, at_once * sparing(at_once)->bytes(course.part(), 1));
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
    const Course course = course_of(training, threads);
    const std::vector<int> columns = classes_with_machines(classes_);
    std::size_t setting = rival_->settings() / 2;
    if (course.folds > 0) setting = tune(training, columns, course, stop);
    const std::shared_ptr<const Rival> rival = sparing(1);
    Workers workers(threads);
    machines_.clear();
    for (const int c : columns) {
      machines_.emplace_back();
      if (counts[static_cast<std::size_t>(c)] == 0) continue;
      const Vector y = signs(*training.labels, c);
      machines_.back() = std::move(rival->train(training, y, {&setting, 1}, workers, stop).front());
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

  /// What is going to be trained.
  struct Course {
    Size whole;          ///< what has a label
    int folds = 0;       ///< 0: it is not tuned
    Index machines = 1;  ///< one a class, or one in all
    int threads = 1;
    double kept = 0;  ///< bytes of the machines of other classes

    /// The largest part that is tuned on.
    Size part() const { return {whole.instances - whole.instances / folds, whole.features}; }

    /// So many parts at the same time.
    int at_once() const { return static_cast<int>(std::min<Index>(threads, folds * machines)); }
  };

  Course course_of(const Dataset& training, int threads) const {
    Course course{.whole = size_of(training), .threads = Workers(threads).threads()};
    if (!training.labels) return course;
    const std::vector<Index> counts = training.labels->counts();
    course.whole.instances = std::accumulate(counts.begin(), counts.end(), Index{0});
    course.machines = std::ssize(classes_with_machines(static_cast<int>(counts.size())));
    // Most machines keep the scaled views that they were trained on.
    double cells = 0;
    for (const Index features : course.whole.features) {
      cells += static_cast<double>(course.whole.instances * features);
    }
    course.kept = sizeof(double) * cells * static_cast<double>(course.machines - 1);
    // Two members at least of two classes. Of very few instances, each is a fold.
    if (std::ranges::count_if(counts, [](Index count) { return count >= 2; }) >= 2) {
      course.folds = static_cast<int>(std::min<Index>(options_.folds, course.whole.instances));
    }
    return course;
  }

  /// As fast as memory allows if so many are trained at the same time: half of what there is is for
  /// that.
  std::shared_ptr<const Rival> sparing(int at_once) const {
    const auto with_memory = rival_->with_memory(there_ / 2 / at_once);
    return with_memory ? with_memory : rival_;
  }

  void require_memory(const Dataset& training, int threads) const {
    const double needed = bytes(training, threads);
    const double there = options_.memory > 0 ? options_.memory : available_memory();
    if (needed <= there) return;
    throw TooLarge(fmt::format("{}: training on {} instances needs {} of memory, have {}", name_,
                               training.instances(), bytes_text(needed), bytes_text(there)));
  }

  /// The best setting; fits the link to its held-out scores.
  std::size_t tune(const Dataset& training, const std::vector<int>& columns, const Course& course,
                   const std::function<bool()>& stop) {
    std::vector<std::size_t> settings(rival_->settings());
    std::iota(settings.begin(), settings.end(), std::size_t{0});
    const auto width = std::ssize(columns);
    std::vector<Matrix> held(settings.size(), Matrix::Constant(training.instances(), width, never));
    const Folds folds = stratified_folds(*training.labels, course.folds, options_.seed);
    const std::shared_ptr<const Rival> rival = sparing(course.at_once());
    Workers workers(course.threads);
    workers.run(folds.count * width, [&](Index job) {
      const auto fold = static_cast<int>(job / width);
      const Index column = job % width;
      const std::vector<Index> tested = folds.test(fold);
      const Dataset part = training.select(folds.train(fold));
      const Vector y = signs(*part.labels, columns[static_cast<std::size_t>(column)]);
      if (y.cwiseAbs().sum() == std::abs(y.sum())) return;  // one class alone
      Workers alone(1);
      const Machines machines = rival->train(part, y, settings, alone, stop);
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
  double there_;  ///< bytes, at the beginning: `bytes` always says the same
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
