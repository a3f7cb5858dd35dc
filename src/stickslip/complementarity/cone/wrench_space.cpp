// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/wrench_space.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

constexpr int kFewUnknowns = 18;          // below this the contacts themselves are cheaper
constexpr double kWorthwhile = 0.7;       // unknowns left over, of a group and of the whole
constexpr double kRankTolerance = 1e-11;  // relative to the largest diagonal entry of the group
constexpr double kProductTolerance = 1e-8;

}  // namespace

template <int D>
bool WrenchSpace<D>::prepare(const Island<D>& island, EliminationPlan& plan) {
  island_ = &island, plan_ = &plan;
  if (island.unknowns() < kFewUnknowns) return false;
  find_groups();
  number_nodes();
  if (first_.back() > kWorthwhile * island.unknowns()) return false;
  build_pattern();
  project_blocks();
  if (!product_form_holds()) return false;
  plan.analyse(row_start_, column_, node_size_);
  return true;
}

// Contacts with equal closed neighbourhoods, and the rank of each such group that is worth while.
template <int D>
void WrenchSpace<D>::find_groups() {
  const Island<D>& island = *island_;
  const int n = island.contacts;
  leader_.resize(n), tried_.assign(n, 0), hash_.resize(n), rank_.assign(n, 0),
      basis_.resize(static_cast<std::size_t>(n) * D * kMaxRank);
  member_.clear();
  const auto row = [&](int c) {
    return std::span(island.column).subspan(island.row_start[c], island.row_start[c + 1] - island.row_start[c]);
  };
  for (int c = 0; c < n; ++c) {
    leader_[c] = c, hash_[c] = 0;
    for (int j : row(c)) hash_[c] += 2654435761u * static_cast<unsigned>(j + 1);
  }
  for (int c = 0; c < n; ++c) {
    if (leader_[c] != c || tried_[c]) continue;
    const int first = static_cast<int>(member_.size());
    member_.push_back(c);
    for (int j : row(c))
      if (j > c && leader_[j] == j && hash_[j] == hash_[c] && std::ranges::equal(row(c), row(j))) member_.push_back(j);
    const int count = static_cast<int>(member_.size()) - first;
    for (int k = first; k < first + count; ++k) tried_[member_[k]] = 1;
    const int rank = count > 1 ? basis_of_group(first, count) : 0;
    if (rank > 0 && rank <= kWorthwhile * D * count) {
      rank_[c] = rank;
      for (int k = first + 1; k < first + count; ++k) leader_[member_[k]] = c;
    }
    member_.resize(first);
  }
}

// Orthonormal basis of the range of W_gg by pivoted Cholesky and two passes of Gram-Schmidt. 0: rank above kMaxRank.
template <int D>
int WrenchSpace<D>::basis_of_group(int first, int count) {
  const Island<D>& island = *island_;
  const int n = count * D;
  // Blocks of the group's first row, second row, ...: the neighbourhoods are equal, so are the positions within a row.
  mark_.resize(count);
  const auto entry = [&](int a, int k, int b, int l) {
    const int c = member_[first + a];
    return island.block(island.row_start[c] + mark_[b])[k * D + l];
  };
  for (int b = 0, p = 0; b < count; ++b) {
    const int c = member_[first];
    while (island.column[island.row_start[c] + p] != member_[first + b]) ++p;
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
                basis_.data() + static_cast<std::size_t>(member_[first + a]) * D * kMaxRank);
  return rank;
}

