// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the live page is told (web/src/live_data.ts reads it), and the scene file that it saves.
#pragma once

#include "live_hand.h"

#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stickslip::app {

// What happens when the scene's duration is over.
enum class Ending : std::uint8_t { GoOn, Stop, Loop };
[[nodiscard]] std::string_view to_string(Ending ending);
[[nodiscard]] std::optional<Ending> ending_from(std::string_view text);

struct LiveStatus {
  int setting = 0;  // number of the setting that the frame belongs to
  bool playing = false;
  double speed = 1, rate = 0;  // wanted and reached, simulated time per second; rate 0: not known yet
  Ending ending = Ending::GoOn;
  bool kept = false;  // the run can go on from this frame later
  const Hand* hand = nullptr;
  // Contacts of the last step, where the run has none because it goes on with another hand and has made no step since.
  std::span<const contact::ContactResult> before;
};

// Limits of a slider: those of the parameter, else guessed from its value.
struct SliderRange {
  double low = 0, high = 1, usual = 0;  // `usual`: the value of the scene
};
using SliderRanges = std::map<std::string, SliderRange>;  // by the name of the parameter
[[nodiscard]] SliderRange slider_range(const scene::Parameter& parameter);

// Bodies, parameters with ranges for sliders (one for each), method; one line of JSON.
// `refused`: the name of a parameter whose new value was not possible.
[[nodiscard]] std::string setting_message(const scene::Scene& scene, const SliderRanges& ranges, int number,
                                          const std::string& notice, const std::string& refused);

// A speed at which the scene can be watched: real time where that is neither too quick nor too slow.
[[nodiscard]] double comfortable_speed(double duration);

// Poses, contacts, observables and pace; one line of JSON.
[[nodiscard]] std::string frame_message(const simulation::Simulation& run, std::span<const double> observables,
                                        const LiveStatus& status);

// A scene that includes `file` and overrides what was changed.
[[nodiscard]] std::string saved_scene(const std::string& file, const scene::Scene& scene,
                                      const std::map<std::string, std::string>& overrides);

}  // namespace stickslip::app
