// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a terminal asks for: its width, colour where it shows some, units that read, tables that fit. Where standard output is
// a file or a pipe, texts have no colour and lines any length, so that programs that read them see the same everywhere.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stickslip::app {

// Columns of the terminal behind a file descriptor; 0: it is none.
[[nodiscard]] int terminal_columns(int descriptor);

// "18.5 us", "1.29 ms", "2.4 s", "3 min 20 s"
[[nodiscard]] std::string duration_text(double seconds);

enum class Tone { Good, Warning, Bad };
// The text in a colour, where standard output is a terminal that shows colour (NO_COLOR is not set, TERM is not dumb).
[[nodiscard]] std::string toned(std::string_view text, Tone tone);

// Text broken between words into lines of at most `columns`; lines that are shorter stay as they are.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns);

// Lines wider than `columns`, broken between words and indented like what stands behind their label ("method   ..."), or by
// two more than they begin. Escape sequences take no room.
[[nodiscard]] std::string folded(std::string_view text, std::size_t columns);
// From now on, standard output folds what is wider than its terminal; nothing happens where it is none.
void fold_standard_output();

// How wide a band of marks may be behind `before` columns: `usual`, or what the terminal leaves.
[[nodiscard]] int band_columns(int usual, std::size_t before);

// Rows with a label and cells. A table wider than the terminal is printed transposed, in as many parts as it takes.
class TextTable {
 public:
  // Widths are the least ones; longer cells widen their column.
  TextTable(std::string corner, std::size_t label_width);
  void add_column(std::string head, std::size_t width);
  void add_row(std::string label, std::vector<std::string> cells);
  // What stands behind the cells of rows, or behind their first cells instead of the rest.
  void set_remark_head(std::string head) { remark_head_ = std::move(head); }
  void add_remark(std::string label, std::vector<std::string> first, std::string remark);

  // columns: of the terminal; 0: any.
  [[nodiscard]] std::string text(int columns) const;
  void print() const;  // for standard output

 private:
  struct Column {
    std::string head;
    std::size_t width;
  };
  struct Row {
    std::string label;
    std::vector<std::string> cells;
    std::string remark;
  };
  [[nodiscard]] std::string upright() const;
  [[nodiscard]] std::string transposed(std::size_t columns) const;

  std::string corner_, remark_head_;
  std::size_t label_width_;
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// Shows a file or an address in the user's browser (xdg-open); false where there is none.
bool open_in_browser(const std::string& what);

}  // namespace stickslip::app
