// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/affine_residual.h"

#include "stickslip/complementarity/affine/vector_kernels.h"
#include "stickslip/complementarity/wide_clone.h"

#include <algorithm>
#include <cmath>

#ifndef __clang__
#pragma GCC diagnostic ignored "-Wpsabi"  // lanes are passed between inlined functions only
#endif

namespace stickslip::complementarity {
namespace {

constexpr double kLocalShare = 1e-3, kNoise = 1e-4;

double ratio(double numerator, double denominator) {
  if (numerator == 0) return 0;
  return numerator / denominator;  // x/0 = inf: not solved
}

// Keeps NaN: a maximum that drops it would certify garbage.
double larger(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

// w = M z + q; returns max |M_ij| over the columns that were used.
double product(const AffineProblem& problem, const Eigen::VectorXd& z, std::vector<double>& w) {
  const int n = static_cast<int>(problem.size());
  w.assign(problem.q.data(), problem.q.data() + n);
  double largest = 0;
  if (problem.is_dense) {
    const double* column[4];
    double weight[4];
    int count = 0;
    for (int j = 0; j < n; ++j) {
      if (z[j] == 0) continue;
      column[count] = problem.dense.data() + static_cast<std::ptrdiff_t>(j) * n;
      weight[count] = z[j];
      largest = std::max(largest, kernels::abs_max(column[count], n));
      if (++count == 4) {
        kernels::add_scaled4(w.data(), weight, column, n);
        count = 0;
      }
    }
    for (int k = 0; k < count; ++k) kernels::add_scaled(w.data(), weight[k], column[k], n);
    return largest;
  }
  const int* start = problem.sparse.outerIndexPtr();
  const int* row = problem.sparse.innerIndexPtr();
  const double* value = problem.sparse.valuePtr();
  for (int j = 0; j < n; ++j) {
    if (z[j] == 0) continue;
    for (int p = start[j]; p < start[j + 1]; ++p) {
      w[row[p]] += value[p] * z[j];
      largest = std::max(largest, std::fabs(value[p]));
    }
  }
  return largest;
}

template <class Number>
STICKSLIP_ALWAYS_INLINE Number magnitude(const Number& a) {
  return a < 0 ? -a : a;
}
template <class Number>
STICKSLIP_ALWAYS_INLINE void raise(Number& largest, const Number& a) {
  largest = a > largest ? a : largest;
}

// Largest values over the rows so far; Number is one row's double or the lanes of four rows.
template <class Number>
struct RowMaxima {
  Number natural{}, scaled{}, z{}, w{}, q{}, primal{}, dual{}, slackness{};
  Number finite{};  // becomes NaN with the first NaN or infinity, which the maxima drop

  STICKSLIP_ALWAYS_INLINE void add(const Number& lower, const Number& upper, const Number& zi, const Number& wi,
                                   const Number& qi, const Number& a, const Number& inverse_a) {
    const Number zero{}, infinity = zero + kInfinity;
    finite += zero * zi + zero * wi;
    raise(natural, distance_to_projection(zi, wi, lower, upper));
    raise(scaled, distance_to_projection(a * zi, wi * inverse_a, a * lower, a * upper));
    raise(z, magnitude(zi));
    raise(w, magnitude(wi));
    raise(q, magnitude(qi));
    raise(primal, lower - zi);
    raise(primal, zi - upper);
    // w > 0 is allowed only where there is a lower bound to push against, w < 0 only at an upper one.
    const Number gap = wi > 0 ? zi - lower : upper - zi;
    const Number size = magnitude(wi);
    raise(dual, gap == infinity ? size : zero);
    raise(slackness, gap == infinity ? zero : magnitude(gap * wi));
  }

 private:
  // |z - projection of z - w on [lower, upper]|
  STICKSLIP_ALWAYS_INLINE static Number distance_to_projection(const Number& z, const Number& w, const Number& lower,
                                                               const Number& upper) {
    Number projected = z - w;
    projected = projected > lower ? projected : lower;
    projected = projected < upper ? projected : upper;
    return magnitude(z - projected);
  }
};

STICKSLIP_ALWAYS_INLINE double largest_lane(const Lanes& lanes) {
  double largest = 0;
  for (int lane = 0; lane < kLanes; ++lane) raise(largest, lanes[lane]);
  return largest;
}

STICKSLIP_WIDE_CLONE RowMaxima<double> measure_rows(const double* lower, const double* upper, const double* q,
                                                    const double* z, const double* w, double a, double inverse_a,
                                                    Eigen::Index n) {
  RowMaxima<Lanes> four;
  const Lanes zero{}, a4 = zero + a, inverse4 = zero + inverse_a;
  Eigen::Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Lanes l, u, zi, wi, qi;
    load(l, lower + i);
    load(u, upper + i);
    load(zi, z + i);
    load(wi, w + i);
    load(qi, q + i);
    four.add(l, u, zi, wi, qi, a4, inverse4);
  }
  RowMaxima<double> all;
  all.natural = largest_lane(four.natural);
  all.scaled = largest_lane(four.scaled);
  all.z = largest_lane(four.z);
  all.w = largest_lane(four.w);
  all.q = largest_lane(four.q);
  all.primal = largest_lane(four.primal);
  all.dual = largest_lane(four.dual);
  all.slackness = largest_lane(four.slackness);
  all.finite = (four.finite[0] + four.finite[1]) + (four.finite[2] + four.finite[3]);
  for (; i < n; ++i) all.add(lower[i], upper[i], z[i], w[i], q[i], a, inverse_a);
  return all;
}

// How far row i is from its law, in parts: w > 0 needs z at its lower bound, w < 0 at its upper one.
struct RowDefect {
  double w, distance;  // |w| that is not allowed unless `distance` from the bound is 0
  double outside;      // of the bounds

