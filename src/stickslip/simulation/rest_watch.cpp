// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/simulation/rest_watch.h"

#include <algorithm>

namespace stickslip::simulation {

bool RestWatch::see(const model::State& state) {
  double fastest = 0;
  for (std::size_t i = 0; i < traits_.size(); ++i) {
    if (!traits_[i].movable || traits_[i].driven) continue;
    const model::Twist& v = state.bodies[i].velocity;
    fastest = std::max({fastest, v.linear.norm(), v.angular.norm()});
  }
  resting_ = fastest == 0 ? resting_ + 1 : 0;
  if (fastest > speed_) slow_since_ = state.time;
  at_rest_ = resting_ >= kRestingSteps || state.time - slow_since_ >= kSlowTime;
  return at_rest_;
}

}  // namespace stickslip::simulation
