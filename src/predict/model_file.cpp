#include "predict/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "data/checksum.h"
#include "m3lak/error.h"
#include "predict/model_layout.h"

namespace m3lak {

namespace {

using namespace model_file;

/// What is wrong with a file whose checksum may even be right. Caught where the name is known.
struct Damage {
  std::string what;
};

/// The bytes of a file, taken from the front.
class Input {
 public:
  explicit Input(std::string_view bytes) : left_(bytes) {}

  std::string_view take(std::uint64_t size) {
    if (size > left_.size()) throw Damage{"it ends too early"};
    const std::string_view taken = left_.substr(0, static_cast<std::size_t>(size));
    left_.remove_prefix(taken.size());
    return taken;
  }
  template <class Value>
  Value take_value() {
    Value value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::size_t left() const { return left_.size(); }

 private:
  std::string_view left_;
};

/// Reads arrays whose place and shape have been checked.
class ArrayReader {
 public:
  /// Matrices of draws are left where they are if their owner is known.
  ArrayReader(Input& input, std::shared_ptr<const void> owner)
      : input_(input), owner_(std::move(owner)) {}

  void begin(const std::string& name, const std::vector<Index>&) { name_ = name; }

  template <class Rows>
  void rows(Rows& matrix, Index rows, Index columns) {
    DenseMatrix numbers(rows, columns);
    const auto bytes = static_cast<std::size_t>(numbers.size()) * sizeof(double);
    const std::string_view from = input_.take(bytes);
    if (bytes > 0) std::memcpy(numbers.data(), from.data(), bytes);
    matrix = std::move(numbers);
  }
  void rows(Kept<DenseMatrix>& matrix, Index rows, Index columns) { keep(matrix, rows, columns); }
  void columns(Kept<Matrix>& matrix, Index rows, Index columns) { keep(matrix, rows, columns); }
  void number(double& value) { value = input_.take_value<double>(); }
  void flag(bool& value) { value = whole(2) == 1; }
  void scaling(Scaling& value) {
    value = static_cast<Scaling>(whole(static_cast<Index>(Scaling::automatic)));
  }
  void integer(int& value, Index limit) { value = static_cast<int>(whole(limit)); }
  void integers(std::vector<int>& values, Index size, Index limit) {
    values.resize(static_cast<std::size_t>(size));
    for (int& value : values) integer(value, limit);
  }
  void count(std::vector<FrequencyComponent>& components, Index most) {
    components.resize(static_cast<std::size_t>(whole(most + 1)));
  }
  void require(bool holds, const char* what) const {
    if (!holds) throw Damage{fmt::format("the numbers in '{}' do not fit", what)};
  }

 private:
  template <class Plain>
  void keep(Kept<Plain>& matrix, Index rows, Index columns) {
    const std::size_t bytes = static_cast<std::size_t>(rows * columns) * sizeof(double);
    const char* from = input_.take(bytes).data();
    if (owner_ && reinterpret_cast<std::uintptr_t>(from) % alignof(double) == 0) {
      matrix = Kept<Plain>(reinterpret_cast<const double*>(from), rows, columns, owner_);
    } else {
      Plain numbers(rows, columns);
      if (bytes > 0) std::memcpy(numbers.data(), from, bytes);
      matrix = std::move(numbers);
    }
  }

  /// An integer from 0 up to below `limit`.
  Index whole(Index limit) {
    const double value = input_.take_value<double>();
    require(value >= 0 && value < static_cast<double>(limit) && value == std::floor(value),
            name_.c_str());
    return static_cast<Index>(value);
  }

