// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// ForceBalance: Newton's method in given modes. force_search.cpp finds the modes.
#include "stickslip/stepping/force_balance.h"

#include "stickslip/stepping/force_balance_rows.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/small_lu.h"

#include <limits>

namespace stickslip::stepping {

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

}  // namespace

void ForceBalance::clear() {
  bodies.clear();
  points.clear();
  bases.clear();
  links.clear();
}

double ForceBalance::along(const Link& link, int k) const {
  double u = link.bias[k];
  for_sides(link, [&](int body, const double(&row)[2][3], double sign) {
    const double* v = bodies[index(body)].velocity;
    u += sign * (row[k][0] * v[0] + row[k][1] * v[1] + row[k][2] * v[2]);
  });
  return u;
}

void ForceBalance::slip_of(const Base& base, double* B) const {
  std::copy(base.bias, base.bias + 3, B);
  for_sides(base, [&](int body, const double(&T)[3][3]) {
    const double* v = bodies[index(body)].velocity;
    for (int k = 0; k < 3; ++k) B[k] += T[k][0] * v[0] + T[k][1] * v[1] + T[k][2] * v[2];
  });
}

// right -= J' p: the system is  (matrix) dx = -(sum of forces, defects of constraints).
void ForceBalance::add_force(const Link& link, const double* p) {
  for_sides(link, [&](int body, const double(&row)[2][3], double sign) {
    for (int k = 0; k < 3; ++k) right_[index(3 * body + k)] -= sign * (row[0][k] * p[0] + row[1][k] * p[1]);
  });
}

void ForceBalance::add_wrench(const Base& base, const double* w) {
  for_sides(base, [&](int body, const double(&T)[3][3]) {
    for (int k = 0; k < 3; ++k) right_[index(3 * body + k)] -= T[0][k] * w[0] + T[1][k] * w[1] + T[2][k] * w[2];
  });
}

// matrix += sign T' K T
void ForceBalance::add_stiffness(const Base& base, const double* K, double sign) {
  for_sides(base, [&](int i, const double(&T_i)[3][3]) {
    for_sides(base, [&](int j, const double(&T_j)[3][3]) {
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) {
          double sum = 0;
          for (int m = 0; m < 3; ++m)
            for (int n = 0; n < 3; ++n) sum += T_i[m][k] * K[3 * m + n] * T_j[n][l];
          matrix_[index((3 * i + k) * size_ + 3 * j + l)] += sign * sum;
        }
    });
  });
}

// One more unknown impulse, whose unit acts as `force` (in the rows of the link), with the condition that the velocity
// along one row, and the deformation of the surface, is zero.
void ForceBalance::add_unknown(const Link& link, const double* force, int row, double defect, double compliance) {
  const int n = next_++;
  for_sides(link, [&](int body, const double(&rows)[2][3], double sign) {
    for (int k = 0; k < 3; ++k) {
      matrix_[index((3 * body + k) * size_ + n)] += sign * (force[0] * rows[0][k] + force[1] * rows[1][k]);
      matrix_[index(n * size_ + 3 * body + k)] += sign * rows[row][k];
    }
  });
  matrix_[index(n * size_ + n)] += compliance;
  right_[index(n)] = -defect;
}

// The same for a base: the unit acts as the wrench w, and no power may come from it.
void ForceBalance::add_unknown(const Base& base, const double* w, double defect) {
  const int n = next_++;
  for_sides(base, [&](int body, const double(&T)[3][3]) {
    for (int k = 0; k < 3; ++k) {
      const double part = T[0][k] * w[0] + T[1][k] * w[1] + T[2][k] * w[2];
      matrix_[index((3 * body + k) * size_ + n)] += part;
      matrix_[index(n * size_ + 3 * body + k)] += part;
    }
  });
  right_[index(n)] = -defect;
}

// Friction of the points that slide, into base.wrench, and its derivative K.
void ForceBalance::slide(Base& base, const double* B, std::size_t without, double* K) {
  std::fill(base.wrench, base.wrench + 3, 0.0);
  std::fill(K, K + 9, 0.0);
  for (std::size_t i = base.first; i < base.first + base.count; ++i) {
    Point& point = points[i];
    if (i == without || !(point.limit > 0)) continue;
    double s[2];
    slip_at(point, B, s);
    const double rate = std::max(std::sqrt(s[0] * s[0] + s[1] * s[1]), std::numeric_limits<double>::min());
    const double d[2] = {s[0] / rate, s[1] / rate};
    for (int k = 0; k < 2; ++k) point.p[k] = -point.limit * d[k];
    add_point(point, point.p, base.wrench);
    // I - d d' = e e' with e across the slip.
    const double g[3] = {-d[1], d[0], point.y * d[1] + point.x * d[0]}, factor = point.limit / rate;
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) K[3 * k + l] -= factor * g[k] * g[l];
  }
}

int ForceBalance::count_unknowns() {
  int n = 3 * static_cast<int>(bodies.size());
  for (const Link& link : links) n += link.law == Law::Stick ? 2 : link.law == Law::Slide ? 1 : 0;
  for (const Base& base : bases) n += base.stand == Stand::Lock ? 3 : base.stand == Stand::Pivot ? 2 : 0;
  return n;
}

void ForceBalance::assemble() {
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
  next_ = 3 * static_cast<int>(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      matrix_[(3 * i + k) * index(size_) + 3 * i + k] = -bodies[i].inertia[k];
      right_[3 * i + k] = bodies[i].inertia[k] * bodies[i].velocity[k] - bodies[i].impulse[k];
    }
  for (Link& link : links) assemble(link);
  for (Base& base : bases) assemble(base);
  hold_fixed();
}

