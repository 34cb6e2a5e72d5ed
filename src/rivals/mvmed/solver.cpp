#include "rivals/mvmed/solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "numeric/lanes.h"
#include "rivals/rival.h"

namespace m3lak::med {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A share of c below which a λ is 0, and below which it says nothing about the bias.
constexpr double nothing = 1e-14, too_little = 1e-8;

/// So many that it is worth waking a worker; whole lanes.
constexpr Index instances_a_block = 4096;

constexpr Index renew_after = 8192, look_at_stop_after = 128;  // steps

/// So many instances that vector registers are full.
Index padded(Index instances) {
  constexpr Index at_once = lanes<double>;
  return (instances + at_once - 1) / at_once * at_once;
}

/// The largest of values that come a few at once, of equals the first, and its place. (Eigen finds
/// places one by one.)
class Largest {
 public:
  /// Those of places at, at + 1, …
  void see(const Lanes<double>& values, Index at) {
    const auto is_larger = values > values_;
    values_ = is_larger ? values : values_;
    places_ = is_larger ? all(static_cast<double>(at)) : places_;
  }

  std::pair<double, Index> found() const {
    std::pair<double, Index> best{-infinity, 0};
    for (int i = 0; i < lanes<double>; ++i) {
      const Index at = static_cast<Index>(places_[i]) + i;
      const bool is_first_of_equals = values_[i] == best.first && at < best.second;
      if (values_[i] > best.first || is_first_of_equals) best = {values_[i], at};
    }
    return best;
  }

 private:
  Lanes<double> values_ = all(-infinity), places_ = {};
};

/// Where an exchange of an instance of label y takes from.
Index source(const Exchange& exchange, double y) { return y > 0 ? exchange.from : exchange.to; }

/// A step of length d takes y_i d from the slack a_i of one instance and gives y_j d to that of
/// another. With the dual's slope at 0 and the kernels' curvature q, its slope at d is
///   slope - d (q + 1/(a_i (a_i - y_i d)) + 1/(a_j (a_j + y_j d))),
/// which falls with d.
struct SmoothLine {
  double slope, q;
  double a_i, y_i, a_j, y_j;

  /// Where the slope is 0, or `most` if it is not before: Newton's method between bounds.
  double top(double most) const {
    constexpr int most_rounds = 100;
    constexpr double small_enough = 1e-8;
    if (slope_at(most) >= 0) return most;
    double low = 0, high = most, d = std::min(slope / -derivative_at(0), most / 2);
    for (int round = 0; round < most_rounds; ++round) {
      const double here = slope_at(d);
      if (std::abs(here) <= small_enough * slope) break;
      (here > 0 ? low : high) = d;
      d -= here / derivative_at(d);
      if (!(d > low && d < high)) d = (low + high) / 2;
    }
    return d;
  }

  double slope_at(double d) const {
    return slope - d * (q + 1 / (a_i * (a_i - y_i * d)) + 1 / (a_j * (a_j + y_j * d)));
  }
  double derivative_at(double d) const {
    const double i = 1 / (a_i - y_i * d), j = 1 / (a_j + y_j * d);
    return -(q + i * i + j * j);
  }
};

}  // namespace

Solver::Solver(Workers& workers, Kernels& kernels, const Vector& y, const Rules& rules)
    : workers_(workers),
      kernels_(kernels),
      y_(y),
      rules_(rules),
      instances_(kernels.instances()),
      views_(kernels.views()),
      shares_(Matrix::Zero(instances_, views_ + 1)),
      sums_(Matrix::Zero(padded(instances_), views_)),
      target_(Vector::Zero(padded(instances_))),
      rises_(Matrix::Constant(padded(instances_), views_, -infinity)),
      falls_(rises_),
      steepest_rise_(static_cast<std::size_t>(views_)),
      steepest_fall_(static_cast<std::size_t>(views_)) {}

void Solver::set_c(double c) {
  shares_.col(0).array() += c - c_;
  c_ = c;
  for (Index t = 0; t < instances_; ++t) note(t);
  for (Index view = 0; view < views_; ++view) look_again(view);
}

