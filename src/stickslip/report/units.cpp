// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/units.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <set>

namespace stickslip::report {
namespace {

using Words = std::set<std::string>;

// The first of some names that is among the words.
std::string first_of(std::initializer_list<const char*> names, const Words& words) {
  const auto found = std::find_if(names.begin(), names.end(), [&](const char* name) { return words.contains(name); });
  return found == names.end() ? std::string() : std::string(*found);
}

}  // namespace

Units units_of(const recording::RunDescription& description) {
  Words whole, parts;  // "m/s^2" has the parts m and s
  for (const auto* list : {&description.observables, &description.parameters})
    for (const recording::Quantity& quantity : *list) {
      whole.insert(quantity.unit);
      std::string part;
      for (const char c : quantity.unit + " ") {
        if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
          part += c;
        } else {
          parts.insert(part);
          part.clear();
        }
      }
    }
  Units units;
  units.length = first_of({"mm", "cm", "m", "km", "in"}, whole);
  units.time = first_of({"ms", "us", "min", "s"}, parts);
  // Newton, joule and the like have the second in them.
  if (units.time.empty() && !first_of({"Hz", "N", "mN", "kN", "J", "mJ", "kJ", "W", "Pa", "kPa"}, parts).empty())
    units.time = std::string(1, 's');  // not = "s": g++ 12 warns of an overlap that is none
  const bool si = units.length == "m" && units.time == "s" && !(parts.contains("g") && !parts.contains("kg"));
  units.force = first_of({"N", "mN", "kN"}, whole);
  units.energy = first_of({"J", "mJ", "kJ"}, whole);
  if (si && units.force.empty()) units.force = std::string(1, 'N');
  if (si && units.energy.empty()) units.energy = std::string(1, 'J');
  return units;
}

}  // namespace stickslip::report
