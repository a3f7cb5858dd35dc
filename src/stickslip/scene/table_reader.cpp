// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/table_reader.h"

#include "stickslip/expression/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace stickslip::scene {
namespace {

[[noreturn]] void wrong_type(const Value& value, const std::string& what, const char* expected) {
  throw SceneError(value.place, fmt::format("{} must be {}, not {}", what, expected, Value::name_of(value.kind)));
}

// An error inside an expression, at its place in the file.
SceneError located(const Value& value, const std::string& what, const expression::ExpressionError& error) {
  Place place = value.place;
  if (value.exact_columns) place.column += 1 + error.column();
  return {place, fmt::format("{}: {}", what, error.what()), error.hint()};
}

}  // namespace

expression::Expression read_expression(const Value& value, const expression::Scope& scope, const std::string& what) {
  if (value.kind == Value::Kind::Number) return expression::Expression(value.number);
  if (value.kind == Value::Kind::Boolean) return expression::Expression(value.boolean ? 1.0 : 0.0);
  if (value.kind != Value::Kind::Text) wrong_type(value, what, "a number or an expression");
  try {
    return expression::Expression(value.text, scope);
  } catch (const expression::ExpressionError& error) {
    throw located(value, what, error);
  }
}

motion::TimeExpression read_time_expression(const Value& value, const expression::Scope& scope,
                                            const std::string& what) {
  motion::TimeExpression result;
  result.label = what;
  result.place = value.place;
  result.expression = read_expression(value, scope, what);
  if (value.kind == Value::Kind::Text)
    result.form = motion::ClosedForm::recognise(value.text, scope);
  else
    result.form = motion::ClosedForm(result.expression.evaluate(0));
  return result;
}

double read_number(const Value& value, const expression::Scope& scope, const std::string& what) {
  if (value.kind == Value::Kind::Boolean) wrong_type(value, what, "a number");
  const expression::Expression expression = read_expression(value, scope, what);
  const double number = expression.evaluate(0);
  if (!std::isfinite(number))
    throw SceneError(value.place,
                     fmt::format("{} is {}", what, std::isnan(number) ? "not a number (nan)" : "infinite"));
  if (std::abs(number) > kLargestNumber)
    throw SceneError(value.place, fmt::format("{} is {}: numbers of a scene lie between -{} and {}", what, number,
                                              kLargestNumber, kLargestNumber));
  return number;
}

void require_positive(double number, const Place& place, const std::string& what) {
  if (!(number > 0)) throw SceneError(place, fmt::format("{} must be positive, not {}", what, number));
  if (number < kSmallestPositive)
    throw SceneError(place, fmt::format("{} is {}: it must be at least {}", what, number, kSmallestPositive));
}

int read_integer(const Value& value, const expression::Scope& scope, const std::string& what, int least, int most) {
  const double number = read_number(value, scope, what);
  if (number != std::round(number) || number < least || number > most) {
    throw SceneError(value.place,
                     fmt::format("{} must be an integer from {} to {}, not {}", what, least, most, number));
  }
  return static_cast<int>(number);
}

std::vector<double> read_numbers(const Value& value, const expression::Scope& scope, const std::string& what) {
  if (value.kind != Value::Kind::Array) wrong_type(value, what, "a list of numbers");
  std::vector<double> numbers;
  numbers.reserve(value.items.size());
  for (const Value& item : value.items) numbers.push_back(read_number(item, scope, what));
  return numbers;
}

Vec3 read_vector(const Value& value, const expression::Scope& scope, const std::string& what, int dimension) {
  const char* expected = dimension == 2 ? "a list of 2 numbers [x, y]" : "a list of 3 numbers [x, y, z]";
  if (value.kind != Value::Kind::Array) wrong_type(value, what, expected);
  if (static_cast<int>(value.items.size()) != dimension) {
    throw SceneError(value.place, fmt::format("{} must be {}, not {} of them", what, expected, value.items.size()));
  }
  const std::vector<double> numbers = read_numbers(value, scope, what);
  return {numbers[0], numbers[1], dimension == 2 ? 0 : numbers[2]};
}

std::vector<Vec3> read_points(const Value& value, const expression::Scope& scope, const std::string& what,
                              int dimension) {
  if (value.kind != Value::Kind::Array) wrong_type(value, what, "a list of points");
  std::vector<Vec3> points;
  points.reserve(value.items.size());
  for (const Value& item : value.items) points.push_back(read_vector(item, scope, what + ": a point", dimension));
  return points;
}

const std::string& read_text(const Value& value, const std::string& what) {
  if (value.kind != Value::Kind::Text) wrong_type(value, what, "text");
  return value.text;
}

