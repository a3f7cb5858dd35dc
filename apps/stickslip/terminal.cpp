// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "terminal.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

extern char** environ;

namespace stickslip::app {

int terminal_columns(int descriptor) {
  if (::isatty(descriptor) != 1) return 0;
  constexpr int kUsual = 80;  // where the terminal does not tell
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

std::string duration_text(double seconds) {
  const double size = std::abs(seconds);
  if (!(size < 120)) {
    const double whole = std::round(seconds);
    return fmt::format("{:.0f} min {:.0f} s", std::floor(whole / 60), whole - 60 * std::floor(whole / 60));
  }
  if (size >= 1 || size == 0) return fmt::format("{:.3g} s", seconds);
  if (size >= 1e-3) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (size >= 1e-6) return fmt::format("{:.3g} us", 1e6 * seconds);
  return fmt::format("{:.3g} ns", 1e9 * seconds);
}

namespace {

bool shows_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

std::string toned(std::string_view text, Tone tone) {
  static const bool kColour = shows_colour();
  if (!kColour) return std::string(text);
  const int code = tone == Tone::Good ? 32 : tone == Tone::Warning ? 33 : 31;
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::string wrapped(std::string_view text, std::size_t columns) {
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    if (used > 0 && used + 1 + word.size() > columns) {
      out += '\n';
      used = 0;
    } else if (used > 0) {
      out += ' ';
      ++used;
    }
    out += word;
    used += word.size();
    if (end < text.size() && text[end] == '\n') {
      out += '\n';
      used = 0;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

TextTable::TextTable(std::string corner, std::size_t label_width)
    : corner_(std::move(corner)), label_width_(std::max(label_width, corner_.size())) {}

void TextTable::add_column(std::string head, std::size_t width) {
  const std::size_t least = std::max(width, head.size());
  columns_.push_back({std::move(head), least});
}

void TextTable::add_row(std::string label, std::vector<std::string> cells) {
  add_remark(std::move(label), std::move(cells), "");
}

void TextTable::add_remark(std::string label, std::vector<std::string> first, std::string remark) {
  label_width_ = std::max(label_width_, label.size());
  for (std::size_t k = 0; k < first.size(); ++k) columns_[k].width = std::max(columns_[k].width, first[k].size());
  rows_.push_back({std::move(label), std::move(first), std::move(remark)});
}

std::string TextTable::upright() const {
  std::string out = fmt::format("{:<{}}", corner_, label_width_);
  for (const Column& column : columns_) out += fmt::format(" {:>{}}", column.head, column.width);
  if (!remark_head_.empty()) out += "  " + remark_head_;
  out += '\n';
  for (const Row& row : rows_) {
    out += fmt::format("{:<{}}", row.label, label_width_);
    for (std::size_t k = 0; k < row.cells.size(); ++k) out += fmt::format(" {:>{}}", row.cells[k], columns_[k].width);
    if (!row.remark.empty()) out += "  " + row.remark;
    out += '\n';
  }
  return out;
}

// Rows become columns, as many side by side as fit.
std::string TextTable::transposed(std::size_t columns) const {
  std::size_t head = corner_.size(), cell = 0;
  for (const Column& column : columns_) head = std::max(head, column.head.size());
  for (const Row& row : rows_) {
    cell = std::max(cell, row.label.size());
    for (const std::string& text : row.cells) cell = std::max(cell, text.size());
  }
  const std::size_t side_by_side = std::max<std::size_t>(1, columns > head ? (columns - head) / (cell + 2) : 1);
  std::string out;
  for (std::size_t begin = 0; begin < rows_.size(); begin += side_by_side) {
    const std::size_t end = std::min(begin + side_by_side, rows_.size());
    if (begin > 0) out += '\n';
    out += fmt::format("{:<{}}", corner_, head);
    for (std::size_t i = begin; i < end; ++i) out += fmt::format("  {:>{}}", rows_[i].label, cell);
    out += '\n';
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      out += fmt::format("{:<{}}", columns_[k].head, head);
      for (std::size_t i = begin; i < end; ++i)
        out += fmt::format("  {:>{}}", k < rows_[i].cells.size() ? rows_[i].cells[k] : "-", cell);
      out += '\n';
    }
    for (std::size_t i = begin; i < end; ++i)
      if (!rows_[i].remark.empty()) out += wrapped(rows_[i].label + ": " + rows_[i].remark, columns) + '\n';
  }
  return out;
}

std::string TextTable::text(int columns) const {
  std::size_t width = label_width_;
  for (const Column& column : columns_) width += 1 + column.width;
  return columns > 0 && width > static_cast<std::size_t>(columns) ? transposed(static_cast<std::size_t>(columns))
                                                                  : upright();
}

void TextTable::print() const {
  fmt::print("{}", text(terminal_columns(STDOUT_FILENO)));
}

bool open_in_browser(const std::string& what) {
  std::string program = "xdg-open", argument = what;
  char* const arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0) return false;
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace stickslip::app
