// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a solve tells about itself: as in Ceres, a brief line and a full report.
#pragma once

#include "stickslip/complementarity/status.h"

#include <limits>
#include <string>
#include <vector>

namespace stickslip::complementarity {

// The parts of the certificate, all dimensionless (each form's residual file says how they are scaled).
struct Residual {
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  double error = kUnknown;            // what is compared with the tolerance: max(natural, scaled)
  double natural = kUnknown;          // natural map, scaled as the corpus format defines
  double scaled = kUnknown;           // natural map in block-scaled (unit-free) variables
  double primal = kUnknown;           // violation of bounds on z, or of r in the friction cone's normal part
  double dual = kUnknown;             // violation of the sign of w, of u_n >= 0, or of equations
  double complementarity = kUnknown;  // z_i w_i, r_n u_n, or power of friction not dissipated
  double cone = kUnknown;             // distance of the impulse from its friction cone (0 for affine problems)
};

struct IterationRecord {
  int iteration = 0;
  double residual = Residual::kUnknown;  // the algorithm's own measure of progress
  double step = 0;                       // length of the step taken
  const char* note = "";                 // phase of the algorithm
};

struct SolverSummary {
  Status status = Status::Stalled;
  const char* solver = "";  // the algorithm that gave the answer (static text)
  int iterations = 0;       // of all attempts together
  int attempts = 0;         // algorithms or starts that were tried
  int blocks = 1;           // independent blocks the problem was split into
  double seconds = 0;       // wall time
  Residual residual;
  std::vector<IterationRecord> history;  // empty unless asked for

  [[nodiscard]] bool solved() const { return status == Status::Solved; }
  [[nodiscard]] std::string brief_report() const;
  [[nodiscard]] std::string full_report() const;
};

}  // namespace stickslip::complementarity
