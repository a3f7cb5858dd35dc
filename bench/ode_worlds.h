// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The benchmark's scenes on ODE, stock settings (quick stepper with 20 sweeps, friction pyramid along the contact's
// axes). ODE certifies nothing: its times are what an engine takes that stops after a fixed number of sweeps.
#pragma once

namespace stickslip::bench {

// Seconds per step over the last `measured` of `steps` steps of 1 ms.
[[nodiscard]] double ode_ball(int steps, int measured);
[[nodiscard]] double ode_box_on_slope(int steps, int measured);
// n spheres fall into a box, as in examples/pile: `row` spheres side by side.
[[nodiscard]] double ode_pile(int n, int row, int steps, int measured);

}  // namespace stickslip::bench
