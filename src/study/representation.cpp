#include "study/representation.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "data/dense_view.h"
#include "data/gram.h"
#include "data/row_scaling.h"
#include "m3lak/error.h"
#include "m3lak/scaling.h"
#include "predict/link.h"

namespace m3lak {

namespace {

constexpr std::array scalings = {Scaling::center,           Scaling::standardize,
                                 Scaling::unit_length,      Scaling::root_center,
                                 Scaling::root_standardize, Scaling::root_unit_length};
constexpr std::array widths = {0.0, 1.0 / 16, 1.0 / 4, 1.0, 4.0};
constexpr std::array ridges = {1e-3, 1e-2, 1e-1, 1.0, 10.0};

/// By how much the weight of a view is changed at once, and how often at the most.
constexpr double factor = 4;
constexpr int most_changes = 6;

/// +1 for the class, -1 for all others.
Matrix targets(const Labels& labels) {
  const auto classes = static_cast<Index>(labels.classes.size());
  const Index columns = classes == 2 ? 1 : classes;
  Matrix Y(std::ssize(labels.of), columns);
  for (Index n = 0; n < Y.rows(); ++n) {
    for (Index c = 0; c < columns; ++c) {
      Y(n, c) = labels.of[static_cast<std::size_t>(n)] == (columns == 1 ? 1 : c) ? 1 : -1;
    }
  }
  return Y;
}

/// Inner products, view by view, of instances that are learned from: among each other, and with
/// those that are held out, one column each. The former have a mean squared length of 1.
struct Split {
  std::vector<Index> held_out;
  Matrix targets;  ///< of the others
  std::vector<Matrix> own, across;
  std::vector<Vector> lengths;  ///< squared, of those held out
  Vector norms;                 ///< what the mean squared length of each view was
};

Split split(const Dataset& labelled, const Matrix& targets, const Folds& folds, int fold,
            Scaling scaling) {
  const std::vector<Index> rows = folds.train(fold);
  Split split{folds.test(fold), targets(rows, Eigen::all), {}, {}, {}, {}};
  Dataset training = labelled.select(rows), held_out = labelled.select(split.held_out);
  const Scaler scaler = Scaler::fit(training, scaling);
  scaler.apply(training);
  scaler.apply(held_out);
  split.norms.resize(std::ssize(training.views));
  for (std::size_t v = 0; v < training.views.size(); ++v) {
    const View &x = training.views[v], &y = held_out.views[v];
    split.own.push_back(products(x, x));
    split.across.push_back(products(x, y));
    split.lengths.push_back(rows_of(y).rowwise().squaredNorm());
    const double norm = split.own.back().diagonal().mean();
    split.norms[static_cast<Index>(v)] = norm;
    if (!(norm > 0)) continue;
    split.own.back() /= norm;
    split.across.back() /= norm;
    split.lengths.back() /= norm;
  }
  return split;
}

template <class Values>
Values weighted(const std::vector<Values>& of_view, const Vector& shares) {
  Values sum = shares[0] * of_view[0];
  for (std::size_t v = 1; v < of_view.size(); ++v)
    sum += shares[static_cast<Index>(v)] * of_view[v];
  return sum;
}

/// With all views as one.
Split merged(Split split, const Vector& shares) {
  split.own = {weighted(split.own, shares)};
  split.across = {weighted(split.across, shares)};
  split.lengths = {weighted(split.lengths, shares)};
  split.norms = Vector::Ones(1);
  return split;
}

/// Among those learned from, and of these with those held out.
struct Kernel {
  Matrix own, across;
};

Kernel kernel(const Split& split, const Vector& shares, double width) {
  Kernel K{weighted(split.own, shares), weighted(split.across, shares)};
  if (width == 0) return K;
  const Vector own = K.own.diagonal(), held_out = weighted(split.lengths, shares);
  return {radial(K.own, own, own, width), radial(K.across, own, held_out, width)};
}

/// Whether roots are anything but the values themselves, as those of 0 and 1 are.
bool has_roots(const View& view) {
  const auto differ = [](const auto& values) {
    return (values.array().abs() != values.array().abs().sqrt() && values.array() == values.array())
        .any();
  };
  if (view.is_sparse()) {
    return differ(Eigen::Map<const Vector>(view.sparse().valuePtr(), view.sparse().nonZeros()));
  }
  bool any = false;
  for_each_dense_block(view, [&](const auto& rows, Index) { any |= differ(rows); });
  return any;
}

const Judgement nothing = {{}, {}, 0, std::numeric_limits<double>::infinity()};

struct Found {
  Vector shares;  ///< of each view in the squared length; they add up to 1
  double width = 0, ridge = 1;
  Judgement judgement = nothing;
};

/// Whether b predicts better than a, beyond the standard error of the difference (and rounding).
bool is_clearly_better(const Judgement& b, const Judgement& a) {
  const Vector gain = b.p.array().log() - a.p.array().log();
  const auto count = static_cast<double>(gain.size());
  const double mean = gain.mean();
  constexpr double negligible = 1e-6;
  return mean > negligible + std::sqrt((gain.array() - mean).square().mean() / count);
}

class Search {
 public:
  Search(Workers& workers, const Dataset& labelled, const Folds& folds,
         const std::function<bool()>& stop)
      : workers_(workers),
        labelled_(labelled),
        targets_(targets(*labelled.labels)),
        folds_(folds),
        stop_(stop) {}

