#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "m3lak/error.h"
#include "m3lak/evaluate.h"

namespace m3lak {

namespace {

/// A class as the user spells it: 3.0 means the class 3.
std::size_t class_of(const Labels& labels, const std::string& text) {
  const std::vector<std::string> canonical = Labels::from_texts({text}).classes;
  for (std::size_t c = 0; c < labels.classes.size(); ++c) {
    if (labels.classes[c] == text) return c;
    if (!canonical.empty() && labels.classes[c] == canonical.front()) return c;
  }
  throw BadUsage(fmt::format("positive = '{}': there is no such class; there are {}", text,
                             fmt::join(labels.classes, ", ")));
}

}  // namespace

Labels one_against_rest(const Labels& labels, const std::vector<std::string>& positive) {
  std::vector<bool> is_positive(labels.classes.size(), false);
  for (const std::string& text : positive) is_positive[class_of(labels, text)] = true;

  std::vector<std::string> chosen;
  for (std::size_t c = 0; c < is_positive.size(); ++c) {
    if (is_positive[c]) chosen.push_back(labels.classes[c]);
  }
  if (chosen.empty()) throw BadUsage("positive: name one class at least");
  if (chosen.size() == labels.classes.size()) {
    throw BadUsage(fmt::format("positive = '{}': these are all classes; leave one out at least",
                               fmt::join(chosen, ",")));
  }
  const std::string name = fmt::format("{}", fmt::join(chosen, ","));
  Labels binary{{"not " + name, name}, {}};
  for (const int label : labels.of) {
    binary.of.push_back(label == Labels::unknown ? Labels::unknown
                                                 : is_positive[static_cast<std::size_t>(label)]);
  }
  return binary;
}

}  // namespace m3lak
