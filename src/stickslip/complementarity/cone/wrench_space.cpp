// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/wrench_space.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

constexpr int kFewUnknowns = 18;  // below this the contacts themselves are cheaper
constexpr double kProductTolerance = 1e-8;
constexpr int kAnySize = -1;

// out += C_a' W C_b; Size: that of both nodes where the compiler may know it.
template <int D, int Size>
void add_projected(const double* C_a, const double* W, const double* C_b, int rows, int columns, double* out) {
  constexpr int kStride = WrenchGroups<D>::kMaxRank;
  if constexpr (Size != kAnySize) rows = columns = Size;
  double WC[D * kStride];
  for (int k = 0; k < D; ++k)
    for (int l = 0; l < columns; ++l) {
      double sum = 0;
      for (int s = 0; s < D; ++s) sum += W[k * D + s] * C_b[s * kStride + l];
      WC[k * kStride + l] = sum;
    }
  for (int r = 0; r < rows; ++r)
    for (int l = 0; l < columns; ++l) {
      double sum = out[r * columns + l];
      for (int k = 0; k < D; ++k) sum += C_a[k * kStride + r] * WC[k * kStride + l];
      out[r * columns + l] = sum;
    }
}

}  // namespace

template <int D>
bool WrenchSpace<D>::prepare(const ScaledIsland<D>& island, EliminationPlan& plan) {
  island_ = &island, plan_ = &plan;
  if (island.unknowns() < kFewUnknowns) return false;
  groups_.find(island);
  if (groups_.unknowns() > WrenchGroups<D>::kWorthwhile * island.unknowns()) return false;
  build_pattern();
  project_blocks();
  if (!product_form_holds()) return false;
  plan.analyse(row_start_, column_, groups_.node_size);
  return true;
}

// Nodes are neighbours when their contacts are; all members of a node have the same neighbours.
template <int D>
void WrenchSpace<D>::build_pattern() {
  const ScaledIsland<D>& island = *island_;
  const int nodes = groups_.nodes();
  row_start_.assign(1, 0), column_.clear(), value_start_.clear();
  mark_.assign(nodes, -1);
  std::size_t values = 0;
  for (int i = 0; i < nodes; ++i) {
    const int c = groups_.member[groups_.member_start[i]];
    for (int p = island.row_start[c]; p < island.row_start[c + 1]; ++p) {
      const int j = groups_.node_of[island.column[p]];
      if (mark_[j] != i) mark_[j] = i, column_.push_back(j);
    }
    std::sort(column_.begin() + row_start_[i], column_.end());
    for (std::size_t p = row_start_[i]; p < column_.size(); ++p) {
      value_start_.push_back(values);
      values += static_cast<std::size_t>(groups_.node_size[i]) * groups_.node_size[column_[p]];
    }
    row_start_.push_back(static_cast<int>(column_.size()));
  }
  value_.assign(values, 0.0);
  mirror_.resize(column_.size());
  cursor_.assign(row_start_.begin(), row_start_.end());
  for (int i = 0; i < nodes; ++i)
    for (int p = row_start_[i]; p < row_start_[i + 1]; ++p) mirror_[p] = cursor_[column_[p]]++;
}

// Wc_ij = sum over members a of i, b of j of C_a' W_ab C_b
template <int D>
void WrenchSpace<D>::project_blocks() {
  const ScaledIsland<D>& island = *island_;
  const int nodes = groups_.nodes();
  for (int i = 0; i < nodes; ++i) {
    const int rows = groups_.node_size[i];
    for (int p = row_start_[i]; p < row_start_[i + 1]; ++p) mark_[column_[p]] = p;
    for (int m = groups_.member_start[i]; m < groups_.member_start[i + 1]; ++m) {
      const int a = groups_.member[m];
      const double* C_a = groups_.basis_of(a);
      for (int q = island.row_start[a]; q < island.row_start[a + 1]; ++q) {
        const int b = island.column[q], j = groups_.node_of[b], columns = groups_.node_size[j];
        double* out = value_.data() + value_start_[mark_[j]];
        if (rows == kMaxRank && columns == kMaxRank)
          add_projected<D, kMaxRank>(C_a, island.block(q), groups_.basis_of(b), rows, columns, out);
        else
          add_projected<D, kAnySize>(C_a, island.block(q), groups_.basis_of(b), rows, columns, out);
      }
    }
  }
}

