// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "terminal.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
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

namespace {

// Columns that a text takes: letters of several bytes are one, escape sequences none.
std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      while (i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) == 0) ++i;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
      ++columns;
    }
  }
  return columns;
}

// Where the lines that continue this one begin.
std::size_t hanging(std::string_view line, std::size_t columns) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", indent);
  const std::size_t behind = gap == std::string_view::npos ? line.size() : line.find_first_not_of(' ', gap);
  return behind <= columns / 2 ? behind : std::min(indent + 2, columns / 2);
}

void fold_line(std::string_view line, std::size_t columns, std::string& out) {
  if (columns_of(line) <= columns) {
    out += line;
    return;
  }
  const std::size_t indent = hanging(line, columns);
  std::size_t used = 0;
  while (!line.empty()) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    const std::size_t width = columns_of(word);
    // A word that is too long anyhow, an address or a path, stays where it is.
    if (used > indent && used + begin + width > columns && indent + width <= columns) {
      out += '\n' + std::string(indent, ' ');
      used = indent;
    } else {
      out += line.substr(0, begin);
      used += begin;
    }
    out += word;
    used += width;
    line.remove_prefix(end);
  }
}

struct Folder {
  std::size_t columns = 0;
};

// Of a stream of C: text that ends a line is folded, what does not (a question, a bar) goes on as it is.
ssize_t write_folded(void* cookie, const char* bytes, std::size_t count) {
  const std::string_view text(bytes, count);
  const std::size_t whole = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
  std::string out = folded(text.substr(0, whole), static_cast<Folder*>(cookie)->columns);
  out += text.substr(whole);
  for (std::size_t done = 0; done < out.size();) {
    const ssize_t written = ::write(STDOUT_FILENO, out.data() + done, out.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return 0;
    done += static_cast<std::size_t>(written);
  }
  return static_cast<ssize_t>(count);
}

}  // namespace

std::string folded(std::string_view text, std::size_t columns) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    fold_line(text.substr(0, end), columns, out);
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

void fold_standard_output() {
  const int columns = terminal_columns(STDOUT_FILENO);
  if (columns <= 0) return;
  static Folder folder{static_cast<std::size_t>(columns)};
  std::FILE* stream = ::fopencookie(&folder, "w", {nullptr, write_folded, nullptr, nullptr});
  if (stream == nullptr) return;
  std::fflush(stdout);
  static_cast<void>(std::setvbuf(stream, nullptr, _IOLBF, BUFSIZ));
  stdout = stream;
}

int band_columns(int usual, std::size_t before) {
  constexpr int kLeast = 10;
  const int columns = terminal_columns(STDOUT_FILENO);
  return columns > 0 ? std::clamp(columns - static_cast<int>(before), kLeast, usual) : usual;
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
