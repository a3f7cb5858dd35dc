// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contact problems without a solution: rigid jaws that close on what they hold.
//
// To a random problem (W, q) one contact z is added whose normal opposes a positive combination of k others,
//
//     n_z = -sum_i y_i n_i,  y > 0      so that      u_z + sum_i y_i u_i = q_z + sum_i y_i q_i      whatever r is,
//
// and q_z makes the right-hand side negative: the normal velocities cannot all be >= 0. With C the coefficients of the
// new contact in the old ones (tangents: any combination), the rows and columns of W that it adds are C'W, W C and
// C'W C, so that W stays positive semidefinite. k = 1 are two jaws, more are wedges.
#include "tests/problems/contact_generators.h"
#include "tests/problems/portable_random.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

using Eigen::MatrixXd;

MatrixXd dense(const BlockMatrix& W) {
  const int D = W.block_size;
  MatrixXd out = MatrixXd::Zero(W.rows() * D, W.rows() * D);
  for (int i = 0; i < W.rows(); ++i)
    for (int p = W.row_start[i]; p < W.row_start[i + 1]; ++p)
      for (int k = 0; k < D * D; ++k)
        out(i * D + k / D, W.column[p] * D + k % D) = W.value[static_cast<std::size_t>(p) * D * D + k];
  return out;
}

}  // namespace

ContactProblem squeezed_contact_problem(std::uint64_t seed, double closing) {
  PortableRandom random(seed);
  ContactProblem problem = random_contact_problem(seed).problem;
  const int D = problem.dimension(), contacts = problem.contacts(), n = contacts * D;
  std::vector<int> held;  // contacts whose normal velocity must be >= 0
  for (int c = 0; c < contacts; ++c)
    if (problem.kind.empty() || problem.kind[c] == ContactKind::Frictional) held.push_back(c);
  if (held.empty()) {
    held.push_back(0);
    problem.kind[0] = ContactKind::Frictional;
  }

  const MatrixXd W = dense(problem.W);
  const int count = 1 + random.index(std::min(4, static_cast<int>(held.size())));
  MatrixXd C = MatrixXd::Zero(n, D);
  double size = 0;
  for (double q : problem.q) size = std::max(size, std::fabs(q));
  double already = 0;  // sum of y_i q_i
  for (int k = 0; k < count; ++k) {
    const int j = k + random.index(static_cast<int>(held.size()) - k), c = held[j];
    std::swap(held[k], held[j]);
    const double y = std::pow(10, random.uniform(-1, 1));
    C(c * D, 0) = -y;
    already += y * problem.q[c * D];
    for (int t = 1; t < D; ++t)
      for (int l = 1; l < D; ++l) C(c * D + l, t) = random.uniform(-1, 1);
  }
  MatrixXd larger(n + D, n + D);
  larger << W, W * C, C.transpose() * W, C.transpose() * W * C;
  problem.W = make_block_matrix(larger.sparseView(), D);
  problem.q.resize(n + D, 0.0);
  problem.q[n] = -already - closing * (size > 0 ? size : 1.0);
  problem.mu.push_back(random.index(3) == 0 ? 0.0 : random.uniform(0, 1));
  if (!problem.kind.empty()) problem.kind.push_back(ContactKind::Frictional), problem.normal_impulse.push_back(0.0);
  return problem;
}

}  // namespace stickslip::complementarity
