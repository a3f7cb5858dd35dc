// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/natural_units.h"

#include "stickslip/complementarity/affine/lazy_schur.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::complementarity {
namespace {

// A diagonal below this part of the largest one is rounding noise, not stiffness.
constexpr double kNoDiagonal = 1e-13;
constexpr int kPasses = 4;
constexpr double kUnset = 0;

template <class Matrix>
void infer_missing(const Matrix& M, int i, NaturalUnits& units, bool& changed) {
  if (units.row[i] == kUnset) {
    double size = 0;
    M.for_each_in_row(i, [&](int j, double value) { size = std::max(size, std::fabs(value) * units.column[j]); });
    if (size > 0) {
      units.row[i] = size;
      changed = true;
    }
  }
  if (units.column[i] == kUnset) {
    double size = std::numeric_limits<double>::infinity();
    M.for_each_in_column(i, [&](int j, double value) {
      if (value != 0 && units.row[j] != kUnset) size = std::min(size, units.row[j] / std::fabs(value));
    });
    if (size < std::numeric_limits<double>::infinity()) {
      units.column[i] = size;
      changed = true;
    }
  }
}

}  // namespace

template <class Matrix>
void find_natural_units(const Matrix& M, const double* q, NaturalUnits& units) {
  const int n = M.size();
  units.row.resize(n);
  units.column.resize(n);
  double largest = 0, anywhere = 0, force = 0;
  for (int i = 0; i < n; ++i) {
    units.column[i] = std::fabs(M.diagonal(i));
    largest = std::max(largest, units.column[i]);
    anywhere = std::max(anywhere, std::fabs(q[i]));
  }
  for (int i = 0; i < n; ++i) {
    if (units.column[i] > kNoDiagonal * largest) force = std::max(force, std::fabs(q[i]));
  }
  if (anywhere == 0) anywhere = 1;
  if (force == 0) force = anywhere;

  bool all = true;
  for (int i = 0; i < n; ++i) {
    const bool known = units.column[i] > kNoDiagonal * largest;
    units.row[i] = known ? force : kUnset;
    units.column[i] = known ? force / units.column[i] : kUnset;
    all = all && known;
  }
  bool changed = !all;
  for (int pass = 0; pass < kPasses && changed; ++pass) {
    changed = false;
    for (int i = 0; i < n; ++i) {
      if (units.row[i] == kUnset || units.column[i] == kUnset) infer_missing(M, i, units, changed);
    }
  }
  if (all) return;
  for (int i = 0; i < n; ++i) {
    if (units.row[i] == kUnset) units.row[i] = anywhere;
    if (units.column[i] == kUnset) units.column[i] = anywhere;
  }
}

template void find_natural_units(const DenseColumns&, const double*, NaturalUnits&);
template void find_natural_units(const SparseColumns&, const double*, NaturalUnits&);
template void find_natural_units(const LazySchur&, const double*, NaturalUnits&);

}  // namespace stickslip::complementarity
