// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of force_balance.h.
//
// ForceBalance::search(): the modes of bases and contacts, by friction that is rounded off less and less.
#include "stickslip/stepping/force_balance.h"
#include "stickslip/stepping/force_balance_rows.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/small_lu.h"

namespace stickslip::stepping {

namespace {

constexpr double kOnTheCone = 1e-9;  // of the limit: a point that slid in the step before

}  // namespace

void ForceBalance::choose_stands() {
  for (Base& base : bases) {
    int held = 0;
    for (std::size_t i = base.first; i < base.first + base.count; ++i) {
      const Point& point = points[i];
      const double length = std::sqrt(point.p[0] * point.p[0] + point.p[1] * point.p[1]);
      if (!(point.limit > 0) || length >= (1 - kOnTheCone) * point.limit) continue;
      ++held;
      base.pivot = i;
    }
    base.stand = held == 0 ? Stand::Slide : held == 1 ? Stand::Pivot : Stand::Lock;
  }
}

// Wrench and stiffness -dw/dB of a base whose friction is rounded off.
void ForceBalance::round_off(Base& base, const double* B, double e, double* w, double* K) {
  std::fill(w, w + 3, 0.0);
  std::fill(K, K + 9, 0.0);
  for (std::size_t i = base.first; i < base.first + base.count; ++i) {
    const Point& point = points[i];
    double s[2];
    slip_at(point, B, s);
    const double rho = std::sqrt(s[0] * s[0] + s[1] * s[1] + e * e);
    const double p[2] = {-point.limit * s[0] / rho, -point.limit * s[1] / rho};
    add_point(point, p, w);
    const double cross = (point.p[0] * s[1] + point.p[1] * s[0]) / (2 * rho);
    const double k[2][2] = {{(point.limit + point.p[0] * s[0] / rho) / rho, cross / rho},
                            {cross / rho, (point.limit + point.p[1] * s[1] / rho) / rho}};
    const double rows[2][3] = {{1, 0, -point.y}, {0, 1, point.x}};
    for (int i1 = 0; i1 < 2; ++i1)
      for (int i2 = 0; i2 < 2; ++i2)
        for (int m = 0; m < 3; ++m)
          for (int n = 0; n < 3; ++n) K[3 * m + n] += rows[i1][m] * k[i1][i2] * rows[i2][n];
  }
}

// (A + T' K T) v = c + T' (w + K (B - bias)): the equations linearised about the velocities, as matrix_ and right_.
void ForceBalance::assemble_rounded(double e) {
  size_ = 3 * static_cast<int>(bodies.size());
  matrix_.assign(index(size_ * size_), 0.0);
  right_.resize(index(size_));
  pivot_.resize(index(size_));
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      matrix_[(3 * i + k) * index(size_) + 3 * i + k] = bodies[i].inertia[k];
      right_[3 * i + k] = bodies[i].impulse[k];
    }
  slip_.resize(3 * bases.size());
  for (std::size_t j = 0; j < bases.size(); ++j) {
    Base& base = bases[j];
    double *B = slip_.data() + 3 * j, w[3], K[9];
    slip_of(base, B);
    round_off(base, B, e, w, K);
    for (int m = 0; m < 3; ++m) {
      for (int n = 0; n < 3; ++n) w[m] += K[3 * m + n] * (B[n] - base.bias[n]);
      w[m] = -w[m];  // add_wrench subtracts
    }
    add_wrench(base, w);
    add_stiffness(base, K, 1);
  }
  hold_fixed();
}

// Velocities of the linearised equations, with the contacts between the bodies solved exactly.
bool ForceBalance::solve_contacts(const Method& method, ProblemSolver& solver) {
  const std::size_t n = index(size_), rows = 2 * links.size();
  if (!factor_small(matrix_.data(), size_, pivot_.data())) return false;
  substitute_small(matrix_.data(), size_, pivot_.data(), right_.data());
  // Column c: velocities that a unit impulse along row c gives.
  columns_.assign(n * rows, 0.0);
  for (std::size_t c = 0; c < rows; ++c) {
    double* column = columns_.data() + c * n;
    for_sides(links[c / 2], [&](int body, const double(&row)[2][3], double sign) {
      for (int k = 0; k < 3; ++k)
        if (bodies[index(body)].free[index(k)]) column[3 * body + k] += sign * row[c % 2][k];
    });
    substitute_small(matrix_.data(), size_, pivot_.data(), column);
  }
  const auto velocity_along = [&](const Link& link, int k, const double* v) {
    double u = 0;
    for_sides(link, [&](int body, const double(&row)[2][3], double sign) {
      for (int l = 0; l < 3; ++l) u += sign * row[k][l] * v[3 * body + l];
    });
    return u;
  };
  if (!links.empty()) {
    complementarity::ContactProblem& problem = island_.problem;
    complementarity::BlockMatrix& W = problem.W;
    const std::size_t contacts = links.size();
    W.block_size = 2;
    W.row_start.assign(1, 0);
    W.column.clear();
    W.diagonal.resize(contacts);
    W.value.resize(4 * contacts * contacts);
    problem.q.resize(rows);
    problem.mu.resize(contacts);
    island_.r.resize(rows);
    for (std::size_t i = 0; i < contacts; ++i) {
      problem.mu[i] = links[i].mu;
      W.diagonal[i] = static_cast<int>(W.column.size() + i);
      for (std::size_t j = 0; j < contacts; ++j) {
        double* block = W.value.data() + 4 * W.column.size();
        W.column.push_back(static_cast<int>(j));
        for (int k = 0; k < 2; ++k)
          for (std::size_t l = 0; l < 2; ++l)
            block[2 * index(k) + l] = velocity_along(links[i], k, columns_.data() + (2 * j + l) * n);
        if (i == j) block[0] += links[i].compliance[0], block[3] += links[i].compliance[1];
      }
      W.row_start.push_back(static_cast<int>(W.column.size()));
      for (int k = 0; k < 2; ++k) {
        problem.q[2 * i + index(k)] = links[i].bias[k] + velocity_along(links[i], k, right_.data());
        island_.r[2 * i + index(k)] = links[i].impulse[k];
      }
    }
    if (!solver.solve(method, island_)) return false;
    for (std::size_t c = 0; c < rows; ++c) {
      links[c / 2].impulse[c % 2] = island_.r[c];
      for (std::size_t k = 0; k < n; ++k) right_[k] += island_.r[c] * columns_[c * n + k];
    }
  }
  return true;
}

