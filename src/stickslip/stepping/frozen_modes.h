// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A contact problem whose modes are given, to rounding: what a solved one becomes when its numbers change a little and
// its contacts stay in their modes.
//
//     open    r = 0                       stick   W r + q = 0
//     slide   u_n = 0,  r_t + mu r_n d = 0,  d = u_t / |u_t|
//             where slip just begins, |u_t| < W mu r_n:   |r_t| = mu r_n,  u_t x r_t = 0
//
// Both forms of sliding have the same solution. Slip that is much slower than what friction changes of it within the
// sub-step has a direction that turns with every bit of the data, and Newton's method does not find it; the direction of
// the friction that made it hardly turns.
//
// Newton's method from impulses near by. Contacts that share a load in more than one way have no single answer: the
// smallest change of the impulses is taken then, and moves_bodies() tells whether the share matters to the motion.
//
// Beside mode_newton.h, which reads the modes off its start and is held to them by a certificate alone.
// Cost: one dense factorisation of D n rows per Newton step, two to four steps; two of fixed size for one contact.
#pragma once

#include "stickslip/complementarity/cone/contact_problem.h"

#include <Eigen/Core>
#include <span>
#include <vector>

namespace stickslip::stepping {

class FrozenModes {
 public:
  enum class Law : char { Open, Stick, Slide };
  std::vector<Law> laws;  // of each contact

  // From r, which is overwritten. False when it does not converge.
  bool solve(const complementarity::ContactProblem& problem, std::span<double> r);

  // Since the last reset: whether impulses were not unique, and whether that moved bodies.
  [[nodiscard]] bool shared() const { return shared_; }
  [[nodiscard]] bool moves_bodies() const { return moves_bodies_; }
  void reset() { shared_ = moves_bodies_ = false; }

 private:
  void choose_forms(const complementarity::ContactProblem& problem, std::span<const double> r);
  bool solve_regular(double singular);
  void fill(const complementarity::ContactProblem& problem, std::span<const double> r);
  void fill_friction(const complementarity::ContactProblem& problem, std::span<const double> r, Eigen::Index c);

  bool shared_ = false, moves_bodies_ = false;
  std::vector<char> begins_;  // of each contact: the form of slip that just begins
  std::vector<double> sign_;  // of each contact in the plane: of its slip
  Eigen::MatrixXd W_, matrix_;
  Eigen::VectorXd u_, defect_, step_;
};

}  // namespace stickslip::stepping