template <int D>
NodeMatrix<kVariable> WrenchSpace<D>::matrix() const {
  return {groups_.nodes(),    row_start_.data(), column_.data(),
          mirror_.data(),     value_.data(),     groups_.first_unknown.data(),
          value_start_.data()};
}

// out = (Wc y) of one node
template <int D>
void WrenchSpace<D>::multiply(const double* y, int node, double* out) const {
  const int rows = groups_.node_size[node];
  for (int k = 0; k < rows; ++k) out[k] = 0;
  for (int p = row_start_[node]; p < row_start_[node + 1]; ++p) {
    const int j = column_[p], columns = groups_.node_size[j];
    const double *block = value_.data() + value_start_[p], *x = y + groups_.first_unknown[j];
    for (int k = 0; k < rows; ++k)
      for (int l = 0; l < columns; ++l) out[k] += block[k * columns + l] * x[l];
  }
}

// W x = C Wc C' x on one fixed vector without any symmetry.
template <int D>
bool WrenchSpace<D>::product_form_holds() {
  const ScaledIsland<D>& island = *island_;
  const int n = island.unknowns();
  probe_.resize(n), probe_out_.resize(n), y_.assign(groups_.unknowns(), 0.0);
  for (int i = 0; i < n; ++i) probe_[i] = std::sin(1.0 + 1.7 * i) + 0.3;
  island_velocity(island, probe_.data(), probe_out_.data());
  for (int c = 0; c < island.contacts; ++c) {
    const double* C = groups_.basis_of(c);
    for (int k = 0; k < D; ++k)
      for (int l = 0; l < groups_.node_size[groups_.node_of[c]]; ++l)
        y_[groups_.first_unknown[groups_.node_of[c]] + l] += C[k * kMaxRank + l] * probe_[c * D + k];
  }
  double error = 0, size = 0;
  for (int node = 0; node < groups_.nodes(); ++node) {
    double s[kMaxRank];
    multiply(y_.data(), node, s);
    for (int m = groups_.member_start[node]; m < groups_.member_start[node + 1]; ++m) {
      const int c = groups_.member[m];
      const double* C = groups_.basis_of(c);
      for (int k = 0; k < D; ++k) {
        const double exact = probe_out_[c * D + k] - island.q[c * D + k];
        double sum = 0;
        for (int l = 0; l < groups_.node_size[node]; ++l) sum += C[k * kMaxRank + l] * s[l];
        error = std::max(error, std::fabs(sum - exact)), size = std::max(size, std::fabs(exact));
      }
    }
  }
  return error <= kProductTolerance * size;
}

// E^-1 and X = E^-1 rho J of a contact in a group.
template <int D>
void WrenchSpace<D>::contact_matrices(int contact, double rho, double alpha) {
  const double* J = J_ + contact * D * D;
  double *inverse = E_inverse_.data() + contact * D * D, *X = X_.data() + contact * D * D;
  if (mode_[contact] == ContactMode::Stick) {
    for (int k = 0; k < D * D; ++k) inverse[k] = X[k] = 0;
    for (int k = 0; k < D; ++k) inverse[k * D + k] = 1 / (rho * alpha), X[k * D + k] = 1 / alpha;
    return;
  }
  double E[D * D];
  for (int k = 0; k < D * D; ++k) E[k] = (rho * alpha - 1) * J[k] + (k % (D + 1) == 0 ? 1.0 : 0.0);
  if (!invert_block<D>(E, inverse)) {
    for (int k = 0; k < D; ++k) E[k * D + k] += 1e-12;
    if (!invert_block<D>(E, inverse)) std::fill_n(inverse, D * D, 0.0);
  }
  for (int k = 0; k < D; ++k)
    for (int l = 0; l < D; ++l) {
      double sum = 0;
      for (int s = 0; s < D; ++s) sum += inverse[k * D + s] * J[s * D + l];
      X[k * D + l] = rho * sum;
    }
}

