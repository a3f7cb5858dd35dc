// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/position_update.h"

#include "stickslip/stepping/dense_cholesky.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

using contact::ContactRows;
using contact::Mode;
using contact::relative_velocity;

namespace {

constexpr std::size_t kDense = 100;  // rows from which conjugate gradients are cheaper than a dense factor

}  // namespace

void place_between(const World& world, const Component& component, const Trial& trial, double time, TrialData& data) {
  data.place_driven(world, component, data.time + component.offset + time, data.mid);
  const double share = time / trial.h;
  for (std::size_t k = 0; k < component.bodies.size(); ++k) {
    const auto b = index(component.bodies[k].body);
    const contact::BodyTraits& traits = world.traits[b];
    const model::BodyState &start = world.state.bodies[b], &end = trial.bodies[k];
    model::BodyState& between = data.mid.state.bodies[b];
    const model::BodyState driven = between;
    between = start;
    displace(between, scaled_sum(time * (1 - 0.5 * share), start.velocity, time * 0.5 * share, end.velocity), 1, traits,
             world.model.bodies[b].planar());
    between.velocity = scaled_sum(1 - share, start.velocity, share, end.velocity);
    if (!traits.driven) continue;
    for (int axis = 0; axis < 3; ++axis)
      if (!traits.free_translation[index(axis)]) between.pose.position[axis] = driven.pose.position[axis];
    if (!traits.free_rotation) between.pose.orientation = driven.pose.orientation, between.angle = driven.angle;
  }
}

// q1 = q0 (+) [h/2 (v0 + v1) - h^3/12 j]
void PositionUpdate::move(const World& world, const Component& component, TrialData& data, const Trial& trial) const {
  const double h = trial.h;
  // j from two accelerations is only as good as the longer of the two sub-steps allows.
  const bool with_jerk = component.acceleration_known && h > 0.2 * component.acceleration_h;
  const double between = 0.5 * (h + component.acceleration_h);
  for (std::size_t k = 0; k < component.bodies.size(); ++k) {
    const auto b = index(component.bodies[k].body);
    const model::BodyState& start = world.state.bodies[b];
    model::BodyState& end = data.end.state.bodies[b];
    data.jerk[b] = {};
    model::Twist dx{0.5 * h * (start.velocity.linear + end.velocity.linear),
                    0.5 * h * (start.velocity.angular + end.velocity.angular)};
    if (with_jerk) {
      const model::Twist &a = trial.acceleration[k], &before = component.bodies[k].acceleration;
      data.jerk[b] = {(a.linear - before.linear) / between, (a.angular - before.angular) / between};
      dx.linear -= h * h * h / 12 * data.jerk[b].linear;
      dx.angular -= h * h * h / 12 * data.jerk[b].angular;
    }
    const contact::BodyTraits& traits = world.traits[b];
    if (data.turns_freely[b]) {
      dx.angular.setZero();  // done by the prediction
    } else if (traits.free_rotation) {
      end.pose.orientation = start.pose.orientation;
      end.angle = start.angle;
    }
    for (int axis = 0; axis < 3; ++axis)
      if (traits.free_translation[index(axis)]) end.pose.position[axis] = start.pose.position[axis];
    displace(end, dx, 1, traits, world.model.bodies[b].planar());
  }
}

// Largest distance from touching among the contacts that are pressed together.
double PositionUpdate::worst_gap(const TrialData& data, const Trial& trial) const {
  double worst = 0;
  for (int c : data.closed)
    if (trial.contacts[index(c)].closed)
      worst = std::max(worst, std::fabs(without_rounding_noise(all_contacts_[index(c)], data.end.state)));
  return worst;
}

