// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One run of a scene: the simulation with everything that watches it (observables, recording, checkpoints, progress).
#pragma once

#include "run_options.h"

#include "stickslip/files/file_lock.h"
#include "stickslip/recording/recorder.h"
#include "stickslip/runs/error_bars.h"
#include "stickslip/runs/run.h"
#include "stickslip/simulation/step_balance.h"

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace stickslip::app {

// method.tolerance was not reached with any step that was tried.
struct AccuracyError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using runs::RunEnd;

class RunSession {
 public:
  // Throws SceneError, RecordingError, AccuracyError or std::runtime_error with one line. With method.tolerance, runs
  // the scene several times to find the step.
  explicit RunSession(const RunOptions& options);
  // The same for a scene that was read before; options.scene stands for its file in messages, options.set is not read.
  RunSession(const RunOptions& options, scene::Scene scene);

  RunEnd run();

  [[nodiscard]] const scene::Scene& scene() const { return scene_; }
  [[nodiscard]] const simulation::Simulation& simulation() const { return run_->simulation(); }
  [[nodiscard]] const std::vector<double>& observables() const { return values_; }             // at the end
  [[nodiscard]] const std::vector<runs::ErrorBar>& error_bars() const { return error_bars_; }  // empty: not asked for
  [[nodiscard]] const std::optional<simulation::StepBalance>& balance() const { return balance_; }  // with --forces
  [[nodiscard]] const std::string& recording_path() const { return recording_path_; }
  [[nodiscard]] const std::string& failed_problem_path() const { return failed_problem_path_; }
  [[nodiscard]] const std::string& stop_text() const { return run_->stop_text(); }
  [[nodiscard]] double wall_seconds() const { return wall_seconds_; }
  [[nodiscard]] double start_time() const { return start_time_; }
  [[nodiscard]] const simulation::StepChoice& step_choice() const { return choice_; }  // runs = 0: the step was given

 private:
  struct Part {  // of what makes the run what it is
    std::string name, text;
  };

  RunEnd advance();
  [[nodiscard]] std::string error_bar_line() const;
  void after_step();
  void record_frame();
  void record_mode_changes();
  void close_recording_failed(const std::string& why);
  void save_checkpoint();
  void load_checkpoint();
  void save_failed_problem();
  void check_overlaps();
  void claim_outputs();
  void choose_step();
  [[nodiscard]] runs::Run::Hook polling() const;
  [[nodiscard]] const std::vector<Part>& parts_that_must_match();

  RunOptions options_;
  scene::Scene scene_;
  std::unique_ptr<runs::Run> run_;
  std::unique_ptr<recording::Recorder> recorder_;
  std::optional<files::FileLock> checkpoint_lock_;  // one run at a time saves there
  std::vector<double> values_;
  std::optional<simulation::StepBalance> balance_;
  std::vector<runs::ErrorBar> error_bars_;
  std::vector<Part> parts_;  // empty: not yet collected
  simulation::StepChoice choice_;
  std::string recording_path_, failed_problem_path_;
  double start_time_ = 0, next_frame_ = 0, worst_since_frame_ = 0, wall_seconds_ = 0;
  std::size_t changes_recorded_ = 0;
  bool show_progress_ = false;
  std::chrono::steady_clock::time_point begin_, last_checkpoint_, last_progress_;
  int steps_since_clock_ = 0;
};

// Name of the recording when the user gives none: folder/scene.toml -> folder.h5, other.toml -> other.h5.
[[nodiscard]] std::string default_recording_name(const std::string& scene_path);

}  // namespace stickslip::app