void ForceBalance::assemble(Link& link) {
  constexpr double kNormal[2] = {1, 0}, kTangent[2] = {0, 1};
  if (link.law == Law::Open) return;
  if (link.law == Law::Slide) link.impulse[1] = std::copysign(link.mu * link.impulse[0], link.impulse[1]);
  add_force(link, link.impulse);
  const double* R = link.compliance;
  const double normal = along(link, 0) + R[0] * link.impulse[0];
  if (link.law == Law::Stick) {
    add_unknown(link, kNormal, 0, normal, R[0]);
    add_unknown(link, kTangent, 1, along(link, 1) + R[1] * link.impulse[1], R[1]);
  } else {
    const double force[2] = {1, std::copysign(link.mu, link.impulse[1])};
    add_unknown(link, force, 0, normal, R[0]);
  }
}

void ForceBalance::assemble(Base& base) {
  double B[3];
  slip_of(base, B);
  if (base.stand == Stand::Lock) {
    add_wrench(base, base.wrench);
    for (int k = 0; k < 3; ++k) {
      double w[3] = {};
      w[k] = 1;
      add_unknown(base, w, B[k]);
    }
    return;
  }
  double K[9];
  slide(base, B, base.stand == Stand::Pivot ? base.pivot : kNone, K);
  if (base.stand == Stand::Pivot) {
    const Point& point = points[base.pivot];
    add_point(point, point.p, base.wrench);
    double s[2];
    slip_at(point, B, s);
    for (int k = 0; k < 2; ++k) {
      double unit[2] = {}, w[3] = {};
      unit[k] = 1;
      add_point(point, unit, w);
      add_unknown(base, w, s[k]);
    }
  }
  add_wrench(base, base.wrench);
  add_stiffness(base, K, 1);
}

// Prescribed components of a body's velocity are no unknowns: they stay as they are.
void ForceBalance::hold_fixed() {
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      if (bodies[i].free[k]) continue;
      const std::size_t row = 3 * i + k, n = index(size_);
      for (std::size_t j = 0; j < n; ++j) matrix_[row * n + j] = matrix_[j * n + row] = 0;
      matrix_[row * n + row] = 1;
      right_[row] = 0;
    }
}

// Adds the solution of the linear system to the unknowns. Change and size of the velocities, turning times arm.
void ForceBalance::take_step(double& change, double& largest) {
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const double unit = k == 2 ? arm : 1.0;
      bodies[i].velocity[k] += right_[3 * i + k];
      change = std::max(change, unit * std::fabs(right_[3 * i + k]));
      largest = std::max(largest, unit * std::fabs(bodies[i].velocity[k]));
    }
  std::size_t n = 3 * bodies.size();
  for (Link& link : links) {
    if (link.law == Law::Stick)
      for (double& p : link.impulse) p += right_[n++];
    else if (link.law == Law::Slide)
      link.impulse[0] += right_[n++];
  }
  for (Base& base : bases) {
    if (base.stand == Stand::Lock)
      for (double& w : base.wrench) w += right_[n++];
    else if (base.stand == Stand::Pivot)
      for (double& p : points[base.pivot].p) p += right_[n++];
  }
}

// The wrench of a body that is held, as forces of its points: the smallest change, weighted with their limits, of those
// that they have; what is then beyond a limit is cut off, and the rest shared again.
bool ForceBalance::share_out(Base& base) {
  constexpr int kMostRounds = 200;
  constexpr double kWithin = 1e-12;
  for (int round = 0; round < kMostRounds; ++round) {
    double G[9] = {}, missing[3] = {base.wrench[0], base.wrench[1], base.wrench[2]};
    for (std::size_t i = base.first; i < base.first + base.count; ++i) {
      Point& point = points[i];
      if (round > 0) cut_off(point, 1.0);
      const double back[2] = {-point.p[0], -point.p[1]};
      add_point(point, back, missing);
      const double rows[2][3] = {{1, 0, -point.y}, {0, 1, point.x}};
      for (const auto& g : rows)
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l) G[3 * k + l] += point.limit * g[k] * g[l];
    }
    int pivot[3];
    if (!factor_small(G, 3, pivot)) return false;
    substitute_small(G, 3, pivot, missing);
    bool within = true;
    for (std::size_t i = base.first; i < base.first + base.count; ++i) {
      Point& point = points[i];
      point.p[0] += point.limit * (missing[0] - point.y * missing[2]);
      point.p[1] += point.limit * (missing[1] + point.x * missing[2]);
      within = within && std::sqrt(point.p[0] * point.p[0] + point.p[1] * point.p[1]) <= point.limit * (1 + kWithin);
    }
    if (within) return true;
  }
  return false;
}

bool ForceBalance::solve() {
  constexpr int kMostIterations = 8;
  constexpr double kSettled = 1e-7;   // of the velocities: the step before that one ends at rounding
  constexpr double kNothing = 1e-15;  // of the speed: what rounding leaves of bodies that stand still
  size_ = count_unknowns();
  if (size_ > kMostUnknowns) return false;
  matrix_.resize(index(size_ * size_));
  right_.resize(index(size_));
  pivot_.resize(index(size_));
  for (Base& base : bases) std::fill(base.wrench, base.wrench + 3, 0.0);
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    assemble();
    if (!factor_small(matrix_.data(), size_, pivot_.data())) return false;
    substitute_small(matrix_.data(), size_, pivot_.data(), right_.data());
    double change = 0, largest = 0;
    take_step(change, largest);
    if (!std::isfinite(change)) return false;
    if (change > kSettled * largest && largest > kNothing * speed) continue;
    assemble();  // the impulses of what slides, at the last velocities
    for (Base& base : bases)
      if (base.stand == Stand::Lock && !share_out(base)) return false;
    return true;
  }
  return false;
}

}  // namespace stickslip::stepping
