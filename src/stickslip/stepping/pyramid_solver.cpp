// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/pyramid_solver.h"

#include "stickslip/complementarity/cone/pyramid.h"

namespace stickslip::stepping {

void PyramidSolver::make_directions(int dimension, const Method& method) {
  if (dimension == dimension_ && method.directions == sides_ && method.pyramid_angle == angle_) return;
  dimension_ = dimension;
  sides_ = method.directions;
  angle_ = method.pyramid_angle;
  complementarity::pyramid_directions(dimension, sides_, angle_, direction_);
  count_ = static_cast<int>(direction_.size()) / (dimension - 1);
}

// Unknowns per contact: p_n, then p_1 .. p_d and s where there is friction.
void PyramidSolver::layout(const complementarity::ContactProblem& problem) {
  first_.resize(problem.mu.size() + 1);
  first_[0] = 0;
  for (std::size_t c = 0; c < problem.mu.size(); ++c) first_[c + 1] = first_[c] + (problem.mu[c] > 0 ? count_ + 2 : 1);
  const Eigen::Index n = first_.back();
  if (lcp_.q.size() == n) return;
  lcp_.is_dense = true;
  lcp_.dense.resize(n, n);
  lcp_.q.resize(n);
  lcp_.lower = Eigen::VectorXd::Zero(n);
  lcp_.upper = Eigen::VectorXd::Constant(n, complementarity::kInfinity);
}

template <int D>
void PyramidSolver::fill(const complementarity::ContactProblem& problem) {
  constexpr int T = D - 1;
  const complementarity::BlockMatrix& W = problem.W;
  half_.resize(static_cast<std::size_t>(D * (count_ + 1)));
  lcp_.dense.setZero();
  for (int c = 0; c < W.rows(); ++c) {
    const int row = first_[static_cast<std::size_t>(c)];
    const bool slides = problem.mu[static_cast<std::size_t>(c)] > 0;
    const double* q = problem.q.data() + c * D;
    lcp_.q[row] = q[0];
    if (slides) {
      const int s = row + count_ + 1;
      lcp_.q[s] = 0;
      lcp_.dense(s, row) = problem.mu[static_cast<std::size_t>(c)];
      for (int k = 0; k < count_; ++k) {
        double along = 0;
        for (int t = 0; t < T; ++t) along += direction_[static_cast<std::size_t>(k * T + t)] * q[t + 1];
        lcp_.q[row + 1 + k] = along;
        lcp_.dense(row + 1 + k, s) = 1;
        lcp_.dense(s, row + 1 + k) = -1;
      }
    }
    for (int p = W.row_start[c]; p < W.row_start[c + 1]; ++p) {
      const double* block = W.value.data() + p * D * D;
      const int column = first_[static_cast<std::size_t>(W.column[p])];
      const int columns = problem.mu[static_cast<std::size_t>(W.column[p])] > 0 ? count_ + 1 : 1;
      for (int j = 0; j < columns; ++j) {  // half = W_cd E_d, column by column
        double* half = half_.data() + j * D;
        for (int k = 0; k < D; ++k) {
          half[k] = j == 0 ? block[k * D] : 0.0;
          if (j > 0)
            for (int t = 0; t < T; ++t)
              half[k] += block[k * D + t + 1] * direction_[static_cast<std::size_t>((j - 1) * T + t)];
        }
        double* out = &lcp_.dense(row, column + j);
        out[0] = half[0];
        if (!slides) continue;
        for (int k = 0; k < count_; ++k) {
          double sum = 0;
          for (int t = 0; t < T; ++t) sum += direction_[static_cast<std::size_t>(k * T + t)] * half[t + 1];
          out[1 + k] = sum;
        }
      }
    }
  }
}

template <int D>
void PyramidSolver::take_impulses(const complementarity::ContactProblem& problem, std::vector<double>& r) const {
  constexpr int T = D - 1;
  for (int c = 0; c < problem.contacts(); ++c) {
    const int row = first_[static_cast<std::size_t>(c)];
    double* out = r.data() + c * D;
    out[0] = z_[row];
    for (int t = 0; t < T; ++t) {
      out[t + 1] = 0;
      if (problem.mu[static_cast<std::size_t>(c)] > 0)
        for (int k = 0; k < count_; ++k)
          out[t + 1] += direction_[static_cast<std::size_t>(k * T + t)] * z_[row + 1 + k];
    }
  }
}

bool PyramidSolver::solve(const Method& method, contact::Island& island) {
  constexpr int kMaxDense = 1500;  // unknowns; beyond, a sparse matrix
  const complementarity::ContactProblem& problem = island.problem;
  complementarity::SolverOptions options;
  options.tolerance = method.certificate;
  make_directions(problem.dimension(), method);
  if (problem.contacts() * (count_ + 2) > kMaxDense || !problem.kind.empty()) {
    const complementarity::PyramidForm form =
        complementarity::make_pyramid(problem, method.directions, method.pyramid_angle);
    island.summary = solver_.solve(form.problem, z_, options, method.solver);
    const Eigen::VectorXd r = form.impulses(z_);
    island.r.assign(r.data(), r.data() + r.size());
    return island.summary.solved();
  }
  layout(problem);
  if (problem.dimension() == 2)
    fill<2>(problem);
  else
    fill<3>(problem);
  island.summary = solver_.solve(lcp_, z_, options, method.solver);
  if (problem.dimension() == 2)
    take_impulses<2>(problem, island.r);
  else
    take_impulses<3>(problem, island.r);
  return island.summary.solved();
}

}  // namespace stickslip::stepping
