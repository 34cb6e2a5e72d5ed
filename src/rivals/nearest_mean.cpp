#include "rivals/nearest_mean.h"

#include <cmath>
#include <limits>
#include <utility>

#include "data/dense_view.h"
#include "data/labelled.h"
#include "m3lak/scaling.h"

namespace m3lak {

namespace {

/// Calls visit(feature, value) for each stored cell of a row, unknown ones included.
template <class Visit>
void for_each_stored(const View& view, Index row, const Visit& visit) {
  if (view.is_sparse()) {
    for (SparseMatrix::InnerIterator cell(view.sparse(), row); cell; ++cell) {
      visit(cell.col(), cell.value());
    }
  } else {
    with_dense(view, [&](const auto& values) {
      for (Index d = 0; d < values.cols(); ++d) visit(d, static_cast<double>(values(row, d)));
    });
  }
}

/// The classes' means in one view. A sparse view's offset is left in both, means and rows: it does
/// not change their distances.
struct ViewMeans {
  Matrix means;          ///< one row a class
  Vector squared_norms;  ///< of each class
};

ViewMeans means_of(const View& view, const Labels& labels) {
  const auto classes = static_cast<Index>(labels.classes.size());
  Matrix sums = Matrix::Zero(classes, view.features()), unknown = sums;
  Vector members = Vector::Zero(classes);
  for (Index n = 0; n < view.instances(); ++n) {
    const int c = labels.of[static_cast<std::size_t>(n)];
    if (c == Labels::unknown || !view.has(n)) continue;
    ++members[c];
    for_each_stored(view, n, [&](Index d, double value) {
      const bool is_unknown = std::isnan(value);
      (is_unknown ? unknown : sums)(c, d) += is_unknown ? 1 : value;
    });
  }
  ViewMeans result{std::move(sums), {}};
  for (Index d = 0; d < view.features(); ++d) {
    // A class of which nothing is known here gets the mean of all, which scaling has made 0.
    const double overall = view.offset.size() > 0 ? view.offset[d] : 0;
    for (Index c = 0; c < classes; ++c) {
      const double known = members[c] - unknown(c, d);
      result.means(c, d) = known > 0 ? result.means(c, d) / known : overall;
    }
  }
  result.squared_norms = result.means.rowwise().squaredNorm();
  return result;
}

/// Squared distances of an instance to the classes, and over how many known cells they are sums.
struct Distances {
  Vector squared;
  double cells = 0;
};

void add_distances(const View& view, const ViewMeans& view_means, Index row, Distances& sum) {
  if (!view.has(row)) return;
  // As if all cells were zero, and then the stored ones as they are.
  sum.squared += view_means.squared_norms;
  sum.cells += static_cast<double>(view.features());
  for_each_stored(view, row, [&](Index d, double value) {
    const auto means = view_means.means.col(d).array();
    if (std::isnan(value)) {
      sum.squared.array() -= means.square();
      sum.cells -= 1;
    } else {
      sum.squared.array() += value * (value - 2 * means);
    }
  });
}

Prediction decide(const Matrix& distances) {
  Prediction prediction;
  prediction.probability.resize(distances.rows(), distances.cols());
  for (Index n = 0; n < distances.rows(); ++n) {
    Index nearest = 0;
    const double least = distances.row(n).minCoeff(&nearest);
    prediction.label.push_back(static_cast<int>(nearest));
    // As if each class were a Gaussian of unit variance: it orders the classes, but is not
    // calibrated.
    const Eigen::RowVectorXd weight = (-0.5 * (distances.row(n).array() - least)).exp();
    prediction.probability.row(n) = weight / weight.sum();
  }
  if (distances.cols() == 2) {
    prediction.score = distances.col(0) - distances.col(1);
  } else {
    prediction.score = -distances;
  }
  prediction.spread = Matrix::Zero(prediction.score.rows(), prediction.score.cols());
  prediction.latent.resize(distances.rows(), 0);
  return prediction;
}

class NearestMean : public Classifier {
 public:
  void fit(const Dataset& data, int, const std::function<bool()>&) override {
    Dataset training = labelled(data, "nearest mean");
    members_ = training.labels->counts();
    scaler_ = Scaler::fit(data, Scaling::standardize);
    scaler_.apply(training);
    means_.clear();
    for (const View& view : training.views) means_.push_back(means_of(view, *training.labels));
  }

  Prediction predict(const Dataset& data, int) const override {
    Dataset test{data.views, {}, {}};
    scaler_.apply(test);
    return decide(distances(test));
  }

 private:
  /// Mean squared distance, over the features that the instance has, to each class. Infinite for a
  /// class without members.
  Matrix distances(const Dataset& test) const {
    Matrix all = Matrix::Zero(test.instances(), std::ssize(members_));
    for (Index n = 0; n < test.instances(); ++n) {
      Distances sum{Vector::Zero(all.cols()), 0};
      for (std::size_t v = 0; v < means_.size(); ++v) {
        add_distances(test.views[v], means_[v], n, sum);
      }
      if (sum.cells > 0) all.row(n) = sum.squared.transpose().cwiseMax(0) / sum.cells;
    }
    for (std::size_t c = 0; c < members_.size(); ++c) {
      if (members_[c] > 0) continue;
      all.col(static_cast<Index>(c)).setConstant(std::numeric_limits<double>::infinity());
    }
    return all;
  }

  Scaler scaler_{Scaling::none, {}};
  std::vector<Index> members_;
  std::vector<ViewMeans> means_;
};

}  // namespace

std::unique_ptr<Classifier> nearest_mean() { return std::make_unique<NearestMean>(); }

}  // namespace m3lak