// The forces that go with the new velocities, in the linearised law, kept within their limits.
void ForceBalance::update_points(double e) {
  for (std::size_t j = 0; j < bases.size(); ++j) {
    const double* B = slip_.data() + 3 * j;
    double B_new[3];
    slip_of(bases[j], B_new);
    for (std::size_t i = bases[j].first; i < bases[j].first + bases[j].count; ++i) {
      Point& point = points[i];
      double s[2], t[2];
      slip_at(point, B, s);
      slip_at(point, B_new, t);
      const double d[2] = {t[0] - s[0], t[1] - s[1]};
      const double rho = std::sqrt(s[0] * s[0] + s[1] * s[1] + e * e);
      const double p[2] = {point.p[0], point.p[1]};
      const double along = (s[0] * d[0] + s[1] * d[1]) / (2 * rho), push = (p[0] * d[0] + p[1] * d[1]) / (2 * rho);
      for (int k = 0; k < 2; ++k) point.p[k] = -(point.limit * t[k] + p[k] * along + s[k] * push) / rho;
      cut_off(point, 1.0);
    }
  }
}

void ForceBalance::read_modes(double e) {
  constexpr double kHeld = 30;  // times e: at a slip below, the rounded friction is 5e-4 below its limit
  for (Base& base : bases) {
    double B[3];
    slip_of(base, B);
    int held = 0;
    for (std::size_t i = base.first; i < base.first + base.count; ++i) {
      double s[2];
      slip_at(points[i], B, s);
      if (!(points[i].limit > 0) || s[0] * s[0] + s[1] * s[1] > kHeld * kHeld * e * e) continue;
      ++held;
      base.pivot = i;
    }
    base.stand = held == 0 ? Stand::Slide : held == 1 ? Stand::Pivot : Stand::Lock;
  }
  for (Link& link : links) {
    const bool pressed = link.impulse[0] > 0;
    const bool slides = std::fabs(link.impulse[1]) >= (1 - kOnTheCone) * link.mu * link.impulse[0];
    link.law = !pressed ? Law::Open : slides ? Law::Slide : Law::Stick;
    if (!pressed) link.impulse[0] = link.impulse[1] = 0;
  }
}

// As e goes to zero the equations become singular along the twists themselves (friction does not depend on how fast
// bodies slide): their condition is (slip / e)^2, and rounding ends the search at some e. The last one that converged
// then tells the modes; whether they are right is not decided here.
bool ForceBalance::search(const Method& method, ProblemSolver& solver) {
  constexpr double kFirst = 0.1, kLast = 1e-10, kFactor = 0.1;  // e, as a part of the speed
  constexpr double kLargestTrustedWidth = 1e-4;           // largest e whose modes are used, as a part of the speed
  constexpr int kMostIterations = 200, kMostAtOnce = 40;  // in all, with one e
  if (!(speed > 0) || 3 * bodies.size() > index(kMostUnknowns)) return false;
  for (Point& point : points) point.p[0] = point.p[1] = 0;
  double e = kFirst * speed, told = 0;  // told: the last e that converged
  const auto take_told = [&] {
    if (!(told > 0 && told <= kLargestTrustedWidth * speed)) return false;
    bodies = settled_bodies_;
    links = settled_links_;
    points = settled_points_;
    read_modes(told);
    return true;
  };
  for (int iteration = 0, at_once = 0; iteration < kMostIterations && at_once < kMostAtOnce; ++iteration, ++at_once) {
    assemble_rounded(e);
    if (!solve_contacts(method, solver)) return take_told();
    double change = 0;  // of the slips: of the velocities of points
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) std::swap(bodies[i].velocity[k], right_[3 * i + k]);
    for (std::size_t j = 0; j < bases.size(); ++j) {
      double B[3];
      slip_of(bases[j], B);
      for (std::size_t i = bases[j].first; i < bases[j].first + bases[j].count; ++i) {
        double s[2], t[2];
        slip_at(points[i], slip_.data() + 3 * j, s);
        slip_at(points[i], B, t);
        change = std::max({change, std::fabs(s[0] - t[0]), std::fabs(s[1] - t[1])});
      }
    }
    if (!std::isfinite(change)) return take_told();
    update_points(e);
    if (change > 0.1 * e) continue;
    if (e <= kLast * speed) {
      read_modes(e);
      return true;
    }
    told = e;
    settled_bodies_ = bodies;
    settled_links_ = links;
    settled_points_ = points;
    e = std::max(kFactor * e, kLast * speed);
    at_once = -1;
  }
  return take_told();
}

}  // namespace stickslip::stepping