void Solver::solve(const std::function<bool()>& stop) {
  for (Index count = 0; count < rules_.most_steps; ++count) {
    if (count % look_at_stop_after == 0) stop_if(stop);
    if (!step()) return;
  }
}

bool Solver::step() {
  const Cycle cycle = steepest();
  // Twice the mean: of a pair of instances, the difference of their G.
  if (cycle.empty() ||
      !(2 * slope_of(cycle) > rules_.tolerance * static_cast<double>(cycle.size()))) {
    return false;
  }
  move(cycle);
  if (++steps_ % renew_after == 0) renew_sums();
  return true;
}

// With the logarithm the views' shares are coupled smoothly, and exchanges with place 0 within one
// view suffice. In a box they do not: an instance that has given away all of its c can still move
// some from one view to another.
Cycle Solver::steepest() const {
  return rules_.box ? all_exchanges().steepest_cycle() : steepest_pair();
}

Cycle Solver::steepest_pair() const {
  Cycle best;
  double best_slope = -infinity;
  for (std::size_t view = 0; view < steepest_rise_.size(); ++view) {
    const Exchange &rise = steepest_rise_[view], &fall = steepest_fall_[view];
    if (!(rise.slope + fall.slope > best_slope)) continue;
    best_slope = rise.slope + fall.slope;
    best = {rise, fall};
  }
  return best;
}

/// After all G of the view have changed.
void Solver::look_again(Index view) {
  const Blocks blocks{target_.size(), instances_a_block};
  rises_of_block_.resize(static_cast<std::size_t>(blocks.number()));
  falls_of_block_.resize(rises_of_block_.size());
  for_each_block(workers_, blocks, [&](const Block& block) {
    Largest of_G, of_minus_G;
    for (Index t = block.begin; t < block.end(); t += lanes<double>) {
      const Lanes<double> G = load(&target_[t]) - load(&sums_(t, view));
      of_G.see(G + load(&rises_(t, view)), t);
      of_minus_G.see(load(&falls_(t, view)) - G, t);
    }
    const auto b = static_cast<std::size_t>(block.index);
    const auto [rise, rising] = of_G.found();
    const auto [fall, falling] = of_minus_G.found();
    rises_of_block_[b] = {rising, 0, view + 1, rise};
    falls_of_block_[b] = {falling, view + 1, 0, fall};
  });
  const auto v = static_cast<std::size_t>(view);
  steepest_rise_[v] = *std::ranges::max_element(rises_of_block_, {}, &Exchange::slope);
  steepest_fall_[v] = *std::ranges::max_element(falls_of_block_, {}, &Exchange::slope);
}

/// After G of one instance has changed: all others are looked at only if that was the steepest.
void Solver::look_again(Index view, Index t) {
  const auto is_still_known = [t](Exchange& steepest, double slope) {
    const bool is_first_of_equals = slope == steepest.slope && t < steepest.instance;
    if (slope > steepest.slope || is_first_of_equals) {
      steepest.slope = slope;
      steepest.instance = t;
    }
    return steepest.instance != t || slope == steepest.slope;
  };
  const auto v = static_cast<std::size_t>(view);
  const double slope = G(t, view + 1);
  const bool knows_rise = is_still_known(steepest_rise_[v], slope + rises_(t, view));
  const bool knows_fall = is_still_known(steepest_fall_[v], -slope + falls_(t, view));
  if (!knows_rise || !knows_fall) look_again(view);
}

Exchanges Solver::all_exchanges() const {
  Exchanges best(views_ + 1);
  for (Index from = 0; from <= views_; ++from) {
    for (Index to = 0; to <= views_; ++to) {
      if (to == from) continue;
      for (Index t = 0; t < instances_; ++t) {
        const Exchange exchange{t, from, to, G(t, to) - G(t, from)};
        const bool is_possible = shares_(t, source(exchange, y_[t])) > nothing * c_;
        if (is_possible && exchange.slope > best(from, to).slope) best(from, to) = exchange;
      }
    }
  }
  return best;
}

