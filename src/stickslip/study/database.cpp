// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <limits>

namespace stickslip::study {
namespace {

constexpr int kBusyMilliseconds = 10000;

}  // namespace

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  check(sqlite3_prepare_v2(database.handle_, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr));
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

void Statement::check(int code) {
  if (code != SQLITE_OK) database_.fail(code);
}

void Statement::bind(int place, double value) {
  check(std::isnan(value) ? sqlite3_bind_null(statement_, place) : sqlite3_bind_double(statement_, place, value));
}

void Statement::bind(int place, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, place, value));
}

void Statement::bind(int place, std::string_view value) {
  check(sqlite3_bind_text(statement_, place, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT));
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail(code);
  return false;
}

void Statement::reset() {
  check(sqlite3_reset(statement_));
}

double Statement::number(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(statement_, column);
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text == nullptr ? std::string() : std::string(text);
}

Database::Database(std::filesystem::path file, Mode mode) : file_(std::move(file)) {
  const int flags = mode == Mode::Read        ? SQLITE_OPEN_READONLY
                    : mode == Mode::ReadWrite ? SQLITE_OPEN_READWRITE
                                              : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(file_.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    const std::string message = handle_ != nullptr ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
    sqlite3_close(handle_);
    throw StoreError(fmt::format("cannot open the store {}: {}", file_.string(), message));
  }
  sqlite3_busy_timeout(handle_, kBusyMilliseconds);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

Database::~Database() {
  sqlite3_close(handle_);
}

void Database::fail(int code) const {
  const char* why = (code & 0xFF) == SQLITE_FULL      ? "the disk is full"
                    : (code & 0xFF) == SQLITE_NOTADB  ? "it is not a database"
                    : (code & 0xFF) == SQLITE_CORRUPT ? "it is damaged"
                                                      : sqlite3_errmsg(handle_);
  throw StoreError(fmt::format("the store {} cannot be used: {}", file_.string(), why),
                   (code & 0xFF) == SQLITE_NOTADB || (code & 0xFF) == SQLITE_CORRUPT);
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::integer(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string sql_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace stickslip::study
