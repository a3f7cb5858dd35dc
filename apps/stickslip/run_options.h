// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the user asked of stickslip run.
#pragma once

#include "stickslip/runs/run.h"

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
  bool forces = false;           // tell contact forces, their ranges and their balance
  bool force = false;            // write over files that are not ours
  bool find_step = true;         // when the scene asks for an accuracy
  bool progress = true;          // a bar, where standard error is a terminal
  std::string checkpoint;        // file to write; empty: none
  double checkpoint_every = 10;  // seconds of wall time
  std::string resume;            // checkpoint to start from; empty: from the beginning
  // Before the first step and after every one; false ends the run there.
  std::function<bool(const runs::Run&)> each_step;
  // Called every few steps, those of runs that look for the step or for error bars among them; may throw, which ends the
  // run and keeps what was recorded.
  std::function<void()> poll;
};

}  // namespace stickslip::app
