// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How a model is to be stepped: the [method] table of a scene.
#pragma once

#include <string>

namespace stickslip::stepping {

struct Method {
  std::string motion = "dynamic";           // dynamic | first-order | quasi-static
  std::string stepper = "stewart-trinkle";  // a name of the stepper registry
  std::string friction = "cone";            // cone | pyramid
  int directions = 8;                       // of the pyramid, even, 4 .. 1024 (spatial contacts only)
  std::string impacts = "auto";             // auto | back-up | approach (euler_stepper.h)
  double step = 1e-3;                       // seconds (in the scene's unit of time), > 0
  double gap_step = 0;                      // how far a compliant gap moves in a sub-step; 0: no sub-steps
  double gamma = 0;                         // force that rounds the tip of the friction cone (song-pang-kumar)
  double tolerance = 0;                     // error of positions at the end; 0: the step is as given (error_control.h)
  std::string solver = "auto";              // a name of the solver registry
  double certificate = 1e-9;                // largest certified residual of a step
  std::string collider = "features";        // a name of the collider registry
  int threads = 1;                          // islands in parallel; the result does not depend on it
};

}  // namespace stickslip::stepping
