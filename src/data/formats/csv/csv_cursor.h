// Walking over the records and cells of a CSV text (RFC 4180).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "m3lak/dataset.h"

namespace m3lak {

struct CsvDialect {
  /// Comma, tab, semicolon, …; a space stands for a run of blanks.
  char delimiter = ',';

  /// A blank line is a record whose only cell is empty. Otherwise it is no record.
  bool blank_lines_count = false;
};

/// Throws TextFault at a stray or open quote, or a byte of zero.
class CsvCursor {
 public:
  /// `text` starts where a record starts.
  CsvCursor(std::string_view text, CsvDialect dialect)
      : at_(text.data()), end_(at_ + text.size()), dialect_(dialect) {}

  /// Once the cells of a record are read: goes to the next one. False if there is none.
  bool next_record();

  /// Whether the record has a cell that is not read yet.
  bool more() const { return more_; }

  /// Where the next cell starts.
  const char* place() const { return at_; }

  /// Leaves the record, whatever its other cells hold.
  void skip_record();

  /// Reads a cell that is nothing but a finite number; else reads nothing and returns false.
  bool read_number(double& value);

  /// Reads any cell: its text without quotes, and without the blanks around it. Good until the
  /// next call.
  std::string_view read_cell();

 private:
  bool is_blank(char c) const { return c == ' ' || (c == '\t' && dialect_.delimiter != '\t'); }
  const char* skip_blanks(const char* at) const;
  bool ends_cell(const char* at) const;
  void leave_cell();
  std::string_view read_quoted();

  const char* at_;
  const char* end_;
  CsvDialect dialect_;
  bool more_ = false;
  std::string unquoted_;  // a cell with doubled quotes
};

/// How many records next_record would find in a text without faults.
Index count_records(std::string_view text, CsvDialect dialect);

}  // namespace m3lak
