// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A study on many machines. The only code that includes mpi.h, in a library of its own: the command itself has no MPI.
//
// Rank 0 owns the session and the store; the others ask for work and send every result as soon as it is there. Work is
// handed out in small portions (trials that take milliseconds come several at a time, long ones one by one), so no rank
// waits for the slowest. Results go to the store as they arrive: when the whole job is lost, what is lost are the
// trials that were running. Two kinds of loss do not end the job:
//
//   the process that runs trials   is a child of its rank (worker_process.h), which starts another one and repeats the
//                                  trial
//   a rank, or its machine         under `mpirun --enable-recovery`: ranks give a sign of life every half second; the
//                                  trials of one that was silent for kMostSilence go to others
//
// mpirun without that option ends the job when a rank is lost; the same command goes on.
#pragma once

#include "stickslip/study/session.h"
#include "stickslip/study_mpi/worker_process.h"

#include <string>

namespace stickslip::study {

// MPI for as long as the object lives.
class MpiWorld {
 public:
  MpiWorld(int& argc, char**& argv);
  ~MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool survives_loss() const { return survives_loss_; }  // mpirun --enable-recovery

  // Rank 0 tells the others what the study means to it; empty: it cannot run.
  [[nodiscard]] std::string broadcast(std::string text) const;
  // Ends all processes.
  [[noreturn]] void abort(int exit_code) const;
  // Ends this process. Ranks that survive the loss of others do not wait for them in MPI_Finalize.
  [[noreturn]] void leave(int exit_code) const;

 private:
  int rank_ = 0, size_ = 1;
  bool survives_loss_ = false;
};

// Rank 0: hands out what is left of the study and collects it. Throws StoreError, and WorkerLost when no worker is left.
void lead(const MpiWorld& world, Session& session);
// The others: have what they are given run until there is nothing left. Throws WorkerLost.
void follow(WorkerProcess& worker);

}  // namespace stickslip::study
