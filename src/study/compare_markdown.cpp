#include <fmt/format.h>

#include <cmath>

#include "m3lak/study.h"
#include "study/markdown.h"

namespace m3lak {

namespace {

struct Column {
  const char* title;
  double Measures::*measure;
  double factor;
  int digits;
  int better;  ///< +1: the larger, -1: the smaller; 0: neither is in bold
};

constexpr Column accuracy = {"Accuracy (%)", &Measures::accuracy, 100, 1, 1};
constexpr Column others[] = {
    {"AUC", &Measures::auc, 1, 3, 1},
    {"Log-loss", &Measures::log_loss, 1, 3, -1},
    {"Calibration error", &Measures::calibration_error, 1, 3, -1},
    {"Seconds a fold (training and prediction)", &Measures::seconds, 1, 2, 0},
};

class Tables {
 public:
  Tables(const std::vector<Cell>& cells, const std::vector<std::string>& sets,
         const std::vector<std::string>& methods)
      : cells_(cells), sets_(sets), methods_(methods) {}

  std::string of(const Column& column) const {
    TableRows rows = {heading()};
    std::vector<double> sums(methods_.size(), 0);
    for (const std::string& set : sets_) {
      std::vector<Summary> row;
      for (std::size_t k = 0; k < methods_.size(); ++k) {
        row.push_back(summary(cells_, set, methods_[k], column.measure));
        const Summary& last = row.back();
        sums[k] += last.folds > 0 ? last.mean : std::nan("");
      }
      rows.push_back({set});
      const std::vector<bool> best = best_of(row, column.better);
      for (std::size_t k = 0; k < row.size(); ++k) {
        rows.back().push_back(cell_text(row[k], column, best[k]));
      }
    }
    if (sets_.size() > 1) {
      rows.push_back({"average"});
      for (const double sum : sums) {
        const double mean = sum / static_cast<double>(sets_.size());
        rows.back().push_back(
            std::isnan(mean) ? "-" : fmt::format("{:.{}f}", column.factor * mean, column.digits));
      }
    }
    return fmt::format("## {}\n\n{}", column.title, markdown_table(rows));
  }

  std::string of_pairs() const {
    TableRows rows = {{"data", "method", "points", "corrected t: p", "Wilcoxon: p", "folds"}};
    for (const std::string& set : sets_) {
      for (std::size_t k = 1; k < methods_.size(); ++k) {
        const Paired pair = paired(cells_, set, methods_[k], methods_.front());
        if (pair.folds == 0) continue;
        rows.push_back({set, methods_[k], fmt::format("{:+.1f}", 100 * pair.difference),
                        fmt::format("{:.3f}", pair.resampled_t),
                        fmt::format("{:.3f}", pair.wilcoxon), fmt::format("{}", pair.folds)});
      }
    }
    if (rows.size() == 1) return "";
    return fmt::format("## Accuracy less that of {}, fold by fold\n\n{}", methods_.front(),
                       markdown_table(rows));
  }

 private:
  std::vector<std::string> heading() const {
    std::vector<std::string> row = {"data"};
    row.insert(row.end(), methods_.begin(), methods_.end());
    return row;
  }

  /// The best mean, and those that print the same are bold too if they are equal.
  static std::vector<bool> best_of(const std::vector<Summary>& row, int better) {
    std::vector<bool> best(row.size(), false);
    if (better == 0) return best;
    double most = -INFINITY;
    for (const Summary& each : row) {
      if (each.folds > 0) most = std::max(most, better * each.mean);
    }
    for (std::size_t k = 0; k < row.size(); ++k) {
      best[k] = row[k].folds > 0 && better * row[k].mean >= most - 1e-12;
    }
    return best;
  }

  static std::string cell_text(const Summary& summary, const Column& column, bool bold) {
    if (summary.folds == 0) return summary.failure.empty() ? "-" : summary.failure;
    const std::string text =
        fmt::format("{:.{}f} ± {:.{}f}", column.factor * summary.mean, column.digits,
                    column.factor * summary.deviation, column.digits);
    return bold ? "**" + text + "**" : text;
  }

  const std::vector<Cell>& cells_;
  const std::vector<std::string>& sets_;
  const std::vector<std::string>& methods_;
};

}  // namespace

std::string compare_markdown(const std::vector<Cell>& cells, const std::vector<std::string>& sets,
                             const std::vector<std::string>& methods) {
  const Tables tables(cells, sets, methods);
  std::string text = tables.of(accuracy);
  const std::string pairs = tables.of_pairs();
  if (!pairs.empty()) text += "\n" + pairs;
  for (const Column& column : others) text += "\n" + tables.of(column);
  return text;
}

}  // namespace m3lak
