// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/model/pair_laws.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

namespace stickslip::model {
namespace {

std::size_t index(int body) {
  return static_cast<std::size_t>(body);
}

}  // namespace

PairLaws::PairLaws(std::size_t bodies, int law, std::span<const Rule> rules) : group_(bodies) {
  // Bodies that the same rules name on the same sides cannot be told apart by them.
  std::vector<std::vector<std::size_t>> named(bodies);  // 2 rule + side
  for (std::size_t r = 0; r < rules.size(); ++r) {
    for (const int body : rules[r].first) named[index(body)].push_back(2 * r);
    for (const int body : rules[r].second) named[index(body)].push_back(2 * r + 1);
  }
  std::map<std::vector<std::size_t>, std::size_t> numbers;
  for (std::size_t body = 0; body < bodies; ++body)
    group_[body] = numbers.try_emplace(std::move(named[body]), numbers.size()).first->second;
  groups_ = numbers.size();
  table_.assign(groups_ * groups_, law);

  const auto groups_of = [&](std::span<const int> members) {
    std::vector<std::size_t> groups;
    for (const int body : members) groups.push_back(group_[index(body)]);
    std::ranges::sort(groups);
    groups.erase(std::ranges::unique(groups).begin(), groups.end());
    return groups;
  };
  for (const Rule& rule : rules) {
    const std::vector<std::size_t> second = groups_of(rule.second);
    for (const std::size_t a : groups_of(rule.first))
      for (const std::size_t b : second) table_[a * groups_ + b] = table_[b * groups_ + a] = rule.law;
  }
}

// A body joins the first group whose first member has the same laws with all other bodies. For a symmetric table this is
// enough for all members of a group to be alike: with c and d equal to r, law(c, d) = law(r, d) and law(d, c) =
// law(r, c).
PairLaws PairLaws::from_table(std::size_t bodies, std::span<const int> table) {
  assert(table.size() == bodies * bodies);
  PairLaws laws;
  std::vector<std::size_t> first;  // member of each group
  std::vector<int> within;         // law between members; kNever while there is only one
  for (std::size_t c = 0; c < bodies; ++c) {
    const std::span<const int> row = table.subspan(c * bodies, bodies);
    std::size_t group = 0;
    for (; group < first.size(); ++group) {
      const std::size_t r = first[group];
      const std::span<const int> other = table.subspan(r * bodies, bodies);
      const std::size_t low = std::min(c, r), high = std::max(c, r);
      const auto same = [&](std::size_t from, std::size_t to) {
        return std::equal(row.begin() + static_cast<std::ptrdiff_t>(from),
                          row.begin() + static_cast<std::ptrdiff_t>(to),
                          other.begin() + static_cast<std::ptrdiff_t>(from));
      };
      if (same(0, low) && same(low + 1, high) && same(high + 1, bodies)) break;
    }
    if (group == first.size()) {
      first.push_back(c);
      within.push_back(kNever);
    } else {
      within[group] = row[first[group]];
    }
    laws.group_.push_back(group);
  }
  laws.groups_ = first.size();
  laws.table_.resize(first.size() * first.size());
  for (std::size_t a = 0; a < first.size(); ++a)
    for (std::size_t b = 0; b < first.size(); ++b)
      laws.table_[a * first.size() + b] = a == b ? within[a] : table[first[a] * bodies + first[b]];
  return laws;
}

}  // namespace stickslip::model
