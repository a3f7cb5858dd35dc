// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the user asked of stickslip run.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace stickslip::app {

struct RunOptions {
  std::string scene;
  std::vector<std::string> set;  // name=value
  std::string output;            // recording; empty: named after the scene
  bool record = true;
  bool json = false;
  bool allow_overlap = false;
  bool force = false;            // write over files that are not ours
  bool find_step = true;         // when the scene asks for an accuracy
  std::string checkpoint;        // file to write; empty: none
  double checkpoint_every = 10;  // seconds of wall time
  std::string resume;            // checkpoint to start from; empty: from the beginning
  std::function<void()> poll;    // called every few steps; may throw, which ends the run and keeps what was recorded
};

}  // namespace stickslip::app
