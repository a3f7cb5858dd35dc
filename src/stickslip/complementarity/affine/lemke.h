// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Revised complementary pivoting (Lemke's method) for the box problem  lower <= z <= upper  _|_  w = M z + q, from any
// complementary start basis.
//
//     w = M z + q + d z0        d: covering vector, z0: artificial unknown, driven from "large enough" to 0
//
// Each pivot moves one driving unknown (some z_r or w_r) along its line until another basic unknown meets a bound; that
// one leaves, and its complement drives next. When z0 leaves, the basis is complementary and feasible: a solution. When
// nothing blocks, the method ends on a ray. Unknowns between two bounds may jump from one to the other (no basis
// change); free unknowns are basic from the start and never leave.
//
// On tall toppling stacks z0 falls geometrically towards 0, and rounding ends the path before it arrives. Where the
// path breaks off with a negligible z0, it is taken for 0; the certificate says whether that was right.
//
// What makes it work on contact problems:
//   * Only the k basic z and the column of z0 are factored (lemke_basis.h); basic w are priced with whole columns of M.
//     A contact with d friction directions adds about 3 to k, whatever d.
//   * Ties. Rounding splits what is equal in exact arithmetic; a pivot that is decided by the 16th digit leads to a
//   basis
//     that is infeasible in the 8th. Harris' two passes: first the largest step with all bounds relaxed by
//     `tie_tolerance`, then, among all that would block within that step, the one that comes first when q is perturbed
//     by eps p with a fixed pseudo-random p > 0 and symbolic eps (one extra right-hand side; equivalent to the
//     lexicographic rule with probability one, which excludes cycling).
//   * Natural units (natural_units.h): tolerances, covering vector and perturbation are relative to the size of each
//   row
//     and column, so that results do not depend on the units of the user.
//
// Symbols: C basic columns, R nonbasic rows, K = [M|d](R,C), x values of C, slack_i = |w_i| / unit, eps parts beside
// them. Cost per pivot: k^2 + n k (dense), n + entries of the basic columns (sparse). Reference: Cottle, Pang, Stone,
// The Linear Complementarity Problem, section 4.4; Harris (1973) for the ratio test.
#pragma once

#include "stickslip/complementarity/affine/basis.h"
#include "stickslip/complementarity/affine/basis_repair.h"
#include "stickslip/complementarity/affine/lemke_basis.h"
#include "stickslip/complementarity/affine/natural_units.h"
#include "stickslip/complementarity/deadline.h"

#include <limits>
#include <vector>

namespace stickslip::complementarity {

struct LemkeOptions {
  int max_pivots = std::numeric_limits<int>::max();
  bool cover_all = true;        // false: d covers only what is violated (fewer pivots, no theory of rays)
  bool cover_by_count = false;  // overrides cover_all: true when more basics stand exactly at a bound than are violated
  double tie_tolerance = 1e-11;    // relaxation of the ratio test, in natural units
  double pivot_tolerance = 1e-10;  // rates below this part of the largest one do not block
  double negligible = 1e-9;        // z0 below this part of its first value counts as 0 when the path breaks off
  int refactor_interval = 60;      // pivots between fresh factors
  unsigned seed = 1;               // of the perturbation
  bool perturb = true;
  const double* cover_weight = nullptr;  // n positive factors for the covering vector
  Deadline deadline;
};

enum class LemkeExit { Solved, Ray, PivotLimit, TimeLimit, Singular, Breakdown };

template <class Matrix>
class Lemke {
 public:
  // start: nullptr for all bounded unknowns at their (lower) bound. M, q and the bounds must outlive the call only.
  LemkeExit solve(const Matrix& M, const double* q, const double* lower, const double* upper,
                  const VariableStatus* start, const LemkeOptions& options);

  // After Solved: the solution and its basis. After other exits: the basis that was reached.
  [[nodiscard]] const std::vector<double>& z() const { return z_; }
  [[nodiscard]] const Basis& basis() const { return status_; }
  [[nodiscard]] int pivots() const { return pivots_; }
  // After Ray: z moves along ray() for ever, and z0 stays at artificial() > 0.
  [[nodiscard]] const std::vector<double>& ray() const { return ray_; }
  [[nodiscard]] double artificial() const { return artificial_; }

 private:
  struct Driver {
    int index = -1;
    bool is_z = false;  // drives z_index, else w_index
    double sign = 1;    // direction in which it moves away from its bound
  };
  struct Blocking {
    enum class Kind { None, Own, Unknown, Row } kind = Kind::None;
    int position = -1;  // position in C for Unknown, index for Row
    double step = 0, step_eps = 0;
  };

  void set_status(const VariableStatus* start);
  [[nodiscard]] bool factor_start();
  void compute_values(int refinements);
  void set_factor(int i);
  void enter_basic(int position, int j, double value, double eps);
  [[nodiscard]] double bound_value(int j) const;
  [[nodiscard]] double next_random();

  // Chooses d; false when nothing is violated. Fills shift_ with the motion of each basic unknown per unit of z0.
  [[nodiscard]] bool choose_cover(const LemkeOptions& options);
  [[nodiscard]] double violation(int i) const;
  [[nodiscard]] bool is_tight(int i) const;
  [[nodiscard]] bool mostly_tight() const;
  void perturb(const LemkeOptions& options);
  [[nodiscard]] bool enter_artificial();

  void find_direction();
  [[nodiscard]] Blocking ratio_test(const LemkeOptions& options);
  void advance(const Blocking& blocking);
  [[nodiscard]] bool exchange(const Blocking& blocking);
  void record_ray();
  LemkeExit pivot_until_done(const LemkeOptions& options);
  [[nodiscard]] bool artificial_is_negligible(double part) const;
  void finish();

  const Matrix* M_ = nullptr;
  const double *q_ = nullptr, *lower_ = nullptr, *upper_ = nullptr;
  int n_ = 0, pivots_ = 0;
  unsigned random_ = 1;
  double artificial_ = 0, artificial_start_ = 0;
  bool artificial_basic_ = false;
  Driver driver_;
  LemkeBasis<Matrix> basis_;
  BasisRepair<Matrix> repair_;
  NaturalUnits units_;
  Basis status_;
  std::vector<double> z_, ray_, w_, cover_, shift_;
  // Rows: factor_ = sign / unit of a basic w (0: does not block), slack_ = factor w, rate_ = -factor dw.
  std::vector<double> factor_, slack_, slack_eps_, rate_;
  // Basic unknowns, in the order of C.
  std::vector<double> x_, x_eps_, dx_, x_lower_, x_upper_, x_inverse_unit_, u_, rhs_;
};

}  // namespace stickslip::complementarity
