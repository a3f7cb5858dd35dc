// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/block_lu.h"

#include "stickslip/complementarity/cone/dense_lu.h"

#include <algorithm>
#include <cstring>

namespace stickslip::complementarity {
namespace {

// Pivots this much smaller than the front's entries carry no digits any more.
constexpr double kSmallestPivot = 1e-15;

// Room for `size` numbers behind the first `used`; grows geometrically and never shrinks.
void make_room(std::vector<double>& v, std::size_t used, std::size_t size) {
  if (v.size() < used + size) v.resize(std::max(used + size, v.size() + v.size() / 2));
}

}  // namespace

template <int D>
int BlockLu<D>::factor(const EliminationPlan& plan, const Matrix& matrix) {
  plan_ = &plan;
  matrix_ = matrix;
  fronts_.resize(plan.fronts());
  contact_.clear(), exchange_.clear(), waiting_.clear();
  local_.resize(matrix.island->contacts);
  factor_size_ = stack_size_ = 0;
  work_ = 0;

  int replaced = 0;
  for (int index = 0; index < plan.fronts(); ++index) {
    Front& front = fronts_[index];
    select_contacts(plan, index, front);
    const int m = front.size * D, p = front.pivots * D;
    if (p > 0 || plan.fronts() > 1) {
      make_room(dense_, 0, static_cast<std::size_t>(m) * m);
      std::fill(dense_.begin(), dense_.begin() + static_cast<std::ptrdiff_t>(m) * m, 0.0);
      assemble(plan, front);
      while (!waiting_.empty() && plan.parent(waiting_.back()) == index) {
        add_child(fronts_[waiting_.back()], m);
        stack_size_ = fronts_[waiting_.back()].stack;
        waiting_.pop_back();
      }
    }
    front.exchange = static_cast<int>(exchange_.size());
    exchange_.resize(exchange_.size() + p);
    if (p > 0) replaced += partial_lu(dense_.data(), m, p, m, kSmallestPivot, exchange_.data() + front.exchange);
    work_ += static_cast<double>(p) * m * m;
    store(front);
    if (plan.parent(index) >= 0) waiting_.push_back(index);
  }
  return replaced;
}

// The front's contacts that are not separated, and their local numbers.
template <int D>
void BlockLu<D>::select_contacts(const EliminationPlan& plan, int index, Front& front) {
  front.first = static_cast<int>(contact_.size());
  for (int c : plan.pivots(index))
    if (!matrix_.separated[c]) contact_.push_back(c);
  front.pivots = static_cast<int>(contact_.size()) - front.first;
  for (int c : plan.later(index))
    if (!matrix_.separated[c]) contact_.push_back(c);
  front.size = static_cast<int>(contact_.size()) - front.first;
  for (int k = 0; k < front.size; ++k) local_[contact_[front.first + k]] = k;
}

// target += rho J_i W_ij
template <int D>
void BlockLu<D>::add_block(int row_contact, int block, double* target, int stride) const {
  const double *J = matrix_.J + row_contact * D * D, *W = matrix_.island->block(block);
  for (int k = 0; k < D; ++k) {
    double row[D] = {};
    for (int l = 0; l < D; ++l)
      for (int j = 0; j < D; ++j) row[j] += J[k * D + l] * W[l * D + j];
    for (int j = 0; j < D; ++j) target[k * stride + j] += matrix_.rho * row[j];
  }
}

// Every block of A belongs to the front that eliminates the earlier of its two contacts.
template <int D>
void BlockLu<D>::assemble(const EliminationPlan& plan, const Front& front) {
  const Island<D>& island = *matrix_.island;
  const auto position = plan.position();
  const int stride = front.size * D;
  for (int a = 0; a < front.pivots; ++a) {
    const int i = contact_[front.first + a];
    for (int p = island.row_start[i]; p < island.row_start[i + 1]; ++p) {
      const int j = island.column[p];
      if (matrix_.separated[j] || position[j] < position[i]) continue;
      add_block(i, p, dense_.data() + (a * stride + local_[j]) * D, stride);
      if (j == i) continue;
      // The transposed block: the pattern is symmetric, so it is stored in row j.
      const auto first = island.column.begin() + island.row_start[j], last = island.column.begin() + island.row_start[j + 1];
      const int mirrored = static_cast<int>(std::lower_bound(first, last, i) - island.column.begin());
      add_block(j, mirrored, dense_.data() + (local_[j] * stride + a) * D, stride);
    }
    const double* J = matrix_.J + i * D * D;
    double* diagonal = dense_.data() + (a * stride + a) * D;
    const double on_J = matrix_.rho * matrix_.alpha - 1;
    for (int k = 0; k < D; ++k) {
      for (int l = 0; l < D; ++l) diagonal[k * stride + l] += on_J * J[k * D + l];
      diagonal[k * stride + k] += 1;
    }
  }
}

template <int D>
void BlockLu<D>::add_child(const Front& child, int stride) {
  const int count = child.size - child.pivots, width = count * D;
  const int* contact = contact_.data() + child.first + child.pivots;
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) {
      const double* from = stack_.data() + child.stack + static_cast<std::size_t>(a) * D * width + b * D;
      double* to = dense_.data() + (local_[contact[a]] * stride + local_[contact[b]]) * D;
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l) to[k * stride + l] += from[k * width + l];
    }
}

