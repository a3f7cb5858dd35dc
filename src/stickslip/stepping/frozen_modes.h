// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A contact problem whose modes are given, to rounding: what a solved one becomes when its numbers change a little and
// its contacts stay in their modes.
//
//     open    r = 0                       stick   W r + q = 0
//     slide   u_n = 0,  r_t + mu r_n d = 0,  d = u_t / |u_t|
//
// Newton's method from impulses near by. Contacts that share a load in more than one way have no single answer: the
// smallest change of the impulses is taken then, and moves_bodies() tells whether the share matters to the motion.
//
// Beside mode_newton.h, which reads the modes off its start and is held to them by a certificate alone.
// Cost: one dense factorisation of D n rows per Newton step, two to four steps.
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
  void fill(const complementarity::ContactProblem& problem, std::span<const double> r);

  bool shared_ = false, moves_bodies_ = false;
  Eigen::MatrixXd W_, matrix_;
  Eigen::VectorXd u_, defect_;
};

}  // namespace stickslip::stepping
