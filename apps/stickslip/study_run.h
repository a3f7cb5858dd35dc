// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What stickslip study does: the study itself, and one trial again.
#pragma once

#include "stickslip/study/session.h"
#include "stickslip/study/store.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace stickslip::app {

struct StudyOptions {
  std::string file, store;
  std::vector<std::string> set;  // name=value
  int threads = 0;               // 0: all cores
  bool json = false, quiet = false;
  bool naive = false;  // afterwards the last stage alone for every design, to compare with
};

// FILE, --store, --threads, --json, --quiet.
void add_study_options(CLI::App& verb, StudyOptions& options);

// How the trials of a study are stepped, in words: stepper, step, tolerance, and what a stage changes of it.
[[nodiscard]] std::string study_method(const study::Study& study);

// Drives a session to its end.
using StudyDriver = std::function<void(study::Session&, const study::TrialRunner&)>;

// Returns the exit code. Without a driver: threads of this process.
int run_study_verb(const StudyOptions& options, const StudyDriver& driver = {});

struct ShowOptions {
  std::string store, output, study;
  bool force = false;
  std::vector<std::string> set;  // as it was given to the study
  std::int64_t trial = 0;
};
int show_trial(study::Store& store, const ShowOptions& options);

// folder/study.toml -> folder-study.db, folder/study-small.toml -> folder-small-study.db, other.toml -> other-study.db.
[[nodiscard]] std::string default_store_name(const std::string& study_path);

}  // namespace stickslip::app
