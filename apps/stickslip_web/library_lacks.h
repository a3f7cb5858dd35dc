// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the standard library of Debian 12's emscripten (libc++ 13) lacks, and what its compiler cannot read of Eigen 3.4.
// Included before everything else in builds for WebAssembly (cmake/web_assembly.cmake), and in no other build.
//
// std::ranges       the algorithms that the simulator uses, by those of two iterators; projections are applied in the
//                   predicate. They do not check concepts and return iterators even for temporaries: code that uses them
//                   wrongly is refused by the other builds.
// std::bit_cast
// std::from_chars   of double, by strtod. It reads what std::from_chars reads: no leading blanks, no plus sign, no
//                   hexadecimal digits. The program never leaves the locale "C".
#pragma once

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

// Eigen takes clang for an old g++ and works around that one in the assembly language of x86.
#include <Eigen/src/Core/util/Macros.h>
#undef EIGEN_COMP_GNUC
#define EIGEN_COMP_GNUC 0
#undef EIGEN_GNUC_AT_LEAST
#define EIGEN_GNUC_AT_LEAST(x, y) 0

namespace std {

inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  // The longest prefix that is a number, found here: strtod takes more than that.
  const char* at = first;
  const auto digits = [&] {
    const char* const begin = at;
    while (at != last && *at >= '0' && *at <= '9') ++at;
    return at - begin;
  };
  const auto word = [&](const char* text) {
    const char* p = at;
    for (; *text != '\0'; ++text, ++p)
      if (p == last || (*p | 0x20) != *text) return false;
    at = p;
    return true;
  };
  if (at != last && *at == '-') ++at;
  if (!word("infinity") && !word("inf") && !word("nan")) {
    auto count = digits();
    if (at != last && *at == '.') {
      ++at;
      count += digits();
    }
    if (count == 0) return {first, errc::invalid_argument};
    if (at != last && (*at | 0x20) == 'e') {
      const char* const mantissa_end = at++;
      if (at != last && (*at == '-' || *at == '+')) ++at;
      if (digits() == 0) at = mantissa_end;
    }
  }
  errno = 0;
  const double number = strtod(string(first, at).c_str(), nullptr);
  if (errno == ERANGE) return {at, errc::result_out_of_range};
  value = number;
  return {at, errc()};
}

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

namespace ranges {

// A predicate, or an order, behind a projection.
template <class Predicate, class Projection>
auto behind(Predicate& predicate, Projection& projection) {
  return [&](auto&& x) -> bool { return std::invoke(predicate, std::invoke(projection, x)); };
}
template <class Order, class Projection>
auto both_behind(Order& order, Projection& projection) {
  return [&](auto&& x, auto&& y) -> bool {
    return std::invoke(order, std::invoke(projection, x), std::invoke(projection, y));
  };
}

template <class Range, class Predicate, class Projection = identity>
bool any_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return std::any_of(std::begin(range), std::end(range), behind(predicate, projection));
}
template <class Range, class Predicate, class Projection = identity>
bool all_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return std::all_of(std::begin(range), std::end(range), behind(predicate, projection));
}
template <class Range, class Predicate, class Projection = identity>
bool none_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return std::none_of(std::begin(range), std::end(range), behind(predicate, projection));
}
template <class Range, class Predicate, class Projection = identity>
auto find_if(Range&& range, Predicate predicate, Projection projection = {}) {
  return std::find_if(std::begin(range), std::end(range), behind(predicate, projection));
}
template <class Range, class Value, class Projection = identity>
auto find(Range&& range, const Value& value, Projection projection = {}) {
  return std::find_if(std::begin(range), std::end(range),
                      [&](auto&& x) -> bool { return std::invoke(projection, x) == value; });
}
template <class Range, class Predicate, class Projection = identity>
auto count_if(Range&& range, Predicate predicate, Projection projection = {}) {
  return std::count_if(std::begin(range), std::end(range), behind(predicate, projection));
}
template <class Range, class Value, class Projection = identity>
auto count(Range&& range, const Value& value, Projection projection = {}) {
  return std::count_if(std::begin(range), std::end(range),
                       [&](auto&& x) -> bool { return std::invoke(projection, x) == value; });
}
template <class A, class B, class Predicate = std::equal_to<>>
bool equal(A&& a, B&& b, Predicate predicate = {}) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b), predicate);
}

