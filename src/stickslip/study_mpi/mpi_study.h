// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A study on many machines. The only code that includes mpi.h, in a library of its own: the command itself has no MPI.
//
// Rank 0 owns the session and the store; the others ask for work and send every result as soon as it is there. Work is
// handed out in small portions (trials that take milliseconds come several at a time, long ones one by one), so nobody
// waits for the slowest. Results go to the store as they arrive: when a process or the whole job is lost, what is lost
// are the trials that were running.
#pragma once

#include "stickslip/study/session.h"

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

  // Rank 0 tells the others what the study means to it; empty: it cannot run.
  [[nodiscard]] std::string broadcast(std::string text) const;
  // Ends all processes.
  [[noreturn]] void abort(int exit_code) const;

 private:
  int rank_ = 0, size_ = 1;
};

// Rank 0: hands out what is left of the study and collects it. Throws StoreError.
void lead(const MpiWorld& world, Session& session);
// The others: run what they are given until there is nothing left.
void follow(const MpiWorld& world, const Study& study, const TrialRunner& runner);

}  // namespace stickslip::study
