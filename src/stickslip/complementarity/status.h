// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How a solve ended. A solver may say Solved only after the independent residual (residual.h of each form) has been
// evaluated on the problem that was posed and found below the tolerance.
#pragma once

namespace stickslip::complementarity {

enum class Status {
  Solved,          // certified: the independent residual is below the tolerance
  Infeasible,      // no solution exists, with a certificate that was checked
  Ray,             // pivoting ended on a secondary ray: no solution found, none ruled out
  Stalled,         // no progress any more
  IterationLimit,  // the given or default number of iterations was used up
  TimeLimit,       // the given time was used up
  BadInput,        // the problem itself is malformed (sizes, NaN, negative friction, ...)
};

[[nodiscard]] constexpr const char* to_string(Status status) {
  switch (status) {
    case Status::Solved: return "solved";
    case Status::Infeasible: return "infeasible";
    case Status::Ray: return "ray";
    case Status::Stalled: return "stalled";
    case Status::IterationLimit: return "iteration-limit";
    case Status::TimeLimit: return "time-limit";
    case Status::BadInput: return "bad-input";
  }
  return "unknown";
}

}  // namespace stickslip::complementarity