template <class Range, class Order = std::less<>, class Projection = identity>
void sort(Range&& range, Order order = {}, Projection projection = {}) {
  std::sort(std::begin(range), std::end(range), both_behind(order, projection));
}
template <class Range, class Order = std::less<>, class Projection = identity>
void stable_sort(Range&& range, Order order = {}, Projection projection = {}) {
  std::stable_sort(std::begin(range), std::end(range), both_behind(order, projection));
}
template <class Range, class Iterator, class Order = std::less<>, class Projection = identity>
void partial_sort(Range&& range, Iterator middle, Order order = {}, Projection projection = {}) {
  std::partial_sort(std::begin(range), middle, std::end(range), both_behind(order, projection));
}
template <class Iterator, class Order = std::less<>, class Projection = identity>
Iterator min_element(Iterator first, Iterator last, Order order = {}, Projection projection = {}) {
  return std::min_element(first, last, both_behind(order, projection));
}
template <class Range>
auto max(const Range& range) {
  return *std::max_element(std::begin(range), std::end(range));
}
// A pair, which can be taken apart as the real one.
template <class Range>
auto minmax(const Range& range) {
  const auto found = std::minmax_element(std::begin(range), std::end(range));
  return std::pair(*found.first, *found.second);
}

template <class Range, class Value, class Order = std::less<>, class Projection = identity>
auto lower_bound(Range&& range, const Value& value, Order order = {}, Projection projection = {}) {
  return std::lower_bound(std::begin(range), std::end(range), value, [&](auto&& x, const Value& v) -> bool {
    return std::invoke(order, std::invoke(projection, x), v);
  });
}
template <class Iterator, class Value, class Order = std::less<>, class Projection = identity>
  requires requires(Iterator i) { *i; }
auto lower_bound(Iterator first, Iterator last, const Value& value, Order order = {}, Projection projection = {}) {
  return std::lower_bound(first, last, value, [&](auto&& x, const Value& v) -> bool {
    return std::invoke(order, std::invoke(projection, x), v);
  });
}
template <class Range, class Value, class Order = std::less<>, class Projection = identity>
auto upper_bound(Range&& range, const Value& value, Order order = {}, Projection projection = {}) {
  return std::upper_bound(std::begin(range), std::end(range), value, [&](const Value& v, auto&& x) -> bool {
    return std::invoke(order, v, std::invoke(projection, x));
  });
}
template <class Range, class Value, class Order = std::less<>, class Projection = identity>
bool binary_search(Range&& range, const Value& value, Order order = {}, Projection projection = {}) {
  const auto at = ranges::lower_bound(range, value, order, projection);
  return at != std::end(range) && !std::invoke(order, value, std::invoke(projection, *at));
}
// What the two return can be taken apart, and asked for its size.
template <class Iterator>
struct Between {
  Iterator first, last;
  Iterator begin() const { return first; }
  Iterator end() const { return last; }
  [[nodiscard]] bool empty() const { return first == last; }
  [[nodiscard]] size_t size() const { return static_cast<size_t>(last - first); }
};
template <class Range, class Value>
auto equal_range(Range&& range, const Value& value) {
  const auto [first, last] = std::equal_range(std::begin(range), std::end(range), value);
  return Between<decltype(std::begin(range))>{first, last};
}
template <class Iterator, class Value>
auto equal_range(Iterator first, Iterator last, const Value& value) {
  const auto both = std::equal_range(first, last, value);
  return Between<Iterator>{both.first, both.second};
}
template <class Range, class Equal = std::equal_to<>>
auto unique(Range&& range, Equal equal = {}) {
  return Between<decltype(std::begin(range))>{std::unique(std::begin(range), std::end(range), equal), std::end(range)};
}

template <class Range, class Out>
auto copy(Range&& range, Out out) {
  return std::copy(std::begin(range), std::end(range), out);
}
template <class Range, class Out>
auto move(Range&& range, Out out) {
  return std::move(std::begin(range), std::end(range), out);
}
template <class Range, class Value>
void fill(Range&& range, const Value& value) {
  std::fill(std::begin(range), std::end(range), value);
}

}  // namespace ranges
}  // namespace std
