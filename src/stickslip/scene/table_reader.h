// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Typed access to the values of a scene file. Everything that is not as expected becomes a SceneError that says where
// it stands, what was expected, and what was probably meant.
#pragma once

#include "stickslip/expression/expression.h"
#include "stickslip/math/types.h"
#include "stickslip/motion/prescribed_motion.h"
#include "stickslip/scene/document.h"
#include "stickslip/scene/keys.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::scene {

// The numbers that a scene may hold: |x| <= kLargestNumber, and what must be positive >= kSmallestPositive. From sizes
// and densities follow masses (third power) and moments of inertia (fifth power), and both are squared and divided by
// one another: within these bounds, which are far beyond any unit, that stays within the range of double.
inline constexpr double kLargestNumber = 1e40, kSmallestPositive = 1e-40;

// --- single values. `what` names the value in messages: "mass of body 'stick'".

// A number, or an expression of the scope's constants; at most kLargestNumber in magnitude.
[[nodiscard]] double read_number(const Value& value, const expression::Scope& scope, const std::string& what);
// At least kSmallestPositive.
void require_positive(double number, const Place& place, const std::string& what);
[[nodiscard]] int read_integer(const Value& value, const expression::Scope& scope, const std::string& what, int least,
                               int most);
[[nodiscard]] std::vector<double> read_numbers(const Value& value, const expression::Scope& scope,
                                               const std::string& what);
// A vector of the scene: 2 (plane) or 3 (space) numbers; z = 0 in the plane.
[[nodiscard]] Vec3 read_vector(const Value& value, const expression::Scope& scope, const std::string& what,
                               int dimension);
[[nodiscard]] std::vector<Vec3> read_points(const Value& value, const expression::Scope& scope, const std::string& what,
                                            int dimension);
[[nodiscard]] const std::string& read_text(const Value& value, const std::string& what);
// One of the words that are known.
[[nodiscard]] const std::string& read_word(const Value& value, const std::string& what,
                                           std::span<const std::string> known);
[[nodiscard]] bool read_boolean(const Value& value, const std::string& what);

// A number or an expression in the given scope.
[[nodiscard]] expression::Expression read_expression(const Value& value, const expression::Scope& scope,
                                                     const std::string& what);
[[nodiscard]] motion::TimeExpression read_time_expression(const Value& value, const expression::Scope& scope,
                                                          const std::string& what);
[[nodiscard]] bool is_free(const Value& value);  // the text "free"

// --- tables

class TableReader {
 public:
  // Rejects anything but a table, and keys that `keys` does not have. `what` names the table in messages.
  TableReader(const Value& table, const TableKeys& keys, const expression::Scope& scope, std::string what);

  [[nodiscard]] const Value* find(std::string_view key) const;     // null when absent
  [[nodiscard]] const Value& require(std::string_view key) const;  // throws when absent
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }

  [[nodiscard]] double number(std::string_view key) const;  // required
  [[nodiscard]] double number(std::string_view key, double fallback) const;
  [[nodiscard]] double positive(std::string_view key) const;  // required, >= kSmallestPositive
  [[nodiscard]] double positive(std::string_view key, double fallback) const;
  [[nodiscard]] double not_negative(std::string_view key, double fallback) const;
  // least <= integer <= most
  [[nodiscard]] std::int64_t integer(std::string_view key, double fallback, double least, double most) const;
  [[nodiscard]] bool boolean(std::string_view key, bool fallback) const;
  [[nodiscard]] std::string text(std::string_view key, const std::string& fallback) const;
  // One of the words of the key, which is declared as a choice, as the enumerator at its place.
  template <class Choice>
  [[nodiscard]] Choice choice(std::string_view key, Choice fallback) const {
    return static_cast<Choice>(place_of_word(key, static_cast<std::size_t>(fallback)));
  }
  [[nodiscard]] Vec3 vector(std::string_view key, const Vec3& fallback, int dimension) const;

  // "mass of body 'stick'"
  [[nodiscard]] std::string what(std::string_view key) const;
  [[nodiscard]] const Place& place() const { return table_.place; }
  [[nodiscard]] const expression::Scope& scope() const { return scope_; }
  [[nodiscard]] const std::string& name() const { return what_; }

 private:
  [[nodiscard]] const Key& declared(std::string_view key) const;
  [[nodiscard]] std::size_t place_of_word(std::string_view key, std::size_t fallback) const;

  const Value& table_;
  const TableKeys& keys_;
  const expression::Scope& scope_;
  std::string what_;
};

}  // namespace stickslip::scene
