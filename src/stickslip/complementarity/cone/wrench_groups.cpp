// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/wrench_groups.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace stickslip::complementarity {
namespace {

constexpr double kRankTolerance = 1e-11;  // relative to the largest diagonal entry of the group

}  // namespace

template <int D>
void WrenchGroups<D>::find(const ScaledIsland<D>& island) {
  island_ = &island;
  find_groups();
  number_nodes();
}

// Contacts with equal closed neighbourhoods, and the rank of each such group that is worth while.
template <int D>
void WrenchGroups<D>::find_groups() {
  const ScaledIsland<D>& island = *island_;
  const int n = island.contacts;
  leader_.resize(n), tried_.assign(n, 0), hash_.resize(n), rank_.assign(n, 0),
      basis_.resize(static_cast<std::size_t>(n) * D * kMaxRank);
  member.clear();
  const auto row = [&](int c) {
    return std::span(island.column).subspan(island.row_start[c], island.row_start[c + 1] - island.row_start[c]);
  };
  for (int c = 0; c < n; ++c) {
    leader_[c] = c, hash_[c] = 0;
    for (int j : row(c)) hash_[c] += 2654435761u * static_cast<unsigned>(j + 1);
  }
  for (int c = 0; c < n; ++c) {
    if (leader_[c] != c || tried_[c]) continue;
    const int first = static_cast<int>(member.size());
    member.push_back(c);
    for (int j : row(c))
      if (j > c && leader_[j] == j && hash_[j] == hash_[c] && std::ranges::equal(row(c), row(j))) member.push_back(j);
    const int count = static_cast<int>(member.size()) - first;
    for (int k = first; k < first + count; ++k) tried_[member[k]] = 1;
    const int rank = count > 1 ? basis_of_group(first, count) : 0;
    if (rank > 0 && rank <= kWorthwhile * D * count) {
      rank_[c] = rank;
      for (int k = first + 1; k < first + count; ++k) leader_[member[k]] = c;
    }
    member.resize(first);
  }
}

// Orthonormal basis of the range of W_gg by pivoted Cholesky and two passes of Gram-Schmidt. 0: rank above kMaxRank.
template <int D>
int WrenchGroups<D>::basis_of_group(int first, int count) {
  const ScaledIsland<D>& island = *island_;
  const int n = count * D;
  // Blocks of the group's first row, second row, ...: the neighbourhoods are equal, so are the positions within a row.
  mark_.resize(count);
  const auto entry = [&](int a, int k, int b, int l) {
    const int c = member[first + a];
    return island.block(island.row_start[c] + mark_[b])[k * D + l];
  };
  for (int b = 0, p = 0; b < count; ++b) {
    const int c = member[first];
    while (island.column[island.row_start[c] + p] != member[first + b]) ++p;
    mark_[b] = p;
  }
  cholesky_.assign(static_cast<std::size_t>(n) * kMaxRank, 0.0);
  pivot_.resize(n);
  double largest = 0;
  for (int i = 0; i < n; ++i) pivot_[i] = entry(i / D, i % D, i / D, i % D), largest = std::max(largest, pivot_[i]);
  int rank = 0;
  for (;; ++rank) {
    const int at = static_cast<int>(std::max_element(pivot_.begin(), pivot_.begin() + n) - pivot_.begin());
    if (!(pivot_[at] > kRankTolerance * largest)) break;
    if (rank == kMaxRank) return 0;
    const double root = std::sqrt(pivot_[at]);
    for (int i = 0; i < n; ++i) {
      double sum = entry(i / D, i % D, at / D, at % D);
      for (int k = 0; k < rank; ++k) sum -= cholesky_[i * kMaxRank + k] * cholesky_[at * kMaxRank + k];
      cholesky_[i * kMaxRank + rank] = sum / root;
      pivot_[i] -= (sum / root) * (sum / root);
    }
  }
  if (rank == 0) return 0;
  for (int pass = 0; pass < 2; ++pass)
    for (int k = 0; k < rank; ++k) {
      for (int j = 0; j < k; ++j) {
        double dot = 0;
        for (int i = 0; i < n; ++i) dot += cholesky_[i * kMaxRank + j] * cholesky_[i * kMaxRank + k];
        for (int i = 0; i < n; ++i) cholesky_[i * kMaxRank + k] -= dot * cholesky_[i * kMaxRank + j];
      }
      double norm = 0;
      for (int i = 0; i < n; ++i) norm += cholesky_[i * kMaxRank + k] * cholesky_[i * kMaxRank + k];
      norm = std::sqrt(norm);
      if (!(norm > 0)) return 0;
      for (int i = 0; i < n; ++i) cholesky_[i * kMaxRank + k] /= norm;
    }
  for (int a = 0; a < count; ++a)
    std::copy_n(cholesky_.data() + a * D * kMaxRank, D * kMaxRank,
                basis_.data() + static_cast<std::size_t>(member[first + a]) * D * kMaxRank);
  return rank;
}

// Nodes in the order of their leaders, with their members and unknowns.
template <int D>
void WrenchGroups<D>::number_nodes() {
  const int n = island_->contacts;
  node_of.resize(n), member.resize(n), node_size.clear(), first_unknown.assign(1, 0), member_start.assign(1, 0);
  for (int c = 0; c < n; ++c) {
    if (leader_[c] != c) {
      node_of[c] = node_of[leader_[c]];
    } else {
      node_of[c] = static_cast<int>(node_size.size());
      node_size.push_back(rank_[c] > 0 ? rank_[c] : D);
      first_unknown.push_back(first_unknown.back() + node_size.back());
      member_start.push_back(0);
      if (rank_[c] == 0) {  // unit basis
        double* C = basis_.data() + static_cast<std::size_t>(c) * D * kMaxRank;
        std::fill_n(C, D * kMaxRank, 0.0);
        for (int k = 0; k < D; ++k) C[k * kMaxRank + k] = 1;
      }
    }
    ++member_start[node_of[c] + 1];
  }
  for (std::size_t k = 1; k < member_start.size(); ++k) member_start[k] += member_start[k - 1];
  cursor_.assign(member_start.begin(), member_start.end());
  for (int c = 0; c < n; ++c) member[cursor_[node_of[c]]++] = c;
}

template class WrenchGroups<2>;
template class WrenchGroups<3>;

}  // namespace stickslip::complementarity
