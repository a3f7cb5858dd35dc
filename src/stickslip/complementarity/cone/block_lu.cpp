// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/block_lu.h"

#include "stickslip/complementarity/dense_lu.h"

#include <algorithm>

namespace stickslip::complementarity {
namespace {

// Pivots this much smaller than the front's entries carry no digits any more.
constexpr double kSmallestPivot = 1e-15;

// Room for `size` numbers behind the first `used`; grows geometrically and never shrinks.
void make_room(std::vector<double>& v, std::size_t used, std::size_t size) {
  if (v.size() < used + size) v.resize(std::max(used + size, v.size() + v.size() / 2));
}

// target += A W, sizes known to the compiler.
template <int Rows, int Columns>
void add_product(const double* A, const double* W, double* target, int stride) {
  for (int k = 0; k < Rows; ++k) {
    double sum[Columns];
    for (int j = 0; j < Columns; ++j) sum[j] = target[k * stride + j];
    for (int l = 0; l < Rows; ++l)
      for (int j = 0; j < Columns; ++j) sum[j] += A[k * Rows + l] * W[l * Columns + j];
    for (int j = 0; j < Columns; ++j) target[k * stride + j] = sum[j];
  }
}

std::size_t area(int rows, int columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

}  // namespace

template <int D>
std::size_t BlockLu<D>::block_start(int node) const {
  if constexpr (D > 0)
    return static_cast<std::size_t>(node) * D * D;
  else
    return system_.block_start[node];
}

template <int D>
int BlockLu<D>::factor(const EliminationPlan& plan, const System& system) {
  system_ = system;
  fronts_.resize(plan.fronts());
  node_.clear(), exchange_.clear(), waiting_.clear();
  local_.resize(system.W.nodes);
  factor_size_ = stack_size_ = 0;
  work_ = 0;

  int replaced = 0;
  for (int index = 0; index < plan.fronts(); ++index) {
    Front& front = fronts_[index];
    select_nodes(plan, index, front);
    make_room(dense_, 0, area(front.m, front.m));
    std::fill_n(dense_.begin(), area(front.m, front.m), 0.0);
    assemble(plan, front);
    while (!waiting_.empty() && plan.parent(waiting_.back()) == index) {
      add_child(fronts_[waiting_.back()], front.m);
      stack_size_ = fronts_[waiting_.back()].stack;
      waiting_.pop_back();
    }
    front.exchange = static_cast<int>(exchange_.size());
    exchange_.resize(exchange_.size() + front.p);
    replaced += partial_lu(dense_.data(), front.m, front.p, front.m, kSmallestPivot, exchange_.data() + front.exchange);
    work_ += static_cast<double>(front.p) * front.m * front.m;
    store(front);
    if (plan.parent(index) >= 0) waiting_.push_back(index);
  }
  return replaced;
}

// The front's active nodes, and where their unknowns stand in it.
template <int D>
void BlockLu<D>::select_nodes(const EliminationPlan& plan, int index, Front& front) {
  front.first = static_cast<int>(node_.size());
  int unknowns = 0;
  const auto take = [&](int node) {
    if (system_.state[node] == NodeState::Inactive) return;
    node_.push_back(node);
    local_[node] = unknowns;
    unknowns += system_.W.size(node);
  };
  for (int node : plan.pivots(index)) take(node);
  front.pivots = static_cast<int>(node_.size()) - front.first;
  front.p = unknowns;
  for (int node : plan.later(index)) take(node);
  front.size = static_cast<int>(node_.size()) - front.first;
  front.m = unknowns;
}

// target += A_i W_ij
template <int D>
void BlockLu<D>::add_block(int row_node, int column_node, int block, double* target, int stride) const {
  const int rows = system_.W.size(row_node), columns = system_.W.size(column_node);
  const double* W = system_.W.block(block);
  if (system_.state[row_node] == NodeState::Identity) {
    for (int k = 0; k < rows; ++k)
      for (int j = 0; j < columns; ++j) target[k * stride + j] += system_.identity * W[k * columns + j];
    return;
  }
  const double* A = system_.A + block_start(row_node);
  if constexpr (D > 0) return add_product<D, D>(A, W, target, stride);
  if (rows == 6 && columns == 6) return add_product<6, 6>(A, W, target, stride);  // most groups are bodies in space
  for (int k = 0; k < rows; ++k)
    for (int l = 0; l < rows; ++l) {
      const double a = A[k * rows + l];
      for (int j = 0; j < columns; ++j) target[k * stride + j] += a * W[l * columns + j];
    }
}

// Every block belongs to the front that eliminates the earlier of its two nodes.
template <int D>
void BlockLu<D>::assemble(const EliminationPlan& plan, const Front& front) {
  const NodeMatrix<D>& W = system_.W;
  const auto position = plan.position();
  const int stride = front.m;
  for (int a = 0; a < front.pivots; ++a) {
    const int i = node_[front.first + a];
    for (int p = W.row_start[i]; p < W.row_start[i + 1]; ++p) {
      const int j = W.column[p];
      if (system_.state[j] == NodeState::Inactive || position[j] < position[i]) continue;
      add_block(i, j, p, dense_.data() + local_[i] * stride + local_[j], stride);
      if (j != i) add_block(j, i, W.mirror[p], dense_.data() + local_[j] * stride + local_[i], stride);
    }
    const int size = W.size(i);
    const double* B = system_.B + block_start(i);
    double* diagonal = dense_.data() + local_[i] * stride + local_[i];
    for (int k = 0; k < size; ++k)
      for (int l = 0; l < size; ++l) diagonal[k * stride + l] += B[k * size + l];
  }
}

template <int D>
void BlockLu<D>::add_child(const Front& child, int stride) {
  const double* from = stack_.data() + child.stack;
  for (int a = child.pivots; a < child.size; ++a) {
    const int row_node = node_[child.first + a], rows = system_.W.size(row_node);
    for (int k = 0; k < rows; ++k) {
      double* to = dense_.data() + (local_[row_node] + k) * stride;
      for (int b = child.pivots; b < child.size; ++b) {
        const int column_node = node_[child.first + b], columns = system_.W.size(column_node);
        for (int l = 0; l < columns; ++l) to[local_[column_node] + l] += from[l];
        from += columns;
      }
    }
  }
}

// Moves the factors and the remainder out of the dense workspace.
template <int D>
void BlockLu<D>::store(Front& front) {
  const int m = front.m, p = front.p, rest = m - p;
  front.upper = factor_size_;
  front.lower = front.upper + area(p, m);
  factor_size_ = front.lower + area(rest, p);
  make_room(factor_, front.upper, factor_size_ - front.upper);
  std::copy_n(dense_.data(), area(p, m), factor_.data() + front.upper);
  for (int i = 0; i < rest; ++i)
    std::copy_n(dense_.data() + area(p + i, m), p, factor_.data() + front.lower + area(i, p));

  front.stack = stack_size_;
  stack_size_ += area(rest, rest);
  make_room(stack_, front.stack, stack_size_ - front.stack);
  for (int i = 0; i < rest; ++i)
    std::copy_n(dense_.data() + area(p + i, m) + p, rest, stack_.data() + front.stack + area(i, rest));
}

template <int D>
void BlockLu<D>::solve(double* x) {
  const NodeMatrix<D>& W = system_.W;
  x_.resize(W.unknowns());
  double* y = x_.data();  // the front's part of the solution
  const auto gather = [&](const Front& front, int count) {
    double* to = y;
    for (int a = 0; a < count; ++a) {
      const int node = node_[front.first + a];
      to = std::copy_n(x + W.first(node), W.size(node), to);
    }
  };
  const auto scatter_pivots = [&](const Front& front) {
    const double* from = y;
    for (int a = 0; a < front.pivots; ++a) {
      const int node = node_[front.first + a], size = W.size(node);
      std::copy_n(from, size, x + W.first(node));
      from += size;
    }
  };
  for (const Front& front : fronts_) {
    const int m = front.m, p = front.p;
    const double *U = factor_.data() + front.upper, *L = factor_.data() + front.lower;
    gather(front, front.pivots);
    for (int k = 0; k < p; ++k) std::swap(y[k], y[exchange_[front.exchange + k]]);
    for (int i = 1; i < p; ++i) {
      double sum = y[i];
      for (int k = 0; k < i; ++k) sum -= U[i * m + k] * y[k];
      y[i] = sum;
    }
    scatter_pivots(front);
    for (int a = front.pivots; a < front.size; ++a) {
      const int node = node_[front.first + a], size = W.size(node);
      for (int l = 0; l < size; ++l, L += p) {
        double sum = 0;
        for (int k = 0; k < p; ++k) sum += L[k] * y[k];
        x[W.first(node) + l] -= sum;
      }
    }
  }
  for (auto front = fronts_.rbegin(); front != fronts_.rend(); ++front) {
    const int m = front->m, p = front->p;
    const double* U = factor_.data() + front->upper;
    gather(*front, front->size);
    for (int i = p - 1; i >= 0; --i) {
      double sum = y[i];
      for (int k = i + 1; k < m; ++k) sum -= U[i * m + k] * y[k];
      y[i] = sum / U[i * m + i];
    }
    scatter_pivots(*front);
  }
}

template class BlockLu<2>;
template class BlockLu<3>;
template class BlockLu<kVariable>;

}  // namespace stickslip::complementarity
