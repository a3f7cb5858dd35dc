// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Reads a recording (layout: recorder.h), finished or cut short, and exports it as CSV.
//
// Memory: the times and the first contact row of every frame (16 bytes per frame), and the blocks of rows read last; a
// recording may be larger than the memory. Opening it reads it once.
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
  // Throws RecordingError when the file cannot be opened, is no recording of ours, or is damaged: every bit that is
  // read later was compared with a checksum here.
  explicit Recording(const std::string& path);

  [[nodiscard]] const RecordingInfo& info() const { return info_; }
  [[nodiscard]] std::size_t frames() const { return time_.size(); }
  [[nodiscard]] const std::vector<double>& time() const { return time_; }

  // How the run ended, in the words of recorder.h; empty: unknown (killed, still running, or an older recording).
  [[nodiscard]] const std::string& end() const { return end_; }
  // What the audit of the run found, one line; empty: unknown, or the run had none.
  [[nodiscard]] const std::string& audit() const { return audit_; }
  [[nodiscard]] bool failed() const { return end_.starts_with("failed"); }

  // How many rows count up to and with `time`, and the checksums of as many, in the order of layout().
  [[nodiscard]] RowCounts counts_until(double time) const;
  [[nodiscard]] std::vector<files::Checksum> checksums(const RowCounts& counts) const;

  // The state of all bodies in one frame.
  [[nodiscard]] model::State state(std::size_t frame) const;
  [[nodiscard]] std::vector<contact::ContactResult> contacts(std::size_t frame) const;
  [[nodiscard]] std::vector<double> observable(const std::string& name) const;
  [[nodiscard]] double observable(std::size_t number, std::size_t frame) const;
  [[nodiscard]] std::vector<double> residual() const;
  [[nodiscard]] std::vector<ModeChange> events() const;

 private:
  [[nodiscard]] const ArrayReader& array(ArrayName name) const { return arrays_[static_cast<std::size_t>(name)]; }
  [[nodiscard]] std::vector<double> column(const ArrayReader& array) const;  // a number per frame
  void read_texts();
  void verify() const;

  Seal seal_;
  Hdf5Id file_;
  RecordingInfo info_;
  std::string end_, audit_;
  std::vector<ArrayReader> arrays_;
  std::vector<double> time_;
  std::vector<std::int64_t> first_;
};

// One line per frame: time, then per body x, y, z, qw..qz, angle, vx..wz, then every observable. Numbers are written
// so that they read back to the same bits.
void export_csv(const Recording& recording, std::ostream& out);

}  // namespace stickslip::recording
