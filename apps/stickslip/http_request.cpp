// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "http_request.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace stickslip::app {
namespace {

constexpr std::string_view kEnd = "\r\n\r\n";

bool is_token(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

// %41 -> A, + -> space in queries. Nothing for a broken escape or a control character.
std::optional<std::string> decoded(std::string_view text, bool query) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    char c = text[k];
    if (c == '%') {
      unsigned value = 0;
      if (k + 2 >= text.size()) return {};
      const auto [end, error] = std::from_chars(text.data() + k + 1, text.data() + k + 3, value, 16);
      if (error != std::errc() || end != text.data() + k + 3) return {};
      c = static_cast<char>(value);
      k += 2;
    } else if (query && c == '+') {
      c = ' ';
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return {};
    out += c;
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

void RequestParser::fail(int status) {
  error_ = status;
  state_ = State::Done;
  buffer_.clear();
}

void RequestParser::add(std::string_view bytes) {
  if (state_ == State::Done) return;
  buffer_ += bytes;
  if (state_ == State::Header) {
    const std::size_t end = buffer_.find(kEnd);
    if (end == std::string::npos) {
      if (buffer_.size() > kMostHeader) fail(431);
      return;
    }
    if (end > kMostHeader) return fail(431);
    const std::string header = buffer_.substr(0, end);
    buffer_.erase(0, end + kEnd.size());
    read_header(header);
    if (state_ == State::Done) return;
    state_ = State::Body;
  }
  if (buffer_.size() < body_length_) return;
  body_ = buffer_.substr(0, body_length_);
  buffer_.clear();
  state_ = State::Done;
}

void RequestParser::read_header(std::string_view text) {
  std::size_t end = text.find("\r\n");
  if (!read_request_line(text.substr(0, end))) {
    if (error_ == 0) fail(400);
    return;
  }
  while (end != std::string_view::npos) {
    text.remove_prefix(end + 2);
    end = text.find("\r\n");
    const std::string_view line = text.substr(0, end);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return fail(400);
    std::string name(line.substr(0, colon)), value(trimmed(line.substr(colon + 1)));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (std::any_of(value.begin(), value.end(),
                    [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; }))
      return fail(400);
    // What decides about access or about where the request ends must be there once.
    const bool single = name == "host" || name == "origin" || name == "content-length";
    if (!headers_.emplace(name, value).second && single) return fail(400);
  }
  if (!header("transfer-encoding").empty()) return fail(501);
  const std::string length = header("content-length");
  if (length.empty()) return;
  const auto [last, error] = std::from_chars(length.data(), length.data() + length.size(), body_length_);
  if (error != std::errc() || last != length.data() + length.size()) return fail(400);
  if (body_length_ > kMostBody) return fail(413);
}

bool RequestParser::read_request_line(std::string_view line) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return false;
  const std::string_view version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return false;
  method_ = line.substr(0, first);
  if (!is_token(method_)) return false;
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (target.empty() || target[0] != '/') return false;
  if (std::any_of(target.begin(), target.end(),
                  [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; }))
    return false;
  read_target(target);
  return error_ == 0;
}

void RequestParser::read_target(std::string_view target) {
  const std::size_t mark = target.find('?');
  const std::optional<std::string> path = decoded(target.substr(0, mark), false);
  if (!path) return fail(400);
  path_ = *path;
  if (mark == std::string_view::npos) return;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view item = rest.substr(0, end);
    const std::size_t equals = item.find('=');
    const std::optional<std::string> name = decoded(item.substr(0, equals), true);
    const std::optional<std::string> value =
        equals == std::string_view::npos ? std::string() : decoded(item.substr(equals + 1), true);
    if (!name || !value) return fail(400);
    query_.emplace(*name, *value);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
}

std::string RequestParser::header(const std::string& lower_case_name) const {
  const auto found = headers_.find(lower_case_name);
  return found == headers_.end() ? std::string() : found->second;
}

std::string RequestParser::query(const std::string& name) const {
  const auto found = query_.find(name);
  return found == query_.end() ? std::string() : found->second;
}

}  // namespace stickslip::app
