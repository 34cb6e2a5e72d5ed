// A law on the line by brute force: an unnormalised log density, integrated over a grid.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace m3lak {

class GridLaw {
 public:
  GridLaw(const std::function<double(double)>& log_density, double low, double high,
          std::size_t cells = 20000)
      : low_(low), width_((high - low) / static_cast<double>(cells)), sums_(cells + 1, 0.0) {
    std::vector<double> logs(cells);
    for (std::size_t i = 0; i < cells; ++i) {
      logs[i] = log_density(low + (static_cast<double>(i) + 0.5) * width_);
    }
    const double top = *std::ranges::max_element(logs);
    for (std::size_t i = 0; i < cells; ++i) sums_[i + 1] = sums_[i] + std::exp(logs[i] - top);
  }

  double operator()(double x) const {
    const double place = (x - low_) / width_;
    if (place <= 0) return 0;
    const auto cell = static_cast<std::size_t>(place);
    if (cell + 1 >= sums_.size()) return 1;
    const double part = place - static_cast<double>(cell);
    return ((1 - part) * sums_[cell] + part * sums_[cell + 1]) / sums_.back();
  }

  double quantile(double p) const {
    const auto above = std::ranges::upper_bound(sums_, p * sums_.back()) - sums_.begin();
    const auto cell = static_cast<std::size_t>(above) - 1;
    const double part = (p * sums_.back() - sums_[cell]) / (sums_[cell + 1] - sums_[cell]);
    return low_ + width_ * (static_cast<double>(cell) + part);
  }

 private:
  double low_, width_;
  std::vector<double> sums_;
};

}  // namespace m3lak
