// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A process of its own that runs the trials of a rank. What can be lost to a crash or to a machine without memory left
// is then a process that MPI does not know: the rank starts another one and the trial again, and the job goes on.
//
//     rank                              worker (stickslip-mpi worker STUDY SET...)
//     index (8 bytes)        ->         runs the trial
//                            <-         size (8 bytes), bytes of the result
//
// The first message of a worker is the text of its scene. It ends when its input does.
#pragma once

#include "stickslip/study/trial_run.h"

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/types.h>

namespace stickslip::study {

struct WorkerLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class WorkerProcess {
 public:
  // `program worker study set...`, started for the first trial; `scene` is what it must have read.
  WorkerProcess(std::string program, std::string study, std::vector<std::string> set, std::string scene);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // The packed result of a trial. `idle` is called about twice a second meanwhile. A lost process is replaced and the
  // trial run again; throws WorkerLost when the same trial loses several, and when none can be started.
  std::string run(std::int64_t trial, const std::function<void()>& idle);

 private:
  bool start();  // false: it was lost before it could work
  void end();
  [[nodiscard]] std::string exit_text();
  bool read_text(std::string& text, const std::function<void()>& idle);

  std::string program_, study_, scene_;
  std::vector<std::string> set_;
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
};

// The worker's side: standard input and output are the rank's.
void serve_trials(const Study& study, const TrialRunner& runner);

[[nodiscard]] std::string packed(const TrialResult& result);
[[nodiscard]] TrialResult unpacked(const std::string& bytes);

}  // namespace stickslip::study
