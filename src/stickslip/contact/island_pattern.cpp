// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/island_pattern.h"

#include <algorithm>

namespace stickslip::contact {
namespace {

// Contacts of each movable body, ascending, in compressed rows.
void list_contacts_of_bodies(std::size_t bodies, const Island& island, PatternScratch& scratch) {
  scratch.start.assign(bodies + 1, 0);
  for (const auto& [a, b] : island.bodies) {
    if (a >= 0) ++scratch.start[static_cast<std::size_t>(a) + 1];
    if (b >= 0) ++scratch.start[static_cast<std::size_t>(b) + 1];
  }
  for (std::size_t k = 0; k < bodies; ++k) scratch.start[k + 1] += scratch.start[k];
  scratch.contact.resize(static_cast<std::size_t>(scratch.start[bodies]));
  scratch.slot.assign(scratch.start.begin(), scratch.start.end() - 1);
  for (std::size_t c = 0; c < island.bodies.size(); ++c) {
    const auto [a, b] = island.bodies[c];
    for (int body : {a, b})
      if (body >= 0)
        scratch.contact[static_cast<std::size_t>(scratch.slot[static_cast<std::size_t>(body)]++)] = static_cast<int>(c);
  }
}

}  // namespace

void make_pattern(int dimension, std::size_t bodies, Island& island, PatternScratch scratch) {
  list_contacts_of_bodies(bodies, island, scratch);
  complementarity::ContactProblem& problem = island.problem;
  complementarity::BlockMatrix& W = problem.W;
  const std::size_t n = island.bodies.size();
  const auto D = static_cast<std::size_t>(dimension);
  W.block_size = dimension;
  W.row_start.assign(1, 0);
  W.column.clear();
  W.diagonal.resize(n);
  const auto list_of = [&](int body) {
    if (body < 0) return std::pair{0, 0};
    return std::pair{scratch.start[static_cast<std::size_t>(body)], scratch.start[static_cast<std::size_t>(body) + 1]};
  };
  for (std::size_t c = 0; c < n; ++c) {
    auto [i, i_end] = list_of(island.bodies[c].first);
    auto [j, j_end] = list_of(island.bodies[c].second);
    while (i < i_end || j < j_end) {  // union of two ascending lists
      const int next_i = i < i_end ? scratch.contact[static_cast<std::size_t>(i)] : static_cast<int>(n);
      const int next_j = j < j_end ? scratch.contact[static_cast<std::size_t>(j)] : static_cast<int>(n);
      const int column = std::min(next_i, next_j);
      if (next_i == column) ++i;
      if (next_j == column) ++j;
      if (column == static_cast<int>(c)) W.diagonal[c] = static_cast<int>(W.column.size());
      W.column.push_back(column);
    }
    W.row_start.push_back(static_cast<int>(W.column.size()));
  }
  W.value.resize(W.column.size() * D * D);
  problem.q.resize(n * D);
  problem.mu.resize(n);
  island.r.resize(n * D);

  // Rows are visited in ascending order, so the next unvisited block of row `column` is the mirror.
  island.mirror.resize(W.column.size());
  scratch.slot.assign(W.row_start.begin(), W.row_start.end() - 1);
  for (std::size_t c = 0; c < n; ++c)
    for (int p = W.row_start[c]; p < W.row_start[c + 1]; ++p) {
      const auto column = static_cast<std::size_t>(W.column[static_cast<std::size_t>(p)]);
      island.mirror[static_cast<std::size_t>(p)] = scratch.slot[column]++;
    }
}

}  // namespace stickslip::contact
