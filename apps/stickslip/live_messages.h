// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the live page is told (web/src/live_data.ts reads it), and the scene file that it saves.
#pragma once

#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <map>
#include <span>
#include <string>

namespace stickslip::app {

struct LiveStatus {
  int setting = 0;  // number of the setting that the frame belongs to
  bool playing = false;
  double speed = 1, rate = 0;  // wanted and reached, simulated time per second; rate 0: not known yet
};

// Limits of a slider: those of the parameter, else guessed from its value.
struct SliderRange {
  double low = 0, high = 1;
};
using SliderRanges = std::map<std::string, SliderRange>;  // by the name of the parameter
[[nodiscard]] SliderRange slider_range(const scene::Parameter& parameter);

// Bodies, parameters with ranges for sliders (one for each), method; one line of JSON.
[[nodiscard]] std::string setting_message(const scene::Scene& scene, const SliderRanges& ranges, int number,
                                          const std::string& notice);

// Poses, contacts, observables and pace; one line of JSON.
[[nodiscard]] std::string frame_message(const simulation::Simulation& run, std::span<const double> observables,
                                        const LiveStatus& status);

// A scene that includes `file` and overrides what was changed.
[[nodiscard]] std::string saved_scene(const std::string& file, const scene::Scene& scene,
                                      const std::map<std::string, std::string>& overrides);

}  // namespace stickslip::app