const std::string& read_word(const Value& value, const std::string& what, std::span<const std::string> known) {
  const std::string& word = read_text(value, what);
  if (std::ranges::find(known, word) != known.end()) return word;
  const std::string hint = expression::did_you_mean(word, known);
  throw SceneError(value.place, fmt::format("{}: unknown name '{}'", what, word),
                   hint.empty() ? fmt::format("known are {}", fmt::join(known, ", ")) : hint);
}

bool read_boolean(const Value& value, const std::string& what) {
  if (value.kind != Value::Kind::Boolean) wrong_type(value, what, "true or false");
  return value.boolean;
}

bool is_free(const Value& value) {
  return value.kind == Value::Kind::Text && value.text == "free";
}

TableReader::TableReader(const Value& table, const TableKeys& keys, const expression::Scope& scope, std::string what)
    : table_(table), keys_(keys), scope_(scope), what_(std::move(what)) {
  if (table.kind != Value::Kind::Table) wrong_type(table, what_, "a table");
  for (const Value::Entry& entry : table.entries) {
    if (std::ranges::any_of(keys.keys, [&](const Key& key) { return entry.key == key.name; })) continue;
    std::vector<std::string> names;
    for (const Key& key : keys.keys) names.emplace_back(key.name);
    throw SceneError(entry.place, fmt::format("unknown key '{}' in {}", entry.key, what_),
                     expression::did_you_mean(entry.key, names));
  }
}

const Key& TableReader::declared(std::string_view key) const {
  const auto found = std::ranges::find(keys_.keys, key, &Key::name);
  // A key that is read but not declared would be missing from the reference.
  assert(found != keys_.keys.end());
  return *found;
}

const Value* TableReader::find(std::string_view key) const {
  assert(declared(key).name == key);
  return table_.find(key);
}

const Value& TableReader::require(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) throw SceneError(table_.place, fmt::format("{} needs '{}'", what_, key));
  return *value;
}

std::string TableReader::what(std::string_view key) const {
  std::string text;  // by hand: it is made for every number of a scene, and needed for the wrong ones
  text.reserve(key.size() + what_.size() + 6);
  return text.append("'").append(key).append("' of ").append(what_);
}

double TableReader::number(std::string_view key) const {
  const Value& value = require(key);
  // Most numbers are plain ones; what they are called costs more than reading them.
  if (value.kind == Value::Kind::Number && std::abs(value.number) <= kLargestNumber) return value.number;
  return read_number(value, scope_, what(key));
}

double TableReader::number(std::string_view key, double fallback) const {
  return has(key) ? number(key) : fallback;
}

double TableReader::positive(std::string_view key) const {
  const double value = number(key);
  if (!(value >= kSmallestPositive)) require_positive(value, require(key).place, what(key));
  return value;
}

double TableReader::positive(std::string_view key, double fallback) const {
  return has(key) ? positive(key) : fallback;
}

double TableReader::not_negative(std::string_view key, double fallback) const {
  const double value = number(key, fallback);
  if (!(value >= 0))
    throw SceneError(require(key).place, fmt::format("{} must not be negative, but is {}", what(key), value));
  return value;
}

std::int64_t TableReader::integer(std::string_view key, double fallback, double least, double most) const {
  const double value = number(key, fallback);
  if (value != std::round(value) || value < least || value > most)
    throw SceneError(require(key).place,
                     fmt::format("{} must be an integer from {} to {}, not {}", what(key), least, most, value));
  return static_cast<std::int64_t>(value);
}

bool TableReader::boolean(std::string_view key, bool fallback) const {
  const Value* value = find(key);
  return value == nullptr ? fallback : read_boolean(*value, what(key));
}

std::string TableReader::text(std::string_view key, const std::string& fallback) const {
  const Value* value = find(key);
  return value == nullptr ? fallback : read_text(*value, what(key));
}

std::size_t TableReader::place_of_word(std::string_view key, std::size_t fallback) const {
  const Value* value = find(key);
  if (value == nullptr) return fallback;
  const std::span<const std::string_view> words = declared(key).words;
  const std::string& word = read_word(*value, what(key), std::vector<std::string>(words.begin(), words.end()));
  return static_cast<std::size_t>(std::ranges::find(words, word) - words.begin());
}

Vec3 TableReader::vector(std::string_view key, const Vec3& fallback, int dimension) const {
  const Value* value = find(key);
  return value == nullptr ? fallback : read_vector(*value, scope_, what(key), dimension);
}

}  // namespace stickslip::scene
