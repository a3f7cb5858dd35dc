// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/frozen_modes.h"

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
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

// Of one contact. False: the matrix is singular.
template <int N>
bool solve_one(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& defect, double singular, Eigen::VectorXd& step) {
  const Eigen::Matrix<double, N, N> fixed = matrix;
  const double determinant = fixed.determinant(), size = fixed.rowwise().norm().prod();
  if (!(std::fabs(determinant) > singular * size)) return false;
  step.noalias() = fixed.inverse() * Eigen::Matrix<double, N, 1>(defect);
  return true;
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
    if (law == Law::Slide && mu > 0) fill_friction(problem, r, c);
  }
}

// Of a contact that slides.
void FrozenModes::fill_friction(const complementarity::ContactProblem& problem, std::span<const double> r, Index c) {
  const Index D = problem.dimension(), N = c * D, T = N + 1;
  const auto at = static_cast<std::size_t>(c);
  const double mu = problem.mu[at], p_n = r[static_cast<std::size_t>(N)];
  if (D == 2) {
    const double g = W_(T, T);
    defect_[T] += g * mu * p_n * sign_[at];
    matrix_(T, N) += g * mu * sign_[at];
    return;
  }
  const Eigen::Vector2d slip = u_.segment<2>(T), p(r[static_cast<std::size_t>(T)], r[static_cast<std::size_t>(T + 1)]);
  if (begins_[at] != 0) {
    const double g = std::max(W_(T, T), W_(T + 1, T + 1)), friction = p.norm();
    const Eigen::Vector2d d = -p / friction, across(-d[1], d[0]);
    matrix_.middleRows<2>(T).setZero();
    defect_[T] = g * (friction - mu * p_n);
    matrix_.block<1, 2>(T, T) = -g * d.transpose();
    matrix_(T, N) = -g * mu;
    defect_[T + 1] = across.dot(slip);
    matrix_.row(T + 1) = across[0] * W_.row(T) + across[1] * W_.row(T + 1);
    matrix_.block<1, 2>(T + 1, T) += d.dot(slip) / friction * across.transpose();
    return;
  }
  const double speed = slip.norm();
  if (!(speed > 0)) return;
  const Eigen::Vector2d d = slip / speed;
  for (Index k = 0; k < 2; ++k) {
    const double g = W_(T + k, T + k);
    defect_[T + k] += g * mu * p_n * d[k];
    matrix_(T + k, N) += g * mu * d[k];
    for (Index l = 0; l < 2; ++l)
      matrix_.row(T + k) += g * mu * p_n / speed * ((k == l ? 1.0 : 0.0) - d[k] * d[l]) * W_.row(T + l);
  }
}

// By the impulses that the solution is next to.
void FrozenModes::choose_forms(const complementarity::ContactProblem& problem, std::span<const double> r) {
  const Index D = problem.dimension(), n = problem.contacts() * D;
  const Eigen::Map<const Eigen::VectorXd> p(r.data(), n), q(problem.q.data(), n);
  u_.noalias() = W_ * p;
  u_ += q;
  begins_.assign(static_cast<std::size_t>(problem.contacts()), 0);
  sign_.assign(begins_.size(), 0.0);
  for (Index c = 0; c < problem.contacts(); ++c) {
    const Index T = c * D + 1;
    const auto at = static_cast<std::size_t>(c);
    if (laws[at] != Law::Slide) continue;
    if (D == 2)
      sign_[at] = p[T] != 0 ? std::copysign(1.0, -p[T]) : std::copysign(1.0, u_[T]);
    else
      begins_[at] = u_.segment<2>(T).norm() < std::max(W_(T, T), W_(T + 1, T + 1)) * p.segment<2>(T).norm() ? 1 : 0;
  }
}

// False: the matrix is singular.
bool FrozenModes::solve_regular(double singular) {
  if (defect_.size() == 3) return solve_one<3>(matrix_, defect_, singular, step_);
  if (defect_.size() == 2) return solve_one<2>(matrix_, defect_, singular, step_);
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(matrix_);
  if (!(lu.rcond() > singular)) return false;
  step_ = lu.solve(defect_);
  return true;
}

bool FrozenModes::solve(const complementarity::ContactProblem& problem, std::span<double> r) {
  constexpr int kMost = 12;
  constexpr double kSingular = 1e-11, kDone = 1e-15, kAccepted = 1e-11;
  const Index n = problem.contacts() * problem.dimension();
  to_dense(problem.W, W_);
  Eigen::Map<Eigen::VectorXd> p(r.data(), n);
  choose_forms(problem, r);
  double before = 0;
  for (int k = 0; k < kMost; ++k) {
    fill(problem, r);
    if (!solve_regular(kSingular)) {
      Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> many(matrix_);
      many.setThreshold(kSingular);
      step_ = many.solve(defect_);
      shared_ = true;
      if (k == 0) {
        Eigen::FullPivLU<Eigen::MatrixXd> rank(matrix_);
        rank.setThreshold(kSingular);
        const Eigen::MatrixXd loose = rank.kernel();
        if ((W_ * loose).norm() > 1e-8 * W_.norm() * loose.norm()) moves_bodies_ = true;
      }
    }
    p -= step_;
    if (!p.allFinite()) return false;
    const double size = step_.norm();
    if (size <= kDone * p.norm() || (k > 1 && size >= 0.5 * before)) return size <= kAccepted * p.norm();
    before = size;
  }
  return before <= kAccepted * p.norm();
}

}  // namespace stickslip::stepping
