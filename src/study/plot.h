// Lines with error bars, as an SVG picture for a page or a slide.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "m3lak/export.h"

namespace m3lak {

struct Series {
  std::string name;
  std::vector<double> x, y;
  std::vector<double> error = {};  ///< half the length of each bar; empty: none
};

struct Plot {
  std::string title, x_title, y_title;
  std::vector<Series> series;
  bool logarithmic_x = false;
  bool logarithmic_y = false;
  double least = -INFINITY, most = INFINITY;  ///< of y; bars end there
};

/// Points that are not finite are left out (and those that are not positive, on a logarithmic
/// axis).
M3LAK_API std::string svg(const Plot& plot);

/// Several plots beside each other.
M3LAK_API std::string svg(const std::vector<Plot>& plots);

}  // namespace m3lak