  RowDefect(double lower, double upper, double z, double w_i)
      : w(std::fabs(w_i)),
        distance(w_i > 0 ? std::max(z - lower, 0.0) : std::max(upper - z, 0.0)),
        outside(std::max({lower - z, z - upper, 0.0})) {
    if (distance == 0) w = 0;
  }
};

// |M|, entry by entry: visit(row, column, |M_ij|).
template <class Visit>
void for_column(const AffineProblem& problem, Eigen::Index j, const Visit& visit) {
  if (problem.is_dense) {
    for (Eigen::Index i = 0; i < problem.size(); ++i) visit(i, std::fabs(problem.dense(i, j)));
    return;
  }
  for (Eigen::SparseMatrix<double>::InnerIterator entry(problem.sparse, j); entry; ++entry)
    visit(entry.row(), std::fabs(entry.value()));
}

// The local error, as the header defines it. sizes: R_i, filled here.
double local_error(const AffineProblem& problem, const Eigen::VectorXd& z, const std::vector<double>& w, double floor,
                   std::vector<double>& sizes) {
  const Eigen::Index n = problem.size();
  sizes.resize(static_cast<std::size_t>(n));
  for (Eigen::Index i = 0; i < n; ++i) sizes[i] = std::max(std::fabs(problem.q[i]), floor);
  for (Eigen::Index j = 0; j < n; ++j)
    if (z[j] != 0) for_column(problem, j, [&](Eigen::Index i, double m) { sizes[i] += m * std::fabs(z[j]); });
  const auto effect = [&](Eigen::Index j, double change) {
    double largest = 0;
    bool acts = false;
    for_column(problem, j, [&](Eigen::Index i, double m) {
      if (m == 0) return;
      acts = true;
      largest = std::max(largest, sizes[i] > 0 ? m * change / sizes[i] : kInfinity);
    });
    return acts ? largest : change / (std::fabs(z[j]) + change);
  };
  double worst = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const RowDefect row(problem.lower[i], problem.upper[i], z[i], w[i]);
    if (row.outside > 0) worst = std::max(worst, effect(i, row.outside));
    if (row.w == 0) continue;
    const double relative = row.w / sizes[i];
    if (relative > worst)
      worst = std::max(worst, std::isinf(row.distance) ? relative : std::min(relative, effect(i, row.distance)));
  }
  return worst;
}

// Can the local error be larger than `error`? From a bound of each R_i from below, without another product.
bool doubtful(const AffineProblem& problem, const Eigen::VectorXd& z, const std::vector<double>& w, double floor,
              double error) {
  constexpr double kBeyondDoubt = 1e-15;  // not even a strict tolerance would ask for less
  const double allowed = std::max(error, kBeyondDoubt) / kLocalShare;
  for (Eigen::Index i = 0; i < problem.size(); ++i) {
    const RowDefect row(problem.lower[i], problem.upper[i], z[i], w[i]);
    if (row.outside > 0) return true;
    if (row.w > allowed * std::max({std::fabs(problem.q[i]), row.w, floor})) return true;
  }
  return false;
}

}  // namespace

Residual affine_residual(const AffineProblem& problem, const Eigen::VectorXd& z, ResidualWorkspace& workspace) {
  const Eigen::Index n = problem.size();
  Residual residual;
  if (z.size() != n) return residual;
  std::vector<double>& w = workspace.w;
  const double largest = product(problem, z, w);
  // With z = 0 only w/a appears, so that a cancels.
  const double a = largest > 0 ? std::sqrt(largest) : 1, inverse_a = 1 / a;

  const RowMaxima<double> sizes =
      measure_rows(problem.lower.data(), problem.upper.data(), problem.q.data(), z.data(), w.data(), a, inverse_a, n);
  if (std::isnan(sizes.finite)) return residual;
  residual.natural = sizes.natural / (1 + sizes.q);
  residual.scaled = ratio(sizes.scaled, std::max({sizes.q * inverse_a, sizes.z * a, sizes.w * inverse_a}));
  residual.error = larger(residual.natural, residual.scaled);
  const double floor = kNoise * sizes.q;
  if (std::isfinite(residual.error) && doubtful(problem, z, w, floor, residual.error))
    residual.error = larger(residual.error, kLocalShare * local_error(problem, z, w, floor, workspace.sizes));
  residual.primal = ratio(sizes.primal, sizes.z);
  residual.dual = ratio(sizes.dual, std::max(sizes.q, sizes.w));
  residual.complementarity = ratio(sizes.slackness, sizes.z * std::max(sizes.q, sizes.w));
  residual.cone = 0;
  return residual;
}

Residual affine_residual(const AffineProblem& problem, const Eigen::VectorXd& z) {
  ResidualWorkspace workspace;
  return affine_residual(problem, z, workspace);
}

}  // namespace stickslip::complementarity