// T = (I + C' X C)^-1 of a group.
template <int D>
void WrenchSpace<D>::group_matrices(int node, double rho, ProximalWeight alpha) {
  for (int m = groups_.member_start[node]; m < groups_.member_start[node + 1]; ++m)
    contact_matrices(groups_.member[m], rho, alpha[groups_.member[m]]);
  if (groups_.node_size[node] == kMaxRank)
    invert_group<kMaxRank>(node);
  else
    invert_group<Eigen::Dynamic>(node);
}

template <int D>
template <int Size>
void WrenchSpace<D>::invert_group(int node) {
  constexpr int kMost = Size == Eigen::Dynamic ? kMaxRank : Size;
  using Small = Eigen::Matrix<double, Size, Size, Eigen::RowMajor, kMost, kMost>;
  const int size = Size == Eigen::Dynamic ? groups_.node_size[node] : Size;
  Small G = Small::Identity(size, size);
  for (int m = groups_.member_start[node]; m < groups_.member_start[node + 1]; ++m) {
    const int c = groups_.member[m];
    if (mode_[c] == ContactMode::Separate) continue;
    const double *C = groups_.basis_of(c), *X = X_.data() + c * D * D;
    double XC[D * kMaxRank];
    for (int k = 0; k < D; ++k)
      for (int l = 0; l < size; ++l) {
        double sum = 0;
        for (int s = 0; s < D; ++s) sum += X[k * D + s] * C[s * kMaxRank + l];
        XC[k * kMaxRank + l] = sum;
      }
    for (int k = 0; k < D; ++k)
      for (int r = 0; r < size; ++r) {
        const double factor = C[k * kMaxRank + r];
        for (int l = 0; l < size; ++l) G(r, l) += factor * XC[k * kMaxRank + l];
      }
  }
  const Small T = G.partialPivLu().inverse();
  double *A = A_.data() + block_start_[node], *B = B_.data() + block_start_[node];
  for (int k = 0; k < size; ++k)
    for (int l = 0; l < size; ++l) {
      B[k * size + l] = T(k, l);
      A[k * size + l] = (k == l ? 1.0 : 0.0) - T(k, l);
    }
}

template <int D>
int WrenchSpace<D>::factor(const double* J, const ContactMode* mode, double rho, ProximalWeight alpha) {
  J_ = J, mode_ = mode, rho_ = rho;
  const int nodes = groups_.nodes(), contacts = island_->contacts;
  block_start_.resize(nodes + 1), state_.resize(nodes);
  E_inverse_.resize(contacts * D * D), X_.resize(contacts * D * D);
  block_start_[0] = 0;
  for (int i = 0; i < nodes; ++i)
    block_start_[i + 1] = block_start_[i] + static_cast<std::size_t>(groups_.node_size[i]) * groups_.node_size[i];
  A_.resize(block_start_[nodes]), B_.resize(block_start_[nodes]);
  for (int i = 0; i < nodes; ++i) {
    bool active = false;
    for (int m = groups_.member_start[i]; m < groups_.member_start[i + 1]; ++m)
      active |= mode[groups_.member[m]] != ContactMode::Separate;
    state_[i] = active ? NodeState::General : NodeState::Inactive;
    if (!active) continue;
    if (groups_.grouped(i)) {
      group_matrices(i, rho, alpha);
      continue;
    }
    const int contact = groups_.member[groups_.member_start[i]];
    const double* J_c = J + contact * D * D;
    double *A = A_.data() + block_start_[i], *B = B_.data() + block_start_[i];
    for (int k = 0; k < D * D; ++k) {
      A[k] = rho * J_c[k];
      B[k] = (rho * alpha[contact] - 1) * J_c[k] + (k % (D + 1) == 0 ? 1.0 : 0.0);
    }
  }
  return lu_.factor(*plan_, {matrix(), state_.data(), A_.data(), B_.data(), block_start_.data(), 1.0});
}

