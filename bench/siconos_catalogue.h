// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The Siconos 4.4 solvers that take part in the benchmarks, by problem form.
#pragma once

#include <span>
#include <string_view>

namespace stickslip::bench {

enum class SiconosForm { Lcp, Mlcp, Relay, Friction2d, Friction3d, GlobalFriction3d };

// How the matrix is handed over: each solver gets the storage that it is fastest with (measured on the corpus).
enum class SiconosStorage { Dense, Block, Sparse };

struct SiconosSolver {
  const char* name;  // as in the tables
  SiconosForm form;
  int id;  // Siconos' number of the solver
  SiconosStorage storage;
  int max_size = 0;              // unknowns or contacts beyond which it is not tried (0: no bound)
  int local_solver = 0;          // replaces the default one-contact solver
  int hybrid = 0;                // value of the NSN hybrid strategy
  bool raise_iterations = true;  // let the time limit decide, not the default iteration limit
};

// In the order in which the tables print them.
[[nodiscard]] std::span<const SiconosSolver> siconos_solvers(SiconosForm form);

// Why a solver is left out for a class of problems; empty when it is run. Only hopeless cases, to save time.
[[nodiscard]] std::string_view reason_to_skip(const SiconosSolver& solver, std::string_view problem_class, int size);

}  // namespace stickslip::bench
