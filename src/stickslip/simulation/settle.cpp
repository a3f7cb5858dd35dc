// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/simulation/settle.h"

#include "stickslip/contact/body_dynamics.h"

#include <algorithm>

namespace stickslip::simulation {

Settled settle(Simulation& run, const SettleOptions& options, const Simulation::Observer& observer) {
  const std::vector<contact::BodyTraits> traits = contact::body_traits(run.model());
  const double begin = run.time();
  int resting = 0;
  double slow_since = begin;
  bool at_rest = false;
  const bool reached = run.run_until(begin + options.most_time, [&](const Simulation& now) {
    double fastest = 0;
    for (std::size_t i = 0; i < traits.size(); ++i) {
      if (!traits[i].movable || traits[i].driven) continue;
      const model::Twist& v = now.state().bodies[i].velocity;
      fastest = std::max({fastest, v.linear.norm(), v.angular.norm()});
    }
    resting = fastest == 0 ? resting + 1 : 0;
    if (fastest > options.speed) slow_since = now.time();
    at_rest = resting >= kRestingSteps || now.time() - slow_since >= kSlowTime;
    return !at_rest && (!observer || observer(now));
  });
  if (run.failure() != nullptr) return Settled::NotCertified;
  (void)reached;
  return at_rest ? Settled::AtRest : Settled::TimeIsUp;
}

}  // namespace stickslip::simulation
