// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/presolve.h"

#include "stickslip/complementarity/affine/problem_columns.h"
#include "stickslip/complementarity/union_find.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace stickslip::complementarity {
namespace {

// A remainder r_i below this part of the terms it was summed from is rounding: its sign decides nothing.
constexpr double kRounding = 1e-12;

}  // namespace

// Walks over the columns with the list of rows that have shown no off-diagonal entry yet; full matrices empty it at
// once.
bool Presolve::any_singleton(const AffineProblem& problem) {
  const auto n = static_cast<int>(problem.size());
  for (int i = 0; i < n; ++i) {
    if (problem.lower[i] == problem.upper[i]) return true;
  }
  if (problem.is_dense) {
    pending_.resize(static_cast<std::size_t>(n));
    std::iota(pending_.begin(), pending_.end(), 0);
    int count = n;
    for (int j = 0; j < n && count > 0; ++j) {
      const double* column = problem.dense.data() + static_cast<std::ptrdiff_t>(j) * n;
      int kept = 0;
      for (int k = 0; k < count; ++k) {
        const int i = pending_[k];
        if (i == j || column[i] == 0) pending_[kept++] = i;
      }
      count = kept;
    }
    return count > 0;
  }
  others_.assign(static_cast<std::size_t>(n), 0);
  for (int j = 0; j < n; ++j) {
    for_each_in_column(problem, j, [&](int i, double) { others_[i] += i != j ? 1 : 0; });
  }
  return std::ranges::find(others_, 0.0) != others_.end();
}

// Sets z_i when its row forces it. False: the row cannot be satisfied.
bool Presolve::decide(const AffineProblem& problem, int i, double diagonal, Eigen::VectorXd& z, bool& decided) {
  const double lower = problem.lower[i], upper = problem.upper[i], r = remainder_[i];
  decided = true;
  if (diagonal > 0) {
    z[i] = std::min(upper, std::max(lower, -r / diagonal));
    return true;
  }
  const bool free = lower == -kInfinity && upper == kInfinity;
  if (diagonal < 0) {
    decided = free;
    if (free) z[i] = -r / diagonal;
    return true;
  }
  if (std::fabs(r) <= kRounding * size_[i]) {
    decided = false;  // any value will do as far as this row goes; others may want one
    return true;
  }
  z[i] = r > 0 ? lower : upper;
  return std::isfinite(z[i]);
}

// others_: entries beside the diagonal in each row.
void Presolve::count_entries(const AffineProblem& problem) {
  const auto n = static_cast<int>(problem.size());
  others_.assign(static_cast<std::size_t>(n), 0);
  diagonal_.assign(static_cast<std::size_t>(n), 0);
  for (int j = 0; j < n; ++j) {
    if (problem.is_dense) {
      const double* column = problem.dense.data() + static_cast<std::ptrdiff_t>(j) * n;
      double* others = others_.data();
      for (int i = 0; i < n; ++i) others[i] += column[i] != 0 ? 1.0 : 0.0;
      diagonal_[j] = column[j];
    } else {
      for_each_in_column(problem, j, [&](int i, double value) {
        others_[i] += 1;
        if (i == j) diagonal_[j] = value;
      });
    }
    if (diagonal_[j] != 0) others_[j] -= 1;
  }
}

// Moves the decided unknown i to the constants of the other rows; rows that it leaves with their own unknown are
// queued.
void Presolve::substitute(const AffineProblem& problem, int i, double value) {
  if (value != 0)
    for_each_in_column(problem, i, [&](int k, double entry) {
      remainder_[k] += entry * value;
      size_[k] += std::fabs(entry * value);
    });
  for_each_in_column(problem, i, [&](int k, double) {
    if (k == i) return;
    others_[k] -= 1;
    if (others_[k] == 0 && decided_[k] == 0) queue_.push_back(k);
  });
}

bool Presolve::decide_rows(const AffineProblem& problem, Eigen::VectorXd& z) {
  const auto n = static_cast<int>(problem.size());
  const auto size = static_cast<std::size_t>(n);
  count_entries(problem);
  remainder_.assign(problem.q.data(), problem.q.data() + n);
  size_.resize(size);
  queue_.clear();
  queue_.reserve(2 * size);
  for (int i = 0; i < n; ++i) {
    size_[i] = std::fabs(problem.q[i]);
    if (others_[i] == 0 || problem.lower[i] == problem.upper[i]) queue_.push_back(i);
  }
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const int i = queue_[head];
    if (decided_[i] != 0) continue;
    bool decided = true;
    if (problem.lower[i] == problem.upper[i]) {
      z[i] = problem.lower[i];
    } else if (!decide(problem, i, diagonal_[i], z, decided)) {
      return false;
    }
    if (!decided) continue;
    decided_[i] = 1;
    --undecided_;
    substitute(problem, i, z[i]);
  }
  return true;
}

Presolve::Outcome Presolve::run(const AffineProblem& problem, bool singleton, Eigen::VectorXd& z) {
  const auto n = static_cast<int>(problem.size());
  undecided_ = n;
  decided_.assign(static_cast<std::size_t>(n), 0);
  if (singleton) {
    z.setZero(n);
    if (!decide_rows(problem, z)) return Outcome::Infeasible;
    if (undecided_ == 0) {
      block_start_.assign(1, 0);
      return Outcome::Solved;
    }
  }
  find_blocks(problem);
  if (undecided_ == n && blocks() == 1) return Outcome::Nothing;
  if (undecided_ == n) {
    z.setZero(n);
    remainder_.assign(problem.q.data(), problem.q.data() + n);
  }
  return Outcome::Reduced;
}