void Solver::move(const Cycle& cycle) {
  constexpr double almost_all = 1 - 1e-12;
  double most = infinity, q = 0;
  for (std::size_t k = 0; k < cycle.size(); ++k) {
    const Index i = cycle[k].instance, place = source(cycle[k], y_[i]);
    // The logarithm keeps some of the slack.
    most = std::min(most, shares_(i, place) * (place == 0 && !rules_.box ? almost_all : 1));
    if (cycle[k].to == 0) continue;
    const Index view = cycle[k].to - 1, j = cycle[(k + 1) % cycle.size()].instance;
    const auto of_i = kernels_.column(view, i), of_j = kernels_.column(view, j);
    q += std::max(0.0, of_i[i] + of_j[j] - 2 * of_i[j]);
  }

  const double slope = slope_of(cycle);
  double d = 0;
  if (rules_.box) {
    d = slope < q * most ? slope / q : most;
  } else {
    const Index i = cycle[0].instance, j = cycle[1].instance;
    d = SmoothLine{slope, q, shares_(i, 0), y_[i], shares_(j, 0), y_[j]}.top(most);
  }

  for (std::size_t k = 0; k < cycle.size(); ++k) {
    const Index i = cycle[k].instance;
    shares_(i, cycle[k].from) -= y_[i] * d;
    shares_(i, cycle[k].to) += y_[i] * d;
    const Index place = source(cycle[k], y_[i]);
    if ((place > 0 || rules_.box) && shares_(i, place) <= nothing * c_) shares_(i, place) = 0;
    if (cycle[k].to == 0) continue;
    const Index view = cycle[k].to - 1, j = cycle[(k + 1) % cycle.size()].instance;
    const auto of_i = kernels_.column(view, i), of_j = kernels_.column(view, j);
    for_each_block(workers_, {instances_, instances_a_block}, [&](const Block& block) {
      sums_.col(view).segment(block.begin, block.size) +=
          d * (of_i.segment(block.begin, block.size) - of_j.segment(block.begin, block.size));
    });
  }
  for (const Exchange& exchange : cycle) note(exchange.instance);
  if (rules_.box) return;
  const Index moved = cycle[0].to - 1;
  for (Index view = 0; view < views_; ++view) {
    if (view == moved) {
      look_again(view);
    } else {
      for (const Exchange& exchange : cycle) look_again(view, exchange.instance);
    }
  }
}

/// What follows from the shares of instance t.
void Solver::note(Index t) {
  target_[t] = rules_.box ? y_[t] : y_[t] * (1 - 1 / shares_(t, 0));
  for (Index view = 0; view < views_; ++view) {
    const bool has_some = shares_(t, view + 1) > nothing * c_;
    rises_(t, view) = y_[t] > 0 || has_some ? 0 : -infinity;
    falls_(t, view) = y_[t] < 0 || has_some ? 0 : -infinity;
  }
}

/// Without the rounding errors of many steps.
void Solver::renew_sums() {
  for (Index view = 0; view < views_; ++view) {
    sums_.col(view).head(instances_) = kernels_.sums(view, y_.cwiseProduct(lambda().col(view)));
    look_again(view);
  }
}

Vector Solver::biases() const {
  if (rules_.box) return all_exchanges().potentials().tail(views_);
  Vector b(views_);
  for (Index view = 0; view < views_; ++view) {
    double sum = 0;
    Index count = 0;
    for (Index t = 0; t < instances_; ++t) {
      if (!(lambda()(t, view) > too_little * c_)) continue;
      sum += G(t, view + 1);
      ++count;
    }
    b[view] = count > 0 ? sum / static_cast<double>(count)
                        : (steepest_rise_[static_cast<std::size_t>(view)].slope -
                           steepest_fall_[static_cast<std::size_t>(view)].slope) /
                              2;
  }
  return b;
}

}  // namespace m3lak::med
