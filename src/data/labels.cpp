#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>

#include "data/label_text.h"
#include "m3lak/dataset.h"
#include "m3lak/error.h"

namespace m3lak {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](unsigned char c) { return std::isspace(c) != 0; };
  while (!text.empty() && blank(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && blank(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

std::optional<double> as_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool means_unknown(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  static constexpr std::string_view words[] = {"", "na", "n/a", "nan", "null", "none", "?"};
  return std::find(std::begin(words), std::end(words), lower) != std::end(words);
}

/// The one spelling of a label by which it is known.
std::string canonical(std::string_view text) {
  const auto number = as_number(text);
  return number ? label_text(*number) : std::string(text);
}

}  // namespace

std::string label_text(double value) {
  return value == 0 ? "0" : fmt::format("{}", value);  // -0 is no other class
}

Labels Labels::from_texts(const std::vector<std::string>& texts,
                          const std::vector<std::string>& unknown_texts) {
  std::vector<std::string> also_unknown;
  for (const std::string& text : unknown_texts) also_unknown.push_back(canonical(trimmed(text)));

  std::vector<std::string> names;  // empty: unknown
  std::map<std::string, int> classes;
  for (const std::string& text : texts) {
    const std::string_view bare = trimmed(text);
    std::string name = means_unknown(bare) ? "" : canonical(bare);
    if (std::find(also_unknown.begin(), also_unknown.end(), name) != also_unknown.end()) name = "";
    if (!name.empty()) classes.emplace(name, 0);
    names.push_back(std::move(name));
  }

  Labels labels;
  for (const auto& [name, ignored] : classes) labels.classes.push_back(name);
  const auto& all = labels.classes;
  if (std::all_of(all.begin(), all.end(), [](const auto& name) { return as_number(name); })) {
    std::sort(labels.classes.begin(), labels.classes.end(),
              [](const auto& a, const auto& b) { return *as_number(a) < *as_number(b); });
  }
  for (std::size_t c = 0; c < all.size(); ++c) classes[all[c]] = static_cast<int>(c);
  for (const std::string& name : names) {
    labels.of.push_back(name.empty() ? unknown : classes[name]);
  }
  return labels;
}

std::vector<Index> Labels::counts() const {
  std::vector<Index> counts(classes.size(), 0);
  for (const int label : of) {
    if (label != unknown) ++counts[static_cast<std::size_t>(label)];
  }
  return counts;
}

Index Labels::unknown_count() const { return std::count(of.begin(), of.end(), unknown); }

void Labels::require_two_classes() const {
  if (classes.empty()) throw BadData("no instance has a label: there is nothing to learn from");
  if (classes.size() == 1) {
    throw BadData(
        fmt::format("all labels are '{}': at least two classes are needed", classes.front()));
  }
}

}  // namespace m3lak