  Input& input_;
  std::shared_ptr<const void> owner_;
  std::string name_;
};

Index size_from(const Json& json) {
  if (!json.is_number_unsigned() ||
      json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
    throw Damage{"a size in its header is no size"};
  }
  return json.get<Index>();
}

std::string text_from(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  const auto bytes = json.get<std::vector<std::uint8_t>>();
  return {bytes.begin(), bytes.end()};
}

std::vector<std::string> texts_from(const Json& json) {
  std::vector<std::string> texts;
  for (const Json& text : json) texts.push_back(text_from(text));
  return texts;
}

Options options_from(const Json& settings, const std::string& file) {
  Options options;
  for (const auto& [name, value] : settings.items()) {
    try {
      set(options, name, value.get<std::string>());
    } catch (const BadUsage& error) {
      throw BadData(fmt::format("{}: has a setting that this m3lak does not know: {}; update m3lak",
                                file, error.what()));
    }
  }
  return options;
}

/// The first (or another) size of an array that the header lists.
Index length_of(const Json& header, const std::string& array, std::size_t dimension = 0) {
  for (const Json& entry : header.at("arrays")) {
    if (entry.at("name") == array) return size_from(entry.at("shape").at(dimension));
  }
  throw Damage{fmt::format("it has no array '{}'", array)};
}

Sizes sizes_from(const Json& header, const Model::Parts& parts) {
  Sizes sizes;
  for (const Json& view : header.at("views")) {
    sizes.features.push_back(size_from(view.at("features")));
  }
  sizes.latent = parts.options.latent;
  sizes.private_latent = parts.options.private_latent;
  sizes.frequencies = parts.options.features;
  sizes.weight_columns = weight_columns(parts.classes.size());
  sizes.directions = length_of(header, "linear_weights", 2);
  sizes.draws = length_of(header, "weight_precision");
  sizes.components = length_of(header, "component_weight");
  sizes.trace_rows = length_of(header, "trace");
  sizes.tried = length_of(header, "tried");
  sizes.probes = length_of(header, "probes", 1);
  return sizes;
}

/// Everything of the header but the arrays.
Model::Parts parts_from(const Json& header, const std::string& file) {
  Model::Parts parts;
  parts.options = options_from(header.at("settings"), file);
  parts.classes = texts_from(header.at("classes"));
  if (parts.classes.size() < 2) throw Damage{"it has fewer than two classes"};
  for (const Json& view : header.at("views")) {
    parts.feature_names.push_back(texts_from(view.at("feature_names")));
    const auto& names = parts.feature_names.back();
    if (!names.empty() && static_cast<Index>(names.size()) != size_from(view.at("features"))) {
      throw Damage{"the number of feature names does not fit the features"};
    }
  }
  parts.stopped_early = header.at("stopped_early").get<bool>();
  if (header.at("trace_columns") != Json(trace_columns())) {
    throw Damage{"its trace has other columns"};
  }
  return parts;
}

std::vector<Scaler::ViewScale> scales_from(const Json& header) {
  std::vector<Scaler::ViewScale> scales;
  for (const Json& view : header.at("views"))
    scales.push_back({text_from(view.at("name")), {}, {}});
  return scales;
}

void make_room(Model::Parts& parts, const Sizes& sizes) {
  parts.draws.resize(static_cast<std::size_t>(sizes.draws));
  for (Draw& draw : parts.draws) draw.views.resize(sizes.features.size());
  parts.directions.resize(sizes.features.size());
  parts.trace.resize(static_cast<std::size_t>(sizes.trace_rows));
  parts.tried.resize(static_cast<std::size_t>(sizes.tried));
}

/// Consumes the first line. Throws BadData unless it is that of a model of our format.
void check_opening(Input& input, std::string_view bytes, const std::string& file) {
  if (!bytes.starts_with(magic)) {
    throw BadData(
        fmt::format("{}: is not a model of m3lak (it does not begin with '{}'); give the file that "
                    "`m3lak train` wrote",
                    file, magic));
  }
  const std::size_t begin = std::string_view(magic).size();
  const std::size_t end = bytes.find('\n', begin);
  const std::string_view digits = bytes.substr(begin, std::min(end, bytes.size()) - begin);
  int found = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), found);
  if (end == std::string_view::npos || result.ec != std::errc() ||
      result.ptr != digits.data() + digits.size()) {
    throw Damage{"its first line names no format"};
  }
  if (found > format) {
    throw BadData(fmt::format(
        "{}: written by a newer m3lak (format {}); this one reads format {}: update m3lak", file,
        found, format));
  }
  if (found != format) throw Damage{fmt::format("there is no format {}", found)};
  input.take(end + 1);
}

/// The bytes without their checksum.
std::string_view intact(std::string_view bytes) {
  const auto body = checked(bytes);
  if (!body) throw Damage{"its checksum does not fit its contents"};
  return *body;
}

/// What is more than its settings allow in memory stays in the file.
bool is_too_large(std::size_t bytes, const Options& options) {
  return bytes >> 20 > static_cast<std::size_t>(options.draws_memory);
}

/// One fit, and how many others follow it.
std::pair<Model::Parts, Index> parse_fit(Input& input, const std::string& file,
                                         const std::shared_ptr<const void>& owner,
                                         std::size_t bytes) {
  const Json header = Json::parse(input.take(input.take_value<std::uint64_t>()));
  const Index others = size_from(header.at("others"));

  Model::Parts parts = parts_from(header, file);
  const Sizes sizes = sizes_from(header, parts);
  const Plan plan(sizes);
  if (header.at("arrays") != plan.arrays() || plan.bytes() > input.left() ||
      (others == 0 && plan.bytes() != input.left())) {
    throw Damage{"its arrays do not fit its settings"};
  }
  make_room(parts, sizes);
  std::vector<Scaler::ViewScale> scales = scales_from(header);
  ArrayReader arrays(input, is_too_large(bytes, parts.options) ? owner : nullptr);
  exchange(arrays, parts, scales, sizes);
  parts.scaler = Scaler(scaling_of(header.at("scaling").get<std::string>()), std::move(scales));
  return {std::move(parts), others};
}

/// Whether two fits can predict together.
bool fit_together(const Model::Parts& a, const Model::Parts& b) {
  const auto& views = a.scaler.views();
  return a.classes == b.classes && a.feature_names == b.feature_names &&
         std::ranges::equal(views, b.scaler.views(), [](const auto& x, const auto& y) {
           return x.name == y.name && x.mean.size() == y.mean.size();
         });
}

Model::Parts parse(std::string_view bytes, const std::string& file,
                   const std::shared_ptr<const void>& owner) {
  Input opening(bytes);
  check_opening(opening, bytes, file);
  Input input(intact(bytes));
  input.take(bytes.size() - opening.left());
  auto [parts, others] = parse_fit(input, file, owner, bytes.size());
  for (Index left = others - 1; left >= 0; --left) {
    auto [other, more] = parse_fit(input, file, owner, bytes.size());
    if (more != left || !fit_together(parts, other)) throw Damage{"its fits do not fit together"};
    parts.others.push_back(std::make_shared<const Model::Parts>(std::move(other)));
  }
  return std::move(parts);
}

}  // namespace

Model::Parts read_model(std::string_view bytes, const std::string& file,
                        const std::shared_ptr<const void>& owner) {
  const auto damaged = [&](const std::string& what) {
    return BadData(
        fmt::format("{}: is damaged or cut short ({}); copy it once more, or train the model anew",
                    file, what));
  };
  try {
    return parse(bytes, file, owner);
  } catch (const Damage& damage) {
    throw damaged(damage.what);
  } catch (const Json::exception&) {
    throw damaged("its header cannot be understood");
  } catch (const std::length_error&) {
    throw damaged("its arrays do not fit its settings");
  } catch (const BadUsage& error) {
    throw damaged(error.what());
  }
}

}  // namespace m3lak
