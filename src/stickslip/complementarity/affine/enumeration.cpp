// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/enumeration.h"

#include <algorithm>
#include <cstddef>

namespace stickslip::complementarity {
namespace {

bool has_lower(const AffineProblem& problem, Eigen::Index i) {
  return problem.lower[i] > -kInfinity;
}
bool has_upper(const AffineProblem& problem, Eigen::Index i) {
  return problem.upper[i] < kInfinity;
}

VariableStatus first_status(const AffineProblem& problem, Eigen::Index i) {
  if (has_lower(problem, i)) return VariableStatus::AtLower;
  return has_upper(problem, i) ? VariableStatus::AtUpper : VariableStatus::Basic;
}

}  // namespace

bool Enumeration::applies(const AffineProblem& problem) {
  double bases = 1;
  for (Eigen::Index i = 0; i < problem.size() && bases <= kMostBases; ++i) {
    bases *= 1 + static_cast<int>(has_lower(problem, i)) + static_cast<int>(has_upper(problem, i));
  }
  return bases <= kMostBases;
}

// The next basis in counting order; false after the last.
bool Enumeration::advance(const AffineProblem& problem) {
  for (Eigen::Index i = 0; i < problem.size(); ++i) {
    VariableStatus& status = basis_[i];
    if (status == VariableStatus::AtLower) {
      status = VariableStatus::Basic;
      return true;
    }
    if (status == VariableStatus::Basic && has_lower(problem, i) && has_upper(problem, i)) {
      status = VariableStatus::AtUpper;
      return true;
    }
    if (status == VariableStatus::AtUpper && !has_lower(problem, i)) {
      status = VariableStatus::Basic;
      return true;
    }
    status = first_status(problem, i);  // carry
  }
  return false;
}

bool Enumeration::solve_basis(const AffineProblem& problem, Eigen::VectorXd& z) {
  members_.clear();
  const auto n = static_cast<int>(problem.size());
  std::copy_n(problem.q.data(), n, rhs_.begin());
  for (int i = 0; i < n; ++i) {
    if (basis_[i] == VariableStatus::Basic) {
      members_.push_back(i);
      continue;
    }
    z[i] = basis_[i] == VariableStatus::AtLower ? problem.lower[i] : problem.upper[i];
    if (z[i] != 0) columns_.add_column(i, z[i], rhs_.data());
  }
  for (std::size_t c = 0; c < members_.size(); ++c) rhs_[c] = -rhs_[members_[c]];
  if (!block_.solve(members_, rhs_.data())) return false;
  for (std::size_t c = 0; c < members_.size(); ++c) {
    const int i = members_[c];
    z[i] = std::min(problem.upper[i], std::max(problem.lower[i], rhs_[c]));
  }
  return true;
}

Enumeration::Result Enumeration::solve(const AffineProblem& problem, double tolerance, const Deadline& deadline,
                                       Eigen::VectorXd& z) {
  Result result;
  const Eigen::Index n = problem.size();
  if (problem.is_dense) {
    matrix_ = problem.dense;
  } else {
    matrix_ = problem.sparse;
  }
  columns_.set(matrix_);
  block_.set(columns_);
  rhs_.resize(static_cast<std::size_t>(n));
  basis_.resize(static_cast<std::size_t>(n));
  z.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) basis_[i] = first_status(problem, i);
  do {
    if (deadline.passed()) break;
    ++result.bases;
    if (!solve_basis(problem, z)) continue;
    result.residual = affine_residual(problem, z, residual_);
    result.certified = result.residual.error <= tolerance;
  } while (!result.certified && advance(problem));
  return result;
}

}  // namespace stickslip::complementarity