// label_: block of each undecided unknown, numbered by its smallest member; then a counting sort.
void Presolve::find_blocks(const AffineProblem& problem) {
  const auto n = static_cast<int>(problem.size());
  label_.assign(static_cast<std::size_t>(n), -1);
  if (problem.is_dense) {
    find_blocks_dense(problem);
  } else {
    find_blocks_sparse(problem);
  }
  int blocks = 0;
  for (int i = 0; i < n; ++i) blocks = std::max(blocks, label_[i] + 1);
  block_start_.assign(static_cast<std::size_t>(blocks) + 1, 0);
  for (int i = 0; i < n; ++i) {
    if (label_[i] >= 0) ++block_start_[label_[i] + 1];
  }
  for (int b = 0; b < blocks; ++b) block_start_[b + 1] += block_start_[b];
  member_.resize(static_cast<std::size_t>(undecided_));
  position_.resize(static_cast<std::size_t>(n));
  pending_.assign(block_start_.begin(), block_start_.end());
  for (int i = 0; i < n; ++i) {
    if (label_[i] < 0) continue;
    const int slot = pending_[label_[i]]++;
    position_[i] = slot - block_start_[label_[i]];
    member_[slot] = i;
  }
}

// Breadth-first search that looks only at unknowns not reached yet: linear in n when M is full.
void Presolve::find_blocks_dense(const AffineProblem& problem) {
  const auto n = static_cast<int>(problem.size());
  pending_.clear();
  for (int i = 0; i < n; ++i) {
    if (decided_[i] == 0) pending_.push_back(i);
  }
  int blocks = 0;
  queue_.clear();
  queue_.reserve(static_cast<std::size_t>(n));
  while (!pending_.empty()) {
    queue_.clear();
    queue_.push_back(pending_.front());
    pending_.erase(pending_.begin());
    label_[queue_[0]] = blocks;
    for (std::size_t head = 0; head < queue_.size() && !pending_.empty(); ++head) {
      const int j = queue_[head];
      std::size_t kept = 0;
      for (const int i : pending_) {
        if (problem.dense(i, j) != 0 || problem.dense(j, i) != 0) {
          label_[i] = blocks;
          queue_.push_back(i);
        } else {
          pending_[kept++] = i;
        }
      }
      pending_.resize(kept);
    }
    ++blocks;
  }
}

void Presolve::find_blocks_sparse(const AffineProblem& problem) {
  const auto n = static_cast<int>(problem.size());
  queue_.resize(static_cast<std::size_t>(n));
  std::iota(queue_.begin(), queue_.end(), 0);
  for (int j = 0; j < n; ++j) {
    if (decided_[j] != 0) continue;
    for_each_in_column(problem, j, [&](int i, double) {
      if (decided_[i] != 0) return;
      const int a = find_root(queue_, i), b = find_root(queue_, j);
      if (a != b) queue_[std::max(a, b)] = std::min(a, b);
    });
  }
  int blocks = 0;
  for (int i = 0; i < n; ++i) {
    if (decided_[i] != 0) continue;
    const int root = find_root(queue_, i);
    label_[i] = root == i ? blocks++ : label_[root];
  }
}

void Presolve::extract(const AffineProblem& problem, int b, AffineProblem& block) {
  const int m = block_size(b);
  const int* member = members(b);
  block.q.resize(m);
  block.lower.resize(m);
  block.upper.resize(m);
  for (int k = 0; k < m; ++k) {
    block.q[k] = remainder_[member[k]];
    block.lower[k] = problem.lower[member[k]];
    block.upper[k] = problem.upper[member[k]];
  }
  constexpr int kAlwaysDense = 12;
  block.is_dense = problem.is_dense || m <= kAlwaysDense;
  const auto inside = [&](int i) { return label_[i] == b; };
  if (block.is_dense) {
    block.dense.setZero(m, m);
    for (int k = 0; k < m; ++k) {
      for_each_in_column(problem, member[k], [&](int i, double value) {
        if (inside(i)) block.dense(position_[i], k) = value;
      });
    }
    return;
  }
  int entries = 0;
  for (int k = 0; k < m; ++k) for_each_in_column(problem, member[k], [&](int i, double) { entries += inside(i); });
  block.sparse.resize(m, m);
  block.sparse.resizeNonZeros(entries);
  int slot = 0;
  for (int k = 0; k < m; ++k) {
    block.sparse.outerIndexPtr()[k] = slot;
    for_each_in_column(problem, member[k], [&](int i, double value) {
      if (!inside(i)) return;
      block.sparse.innerIndexPtr()[slot] = position_[i];
      block.sparse.valuePtr()[slot++] = value;
    });
  }
  block.sparse.outerIndexPtr()[m] = slot;
}

void Presolve::scatter(int b, const Eigen::VectorXd& block_z, Eigen::VectorXd& z) const {
  for (int k = 0; k < block_size(b); ++k) z[members(b)[k]] = block_z[k];
}

}  // namespace stickslip::complementarity