// Moves the factors and the remainder out of the dense workspace.
template <int D>
void BlockLu<D>::store(Front& front) {
  const int m = front.size * D, p = front.pivots * D, rest = m - p;
  front.upper = factor_size_;
  front.lower = front.upper + static_cast<std::size_t>(p) * m;
  factor_size_ = front.lower + static_cast<std::size_t>(rest) * p;
  make_room(factor_, front.upper, factor_size_ - front.upper);
  std::copy_n(dense_.data(), static_cast<std::size_t>(p) * m, factor_.data() + front.upper);
  for (int i = 0; i < rest; ++i)
    std::copy_n(dense_.data() + static_cast<std::size_t>(p + i) * m, p, factor_.data() + front.lower + static_cast<std::size_t>(i) * p);

  front.stack = stack_size_;
  stack_size_ += static_cast<std::size_t>(rest) * rest;
  make_room(stack_, front.stack, stack_size_ - front.stack);
  for (int i = 0; i < rest; ++i)
    std::copy_n(dense_.data() + static_cast<std::size_t>(p + i) * m + p, rest, stack_.data() + front.stack + static_cast<std::size_t>(i) * rest);
}

template <int D>
void BlockLu<D>::solve(const double* rhs, double* dr, int refine) {
  const int n = matrix_.island->unknowns();
  x_.resize(n), correction_.resize(n);
  std::copy_n(rhs, n, dr);
  direct_solve(dr);
  for (int step = 0; step < refine; ++step) {
    residual(rhs, dr, correction_.data());
    direct_solve(correction_.data());
    for (int k = 0; k < n; ++k) dr[k] += correction_[k];
  }
}

// out = rhs - A dr
template <int D>
void BlockLu<D>::residual(const double* rhs, const double* dr, double* out) const {
  const Island<D>& island = *matrix_.island;
  for (int i = 0; i < island.contacts; ++i) {
    const double *J = matrix_.J + i * D * D, *x = dr + i * D;
    if (matrix_.separated[i]) {
      for (int k = 0; k < D; ++k) out[i * D + k] = rhs[i * D + k] - x[k];
      continue;
    }
    double u[D];  // rho (W + alpha I) dr - dr
    for (int k = 0; k < D; ++k) u[k] = (matrix_.rho * matrix_.alpha - 1) * x[k];
    for (int p = island.row_start[i]; p < island.row_start[i + 1]; ++p) {
      const double *W = island.block(p), *y = dr + island.column[p] * D;
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l) u[k] += matrix_.rho * W[k * D + l] * y[l];
    }
    for (int k = 0; k < D; ++k) {
      double sum = rhs[i * D + k] - x[k];
      for (int l = 0; l < D; ++l) sum -= J[k * D + l] * u[l];
      out[i * D + k] = sum;
    }
  }
}

// x: right-hand side in, solution out.
template <int D>
void BlockLu<D>::direct_solve(double* x) {
  const Island<D>& island = *matrix_.island;
  // The separated contacts' impulses are known: bring them to the right-hand side.
  for (int i = 0; i < island.contacts; ++i) {
    if (matrix_.separated[i]) continue;
    double u[D] = {};
    bool any = false;
    for (int p = island.row_start[i]; p < island.row_start[i + 1]; ++p) {
      const int j = island.column[p];
      if (!matrix_.separated[j]) continue;
      any = true;
      const double* W = island.block(p);
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l) u[k] += W[k * D + l] * x[j * D + l];
    }
    if (!any) continue;
    const double* J = matrix_.J + i * D * D;
    for (int k = 0; k < D; ++k)
      for (int l = 0; l < D; ++l) x[i * D + k] -= matrix_.rho * J[k * D + l] * u[l];
  }

  double* y = x_.data();  // the front's part of the solution
  for (const Front& front : fronts_) {
    const int m = front.size * D, p = front.pivots * D;
    if (p == 0) continue;
    const int* contact = contact_.data() + front.first;
    for (int a = 0; a < front.pivots; ++a) std::copy_n(x + contact[a] * D, D, y + a * D);
    const double *U = factor_.data() + front.upper, *L = factor_.data() + front.lower;
    for (int k = 0; k < p; ++k) std::swap(y[k], y[exchange_[front.exchange + k]]);
    for (int i = 1; i < p; ++i) {
      double sum = y[i];
      for (int k = 0; k < i; ++k) sum -= U[i * m + k] * y[k];
      y[i] = sum;
    }
    for (int a = 0; a < front.pivots; ++a) std::copy_n(y + a * D, D, x + contact[a] * D);
    for (int i = 0; i < m - p; ++i) {
      double sum = 0;
      for (int k = 0; k < p; ++k) sum += L[i * p + k] * y[k];
      x[contact[front.pivots + i / D] * D + i % D] -= sum;
    }
  }
  for (auto it = fronts_.rbegin(); it != fronts_.rend(); ++it) {
    const int m = it->size * D, p = it->pivots * D;
    if (p == 0) continue;
    const int* contact = contact_.data() + it->first;
    for (int a = 0; a < it->size; ++a) std::copy_n(x + contact[a] * D, D, y + a * D);
    const double* U = factor_.data() + it->upper;
    for (int i = p - 1; i >= 0; --i) {
      double sum = y[i];
      for (int k = i + 1; k < m; ++k) sum -= U[i * m + k] * y[k];
      y[i] = sum / U[i * m + i];
    }
    for (int a = 0; a < it->pivots; ++a) std::copy_n(y + a * D, D, x + contact[a] * D);
  }
}

template class BlockLu<2>;
template class BlockLu<3>;

}  // namespace stickslip::complementarity
