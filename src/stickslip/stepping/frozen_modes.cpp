// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/frozen_modes.h"

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>

namespace stickslip::stepping {

using Eigen::Index;

namespace {

void to_dense(const complementarity::BlockMatrix& W, Eigen::MatrixXd& dense) {
  const Index D = W.block_size, n = W.rows() * D;
  dense.setZero(n, n);
  for (Index c = 0; c < W.rows(); ++c)
    for (int at = W.row_start[static_cast<std::size_t>(c)]; at < W.row_start[static_cast<std::size_t>(c) + 1]; ++at) {
      const double* block = W.value.data() + at * D * D;
      const Index column = W.column[static_cast<std::size_t>(at)] * D;
      for (Index k = 0; k < D; ++k)
        for (Index l = 0; l < D; ++l) dense(c * D + k, column + l) = block[k * D + l];
    }
}

}  // namespace

// The laws at r, and their derivatives. Rows that are about impulses are in units of velocity, by the diagonal of W.
void FrozenModes::fill(const complementarity::ContactProblem& problem, std::span<const double> r) {
  const Index D = problem.dimension(), n = problem.contacts() * D;
  const Eigen::Map<const Eigen::VectorXd> p(r.data(), n), q(problem.q.data(), n);
  u_.noalias() = W_ * p;
  u_ += q;
  matrix_ = W_;
  defect_ = u_;
  for (Index c = 0; c < problem.contacts(); ++c) {
    const Law law = laws[static_cast<std::size_t>(c)];
    const Index N = c * D, T = N + 1, tangents = D - 1;
    const double mu = problem.mu[static_cast<std::size_t>(c)];
    const auto impulse_row = [&](Index row) {
      matrix_.row(row).setZero();
      matrix_(row, row) = W_(row, row);
      defect_[row] = W_(row, row) * p[row];
    };
    if (law == Law::Open) impulse_row(N);
    if (law == Law::Stick && mu > 0) continue;
    for (Index k = 0; k < tangents; ++k) impulse_row(T + k);
    if (law != Law::Slide || mu == 0) continue;
    const Eigen::VectorXd slip = u_.segment(T, tangents);
    const double speed = slip.norm();
    if (!(speed > 0)) continue;
    const Eigen::VectorXd d = slip / speed;
    for (Index k = 0; k < tangents; ++k) {
      const double g = W_(T + k, T + k);
      defect_[T + k] += g * mu * p[N] * d[k];
      matrix_(T + k, N) += g * mu * d[k];
      if (tangents == 1) continue;
      for (Index l = 0; l < tangents; ++l)
        matrix_.row(T + k) += g * mu * p[N] / speed * ((k == l ? 1.0 : 0.0) - d[k] * d[l]) * W_.row(T + l);
    }
  }
}

bool FrozenModes::solve(const complementarity::ContactProblem& problem, std::span<double> r) {
  constexpr int kMost = 12;
  constexpr double kSingular = 1e-11, kDone = 1e-15, kAccepted = 1e-11;
  const Index n = problem.contacts() * problem.dimension();
  to_dense(problem.W, W_);
  Eigen::Map<Eigen::VectorXd> p(r.data(), n);
  double before = 0;
  for (int k = 0; k < kMost; ++k) {
    fill(problem, r);
    Eigen::VectorXd step;
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(matrix_);
    if (lu.rcond() > kSingular) {
      step = lu.solve(defect_);
    } else {
      Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> many(matrix_);
      many.setThreshold(kSingular);
      step = many.solve(defect_);
      shared_ = true;
      if (k == 0) {
        Eigen::FullPivLU<Eigen::MatrixXd> rank(matrix_);
        rank.setThreshold(kSingular);
        const Eigen::MatrixXd loose = rank.kernel();
        if ((W_ * loose).norm() > 1e-8 * W_.norm() * loose.norm()) moves_bodies_ = true;
      }
    }
    p -= step;
    if (!p.allFinite()) return false;
    const double size = step.norm();
    if (size <= kDone * p.norm() || (k > 1 && size >= 0.5 * before)) return size <= kAccepted * p.norm();
    before = size;
  }
  return before <= kAccepted * p.norm();
}

}  // namespace stickslip::stepping
