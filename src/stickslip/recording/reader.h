// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Reads a recording (layout: recorder.h), finished or cut short, and exports it as CSV.
#pragma once

#include "stickslip/recording/hdf5_file.h"
#include "stickslip/recording/recorder.h"

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace stickslip::recording {

class Recording {
 public:
  // Throws RecordingError when the file cannot be opened or is no recording of ours.
  explicit Recording(const std::string& path);

  [[nodiscard]] const RecordingInfo& info() const { return info_; }
  [[nodiscard]] std::size_t frames() const { return time_.size(); }
  [[nodiscard]] const std::vector<double>& time() const { return time_; }

  // How the run ended, in the words of recorder.h; empty: unknown (killed, still running, or an older recording).
  [[nodiscard]] const std::string& end() const { return end_; }
  [[nodiscard]] bool failed() const { return end_.starts_with("failed"); }

  // The state of all bodies in one frame.
  [[nodiscard]] model::State state(std::size_t frame) const;
  [[nodiscard]] std::vector<contact::ContactResult> contacts(std::size_t frame) const;
  [[nodiscard]] std::vector<double> observable(const std::string& name) const;
  [[nodiscard]] std::vector<double> residual() const;
  [[nodiscard]] std::vector<ModeChange> events() const;

 private:
  Hdf5Id file_;
  RecordingInfo info_;
  std::string end_;
  std::vector<double> time_;
  Array position_, orientation_, angle_, velocity_, angular_velocity_;
  Array first_, contact_bodies_, contact_features_, contact_mode_, gap_, point_, normal_, force_, slip_;
};

// One line per frame: time, then per body x, y, z, qw..qz, angle, vx..wz, then every observable. Numbers are written
// so that they read back to the same bits.
void export_csv(const Recording& recording, std::ostream& out);

}  // namespace stickslip::recording