// Geometry of all contacts at the end, after closing the gaps of the closed ones.
void PositionUpdate::finish(World& world, const Component& component, TrialData& data, Trial& trial) {
  const std::size_t n = component.contacts.size();
  all_contacts_.resize(n);
  for (std::size_t c = 0; c < n; ++c) all_contacts_[c] = component.contacts[c].contact;
  const auto keep_poses = [&] {
    for (std::size_t k = 0; k < component.bodies.size(); ++k)
      trial.bodies[k] = data.end.state.bodies[index(component.bodies[k].body)];
  };
  keep_poses();
  if (data.record != nullptr) {
    data.record->closing.clear();
    data.record->closing_row.clear();
    data.record->undone = false;
  }
  if (n > 0) {
    world.collider.refresh(world.model, data.end.state, all_contacts_);
    const bool several = data.closed.size() > 1;  // one contact cannot contradict itself
    const double before = several ? worst_gap(data, trial) : 0;
    if (project(world, component, data, trial)) {
      world.collider.refresh(world.model, data.end.state, all_contacts_);
      // Contacts that contradict each other (redundant ones) cannot all be closed: then not at all rather than worse.
      if (several && worst_gap(data, trial) > before) {
        if (data.record != nullptr) data.record->undone = true;
        for (std::size_t k = 0; k < component.bodies.size(); ++k)
          data.end.state.bodies[index(component.bodies[k].body)] = trial.bodies[k];
        world.collider.refresh(world.model, data.end.state, all_contacts_);
      }
    }
  }
  keep_poses();
  for (std::size_t c = 0; c < n; ++c) {
    ContactTrial& out = trial.contacts[c];
    out.contact = all_contacts_[c];
    set_rows_near(component.contacts[c].rows, out.contact, data.end.state, world.model.dimension, out.rows);
    if (component.contacts[c].mode != Mode::Open) continue;
    const auto a = index(out.rows.a), b = index(out.rows.b);
    for (int k = 0; k < world.model.dimension; ++k)
      out.u1[k] = relative_velocity(out.rows, k, data.end.state.bodies[a].velocity, data.end.state.bodies[b].velocity);
    out.met = out.met_depth = 0;
    if (component.contacts[c].velocity[0] < 0 && out.u1[0] > 0) look_between(world, component, c, data, trial);
  }
}

// Did an open contact meet within the trial and part again, a disc that grazes another, or one that passes through it?
// The distance of convex bodies that move straight past each other is a convex function of time: it lies above its
// tangents, and where those of two times cross below zero is the next time to look at.
void PositionUpdate::look_between(World& world, const Component& component, std::size_t c, TrialData& data,
                                  Trial& trial) {
  constexpr int kMost = 60;
  const ContactStart& start = component.contacts[c];
  ContactTrial& out = trial.contacts[c];
  double t0 = 0, g0 = start.contact.gap, v0 = start.velocity[0];
  double t1 = trial.h, g1 = out.contact.gap, v1 = out.u1[0];
  if (g0 < 0 || g1 < 0) return;
  const double nothing = 2 * touch_tolerance(start, out, trial.h);
  for (int k = 0; k < kMost; ++k) {
    const double t = (g1 - g0 + v0 * t0 - v1 * t1) / (v0 - v1);
    if (!(g0 + v0 * (t - t0) < -nothing) || !(t > t0 && t < t1)) return;
    place_between(world, component, trial, t, data);
    one_contact_.assign(1, start.contact);
    world.collider.refresh(world.model, data.mid.state, one_contact_);
    const collision::Contact& now = one_contact_[0];
    if (now.gap < -nothing) {
      out.met = t;
      out.met_depth = now.gap;
      return;
    }
    set_rows_near(start.rows, now, data.mid.state, world.model.dimension, row_between_);
    const double v = relative_velocity(row_between_, 0, data.mid.state.bodies[index(row_between_.a)].velocity,
                                       data.mid.state.bodies[index(row_between_.b)].velocity);
    if (v < 0)
      t0 = t, g0 = now.gap, v0 = v;
    else
      t1 = t, g1 = now.gap, v1 = v;
  }
}

// matrix_ of a single contact, without the detour over a block matrix; data.rows_end gets its turns.
template <int D>
void PositionUpdate::single_response(TrialData& data) {
  ContactRows& rows = data.rows_end[0];
  const contact::BodyDynamics &a = data.dynamics[index(rows.a)], &b = data.dynamics[index(rows.b)];
  contact::set_turns<D>(a, b, rows);
  const std::size_t n = defect_.size();
  for (std::size_t j = 0; j < n; ++j) {
    const int l = defect_row_[j];
    const Vec3 push = (a.inverse_mass + b.inverse_mass).cwiseProduct(rows.direction[l]);
    for (std::size_t i = 0; i < n; ++i) {
      const int k = defect_row_[i];
      double response = rows.direction[k].dot(push);
      if (a.movable) response += rows.moment_a[k].dot(rows.turn_a[l]);
      if (b.movable) response += rows.moment_b[k].dot(rows.turn_b[l]);
      matrix_[i * n + j] = response;
    }
  }
}

