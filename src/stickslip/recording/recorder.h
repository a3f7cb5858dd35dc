// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Writes a run to an HDF5 file as it goes.
//
// Layout (T frames, B bodies, C contact rows of all frames together, E events):
//     first 512 bytes         the seal: format, state, how many rows count, checksums (seal.h); HDF5 begins behind it
//     /scene                  text of the scene file            /version, /method   texts
//     /bodies                 names (B)                         /observables        names
//     /model                  JSON: shapes, masses, laws, units (run_description.h)
//     /plan                   JSON: what the run is the solution of (apps/stickslip/plan_record.h); replays of plans only
//     /time                   (T)
//     /state/position         (T, B, 3)  centre of mass, world frame
//     /state/orientation      (T, B, 4)  unit quaternion w, x, y, z
//     /state/angle            (T, B)     planar bodies: not wrapped
//     /state/velocity, /state/angular_velocity   (T, B, 3)
//     /observe/NAME           (T)
//     /contacts/first         (T)        index of the frame's first row in the tables below (int64)
//     /contacts/bodies        (C, 2)     int32      /contacts/features (C, 4)  shape and feature of each side, int32
//     /contacts/mode          (C)        uint8: 0 open, 1 stick, 2 roll, 3 slide
//     /contacts/gap           (C)        /contacts/point, /normal, /force, /slip  (C, 3)
//     /certificate/residual   (T)        largest certified residual of the steps since the last frame
//     /events/time (E), /events/bodies (E, 2), /events/mode (E, 2: from, to)
//     /end                    (bytes)    how the run ended, text as uint8: "finished", "stopped: CONDITION" or
//                                        "failed at t = TIME: REASON"; empty while it runs, and where it was killed.
//                                        A second line says what the audit found (simulation/audit.h)
//
// A killed run leaves a readable file: HDF5's single-writer mode orders its writes so that the file is consistent at
// every moment, and after each flush the mark "open for writing" is taken off the file, so that any HDF5 reader
// opens it. Rows count when the seal says so, which is written last, after everything is on disk: a disk that fills up
// leaves what was complete before. /end exists from the start because that mode allows no new datasets.
// Killed within a flush, arrays may reach beyond the noted end of the file: readers of that mode (ours; h5py with
// swmr=True) read it all the same.
//
// One process at a time writes a recording (files/file_lock.h).
#pragma once

#include "stickslip/files/file_lock.h"
#include "stickslip/recording/frame.h"
#include "stickslip/recording/layout.h"
#include "stickslip/recording/seal.h"

#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace stickslip::recording {

struct ModeChange {
  double time = 0;
  int body_a = -1, body_b = -1;
  contact::Mode from = contact::Mode::Open, to = contact::Mode::Open;
};

// Of all texts and rows; `arrays` in the order of layout().
[[nodiscard]] std::uint64_t content_checksum(const RecordingInfo& info, std::span<const files::Checksum> arrays);

// Adds /plan to a recording that is closed. Throws RecordingError.
void attach_plan(const std::string& path, const std::string& plan);

class Recorder {
 public:
  // Creates (or replaces) the file. Throws RecordingError when it cannot.
  Recorder(const std::string& path, const RecordingInfo& info);
  // Goes on with an existing recording of the same run after `time`: later frames are dropped.
  Recorder(const std::string& path, const RecordingInfo& info, double time);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void append(const Frame& frame);
  void append(const ModeChange& change);

  // Makes all frames so far safe on disk. Happens by itself about once a second.
  void flush();
  // Flushes and closes, with a word on how the run ended (see /end; empty: unknown). Errors are reported here rather
  // than in the destructor.
  void close(const std::string& end = {});

 private:
  void start_single_writer();
  AppendArray& array(ArrayName name) { return arrays_[static_cast<std::size_t>(name)]; }
  [[nodiscard]] Seal seal() const;
  std::string path_;
  RecordingInfo info_;
  files::FileLock lock_;
  Hdf5Id file_;
  std::vector<AppendArray> arrays_;  // as layout() lists them
  std::vector<double> row_;
  std::chrono::steady_clock::time_point last_flush_;
};

}  // namespace stickslip::recording