// Nodes in the order of their leaders, with their members and unknowns.
template <int D>
void WrenchSpace<D>::number_nodes() {
  const int n = island_->contacts;
  node_of_.resize(n), member_.resize(n), node_size_.clear(), first_.assign(1, 0), member_start_.assign(1, 0);
  for (int c = 0; c < n; ++c) {
    if (leader_[c] != c) {
      node_of_[c] = node_of_[leader_[c]];
    } else {
      node_of_[c] = static_cast<int>(node_size_.size());
      node_size_.push_back(rank_[c] > 0 ? rank_[c] : D);
      first_.push_back(first_.back() + node_size_.back());
      member_start_.push_back(0);
      if (rank_[c] == 0) {  // unit basis
        double* C = basis_.data() + static_cast<std::size_t>(c) * D * kMaxRank;
        std::fill_n(C, D * kMaxRank, 0.0);
        for (int k = 0; k < D; ++k) C[k * kMaxRank + k] = 1;
      }
    }
    ++member_start_[node_of_[c] + 1];
  }
  for (std::size_t k = 1; k < member_start_.size(); ++k) member_start_[k] += member_start_[k - 1];
  cursor_.assign(member_start_.begin(), member_start_.end());
  for (int c = 0; c < n; ++c) member_[cursor_[node_of_[c]]++] = c;
}