// Of the contacts that are pressed: their gaps, and how far those that stick have slipped.
void PositionUpdate::list_defects(const World& world, const Component& component, const TrialData& data,
                                  const Trial& trial) {
  const int D = world.model.dimension;
  const double h = trial.h;
  defect_.clear();
  defect_row_.clear();
  for (std::size_t c = 0; c < data.closed.size(); ++c) {
    const ContactStart& start = component.contacts[index(data.closed[c])];
    const ContactTrial& out = trial.contacts[index(data.closed[c])];
    if (!out.closed) continue;
    const auto push = [&](int row, double defect) {
      defect_row_.push_back(static_cast<int>(c) * D + row);
      defect_.push_back(defect);
    };
    push(0, without_rounding_noise(all_contacts_[index(data.closed[c])], data.end.state));
    if (start.mode == Mode::Slide || out.slides) continue;
    const ContactRows& mid = data.rows_mid[c];
    const auto a = index(mid.a), b = index(mid.b);
    const auto middle = [&](std::size_t body) {
      const contact::BodyTraits& traits = world.traits[body];
      if (!traits.movable) return data.drive_mid[body];
      const model::Twist &v0 = world.state.bodies[body].velocity, &v1 = data.end.state.bodies[body].velocity;
      model::Twist v = data.drive_mid[body];
      for (int axis = 0; axis < 3; ++axis)
        if (traits.free_translation[index(axis)])
          v.linear[axis] = 0.5 * (v0.linear[axis] + v1.linear[axis]) - h * h / 8 * data.jerk[body].linear[axis];
      if (traits.free_rotation) v.angular = 0.5 * (v0.angular + v1.angular) - h * h / 8 * data.jerk[body].angular;
      return v;
    };
    const model::Twist va = middle(a), vb = middle(b);
    for (int k = 1; k < D; ++k)
      push(k, h / 6 * (start.velocity[k] + 4 * relative_velocity(mid, k, va, vb) + out.u1[k]));
  }
}

// The Delassus matrix of the chosen rows at the end; a little weight on the diagonal for redundant ones. Not the matrix
// of the solve: its two different sets of rows make it inexact by O(h), which near-redundant rows magnify.
void PositionUpdate::fill_matrix(int D, TrialData& data) {
  const std::size_t n = defect_.size();
  matrix_.assign(n * n, 0.0);
  if (data.closed.size() == 1) {
    D == 2 ? single_response<2>(data) : single_response<3>(data);
  } else {
    assemble(D, data);
    const complementarity::BlockMatrix& W = projection_.islands()[0].problem.W;
    for (std::size_t i = 0; i < n; ++i) {
      const int ci = defect_row_[i] / D, ki = defect_row_[i] % D;
      for (int p = W.row_start[index(ci)]; p < W.row_start[index(ci) + 1]; ++p)
        for (std::size_t j = 0; j < n; ++j)
          if (defect_row_[j] / D == W.column[index(p)])
            matrix_[i * n + j] = W.value[index((p * D + ki) * D + defect_row_[j] % D)];
    }
  }
  constexpr double kRegularisation = 1e-10;  // rows that depend on each other keep a positive definite matrix
  for (std::size_t i = 0; i < n; ++i) matrix_[i * n + i] *= 1 + kRegularisation;
}

void PositionUpdate::assemble(int D, TrialData& data) {
  projection_.build_single(D, data.rows_end, data.dynamics);
  projection_.assemble(data.dynamics);
}

// y = the matrix of the chosen rows times x.
void PositionUpdate::multiply(int D, std::span<const double> x, std::span<double> y) const {
  const complementarity::BlockMatrix& W = projection_.islands()[0].problem.W;
  for (std::size_t i = 0; i < defect_.size(); ++i) {
    const int c = defect_row_[i] / D, k = defect_row_[i] % D;
    double sum = 0;
    for (int p = W.row_start[index(c)]; p < W.row_start[index(c) + 1]; ++p) {
      const double* row = W.value.data() + index((p * D + k) * D);
      const int* place = place_.data() + index(W.column[index(p)] * D);
      for (int l = 0; l < D; ++l)
        if (place[l] >= 0) sum += row[l] * x[index(place[l])];
    }
    y[i] = sum;
  }
}

