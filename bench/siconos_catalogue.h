// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The Siconos 4.4 solvers that take part in the benchmarks, by problem form.
#pragma once

#include <span>
#include <string_view>

namespace stickslip::bench {

enum class SiconosForm { Lcp, Mlcp, Relay, Friction2d, Friction3d, GlobalFriction3d };

enum class SiconosStorage { Dense, Block, Sparse };

// A solver stands in the list once per matrix storage that it accepts, under one name: the storage decides its speed by
// up to a factor of 100, so each problem counts the storage that serves it best.
struct SiconosSolver {
  const char* name;  // as in the tables
  SiconosForm form;
  int id;  // Siconos' number of the solver
  SiconosStorage storage = SiconosStorage::Dense;
  int max_size = 0;              // unknowns or contacts beyond which it is not tried (0: no bound)
  int local_solver = 0;          // replaces the default one-contact solver
  int hybrid = 0;                // value of the NSN hybrid strategy
  bool raise_iterations = true;  // let the time limit decide, not the default iteration limit
};

// In the order in which the tables print them.
[[nodiscard]] std::span<const SiconosSolver> siconos_solvers(SiconosForm form);

// Why a solver is not run on a problem of this size; empty when it is. Only hopeless cases, to save time.
[[nodiscard]] std::string_view reason_to_skip(const SiconosSolver& solver, int size);

}  // namespace stickslip::bench
