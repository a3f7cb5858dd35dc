// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/force_balance.h"

#include "stickslip/stepping/small_lu.h"

namespace stickslip::stepping {

namespace {

// Calls f(body, row, sign) for the sides of a link that move.
template <class F>
void for_sides(const ForceBalance::Link& link, F f) {
  if (link.a >= 0) f(link.a, link.row_a, 1.0);
  if (link.b >= 0) f(link.b, link.row_b, -1.0);
}

}  // namespace

double ForceBalance::along(const Link& link, int k) const {
  double u = link.bias[k];
  for_sides(link, [&](int body, const double(&row)[2][3], double sign) {
    const double* v = bodies[static_cast<std::size_t>(body)].velocity;
    u += sign * (row[k][0] * v[0] + row[k][1] * v[1] + row[k][2] * v[2]);
  });
  return u;
}

// right -= J' p: the system is  (matrix) dx = -(sum of forces, defects of constraints).
void ForceBalance::add_force(const Link& link, const double* p) {
  for_sides(link, [&](int body, const double(&row)[2][3], double sign) {
    for (int k = 0; k < 3; ++k)
      right_[static_cast<std::size_t>(3 * body + k)] -= sign * (row[0][k] * p[0] + row[1][k] * p[1]);
  });
}

// matrix += J' (factor (I - d d')) J
void ForceBalance::add_slide_stiffness(const Link& link, const double* d, double factor) {
  // I - d d' = e e' with e across the slip.
  const double e[2] = {-d[1], d[0]};
  for_sides(link, [&](int i, const double(&row_i)[2][3], double sign_i) {
    for_sides(link, [&](int j, const double(&row_j)[2][3], double sign_j) {
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
          matrix_[static_cast<std::size_t>((3 * i + k) * size_ + 3 * j + l)] +=
              factor * sign_i * sign_j * (e[0] * row_i[0][k] + e[1] * row_i[1][k]) *
              (e[0] * row_j[0][l] + e[1] * row_j[1][l]);
    });
  });
}

// One more unknown impulse, whose unit acts as `force` (in the rows of the link), with the condition row . u = 0.
void ForceBalance::add_unknown(const Link& link, const double* force, const double* row, double defect) {
  const int n = next_++;
  for_sides(link, [&](int body, const double(&rows)[2][3], double sign) {
    for (int k = 0; k < 3; ++k) {
      matrix_[static_cast<std::size_t>((3 * body + k) * size_ + n)] +=
          sign * (force[0] * rows[0][k] + force[1] * rows[1][k]);
      matrix_[static_cast<std::size_t>(n * size_ + 3 * body + k)] += sign * (row[0] * rows[0][k] + row[1] * rows[1][k]);
    }
  });
  right_[static_cast<std::size_t>(n)] = -defect;
}

int ForceBalance::count_unknowns() {
  int n = 3 * static_cast<int>(bodies.size());
  for (const Link& link : links)
    if (link.law == Law::Stick)
      n += 2;
    else if (link.law == Law::Slide && !link.support)
      n += 1;
  return n;
}

void ForceBalance::assemble() {
  constexpr double kNormal[2] = {1, 0}, kTangent[2] = {0, 1};
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
  next_ = 3 * static_cast<int>(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      matrix_[(3 * i + k) * static_cast<std::size_t>(size_) + 3 * i + k] = -bodies[i].damping[k];
      right_[3 * i + k] = bodies[i].damping[k] * bodies[i].velocity[k] - bodies[i].impulse[k];
    }
  for (Link& link : links) {
    if (link.law == Law::Open) continue;
    if (link.law == Law::Stick) {
      add_force(link, link.impulse);
      add_unknown(link, kNormal, kNormal, along(link, 0));
      add_unknown(link, kTangent, kTangent, along(link, 1));
    } else if (link.support) {
      const double s[2] = {along(link, 0), along(link, 1)}, speed = std::sqrt(s[0] * s[0] + s[1] * s[1]);
      const double d[2] = {s[0] / speed, s[1] / speed}, limit = link.mu * link.load;
      for (int k = 0; k < 2; ++k) link.impulse[k] = -limit * d[k];
      add_force(link, link.impulse);
      add_slide_stiffness(link, d, -limit / speed);
    } else {
      link.impulse[1] = std::copysign(link.mu * link.impulse[0], link.impulse[1]);
      const double force[2] = {1, std::copysign(link.mu, link.impulse[1])};
      add_force(link, link.impulse);
      add_unknown(link, force, kNormal, along(link, 0));
    }
  }
}

bool ForceBalance::solve() {
  constexpr int kMostIterations = 8;
  constexpr double kSettled = 1e-7;  // of the velocities: the step before that one ends at rounding
  size_ = count_unknowns();
  if (size_ > kMostUnknowns) return false;
  matrix_.resize(static_cast<std::size_t>(size_ * size_));
  right_.resize(static_cast<std::size_t>(size_));
  pivot_.resize(static_cast<std::size_t>(size_));
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    assemble();
    if (!factor_small(matrix_.data(), size_, pivot_.data())) return false;
    substitute_small(matrix_.data(), size_, pivot_.data(), right_.data());
    double change[2] = {}, largest[2] = {};  // of translation and of rotation
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t kind = k == 2 ? 1 : 0;
        bodies[i].velocity[k] += right_[3 * i + k];
        change[kind] = std::max(change[kind], std::fabs(right_[3 * i + k]));
        largest[kind] = std::max(largest[kind], std::fabs(bodies[i].velocity[k]));
      }
    int n = 3 * static_cast<int>(bodies.size());
    for (Link& link : links)
      if (link.law == Law::Stick) {
        for (double& p : link.impulse) p += right_[static_cast<std::size_t>(n++)];
      } else if (link.law == Law::Slide && !link.support) {
        link.impulse[0] += right_[static_cast<std::size_t>(n++)];
      }
    if (!std::isfinite(change[0] + change[1])) return false;
    if (change[0] <= kSettled * largest[0] && change[1] <= kSettled * largest[1]) {
      assemble();  // the impulses of what slides, at the last velocities
      return true;
    }
  }
  return false;
}

}  // namespace stickslip::stepping
