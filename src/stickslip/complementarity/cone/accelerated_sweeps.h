// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Anderson acceleration of block Gauss-Seidel (Anderson 1965; Walker and Ni 2011, type II).
//
// A sweep is a map g(r) whose fixed points are the solutions, f(r) = g(r) - r its residual. While no contact changes
// its mode the map is smooth, and the last m sweeps tell how f changes with r:
//
//     gamma = argmin | f_k - dF gamma |,     r_k+1 = g_k - dG gamma        dF, dG: differences of the last m f and g
//
// which is GMRES on the linear part: where plain sweeps need N, this needs about sqrt(N). Changes of mode make the
// differences useless: as soon as |f| grows, the history is dropped and the iteration goes on from g. Restarting at
// every rise is what keeps it from going round in circles (a rise of 2 allowed: half as many problems solved).
//
// The impulses r_k+1 may leave their cones; the sweep that follows replaces each of them. Only swept points, which lie
// in the cones, are offered to the search, and only when |f| says that the goal may be near: the error costs half a
// sweep. Cost per step: a sweep and 3 m vector operations.
#pragma once

#include "stickslip/complementarity/cone/gauss_seidel.h"
#include "stickslip/complementarity/cone/search.h"

#include <array>

namespace stickslip::complementarity {

template <int D>
class AcceleratedSweeps {
 public:
  static constexpr int kMemory = 6;  // 10 saves 2 % of the sweeps and costs more than that

  struct Limits {
    int sweeps = 400;
    int patience = 60;  // sweeps without halving the smallest |f|
  };
  // Sweeps from r until the goal or a limit is reached. r is overwritten with the best swept point as measured by |f|.
  // True when the goal was reached.
  bool run(GaussSeidel<D>& sweeper, Search<D>& search, std::vector<double>& r, const Limits& limits);

 private:
  double residual(const std::vector<double>& r);
  bool look(Search<D>& search, double norm);
  void forget() { length_ = next_ = 0, has_last_ = false; }
  void remember();
  bool extrapolate(std::vector<double>& r);

  int length_ = 0, next_ = 0;  // stored differences, and where the next one goes
  bool has_last_ = false;
  double looked_at_norm_ = 0, looked_at_error_ = 0;  // |f| and error at the last look
  int unseen_ = 0;                                   // sweeps since then
  std::vector<double> g_, f_, last_g_, last_f_, best_g_, u_;
  std::array<std::vector<double>, kMemory> dF_, dG_;
  std::array<double, kMemory * kMemory> gram_{};  // dF' dF
};

}  // namespace stickslip::complementarity