template <int D>
void WrenchSpace<D>::solve(const double* b, double* dr) {
  const int nodes = groups_.nodes();
  y_.assign(groups_.unknowns(), 0.0);
  // Wrenches of inactive nodes are known: y = C' b. Their effect goes to the right-hand side of the others.
  bool any_inactive = false;
  for (int i = 0; i < nodes; ++i) {
    if (state_[i] != NodeState::Inactive) continue;
    any_inactive = true;
    for (int m = groups_.member_start[i]; m < groups_.member_start[i + 1]; ++m) {
      const int c = groups_.member[m];
      const double* C = groups_.basis_of(c);
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < groups_.node_size[i]; ++l)
          y_[groups_.first_unknown[i] + l] += C[k * kMaxRank + l] * b[c * D + k];
    }
  }
  for (int i = 0; i < nodes; ++i) {
    if (state_[i] == NodeState::Inactive) continue;
    const int size = groups_.node_size[i];
    double rhs[kMaxRank] = {}, known[kMaxRank] = {};
    for (int m = groups_.member_start[i]; m < groups_.member_start[i + 1]; ++m) {
      const int c = groups_.member[m];
      if (!groups_.grouped(i)) {
        for (int k = 0; k < D; ++k) rhs[k] = b[c * D + k];
        continue;
      }
      const double *C = groups_.basis_of(c), *inverse = E_inverse_.data() + c * D * D;
      for (int k = 0; k < D; ++k) {
        double sum = 0;
        for (int l = 0; l < D; ++l) sum += inverse[k * D + l] * b[c * D + l];
        for (int l = 0; l < size; ++l) rhs[l] += C[k * kMaxRank + l] * sum;
      }
    }
    if (any_inactive) {
      for (int p = row_start_[i]; p < row_start_[i + 1]; ++p) {
        const int j = column_[p], columns = groups_.node_size[j];
        if (state_[j] != NodeState::Inactive) continue;
        const double *block = value_.data() + value_start_[p], *x = y_.data() + groups_.first_unknown[j];
        for (int k = 0; k < size; ++k)
          for (int l = 0; l < columns; ++l) known[k] += block[k * columns + l] * x[l];
      }
    }
    const double *A = A_.data() + block_start_[i], *B = B_.data() + block_start_[i];
    for (int k = 0; k < size; ++k) {
      double sum = groups_.grouped(i) ? 0.0 : rhs[k];
      for (int l = 0; l < size; ++l)
        sum += (groups_.grouped(i) ? B[k * size + l] * rhs[l] : 0.0) - A[k * size + l] * known[l];
      y_[groups_.first_unknown[i] + k] = sum;
    }
  }
  lu_.solve(y_.data());

  // Back to the contacts.
  for (int i = 0; i < nodes; ++i) {
    double s[kMaxRank];
    if (groups_.grouped(i) && state_[i] != NodeState::Inactive) multiply(y_.data(), i, s);
    for (int m = groups_.member_start[i]; m < groups_.member_start[i + 1]; ++m) {
      const int c = groups_.member[m];
      double* out = dr + c * D;
      if (state_[i] == NodeState::Inactive) {
        for (int k = 0; k < D; ++k) out[k] = b[c * D + k];
      } else if (!groups_.grouped(i)) {
        for (int k = 0; k < D; ++k) out[k] = y_[groups_.first_unknown[i] + k];
      } else {
        const double *C = groups_.basis_of(c), *inverse = E_inverse_.data() + c * D * D;
        double Cs[D];  // b - rho J C s, before E^-1
        for (int k = 0; k < D; ++k) {
          Cs[k] = 0;
          for (int l = 0; l < groups_.node_size[i]; ++l) Cs[k] += C[k * kMaxRank + l] * s[l];
        }
        double remaining[D];
        for (int k = 0; k < D; ++k) {
          remaining[k] = b[c * D + k];
          for (int l = 0; l < D; ++l) remaining[k] -= rho_ * J_[(c * D + k) * D + l] * Cs[l];
        }
        for (int k = 0; k < D; ++k) {
          out[k] = 0;
          for (int l = 0; l < D; ++l) out[k] += inverse[k * D + l] * remaining[l];
        }
      }
    }
  }
}

template class WrenchSpace<2>;
template class WrenchSpace<3>;

}  // namespace stickslip::complementarity
