// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which law holds between two bodies. Bodies that meet all others alike form a group, and the table holds one entry for
// each pair of groups: n bodies and g groups take O(n + g^2) memory. A scene whose contacts are written with patterns
// has a few groups however many bodies it has.
//
//     law(a, b) = table[group(a), group(b)],   symmetric;   a body never meets itself
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace stickslip::model {

class PairLaws {
 public:
  static constexpr int kNever = -1;  // the pair passes through each other

  // Between each body of `first` and each of `second`.
  struct Rule {
    std::vector<int> first, second;  // indices of bodies
    int law = kNever;                // index of Model::surfaces
  };

  PairLaws() = default;
  // `law` between all pairs, except where a rule says otherwise; later rules override earlier ones. Cost O(n + g^2), and
  // for each rule its bodies and the pairs of groups that it names.
  PairLaws(std::size_t bodies, int law, std::span<const Rule> rules = {});
  // From entry a * bodies + b for all pairs. Cost O(n^2) for a few groups.
  [[nodiscard]] static PairLaws from_table(std::size_t bodies, std::span<const int> table);

  [[nodiscard]] int between(int a, int b) const {
    if (a == b) return kNever;
    return table_[group_[static_cast<std::size_t>(a)] * groups_ + group_[static_cast<std::size_t>(b)]];
  }
  [[nodiscard]] std::size_t bodies() const { return group_.size(); }
  [[nodiscard]] std::size_t groups() const { return groups_; }

  friend bool operator==(const PairLaws&, const PairLaws&) = default;

 private:
  std::size_t groups_ = 0;
  std::vector<std::size_t> group_;  // of each body, numbered in the order in which they appear
  std::vector<int> table_;          // groups x groups
};

}  // namespace stickslip::model