  Found best(Scaling scaling) {
    splits_.resize(static_cast<std::size_t>(folds_.count));
    workers_.run(folds_.count, [&](Index i) {
      splits_[static_cast<std::size_t>(i)] =
          split(labelled_, targets_, folds_, static_cast<int>(i), scaling);
    });
    const Vector& norms = splits_.front().norms;
    const Index views = norms.size();
    const Vector even = Vector::Constant(views, 1 / static_cast<double>(views));
    std::vector<Found> starts;
    for (const double width : widths) {
      starts.push_back({even, width});
      if (views > 1 && norms.sum() > 0) starts.push_back({norms / norms.sum(), width});
    }
    workers_.run(std::ssize(starts),
                 [&](Index i) { try_ridges(ridges, starts[static_cast<std::size_t>(i)]); });
    Found best = least(starts);
    for (int change = 0; change < most_changes && views > 1; ++change) {
      if (!reweigh(best)) break;
    }
    return best;
  }

  /// The views weighed as they were, the width a step away at the most.
  Found near(const Representation& known) {
    const Vector shares = known.variances / known.variances.sum();
    splits_.resize(static_cast<std::size_t>(folds_.count));
    workers_.run(folds_.count, [&](Index i) {
      splits_[static_cast<std::size_t>(i)] =
          merged(split(labelled_, targets_, folds_, static_cast<int>(i), known.scaling), shares);
    });
    const auto at = std::ranges::find(widths, known.width);
    std::vector<Found> steps;
    for (auto width = at == widths.begin() ? at : at - 1; width != widths.end() && width <= at + 1;
         ++width) {
      steps.push_back({Vector::Ones(1), *width});
    }
    workers_.run(std::ssize(steps),
                 [&](Index i) { try_ridges(ridges, steps[static_cast<std::size_t>(i)]); });
    Found best = least(steps);
    best.shares = shares;
    return best;
  }

 private:
  static const Found& least(const std::vector<Found>& all) {
    return *std::ranges::min_element(all, {}, [](const Found& f) { return f.judgement.log_loss; });
  }

