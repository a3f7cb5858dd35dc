// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Laws by groups of bodies against the plain table of all pairs.
#include "stickslip/model/pair_laws.h"

#include <gtest/gtest.h>

#include <random>

namespace stickslip::model {
namespace {

using Rule = PairLaws::Rule;

std::vector<int> plain_table(int n, int law, const std::vector<Rule>& rules) {
  std::vector<int> table(static_cast<std::size_t>(n * n), law);
  const auto at = [&](int a, int b) -> int& { return table[static_cast<std::size_t>(a * n + b)]; };
  for (const Rule& rule : rules)
    for (const int a : rule.first)
      for (const int b : rule.second) at(a, b) = at(b, a) = rule.law;
  for (int a = 0; a < n; ++a) at(a, a) = PairLaws::kNever;
  return table;
}

void expect_same(const PairLaws& laws, int n, const std::vector<int>& table) {
  ASSERT_EQ(laws.bodies(), static_cast<std::size_t>(n));
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      ASSERT_EQ(laws.between(a, b), table[static_cast<std::size_t>(a * n + b)]) << a << ' ' << b;
}

TEST(PairLaws, RandomRulesGiveTheTableOfAllPairs) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 500; ++trial) {
    const int n = 1 + static_cast<int>(random() % 12);
    std::vector<Rule> rules(random() % 6);
    for (Rule& rule : rules) {
      for (int body = 0; body < n; ++body) {
        if (random() % 3 == 0) rule.first.push_back(body);
        if (random() % 3 == 0) rule.second.push_back(body);
      }
      rule.law = static_cast<int>(random() % 4) - 1;
    }
    const std::vector<int> table = plain_table(n, 0, rules);
    expect_same(PairLaws(static_cast<std::size_t>(n), 0, rules), n, table);
    const PairLaws read = PairLaws::from_table(static_cast<std::size_t>(n), table);
    expect_same(read, n, table);
    EXPECT_LE(read.groups(), PairLaws(static_cast<std::size_t>(n), 0, rules).groups());
  }
}

// Memory does not grow with the square of the bodies: the groups do not grow at all.
TEST(PairLaws, TenThousandBallsAndAFloorAreTwoGroups) {
  Rule floor{{0}, {}, 1};
  for (int ball = 1; ball <= 10000; ++ball) floor.second.push_back(ball);
  const PairLaws laws(10001, 0, {&floor, 1});
  EXPECT_EQ(laws.groups(), 2);
  EXPECT_EQ(laws.between(0, 7), 1);
  EXPECT_EQ(laws.between(10000, 0), 1);
  EXPECT_EQ(laws.between(3, 9999), 0);
  EXPECT_EQ(laws.between(5, 5), PairLaws::kNever);
}

}  // namespace
}  // namespace stickslip::model