// Nodes are neighbours when their contacts are; all members of a node have the same neighbours.
template <int D>
void WrenchSpace<D>::build_pattern() {
  const Island<D>& island = *island_;
  const int nodes = static_cast<int>(node_size_.size());
  row_start_.assign(1, 0), column_.clear(), value_start_.clear();
  mark_.assign(nodes, -1);
  std::size_t values = 0;
  for (int i = 0; i < nodes; ++i) {
    const int c = member_[member_start_[i]];
    for (int p = island.row_start[c]; p < island.row_start[c + 1]; ++p) {
      const int j = node_of_[island.column[p]];
      if (mark_[j] != i) mark_[j] = i, column_.push_back(j);
    }
    std::sort(column_.begin() + row_start_[i], column_.end());
    for (std::size_t p = row_start_[i]; p < column_.size(); ++p) {
      value_start_.push_back(values);
      values += static_cast<std::size_t>(node_size_[i]) * node_size_[column_[p]];
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
  const Island<D>& island = *island_;
  const int nodes = static_cast<int>(node_size_.size());
  for (int i = 0; i < nodes; ++i) {
    const int rows = node_size_[i];
    for (int p = row_start_[i]; p < row_start_[i + 1]; ++p) mark_[column_[p]] = p;
    for (int m = member_start_[i]; m < member_start_[i + 1]; ++m) {
      const int a = member_[m];
      const double* C_a = basis_.data() + static_cast<std::size_t>(a) * D * kMaxRank;
      for (int q = island.row_start[a]; q < island.row_start[a + 1]; ++q) {
        const int b = island.column[q], j = node_of_[b], columns = node_size_[j];
        const double *W = island.block(q), *C_b = basis_.data() + static_cast<std::size_t>(b) * D * kMaxRank;
        double WC[D * kMaxRank];
        for (int k = 0; k < D; ++k)
          for (int l = 0; l < columns; ++l) {
            double sum = 0;
            for (int s = 0; s < D; ++s) sum += W[k * D + s] * C_b[s * kMaxRank + l];
            WC[k * kMaxRank + l] = sum;
          }
        double* out = value_.data() + value_start_[mark_[j]];
        for (int k = 0; k < D; ++k)
          for (int r = 0; r < rows; ++r) {
            const double c = C_a[k * kMaxRank + r];
            for (int l = 0; l < columns; ++l) out[r * columns + l] += c * WC[k * kMaxRank + l];
          }
      }
    }
  }
}

template <int D>
NodeMatrix<kVariable> WrenchSpace<D>::matrix() const {
  return {static_cast<int>(node_size_.size()),
          row_start_.data(),
          column_.data(),
          mirror_.data(),
          value_.data(),
          first_.data(),
          value_start_.data()};
}

// out = (Wc y) of one node
template <int D>
void WrenchSpace<D>::multiply(const double* y, int node, double* out) const {
  const int rows = node_size_[node];
  for (int k = 0; k < rows; ++k) out[k] = 0;
  for (int p = row_start_[node]; p < row_start_[node + 1]; ++p) {
    const int j = column_[p], columns = node_size_[j];
    const double *block = value_.data() + value_start_[p], *x = y + first_[j];
    for (int k = 0; k < rows; ++k)
      for (int l = 0; l < columns; ++l) out[k] += block[k * columns + l] * x[l];
  }
}

// W x = C Wc C' x on one fixed vector without any symmetry.
template <int D>
bool WrenchSpace<D>::product_form_holds() {
  const Island<D>& island = *island_;
  const int n = island.unknowns();
  probe_.resize(n), probe_out_.resize(n), y_.assign(first_.back(), 0.0);
  for (int i = 0; i < n; ++i) probe_[i] = std::sin(1.0 + 1.7 * i) + 0.3;
  island_velocity(island, probe_.data(), probe_out_.data());
  for (int c = 0; c < island.contacts; ++c) {
    const double* C = basis_.data() + static_cast<std::size_t>(c) * D * kMaxRank;
    for (int k = 0; k < D; ++k)
      for (int l = 0; l < node_size_[node_of_[c]]; ++l)
        y_[first_[node_of_[c]] + l] += C[k * kMaxRank + l] * probe_[c * D + k];
  }
  double error = 0, size = 0;
  for (int node = 0; node < static_cast<int>(node_size_.size()); ++node) {
    double s[kMaxRank];
    multiply(y_.data(), node, s);
    for (int m = member_start_[node]; m < member_start_[node + 1]; ++m) {
      const int c = member_[m];
      const double* C = basis_.data() + static_cast<std::size_t>(c) * D * kMaxRank;
      for (int k = 0; k < D; ++k) {
        const double exact = probe_out_[c * D + k] - island.q[c * D + k];
        double sum = 0;
        for (int l = 0; l < node_size_[node]; ++l) sum += C[k * kMaxRank + l] * s[l];
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
void WrenchSpace<D>::group_matrices(int node, double rho, double alpha) {
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, kMaxRank, kMaxRank>;
  const int size = node_size_[node];
  Small G = Small::Identity(size, size);
  for (int m = member_start_[node]; m < member_start_[node + 1]; ++m) {
    const int c = member_[m];
    contact_matrices(c, rho, alpha);
    if (mode_[c] == ContactMode::Separate) continue;
    const double *C = basis_.data() + static_cast<std::size_t>(c) * D * kMaxRank, *X = X_.data() + c * D * D;
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
int WrenchSpace<D>::factor(const double* J, const ContactMode* mode, double rho, double alpha) {
  J_ = J, mode_ = mode, rho_ = rho;
  const int nodes = static_cast<int>(node_size_.size()), contacts = island_->contacts;
  block_start_.resize(nodes + 1), state_.resize(nodes);
  E_inverse_.resize(contacts * D * D), X_.resize(contacts * D * D);
  block_start_[0] = 0;
  for (int i = 0; i < nodes; ++i)
    block_start_[i + 1] = block_start_[i] + static_cast<std::size_t>(node_size_[i]) * node_size_[i];
  A_.resize(block_start_[nodes]), B_.resize(block_start_[nodes]);
  for (int i = 0; i < nodes; ++i) {
    bool active = false;
    for (int m = member_start_[i]; m < member_start_[i + 1]; ++m) active |= mode[member_[m]] != ContactMode::Separate;
    state_[i] = active ? NodeState::General : NodeState::Inactive;
    if (!active) continue;
    if (grouped(i)) {
      group_matrices(i, rho, alpha);
      continue;
    }
    const double* J_c = J + member_[member_start_[i]] * D * D;
    double *A = A_.data() + block_start_[i], *B = B_.data() + block_start_[i];
    for (int k = 0; k < D * D; ++k) {
      A[k] = rho * J_c[k];
      B[k] = (rho * alpha - 1) * J_c[k] + (k % (D + 1) == 0 ? 1.0 : 0.0);
    }
  }
  return lu_.factor(*plan_, {matrix(), state_.data(), A_.data(), B_.data(), block_start_.data(), 1.0});
}

template <int D>
void WrenchSpace<D>::solve(const double* b, double* dr) {
  const int nodes = static_cast<int>(node_size_.size());
  y_.assign(first_.back(), 0.0);
  // Wrenches of inactive nodes are known: y = C' b. Their effect goes to the right-hand side of the others.
  bool any_inactive = false;
  for (int i = 0; i < nodes; ++i) {
    if (state_[i] != NodeState::Inactive) continue;
    any_inactive = true;
    for (int m = member_start_[i]; m < member_start_[i + 1]; ++m) {
      const int c = member_[m];
      const double* C = basis_.data() + static_cast<std::size_t>(c) * D * kMaxRank;
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < node_size_[i]; ++l) y_[first_[i] + l] += C[k * kMaxRank + l] * b[c * D + k];
    }
  }
  for (int i = 0; i < nodes; ++i) {
    if (state_[i] == NodeState::Inactive) continue;
    const int size = node_size_[i];
    double rhs[kMaxRank] = {}, known[kMaxRank] = {};
    for (int m = member_start_[i]; m < member_start_[i + 1]; ++m) {
      const int c = member_[m];
      if (!grouped(i)) {
        for (int k = 0; k < D; ++k) rhs[k] = b[c * D + k];
        continue;
      }
      const double *C = basis_.data() + static_cast<std::size_t>(c) * D * kMaxRank,
                   *inverse = E_inverse_.data() + c * D * D;
      for (int k = 0; k < D; ++k) {
        double sum = 0;
        for (int l = 0; l < D; ++l) sum += inverse[k * D + l] * b[c * D + l];
        for (int l = 0; l < size; ++l) rhs[l] += C[k * kMaxRank + l] * sum;
      }
    }
    if (any_inactive) {
      for (int p = row_start_[i]; p < row_start_[i + 1]; ++p) {
        const int j = column_[p], columns = node_size_[j];
        if (state_[j] != NodeState::Inactive) continue;
        const double *block = value_.data() + value_start_[p], *x = y_.data() + first_[j];
        for (int k = 0; k < size; ++k)
          for (int l = 0; l < columns; ++l) known[k] += block[k * columns + l] * x[l];
      }
    }
    const double *A = A_.data() + block_start_[i], *B = B_.data() + block_start_[i];
    for (int k = 0; k < size; ++k) {
      double sum = grouped(i) ? 0.0 : rhs[k];
      for (int l = 0; l < size; ++l) sum += (grouped(i) ? B[k * size + l] * rhs[l] : 0.0) - A[k * size + l] * known[l];
      y_[first_[i] + k] = sum;
    }
  }
  lu_.solve(y_.data());

  // Back to the contacts.
  for (int i = 0; i < nodes; ++i) {
    double s[kMaxRank];
    if (grouped(i) && state_[i] != NodeState::Inactive) multiply(y_.data(), i, s);
    for (int m = member_start_[i]; m < member_start_[i + 1]; ++m) {
      const int c = member_[m];
      double* out = dr + c * D;
      if (state_[i] == NodeState::Inactive) {
        for (int k = 0; k < D; ++k) out[k] = b[c * D + k];
      } else if (!grouped(i)) {
        for (int k = 0; k < D; ++k) out[k] = y_[first_[i] + k];
      } else {
        const double *C = basis_.data() + static_cast<std::size_t>(c) * D * kMaxRank,
                     *inverse = E_inverse_.data() + c * D * D;
        double Cs[D];  // b - rho J C s, before E^-1
        for (int k = 0; k < D; ++k) {
          Cs[k] = 0;
          for (int l = 0; l < node_size_[i]; ++l) Cs[k] += C[k * kMaxRank + l] * s[l];
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
