#include "study/representation.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "data/gram.h"
#include "m3lak/error.h"
#include "m3lak/scaling.h"
#include "predict/link.h"

namespace m3lak {

namespace {

constexpr std::array scalings = {Scaling::center, Scaling::standardize, Scaling::unit_length};
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

/// Inner products of each view's instances, with a mean squared norm of 1, and what that norm was.
struct Grams {
  std::vector<Matrix> of_view;
  Vector norms;
};

Grams grams(Dataset data, Scaling scaling) {
  Scaler::fit(data, scaling).apply(data);
  Grams all{{}, Vector(std::ssize(data.views))};
  for (const View& view : data.views) {
    Matrix K = products(view, view);
    const double norm = K.diagonal().mean();
    all.norms[std::ssize(all.of_view)] = norm;
    if (norm > 0) K /= norm;
    all.of_view.push_back(std::move(K));
  }
  return all;
}

Matrix kernel(const Grams& grams, const Vector& shares, double width) {
  Matrix K = shares[0] * grams.of_view[0];
  for (std::size_t v = 1; v < grams.of_view.size(); ++v) {
    K += shares[static_cast<Index>(v)] * grams.of_view[v];
  }
  return width > 0 ? radial(K, K.diagonal(), K.diagonal(), width) : K;
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
  Search(Workers& workers, const Dataset& labelled, const std::function<bool()>& stop)
      : workers_(workers),
        truth_(labelled.labels->of),
        targets_(targets(*labelled.labels)),
        stop_(stop) {}

  Found best(const Grams& grams) {
    const Index views = grams.norms.size();
    const Vector even = Vector::Constant(views, 1 / static_cast<double>(views));
    std::vector<Found> starts;
    for (const double width : widths) {
      starts.push_back({even, width});
      if (views > 1 && grams.norms.sum() > 0) {
        starts.push_back({grams.norms / grams.norms.sum(), width});
      }
    }
    workers_.run(std::ssize(starts),
                 [&](Index i) { try_ridges(grams, ridges, starts[static_cast<std::size_t>(i)]); });
    Found best = least(starts);
    for (int change = 0; change < most_changes && views > 1; ++change) {
      if (!reweigh(grams, best)) break;
    }
    return best;
  }

 private:
  static const Found& least(const std::vector<Found>& all) {
    return *std::ranges::min_element(all, {}, [](const Found& f) { return f.judgement.log_loss; });
  }

  /// Changes the weight of that view for which it helps most, if any clearly does.
  bool reweigh(const Grams& grams, Found& now) {
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
      try_ridges(grams, std::array{now.ridge}, others[static_cast<std::size_t>(i)]);
    });
    Found best = least(others);
    if (!(best.judgement.log_loss < now.judgement.log_loss) ||
        !is_clearly_better(best.judgement, now.judgement)) {
      return false;
    }
    try_ridges(grams, ridges, best);
    now = std::move(best);
    return true;
  }

  template <std::size_t count>
  void try_ridges(const Grams& grams, const std::array<double, count>& ridges, Found& found) {
    if (stop_ && stop_()) throw Stopped("stopped while scalings were compared");
    const Matrix K = kernel(grams, found.shares, found.width);
    for (const double ridge : ridges) {
      Judgement judgement = judge(leave_one_out(K, ridge, targets_), truth_);
      // A negative slope is an artefact of leaving one out where nothing was learned.
      if (judgement.link.slope <= 0 || !(judgement.log_loss < found.judgement.log_loss)) continue;
      found.ridge = ridge;
      found.judgement = std::move(judgement);
    }
  }

  Workers& workers_;
  const std::vector<int>& truth_;
  Matrix targets_;
  const std::function<bool()>& stop_;
};

}  // namespace

std::vector<Representation> representations(Workers& workers, const Dataset& labelled,
                                            const std::function<bool()>& stop) {
  Search search(workers, labelled, stop);
  std::vector<Representation> all;
  for (const Scaling scaling : scalings) {
    const Found found = search.best(grams(labelled, scaling));
    all.push_back({scaling, found.shares * static_cast<double>(found.shares.size()), found.width,
                   found.ridge, found.judgement.log_loss});
  }
  std::ranges::stable_sort(all, {}, &Representation::log_loss);
  return all;
}

// With G = (K + 11ᵀ + λI)⁻¹, the prediction of y_n by all others is y_n - (G y)_n / G_nn.
Matrix leave_one_out(const Matrix& K, double ridge, const Matrix& Y) {
  Matrix A = K.array() + 1;
  A.diagonal().array() += ridge;
  const Eigen::LLT<Matrix> factor(A);
  const Matrix inverse = factor.matrixL().solve(Matrix::Identity(A.rows(), A.cols()));
  const Vector diagonal = inverse.colwise().squaredNorm();
  return Y - (diagonal.cwiseInverse().asDiagonal() * factor.solve(Y));
}

}  // namespace m3lak