// The answer into defect_, as from solve_positive(). Rows that contradict each other leave a residual: the iteration
// ends where it falls no more.
bool PositionUpdate::solve_by_gradients(int D) {
  constexpr double kSolved = 1e-10;     // of the first residual, or so many iterations: projections of the steps to
  constexpr int kMostIterations = 100;  // come take out the rest
  const std::size_t n = defect_.size();
  const complementarity::BlockMatrix& W = projection_.islands()[0].problem.W;
  place_.assign(index(W.rows() * D), -1);
  diagonal_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const int c = defect_row_[i] / D, k = defect_row_[i] % D;
    place_[index(defect_row_[i])] = static_cast<int>(i);
    diagonal_[i] = W.value[index((W.diagonal[index(c)] * D + k) * D + k)];
    if (!(diagonal_[i] > 0)) return false;
  }
  for (auto* list : {&direction_, &product_, &answer_}) list->resize(n);
  std::ranges::fill(answer_, 0.0);
  const auto scaled = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += defect_[i] * defect_[i] / diagonal_[i];
    return sum;
  };
  double now = scaled();
  const double enough = kSolved * kSolved * now;
  for (std::size_t i = 0; i < n; ++i) direction_[i] = defect_[i] / diagonal_[i];
  for (int k = 0; k < kMostIterations && now > enough; ++k) {
    multiply(D, direction_, product_);
    double curvature = 0;
    for (std::size_t i = 0; i < n; ++i) curvature += direction_[i] * product_[i];
    if (!(curvature > 0)) break;
    const double length = now / curvature;
    for (std::size_t i = 0; i < n; ++i) {
      answer_[i] += length * direction_[i];
      defect_[i] -= length * product_[i];
    }
    const double before = now;
    now = scaled();
    for (std::size_t i = 0; i < n; ++i) direction_[i] = defect_[i] / diagonal_[i] + now / before * direction_[i];
  }
  defect_.swap(answer_);
  return std::isfinite(now);
}

// By A^-1 J' of the answer in defect_.
void PositionUpdate::displace_bodies(const World& world, const Component& component, TrialData& data) const {
  const int D = world.model.dimension;
  const std::size_t n = defect_.size();
  for (std::size_t k = 0; k < component.bodies.size(); ++k) data.free[index(component.bodies[k].body)] = {};
  for (std::size_t i = 0; i < n; ++i) {
    const auto c = index(defect_row_[i] / D);
    const int k = defect_row_[i] % D;
    const double p = -defect_[i];
    const ContactRows& rows = data.closed.size() == 1 ? data.rows_end[c] : projection_.rows()[c];
    const auto a = index(rows.a), b = index(rows.b);
    if (data.dynamics[a].movable) {
      data.free[a].linear += data.dynamics[a].inverse_mass.cwiseProduct(p * rows.direction[k]);
      data.free[a].angular += p * rows.turn_a[k];
    }
    if (data.dynamics[b].movable) {
      data.free[b].linear -= data.dynamics[b].inverse_mass.cwiseProduct(p * rows.direction[k]);
      data.free[b].angular -= p * rows.turn_b[k];
    }
  }
  for (std::size_t k = 0; k < component.bodies.size(); ++k) {
    const auto b = index(component.bodies[k].body);
    displace(data.end.state.bodies[b], data.free[b], 1, world.traits[b], world.model.bodies[b].planar());
  }
}

// Moves the bodies so that pressed contacts have gap 0 and stuck ones have not slipped on average. True when it moved.
bool PositionUpdate::project(const World& world, const Component& component, TrialData& data, const Trial& trial) {
  list_defects(world, component, data, trial);
  if (std::ranges::all_of(defect_, [](double defect) { return defect == 0; })) return false;
  const int D = world.model.dimension;
  if (defect_.size() < kDense) {
    fill_matrix(D, data);
    if (!solve_positive(defect_.size(), matrix_.data(), defect_.data())) return false;
  } else {
    assemble(D, data);
    if (!solve_by_gradients(D)) return false;
  }
  if (data.record != nullptr) {
    data.record->closing = defect_;
    data.record->closing_row = defect_row_;
  }
  displace_bodies(world, component, data);
  return true;
}

}  // namespace stickslip::stepping
