#include "data/formats/csv/csv_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "data/formats/text/text.h"

namespace m3lak {

const char* CsvCursor::skip_blanks(const char* at) const {
  while (at < end_ && is_blank(*at)) ++at;
  return at;
}

bool CsvCursor::ends_cell(const char* at) const {
  if (at == end_ || *at == dialect_.delimiter || *at == '\n') return true;
  return *at == '\r' && (at + 1 == end_ || at[1] == '\n');
}

bool CsvCursor::next_record() {
  if (dialect_.blank_lines_count) {
    more_ = at_ < end_;
    return more_;
  }
  while (true) {
    const char* at = at_;
    while (at < end_ && (is_blank(*at) || *at == '\r')) ++at;
    if (at < end_ && *at == '\n') {
      at_ = at + 1;
      continue;
    }
    if (at == end_) at_ = end_;
    if (dialect_.delimiter == ' ') at_ = at;
    more_ = at < end_;
    return more_;
  }
}

void CsvCursor::leave_cell() {
  if (dialect_.delimiter == ' ') {
    at_ = skip_blanks(at_);
    more_ = !ends_cell(at_);
    if (more_) return;
  }
  more_ = false;
  if (at_ < end_ && *at_ == '\r') ++at_;
  if (at_ == end_) return;
  more_ = *at_ == dialect_.delimiter;
  ++at_;
}

void CsvCursor::skip_record() {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  at_ += record_end(rest, 0, Quotes::bind_lines);
  more_ = false;
}

bool CsvCursor::read_number(double& value) {
  const char* start = skip_blanks(at_);
  const auto [stop, error] = std::from_chars(start, end_, value);
  if (error != std::errc() || !ends_cell(stop) || !std::isfinite(value)) return false;
  at_ = stop;
  leave_cell();
  return true;
}

std::string_view CsvCursor::read_cell() {
  at_ = skip_blanks(at_);
  if (at_ < end_ && *at_ == '"') return read_quoted();
  const char* start = at_;
  for (; !ends_cell(at_); ++at_) {
    if (*at_ == '"') {
      throw TextFault{at_,
                      fmt::format("a quote in the middle of a cell that does not start with one, "
                                  "{}; put the whole cell in quotes and double the ones in it",
                                  shown({start, static_cast<std::size_t>(at_ - start) + 1}))};
    }
    if (*at_ == '\0') throw TextFault{at_, "a byte of zero: the file is damaged, or no text"};
  }
  const char* stop = at_;
  while (stop > start && is_blank(stop[-1])) --stop;
  leave_cell();
  return {start, static_cast<std::size_t>(stop - start)};
}

std::string_view CsvCursor::read_quoted() {
  const char* open = at_;
  unquoted_.clear();
  const char* start = open + 1;
  while (true) {
    const auto rest = static_cast<std::size_t>(end_ - start);
    const auto* close = static_cast<const char*>(std::memchr(start, '"', rest));
    if (close == nullptr) throw TextFault{open, "a quote opens here and is never closed"};
    const char* zero = std::find(start, close, '\0');
    if (zero != close) throw TextFault{zero, "a byte of zero: the file is damaged, or no text"};
    const bool is_doubled = close + 1 < end_ && close[1] == '"';
    if (!is_doubled) {
      at_ = dialect_.delimiter == ' ' ? close + 1 : skip_blanks(close + 1);
      if (!ends_cell(at_)) {
        throw TextFault{
            open,
            fmt::format(
                "a quote opens here, and text follows where it closes, {}; double "
                "the quotes that belong to a cell",
                shown({close, std::min<std::size_t>(20, static_cast<std::size_t>(end_ - close))}))};
      }
      leave_cell();
      if (unquoted_.empty()) return {start, static_cast<std::size_t>(close - start)};
      unquoted_.append(start, close);
      return unquoted_;
    }
    unquoted_.append(start, close + 1);
    start = close + 2;
  }
}

Index count_records(std::string_view text, CsvDialect dialect) {
  Index records = 0;
  const std::string_view blanks = dialect.delimiter == '\t' ? " \r\n" : " \t\r\n";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = record_end(text, at, Quotes::bind_lines);
    const bool is_blank = text.substr(at, next - at).find_first_not_of(blanks) == text.npos;
    if (dialect.blank_lines_count || !is_blank) ++records;
    at = next;
  }
  return records;
}

}  // namespace m3lak
