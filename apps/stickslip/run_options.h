// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the user asked of stickslip run.
#pragma once

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
  bool find_step = true;         // when the scene asks for an accuracy
  std::string checkpoint;        // file to write; empty: none
  double checkpoint_every = 10;  // seconds of wall time
  std::string resume;            // checkpoint to start from; empty: from the beginning
};

}  // namespace stickslip::app
