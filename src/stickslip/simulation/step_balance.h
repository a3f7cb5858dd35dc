// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Do the contact forces that a run reports balance weight, applied forces and inertia, body by body and step by step?
//
//     defect = m (v+ - v) / h  -  (m g + f - C v)  -  sum of contact forces        along the free axes
//
// as a share of the sum of the magnitudes of its terms. A body that rests through the step is judged by moments about its
// centre of mass too (as a share of arms times forces), where no word on the point of the step at which forces act is needed.
//
//     f        mean of start and end; C v: that of the end for steppers of first order (which take it there), else the mean
//     at rest  neither position nor orientation changes by more than rounding
//
// Judged are dynamic steps. Bodies that move, where the step was one part and met no event: what contacts remember of one that was
// divided may be the forces of its last part, which for bodies at rest are those of the whole. runge-kutta tells the forces of
// an instant: where they change within a step, the defect of a moving body is that change. Bodies that stand on supports (2.5D) are
// not judged, since their friction is none of the contacts. The audit judges less closely, and always (audit.h).
//
// Cost: a copy of the state and a pass over contacts and bodies per step.
#pragma once

#include "stickslip/simulation/simulation.h"

namespace stickslip::simulation {

class StepBalance {
 public:
  struct Worst {
    double defect = 0, time = 0;
    int body = -1;
    std::int64_t judged = 0;  // bodies times steps
  };

  // At the start, and after every step in a row.
  void see(const Simulation& now);

  [[nodiscard]] const Worst& resting() const { return resting_; }
  [[nodiscard]] const Worst& moving() const { return moving_; }

 private:
  struct Sum {
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    double force_size = 0, moment_size = 0;
  };
  void judge(const Simulation& now);
  void sum_forces(const Simulation& now);
  [[nodiscard]] double defect_of(const Simulation& now, std::size_t body, bool damping_at_end, bool at_rest) const;

  std::vector<contact::BodyTraits> traits_;
  std::vector<Sum> sums_;
  model::State before_;
  std::int64_t steps_ = -1;  // of the simulation, when it was last seen
  Worst resting_, moving_;
};

}  // namespace stickslip::simulation
