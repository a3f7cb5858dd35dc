// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A recording prepared for people: everything that pages and stills show, computed once.
#pragma once

#include "stickslip/math/bounds.h"
#include "stickslip/recording/recording.h"
#include "stickslip/recording/run_description.h"
#include "stickslip/report/units.h"

#include <string>
#include <vector>

namespace stickslip::report {

struct Band {  // one mode of a pair of bodies
  contact::Mode mode = contact::Mode::Open;
  double begin = 0, end = 0;
};
struct PairBands {
  int body_a = -1, body_b = -1;
  double friction = 0;  // static coefficient, for the cone
  std::vector<Band> bands;
  std::vector<double> touches;  // when the bodies met
};

// One or more curves over the recorded frames that share a plot.
struct Curve {
  std::string name;
  std::vector<double> values;
};
struct Plot {
  std::string title, unit, description;
  bool logarithmic = false;
  std::vector<Curve> curves;
};

struct RunData {
  const recording::Recording& recording;
  recording::RunDescription description;  // without bodies' shapes where the recording has none
  Units units;
  bool has_shapes = false;
  std::vector<double> radius;  // of each body about its centre of mass; 0: a point, or unbounded
  Bounds bounds;               // of all bounded bodies over the whole run
  std::vector<PairBands> pairs;
  std::vector<Plot> plots;
  double worst_residual = 0, worst_time = 0;
  std::size_t frames_at_worst = 0;  // recorded frames whose step is above the certificate
};

// Throws RecordingError. `recording` must outlive the result.
[[nodiscard]] RunData prepare(const recording::Recording& recording);

// How the run ended, for the head of a picture: "run finished", "run failed at t = ...", "end unknown".
[[nodiscard]] std::string end_text(const recording::Recording& recording);

}  // namespace stickslip::report
