// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Coloured block Gauss-Seidel with Nesterov's momentum, on one or several threads.
//
//     repeat   x = y;  x <- sweep (colours in order; exact one-contact solutions)
//              |x - y| grew:  theta = 1 + 0.3 (theta - 1),  y = x                                restart
//              else           theta' = (1 + sqrt(1 + 4 theta^2)) / 2,   y = x + (theta - 1) / theta' (x - x_before)
//
// Contacts of one colour do not touch each other in W: they are solved from the same numbers in any order, so that the
// answer has the same bits for any number of threads. Sums over contacts are taken in chunks of a fixed size. Rows are
// copied in the order of their colours, blocks by columns padded to four numbers (wide_clone.h).
//
// The rate of convergence is that of W's condition: for compliant contacts (a stiffness of m / h^2 and below) tens of
// sweeps reach 1e-6, however many contacts there are. Near jamming rigid contacts have W of almost infinite condition,
// and sweeps stall: with SolverOptions::give_up_early they end when their pace tells that too many are left. Nesterov 1983; O'Donoghue and Candes
// 2015 (restart; there theta falls to 1, and a pile of a thousand balls took half as long again). A sweep back after each
// (a symmetric iteration, for which the theory is made) took as many iterations at twice the cost. Contacts between
// balls, whose blocks are diag(W_nn, S, .., S) to rounding, have their one-contact solution in closed form. Cost of an
// iteration: one product with W and one one-contact solution per contact.
#pragma once

#include "stickslip/complementarity/cone/island_search.h"
#include "stickslip/complementarity/worker_pool.h"

#include <vector>

namespace stickslip::complementarity {

template <int D>
class MomentumSweeps {
 public:
  // From r, which holds the last point at the end; looks at points through `search`. At most `most` iterations. True when
  // the search's goal was reached.
  bool run(const ScaledIsland<D>& island, IslandSearch<D>& search, std::vector<double>& r, int most, int threads,
           WorkerPool& pool);
  [[nodiscard]] int iterations() const { return iteration_; }  // of the last run
  [[nodiscard]] int colours() const { return static_cast<int>(colour_start_.size()) - 1; }

 private:
  static constexpr int kChunk = 256;  // contacts whose sums are taken together

  void colour(const ScaledIsland<D>& island);
  void arrange(const ScaledIsland<D>& island, const std::vector<double>& r);
  struct Team;

  void work_as(int member, Team& team);
  void solve_part(int colour, int member, int team);
  void sum_changes(int member, int team);
  void decide();
  void extrapolate(int member, int team);
  bool look();

  const ScaledIsland<D>* island_ = nullptr;
  IslandSearch<D>* search_ = nullptr;

  std::vector<int> colour_of_, colour_start_, order_, place_, row_start_, column_;
  std::vector<char> taken_;
  std::vector<double> block_, diagonal_;  // of the rows without their diagonal blocks, and those
  std::vector<double> q_, mu_, given_, slip_rate_;
  std::vector<double> round_;  // two numbers for each contact: find_round()
  std::vector<ContactKind> kind_;
  std::vector<double> x_, y_, before_, natural_r_, natural_u_, change_, size_;

  // Shared by the team; written by its first member between two meetings.
  int iteration_ = 0, most_ = 0, last_look_ = 0, judged_ = 0;
  double theta_ = 1, beta_ = 0, last_change_ = 0, judged_error_ = 0, q_norm_ = 0;
  bool done_ = false;
};

}  // namespace stickslip::complementarity
