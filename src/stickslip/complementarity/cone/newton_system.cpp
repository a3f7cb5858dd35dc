// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/newton_system.h"

#include <algorithm>

namespace stickslip::complementarity {
namespace {

constexpr int kLargeIsland = 400;    // contacts from which the plan is that of the closed ones
constexpr double kManyOpened = 1.3;  // contacts of the plan for each closed one, from which it is made anew

}  // namespace

template <int D>
void NewtonSystem<D>::prepare() {
  prepared_ = true;
  in_wrenches_ = may_use_wrenches_ && wrenches_.prepare(*island_, *plan_);
  if (in_wrenches_) return;
  planned_.assign(island_->contacts, 0);
  planned_count_ = 0;
  if (island_->contacts >= kLargeIsland) return;
  static constexpr int kSize[] = {D};
  plan_->analyse(island_->row_start, island_->column, kSize);
}

// Makes the plan anew unless it covers all closed contacts and not many more.
template <int D>
void NewtonSystem<D>::plan_closed_contacts() {
  const ScaledIsland<D>& island = *island_;
  int closed = 0;
  bool covered = true;
  for (int i = 0; i < island.contacts; ++i) {
    if (mode_[i] == ContactMode::Separate) continue;
    ++closed;
    covered &= planned_[i] != 0;
  }
  const bool wide = planned_count_ > kManyOpened * closed;
  if (covered && !wide) return;
  planned_count_ = 0;
  for (int i = 0; i < island.contacts; ++i) {
    const bool is_closed = mode_[i] != ContactMode::Separate;
    planned_[i] = wide ? is_closed : is_closed || planned_[i];
    planned_count_ += planned_[i];
  }
  graph_start_.assign(1, 0), graph_column_.clear();
  for (int i = 0; i < island.contacts; ++i) {
    for (int p = island.row_start[i]; p < island.row_start[i + 1]; ++p) {
      const int j = island.column[p];
      if (j == i || (planned_[i] && planned_[j])) graph_column_.push_back(j);
    }
    graph_start_.push_back(static_cast<int>(graph_column_.size()));
  }
  static constexpr int kSize[] = {D};
  plan_->analyse(graph_start_, graph_column_, kSize);
}

template <int D>
int NewtonSystem<D>::factor(const double* J, const ContactMode* mode, double rho, ProximalWeight alpha) {
  J_ = J, mode_ = mode, rho_ = rho, alpha_ = alpha;
  if (is_small()) return dense_.factor(*island_, J, mode, rho, alpha);
  if (!prepared_) prepare();
  if (in_wrenches_) return wrenches_.factor(J, mode, rho, alpha);

  const ScaledIsland<D>& island = *island_;
  if (island.contacts >= kLargeIsland) plan_closed_contacts();
  A_.resize(island.contacts * D * D), B_.resize(island.contacts * D * D), state_.resize(island.contacts);
  for (int i = 0; i < island.contacts; ++i) {
    state_[i] = mode[i] == ContactMode::Separate ? NodeState::Inactive
                : mode[i] == ContactMode::Stick  ? NodeState::Identity
                                                 : NodeState::General;
    if (state_[i] == NodeState::Inactive) continue;
    double *A = A_.data() + i * D * D, *B = B_.data() + i * D * D;
    const double* J_i = J + i * D * D;
    for (int k = 0; k < D * D; ++k) A[k] = rho * J_i[k], B[k] = (rho * alpha[i] - 1) * J_i[k];
    for (int k = 0; k < D; ++k) B[k * D + k] += 1;
  }
  NodeMatrix<D> W;
  W.nodes = island.contacts;
  W.row_start = island.row_start.data();
  W.column = island.column.data();
  W.mirror = island.mirror.data();
  W.value = island.W.data();
  return lu_.factor(*plan_, {W, state_.data(), A_.data(), B_.data(), nullptr, rho});
}

template <int D>
void NewtonSystem<D>::solve(const double* b, double* dr, int refine) {
  direct_solve(b, dr);
  const int n = island_->unknowns();
  for (int step = 0; step < refine; ++step) {
    residual_.resize(n), correction_.resize(n);
    residual(b, dr, residual_.data());
    direct_solve(residual_.data(), correction_.data());
    for (int k = 0; k < n; ++k) dr[k] += correction_[k];
  }
}

template <int D>
void NewtonSystem<D>::direct_solve(const double* b, double* dr) {
  if (is_small()) return dense_.solve(b, dr);
  if (in_wrenches_) return wrenches_.solve(b, dr);
  const ScaledIsland<D>& island = *island_;
  std::copy_n(b, island.unknowns(), dr);
  // The steps of separated contacts are known: bring them to the right-hand side of the others.
  for (int i = 0; i < island.contacts; ++i) {
    if (mode_[i] == ContactMode::Separate) continue;
    double u[D] = {};
    bool any = false;
    for (int p = island.row_start[i]; p < island.row_start[i + 1]; ++p) {
      const int j = island.column[p];
      if (mode_[j] != ContactMode::Separate) continue;
      any = true;
      const double* W = island.block(p);
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l) u[k] += W[k * D + l] * b[j * D + l];
    }
    if (!any) continue;
    const double* A = A_.data() + i * D * D;
    for (int k = 0; k < D; ++k)
      for (int l = 0; l < D; ++l) dr[i * D + k] -= A[k * D + l] * u[l];
  }
  lu_.solve(dr);
}

// out = b - [rho J (W + alpha I) + (I - J)] dr
template <int D>
void NewtonSystem<D>::residual(const double* b, const double* dr, double* out) const {
  const ScaledIsland<D>& island = *island_;
  for (int i = 0; i < island.contacts; ++i) {
    const double *J = J_ + i * D * D, *x = dr + i * D;
    double u[D];  // rho (W + alpha I) dr - dr
    for (int k = 0; k < D; ++k) u[k] = (rho_ * alpha_[i] - 1) * x[k];
    for (int p = island.row_start[i]; p < island.row_start[i + 1]; ++p) {
      const double *W = island.block(p), *y = dr + island.column[p] * D;
      for (int k = 0; k < D; ++k)
        for (int l = 0; l < D; ++l) u[k] += rho_ * W[k * D + l] * y[l];
    }
    for (int k = 0; k < D; ++k) {
      double sum = b[i * D + k] - x[k];
      for (int l = 0; l < D; ++l) sum -= J[k * D + l] * u[l];
      out[i * D + k] = sum;
    }
  }
}

template class NewtonSystem<2>;
template class NewtonSystem<3>;

}  // namespace stickslip::complementarity
