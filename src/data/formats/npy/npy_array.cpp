#include "data/formats/npy/npy_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstring>

#include "data/formats/variables/variable_matrix.h"
#include "data/formats/variables/variable_text.h"
#include "m3lak/error.h"

namespace m3lak {

namespace {

/// The bytes of one value, in the order of this machine.
template <class Bits>
Bits bits_at(const std::byte* place, bool swap) {
  std::array<std::byte, sizeof(Bits)> bytes;
  std::memcpy(bytes.data(), place, sizeof(Bits));
  if (swap) std::ranges::reverse(bytes);
  return std::bit_cast<Bits>(bytes);
}

template <class T>
T value_at(const std::byte* place, bool swap) {
  if constexpr (std::same_as<T, Eigen::half>) {
    return Eigen::numext::bit_cast<Eigen::half>(bits_at<std::uint16_t>(place, swap));
  } else if constexpr (std::same_as<T, bool>) {
    return *place != std::byte{0};
  } else {
    return bits_at<T>(place, swap);
  }
}

/// Calls f with a value of the C++ type of the array's numbers; nothing if there is none.
template <class F>
bool with_number_type(const NpyHeader& header, const F& f) {
  const auto is = [&](char kind, std::uint64_t bytes) {
    return header.kind == kind && header.item_bytes == bytes;
  };
  if (is('f', 8)) return f(double{}), true;
  if (is('f', 4)) return f(float{}), true;
  if (is('f', 2)) return f(Eigen::half{}), true;
  if (is('i', 8)) return f(std::int64_t{}), true;
  if (is('i', 4)) return f(std::int32_t{}), true;
  if (is('i', 2)) return f(std::int16_t{}), true;
  if (is('i', 1)) return f(std::int8_t{}), true;
  if (is('u', 8)) return f(std::uint64_t{}), true;
  if (is('u', 4)) return f(std::uint32_t{}), true;
  if (is('u', 2)) return f(std::uint16_t{}), true;
  if (is('u', 1)) return f(std::uint8_t{}), true;
  if (is('b', 1)) return f(bool{}), true;
  return false;
}

}  // namespace

NpyArray::NpyArray(std::span<const std::byte> bytes, std::string origin, bool whole)
    : origin_(std::move(origin)), header_(NpyHeader::parse(bytes, origin_)) {
  if (header_.kind == 'O') {
    throw BadData(fmt::format(
        "{}: holds Python objects (pickle), which are not read as they can run code; save numbers "
        "with array.astype(float), texts with array.astype(str)",
        origin_));
  }
  if (!header_.is_number() && !header_.is_text()) {
    throw BadData(fmt::format(
        "{}: is {}, but real numbers of up to 8 bytes or texts are needed; convert it, for example "
        "with array.astype(float)",
        origin_, header_.type));
  }
  const std::uint64_t claimed =
      (whole ? checked_bytes : counted_bytes)(header_.shape, header_.item_bytes, origin_);
  const std::uint64_t there = bytes.size() - header_.end;
  if (claimed != there) {
    throw BadData(fmt::format(
        "{}: the header claims {} values of {} bytes, {} in all, but {} bytes are there; the file "
        "is cut short, damaged, or holds more than one array",
        origin_, shape_text(header_.shape), header_.item_bytes, claimed, there));
  }
  values_ = bytes.subspan(header_.end, claimed);
}

void NpyArray::require_numbers() const {
  if (!header_.is_number()) {
    throw BadData(fmt::format("{}: is {}, but numbers are needed", origin_, header_.type));
  }
}

void NpyArray::require_matrix() const {
  require_numbers();
  if (header_.shape.size() > 2) {
    throw BadData(fmt::format(
        "{}: has the shape {}, but a matrix is needed, with one row an instance; reshape it",
        origin_, shape_text(header_.shape)));
  }
}

Index NpyArray::rows() const {
  require_matrix();
  return header_.shape.empty() ? 1 : static_cast<Index>(header_.shape[0]);
}

Index NpyArray::columns() const {
  require_matrix();
  return header_.shape.size() < 2 ? 1 : static_cast<Index>(header_.shape[1]);
}

ReadMatrix NpyArray::matrix() const { return matrix({0, 0, rows()}); }

ReadMatrix NpyArray::matrix(Block part) const {
  checked_bytes({static_cast<std::uint64_t>(part.size), static_cast<std::uint64_t>(columns())},
                header_.item_bytes, origin_);
  if (header_.kind == 'f' && header_.item_bytes == sizeof(float)) {
    return matrix_of<FloatMatrix>(part);
  }
  return matrix_of<DenseMatrix>(part);
}

template <class Value>
const Value* NpyArray::in_place() const {
  require_matrix();
  const bool native = header_.big_endian == (std::endian::native == std::endian::big);
  const bool by_rows = !header_.by_columns || columns() == 1;
  const bool aligned = reinterpret_cast<std::uintptr_t>(values_.data()) % alignof(Value) == 0;
  if (header_.kind != 'f' || header_.item_bytes != sizeof(Value)) return nullptr;
  return native && by_rows && aligned ? reinterpret_cast<const Value*>(values_.data()) : nullptr;
}

template const double* NpyArray::in_place() const;
template const float* NpyArray::in_place() const;

template <class Dense>
Dense NpyArray::matrix_of(Block part) const {
  Dense result;
  with_number_type(header_, [&](auto type) {
    using T = decltype(type);
    const auto value = [&](Index k) {
      return static_cast<typename Dense::Scalar>(
          value_at<T>(values_.data() + k * Index{sizeof(T)}, header_.big_endian));
    };
    if (header_.by_columns) {
      result = from_column_major<Dense>(rows(), columns(), part, value);
    } else {
      result.resize(part.size, columns());
      const Index first = part.begin * columns();
      for (Index k = 0; k < result.size(); ++k) result.data()[k] = value(first + k);
    }
  });
  return result;
}

std::vector<double> NpyArray::numbers() const {
  require_numbers();
  std::vector<double> result;
  with_number_type(header_, [&](auto type) {
    using T = decltype(type);
    result.resize(header_.count());
    for (std::size_t k = 0; k < result.size(); ++k) {
      result[k] =
          static_cast<double>(value_at<T>(values_.data() + k * sizeof(T), header_.big_endian));
    }
  });
  return result;
}

std::vector<std::int64_t> NpyArray::integers() const {
  require_numbers();
  if (header_.kind == 'f') {
    throw BadData(fmt::format("{}: is {}, but whole numbers are needed", origin_, header_.type));
  }
  std::vector<std::int64_t> result;
  with_number_type(header_, [&](auto type) {
    using T = decltype(type);
    if constexpr (std::integral<T>) {
      result.resize(header_.count());
      for (std::size_t k = 0; k < result.size(); ++k) {
        result[k] = static_cast<std::int64_t>(
            value_at<T>(values_.data() + k * sizeof(T), header_.big_endian));
      }
    }
  });
  return result;
}

std::vector<std::string> NpyArray::texts() const {
  if (!header_.is_text()) {
    throw BadData(fmt::format("{}: is {}, but texts are needed", origin_, header_.type));
  }
  std::vector<std::string> result(values_.empty() && header_.item_bytes > 0 ? 0 : header_.count());
  for (std::size_t k = 0; k < result.size(); ++k) {
    const std::byte* item = values_.data() + k * header_.item_bytes;
    if (header_.kind == 'S') {
      result[k].assign(reinterpret_cast<const char*>(item), header_.item_bytes);
      result[k].erase(result[k].find_last_not_of('\0') + 1);
      continue;
    }
    std::u32string characters(header_.item_bytes / 4, U'\0');
    for (std::size_t i = 0; i < characters.size(); ++i) {
      characters[i] = bits_at<char32_t>(item + 4 * i, header_.big_endian);
    }
    characters.erase(characters.find_last_not_of(U'\0') + 1);
    for (const char32_t c : characters) append_utf8(result[k], c, origin_);
  }
  return result;
}

std::string npy_texts(std::span<const std::string> texts, const std::string& origin) {
  std::vector<std::u32string> decoded;
  std::size_t width = 1;
  for (const std::string& text : texts) {
    decoded.push_back(utf32_from_utf8(text, origin));
    width = std::max(width, decoded.back().size());
  }
  std::string result = npy_header(fmt::format("<U{}", width), {texts.size()});
  for (std::u32string& text : decoded) {
    text.resize(width);
    result.append(reinterpret_cast<const char*>(text.data()), 4 * width);
  }
  return result;
}

}  // namespace m3lak
