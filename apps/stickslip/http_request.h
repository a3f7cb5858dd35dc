// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One HTTP/1.1 request, read from pieces of bytes as they arrive: request line, headers, and a body of the announced
// length. Chunked bodies are refused; sizes are bounded before anything is stored.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace stickslip::app {

class RequestParser {
 public:
  static constexpr std::size_t kMostHeader = 16 * 1024, kMostBody = 64 * 1024;

  void add(std::string_view bytes);

  // The request is complete, or wrong beyond repair (error() is then the HTTP status that says why).
  [[nodiscard]] bool done() const { return state_ == State::Done; }
  [[nodiscard]] int error() const { return error_; }

  [[nodiscard]] const std::string& method() const { return method_; }
  [[nodiscard]] const std::string& path() const { return path_; }  // without the query, decoded
  [[nodiscard]] const std::string& body() const { return body_; }
  [[nodiscard]] std::string header(const std::string& lower_case_name) const;  // "" when absent
  [[nodiscard]] std::string query(const std::string& name) const;              // decoded; "" when absent

 private:
  enum class State { Header, Body, Done };
  void fail(int status);
  void read_header(std::string_view text);
  [[nodiscard]] bool read_request_line(std::string_view line);
  void read_target(std::string_view target);

  State state_ = State::Header;
  int error_ = 0;
  std::string buffer_, method_, path_, body_;
  std::size_t body_length_ = 0;
  std::map<std::string, std::string> headers_, query_;
};

}  // namespace stickslip::app