  /// Changes the weight of that view for which it helps most, if any clearly does.
  bool reweigh(Found& now) {
    std::vector<Found> others;
    for (Index v = 0; v < now.shares.size(); ++v) {
      for (const double by : {factor, 1 / factor}) {
        Found& other = others.emplace_back(now);
        other.shares[v] *= by;
        other.shares /= other.shares.sum();
        other.judgement = nothing;
      }
    }
    workers_.run(std::ssize(others), [&](Index i) {
      try_ridges(std::array{now.ridge}, others[static_cast<std::size_t>(i)]);
    });
    Found best = least(others);
    if (!(best.judgement.log_loss < now.judgement.log_loss) ||
        !is_clearly_better(best.judgement, now.judgement)) {
      return false;
    }
    try_ridges(ridges, best);
    now = std::move(best);
    return true;
  }

  template <std::size_t count>
  void try_ridges(const std::array<double, count>& ridges, Found& found) {
    std::array<Matrix, count> scores;
    scores.fill(Matrix(targets_.rows(), targets_.cols()));
    for (const Split& split : splits_) {
      if (stop_ && stop_()) throw Stopped("stopped while scalings were compared");
      const Kernel K = kernel(split, found.shares, found.width);
      for (std::size_t i = 0; i < count; ++i) {
        scores[i](split.held_out, Eigen::all) =
            ridge_scores(K.own, K.across, ridges[i], split.targets);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      Judgement judgement = judge(scores[i], labelled_.labels->of);
      // Where nothing was learned, held-out scores may even have the wrong sign.
      if (judgement.link.slope <= 0 || !(judgement.log_loss < found.judgement.log_loss)) continue;
      found.ridge = ridges[i];
      found.judgement = std::move(judgement);
    }
  }

  Workers& workers_;
  const Dataset& labelled_;
  Matrix targets_;
  const Folds& folds_;
  const std::function<bool()>& stop_;
  std::vector<Split> splits_;
};

/// What was found for each scaling, in the order of what it adds to those before it.
class Ordered {
 public:
  explicit Ordered(Index instances) : p_(instances, 0) {}

  void add(Scaling scaling, Found found) {
    all_.push_back({scaling, found.shares * static_cast<double>(found.shares.size()), found.width,
                    found.ridge, found.judgement.log_loss});
    p_.conservativeResize(Eigen::NoChange, p_.cols() + 1);
    // Of what has learned nothing there are no probabilities: it knows no class from another.
    const bool learned = found.judgement.p.size() > 0;
    p_.rightCols(1) = learned ? found.judgement.p : Vector::Constant(p_.rows(), 0.5);
  }

  std::vector<Representation> representations() const {
    std::vector<Representation> ordered;
    for (const Index k : order_of_gain(p_)) ordered.push_back(all_[static_cast<std::size_t>(k)]);
    return ordered;
  }

 private:
  std::vector<Representation> all_;
  Matrix p_;
};

}  // namespace

std::vector<Representation> representations(Workers& workers, const Dataset& labelled,
                                            const Folds& folds, const std::function<bool()>& stop) {
  Search search(workers, labelled, folds, stop);
  const bool any_roots = std::ranges::any_of(labelled.views, has_roots);
  Ordered all(labelled.instances());
  for (const Scaling scaling : scalings) {
    if (row_scaling_of(scaling).root && !any_roots) continue;
    all.add(scaling, search.best(scaling));
  }
  return all.representations();
}

std::vector<Representation> refined(Workers& workers, const std::vector<Representation>& known,
                                    const Dataset& labelled, const Folds& folds,
                                    const std::function<bool()>& stop) {
  Search search(workers, labelled, folds, stop);
  Ordered all(labelled.instances());
  for (const Representation& each : known) all.add(each.scaling, search.near(each));
  return all.representations();
}

// The constant is one more feature that all share: k + 1.
Matrix ridge_scores(const Matrix& own, const Matrix& across, double ridge, const Matrix& Y) {
  Matrix A = own.array() + 1;
  A.diagonal().array() += ridge;
  return (across.array() + 1).matrix().transpose() * A.llt().solve(Y);
}

}  // namespace m3lak
