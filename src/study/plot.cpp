#include "study/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace m3lak {

namespace {

constexpr double width = 460, height = 340, right = 20, bottom = 54;
constexpr double a_character = 7;  // about

/// Of more points the line is enough, and a thin one.
constexpr std::size_t most_dots = 60;

// Okabe and Ito's colours, which the colour-blind can tell apart.
constexpr std::array colours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                "#E69F00", "#56B4E9", "#000000", "#999999"};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// From data to picture, along one direction.
class Axis {
 public:
  explicit Axis(bool logarithmic) : log_(logarithmic) {}

  bool takes(double value) const { return std::isfinite(value) && (!log_ || value > 0); }

  void include(double value) {
    if (!takes(value)) return;
    low_ = std::min(low_, of(value));
    high_ = std::max(high_, of(value));
  }

  /// With some room on both sides, once all values are known.
  void settle() {
    if (low_ > high_) low_ = 0, high_ = 1;
    const double room = high_ > low_ ? 0.05 * (high_ - low_) : std::max(0.5, std::abs(low_) / 10);
    low_ -= room;
    high_ += room;
  }

  /// Where it lies in the picture.
  void place(double from, double to) {
    from_ = from;
    to_ = to;
  }

  double operator()(double value) const {
    return from_ + (of(value) - low_) / (high_ - low_) * (to_ - from_);
  }

  struct Tick {
    double value;
    std::string text;
  };

  /// Round values, about five, with as many digits as tell them apart.
  std::vector<Tick> ticks() const {
    const double span = high_ - low_, power = std::pow(10, std::floor(std::log10(span / 4)));
    double step = 10 * power;
    for (const double factor : {5.0, 2.0, 1.0}) {
      if (span / (factor * power) <= 6) step = factor * power;
    }
    const double decimals = std::max(0.0, -std::floor(std::log10(step) + 1e-9));
    const bool is_plain =
        !log_ && decimals <= 6 && std::max(std::abs(low_), std::abs(high_)) < 1e12;
    std::vector<Tick> all;
    for (double at = std::ceil(low_ / step) * step; at <= high_; at += step) {
      const double rounded = std::abs(at) < step / 1e6 ? 0 : at;
      const double value = log_ ? std::pow(10, rounded) : rounded;
      all.push_back({value, is_plain ? fmt::format("{:.{}f}", value, static_cast<int>(decimals))
                                     : fmt::format("{:g}", value)});
    }
    return all;
  }

 private:
  double of(double value) const { return log_ ? std::log10(value) : value; }

  double from_ = 0, to_ = 1;
  bool log_;
  double low_ = INFINITY, high_ = -INFINITY;
};

class Picture {
 public:
  explicit Picture(const Plot& plot) : plot_(plot), x_(plot.logarithmic_x), y_(plot.logarithmic_y) {
    for (const Series& series : plot.series) {
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        const auto [low, high] = bar(series, i);
        x_.include(series.x[i]);
        y_.include(low);
        y_.include(high);
      }
    }
    x_.settle();
    y_.settle();
    top_ = 40 + legend_line * lines_of_legend();
    std::size_t longest = 0;
    for (const Axis::Tick& tick : y_.ticks()) longest = std::max(longest, tick.text.size());
    left_ = 38 + a_character * static_cast<double>(longest);
    x_.place(left_, width - right);
    y_.place(height - bottom, top_);
  }

  std::string text() {
    frame();
    for (std::size_t s = 0; s < plot_.series.size(); ++s) {
      draw(plot_.series[s], colours[s % colours.size()]);
    }
    legend();
    return std::move(text_);
  }

 private:
  struct Bar {
    double low, high;
  };

  Bar bar(const Series& series, std::size_t i) const {
    const double y = series.y[i], error = series.error.empty() ? 0 : series.error[i];
    return {std::max(y - error, plot_.least), std::min(y + error, plot_.most)};
  }

  void write(double x, double y, const std::string& what, const std::string& style) {
    text_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, style, escaped(what));
  }

  void line(double x1, double y1, double x2, double y2, const std::string& style) {
    text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1,
                         y1, x2, y2, style);
  }

  void frame() {
    for (const auto& [value, number] : x_.ticks()) {
      line(x_(value), top_, x_(value), height - bottom, "stroke=\"#e6e6e6\"");
      write(x_(value), height - bottom + 18, number, "text-anchor=\"middle\"");
    }
    for (const auto& [value, number] : y_.ticks()) {
      line(left_, y_(value), width - right, y_(value), "stroke=\"#e6e6e6\"");
      write(left_ - 8, y_(value) + 4, number, "text-anchor=\"end\"");
    }
    text_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#666\"/>\n",
        left_, top_, width - left_ - right, height - top_ - bottom);
    const double middle = (left_ + width - right) / 2;
    write(middle, 24, plot_.title, "text-anchor=\"middle\" font-size=\"15\" font-weight=\"bold\"");
    write(middle, height - 14, plot_.x_title, "text-anchor=\"middle\"");
    text_ += fmt::format(
        "<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        (top_ + height - bottom) / 2, escaped(plot_.y_title));
  }

  void draw(const Series& series, const std::string& colour) {
    std::string path;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!x_.takes(series.x[i]) || !y_.takes(series.y[i])) continue;
      const double x = x_(series.x[i]), y = y_(series.y[i]);
      path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x, y);
      if (const auto [low, high] = bar(series, i); !series.error.empty() && y_.takes(low)) {
        line(x, y_(low), x, y_(high), fmt::format("stroke=\"{}\" stroke-opacity=\"0.5\"", colour));
      }
      if (series.x.size() > most_dots) continue;
      text_ +=
          fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x, y, colour);
    }
    text_ +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
                    path, colour, series.x.size() > most_dots ? 1 : 2);
  }

  /// Calls entry(series, x, line) of the legend, which stands between title and frame.
  template <class Entry>
  void for_legend(const Entry& entry) const {
    if (plot_.series.size() < 2) return;
    double x = legend_left;
    int line = 0;
    for (std::size_t s = 0; s < plot_.series.size(); ++s) {
      const double own = 48 + a_character * static_cast<double>(plot_.series[s].name.size());
      if (x > legend_left && x + own > width - right) {
        x = legend_left;
        ++line;
      }
      entry(s, x, line);
      x += own;
    }
  }

  int lines_of_legend() const {
    int lines = 0;
    for_legend([&](std::size_t, double, int line) { lines = line + 1; });
    return lines;
  }

  void legend() {
    for_legend([&](std::size_t s, double x, int at) {
      const double y = 40 + legend_line * at;
      line(x, y, x + 22, y,
           fmt::format("stroke=\"{}\" stroke-width=\"3\"", colours[s % colours.size()]));
      write(x + 28, y + 4, plot_.series[s].name, "");
    });
  }

  static constexpr double legend_left = 66, legend_line = 18;

  const Plot& plot_;
  Axis x_, y_;
  double left_ = 0, top_ = 0;
  std::string text_;
};

}  // namespace

std::string svg(const std::vector<Plot>& plots) {
  const double whole = width * static_cast<double>(std::max<std::size_t>(1, plots.size()));
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" "
      "fill=\"#222\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      whole, height);
  for (std::size_t i = 0; i < plots.size(); ++i) {
    text += fmt::format("<g transform=\"translate({} 0)\">\n{}</g>\n",
                        width * static_cast<double>(i), Picture(plots[i]).text());
  }
  return text + "</svg>\n";
}

std::string svg(const Plot& plot) { return svg(std::vector{plot}); }

}  // namespace m3lak
