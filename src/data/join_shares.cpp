#include "data/join_shares.h"

#include <fmt/format.h>

#include <span>
#include <string_view>

#include "data/join.h"
#include "data/settle.h"
#include "m3lak/error.h"

namespace m3lak {

namespace {

constexpr std::string_view remedy =
    "processes that share the instances out need all files in the same order; join them once, with "
    "the same options (m3lak convert … -o DATA.h5), and use what that writes";

template <class T>
void keep(std::vector<T>& all, Block rows) {
  if (all.empty()) return;
  all.erase(all.begin() + rows.end(), all.end());
  all.erase(all.begin(), all.begin() + rows.begin);
}

template <class T>
std::span<const T> part(const std::vector<T>& all, Block rows) {
  return std::span(all).subspan(static_cast<std::size_t>(rows.begin),
                                static_cast<std::size_t>(rows.size));
}

void check_counts(const std::vector<Table>& views, const std::optional<LabelTable>& labels) {
  const Table& first = views.front();
  for (const Table& table : views) {
    if (*table.total == *first.total) continue;
    throw BadData(fmt::format("{} has {} rows and {} has {}: {}", first.origin, *first.total,
                              table.origin, *table.total, remedy));
  }
  if (labels && static_cast<Index>(labels->texts.size()) != *first.total) {
    throw BadData(fmt::format("{} has {} labels, but {} has {} rows: {}", labels->origin,
                              labels->texts.size(), first.origin, *first.total, remedy));
  }
  if (*first.total == 0) throw BadData("the data has no instances");
}

/// The names of this process's rows, on which all files that have any must agree.
class Names {
 public:
  explicit Names(Index first) : first_(first) {}

  void add(std::span<const std::string> ids, const std::string& origin) {
    if (ids.empty()) return;
    if (names_.empty()) {
      names_.assign(ids.begin(), ids.end());
      origin_ = origin;
    }
    for (std::size_t n = 0; n < ids.size(); ++n) {
      if (ids[n] == names_[n]) continue;
      throw BadData(fmt::format("{}: data row {} is '{}', but in {} it is '{}': {}", origin,
                                first_ + static_cast<Index>(n) + 1, ids[n], origin_, names_[n],
                                remedy));
    }
  }

  std::vector<std::string> take() && { return std::move(names_); }

 private:
  Index first_;
  std::vector<std::string> names_;
  std::string origin_;
};

}  // namespace

void cut_to_share(Table& table, Share share) {
  if (table.total) return;
  table.total = table.rows();
  const Block own = own_instances(*table.total, share);
  std::visit(
      [&](auto& matrix) {
        matrix = std::remove_cvref_t<decltype(matrix)>(matrix.middleRows(own.begin, own.size));
      },
      table.values);
  keep(table.ids, own);
  keep(table.absent, own);
}

Dataset join_shares(std::vector<Table> views, const std::optional<LabelTable>& labels,
                    const std::vector<std::string>& unknown_labels, Share share) {
  name_views(views);
  check_counts(views, labels);
  const Block own = own_instances(*views.front().total, share);
  Names names(own.begin);
  for (const Table& table : views) names.add(table.ids, table.origin);
  if (labels && !labels->ids.empty()) names.add(part(labels->ids, own), labels->origin);

  Dataset data;
  data.instance_names = std::move(names).take();
  for (Table& table : views) data.views.push_back(view_of(std::move(table)));
  if (labels) {
    data.labels = Labels::from_texts(labels->texts, unknown_labels);
    keep(data.labels->of, own);
  }
  settle_share(data, own.begin);
  return data;
}

}  // namespace m3lak
