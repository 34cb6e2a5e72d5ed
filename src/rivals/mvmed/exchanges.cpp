#include "rivals/mvmed/exchanges.h"

#include <algorithm>
#include <cmath>

namespace m3lak::med {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The steepest walks from one place: row k has those of k exchanges, column p those that end at p.
struct Walks {
  Walks(const Exchanges& exchanges, Index root)
      : slopes(Matrix::Constant(exchanges.places() + 1, exchanges.places(), -infinity)),
        before(Eigen::MatrixXi::Zero(exchanges.places() + 1, exchanges.places())) {
    slopes(0, root) = 0;
    for (Index k = 1; k < slopes.rows(); ++k) {
      for (Index from = 0; from < slopes.cols(); ++from) {
        for (Index to = 0; to < slopes.cols(); ++to) {
          if (to == from) continue;
          const double slope = slopes(k - 1, from) + exchanges(from, to).slope;
          if (!(slope > slopes(k, to))) continue;
          slopes(k, to) = slope;
          before(k, to) = static_cast<int>(from);
        }
      }
    }
  }

  Cycle closed(const Exchanges& exchanges, Index root, Index length) const {
    Cycle cycle;
    Index to = root;
    for (Index k = length; k > 0; --k) {
      cycle.push_back(exchanges(before(k, to), to));
      to = before(k, to);
    }
    std::ranges::reverse(cycle);
    return cycle;
  }

  Matrix slopes;
  Eigen::MatrixXi before;
};

}  // namespace

double slope_of(const Cycle& cycle) {
  double sum = 0;
  for (const Exchange& exchange : cycle) sum += exchange.slope;
  return sum;
}

// A closed walk that visits a place twice is made of shorter ones, and its mean is between theirs.
// So the first of the largest mean, shorter ones first, is a cycle; the margin is for rounding.
Cycle Exchanges::steepest_cycle() const {
  constexpr double clearly = 1e-9;
  std::vector<Walks> from;
  for (Index root = 0; root < places_; ++root) from.emplace_back(*this, root);
  double best = 0;
  Cycle cycle;
  for (Index length = 2; length <= places_; ++length) {
    for (Index root = 0; root < places_; ++root) {
      const Walks& walks = from[static_cast<std::size_t>(root)];
      const double mean = walks.slopes(length, root) / static_cast<double>(length);
      const bool is_best =
          cycle.empty() ? mean > -infinity : mean > best + clearly * std::abs(best);
      if (!is_best) continue;
      best = mean;
      cycle = walks.closed(*this, root, length);
    }
  }
  return cycle;
}

// The steepest walk from 0 to p bounds b_p from below, that from p to 0 bounds it from above; the
// bounds are such b themselves, and so is their mean. Walks of all places' number suffice.
Vector Exchanges::potentials() const {
  Vector b = Vector::Zero(places_);
  const Vector lower = Walks(*this, 0).slopes.colwise().maxCoeff();
  for (Index place = 1; place < places_; ++place) {
    b[place] = (lower[place] - Walks(*this, place).slopes.col(0).maxCoeff()) / 2;
  }
  return b;
}

}  // namespace m3lak::med
