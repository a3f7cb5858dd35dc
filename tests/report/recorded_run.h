// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Recordings of made-up runs, in a file that goes away with them.
#pragma once

#include "stickslip/recording/recorder.h"
#include "stickslip/recording/recording.h"
#include "stickslip/recording/run_description.h"

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace stickslip::testing {

class RecordedRun {
 public:
  using Fill = std::function<void(int frame, model::State&, std::vector<contact::ContactResult>&)>;

  RecordedRun(const recording::RunDescription& description, int frames, double step, const Fill& fill,
              const std::vector<recording::ModeChange>& changes = {}, const std::string& end = "finished")
      : path_(std::filesystem::temp_directory_path() /
              ("stickslip-report-" + std::to_string(::getpid()) + "-" + std::to_string(count()++) + ".h5")) {
    recording::RecordingInfo info{"scene", "0.0", "method", {}, {}, to_json(description)};
    for (const model::Body& body : description.model.bodies) info.bodies.push_back(body.name);
    recording::Recorder recorder(path_.string(), info);
    for (int frame = 0; frame < frames; ++frame) {
      model::State state;
      state.time = step * frame;
      state.bodies.resize(description.model.bodies.size());
      std::vector<contact::ContactResult> contacts;
      fill(frame, state, contacts);
      recorder.append(recording::Frame{state, contacts, {}, 1e-12 * frame});
    }
    for (const recording::ModeChange& change : changes) recorder.append(change);
    recorder.close(end);
    recording_ = std::make_unique<recording::Recording>(path_.string());
  }
  ~RecordedRun() {
    recording_.reset();
    std::filesystem::remove(path_);
  }
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;
  [[nodiscard]] const recording::Recording& recording() const { return *recording_; }

 private:
  static int& count() {
    static int number = 0;
    return number;
  }
  std::filesystem::path path_;
  std::unique_ptr<recording::Recording> recording_;
};

// A disc of radius 1 and mass 2 over a floor, in the plane.
inline recording::RunDescription disc_over_floor() {
  recording::RunDescription run;
  run.title = "disc";
  run.model.dimension = 2;
  run.model.gravity = Vec3(0, -10, 0);
  model::Body disc;
  disc.name = "disc";
  disc.kind = model::BodyKind::Planar;
  disc.mass = 2;
  disc.inertia(2, 2) = 1;
  disc.shapes = {{model::Disc{1}, {}}};
  model::Body floor;
  floor.name = "floor";
  floor.kind = model::BodyKind::Planar;
  floor.shapes = {{model::HalfSpace{Vec3::UnitY(), 0}, {}}};
  run.model.bodies = {disc, floor};
  run.model.surfaces = {{0.5, 0.4, 0, {}, {}}};
  run.model.laws = model::PairLaws(2, 0);
  return run;
}

}  // namespace stickslip::testing
