// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// SQLite, as much of it as a store needs: a connection and prepared statements that close themselves, and errors as
// exceptions with one line. sqlite3.h stays behind this header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace stickslip::study {

// A store that cannot be used or written. `refused`: it belongs to something else and was left untouched.
class StoreError : public std::runtime_error {
 public:
  explicit StoreError(const std::string& message, bool refused = false)
      : std::runtime_error(message), refused_(refused) {}
  [[nodiscard]] bool refused() const { return refused_; }

 private:
  bool refused_;
};

class Database;

class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Values for the question marks, counted from 1. nan is stored as NULL.
  void bind(int place, double value);
  void bind(int place, std::int64_t value);
  void bind(int place, std::string_view value);

  bool step();  // true: there is a row
  void reset();

  // Of the row; columns count from 0. NULL is nan.
  [[nodiscard]] double number(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;

 private:
  void check(int code);
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

class Database {
 public:
  enum class Mode { Read, ReadWrite, Create };
  Database(std::filesystem::path file, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);
  [[nodiscard]] std::int64_t integer(const std::string& sql);  // the first column of the first row
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  friend class Statement;
  [[noreturn]] void fail(int code) const;
  std::filesystem::path file_;
  sqlite3* handle_ = nullptr;
};

// "name" with what SQL needs around and inside it.
[[nodiscard]] std::string sql_name(std::string_view name);

}  // namespace stickslip::study
