// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/anitescu_potra.h"

#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

using contact::Island;
using contact::relative_velocity;

namespace {

constexpr int kMostImpacts = 40;     // in one step
constexpr double kTouching = 1e-10;  // of the arm: the gap to which the instant of an impact is found

}  // namespace

StepReport AnitescuPotra::advance(World& world, double h, double end_time) {
  StepReport report;
  events_.clear();
  report.sub_steps = 0;
  for (int impacts = 0;; ++impacts) {
    const double left = impacts == 0 ? h : end_time - world.state.time;
    if (impacts > kMostImpacts) {
      ++report.fallbacks;
      report.certified = all_contacts_.solve(world, left, end_time, report, failure_);
      if (report.certified) all_contacts_.commit(world);
      break;
    }
    const Part part = advance_part(world, left, end_time, report);
    if (part == Part::Finished) break;
    if (part == Part::Failed || !impact(world, h, report)) {
      report.certified = false;
      break;
    }
    if (!(end_time - world.state.time > 1e-12 * h)) {
      world.state.time = end_time;
      break;
    }
  }
  report.events = events_;
  return report;
}

// The smallest gap at the end of the trial among contacts that took no part, and how exactly zero is to be met there.
double AnitescuPotra::deepest(double& tolerance) {
  double gap = std::numeric_limits<double>::infinity();
  for (const collision::Contact& contact : step_.open_contacts()) {
    if (contact.gap >= gap) continue;
    gap = contact.gap;
    tolerance = kTouching * arm_of(contact, step_.end());
  }
  return gap;
}

// To the end of the step, or to the first instant at which an open contact closes.
AnitescuPotra::Part AnitescuPotra::advance_part(World& world, double h, double end_time, StepReport& report) {
  const double begin = world.state.time;
  double tolerance = 0;
  ++report.sub_steps;
  if (!step_.solve(world, h, end_time, report, failure_)) return Part::Failed;
  if (step_.meets_contact() && motion_model(world.method.motion) == MotionModel::Dynamic) return Part::Touched;
  double high = h, gap_high = deepest(tolerance);
  if (!(gap_high < -tolerance)) {
    step_.commit(world);
    return Part::Finished;
  }
  double low = 0, gap_low = std::numeric_limits<double>::infinity();
  for (const collision::Contact& contact : world.contacts) gap_low = std::min(gap_low, std::max(contact.gap, 0.0));
  if (!std::isfinite(gap_low) || gap_low <= 0) gap_low = -gap_high;
  // Regula falsi; a side that is kept twice counts half (Illinois). Its first value is only a guess of the slope.
  double tau = h, gap = gap_high;
  int last_side = 0;
  for (int k = 0; k < 80 && std::fabs(gap) > tolerance && high - low > 1e-14 * h; ++k) {
    tau = low + (high - low) * gap_low / (gap_low - gap_high);
    if (!(tau > low && tau < high) || k % 8 == 7) tau = 0.5 * (low + high);
    if (!step_.solve(world, tau, begin + tau, report, failure_)) return Part::Failed;
    double unused = tolerance;
    gap = deepest(unused);
    if (gap < 0) {
      high = tau, gap_high = gap;
      if (last_side == 1) gap_low *= 0.5;
      last_side = 1;
    } else {
      low = tau, gap_low = gap;
      if (last_side == 2) gap_high *= 0.5;
      last_side = 2;
    }
  }
  step_.commit(world);
  return Part::Touched;
}

// Restitution only where the flight that follows is longer than a step.
void AnitescuPotra::choose_laws(World& world, double h, const Island& island) {
  laws_.clear();
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    const auto c = index(island.contacts[i]);
    const collision::Contact& contact = touching_[c];
    const model::Surface& surface = world.model.surfaces[index(contact.surface)];
    const contact::ContactRows& row = system_.rows()[c];
    model::Twist fall[2];
    for (int side = 0; side < 2; ++side) {
      const int body = side == 0 ? row.a : row.b;
      if (!dynamics_[index(body)].movable) continue;
      const model::Wrench wrench = contact::applied_wrench(world.model, body, world.traits[index(body)], world.state);
      fall[side] = {dynamics_[index(body)].inverse_mass.cwiseProduct(wrench.force),
                    dynamics_[index(body)].inverse_inertia * wrench.torque};
    }
    const double approach = -island.problem.q[i * index(system_.dimension())];
    const double falling = -relative_velocity(row, 0, fall[0], fall[1]);
    const bool flies = approach > 0 && 2 * surface.restitution * approach > h * falling;
    laws_.push_back({flies ? surface.restitution : 0.0, surface.impact, surface.friction_kinetic});
  }
}

bool AnitescuPotra::impact(World& world, double h, StepReport& report) {
  if (motion_model(world.method.motion) != MotionModel::Dynamic) return true;
  const int D = world.model.dimension;
  // Bodies at rest against each other take part, though the step had no reason to look at their contact.
  step_.find_closed(world, touching_);
  dynamics_.resize(world.model.bodies.size());
  for (std::size_t i = 0; i < dynamics_.size(); ++i)
    contact::evaluate_inertia(world.model.bodies[i], world.traits[i], world.state.bodies[i].pose.orientation, 0,
                              dynamics_[i]);
  system_.build(D, world.state, touching_, dynamics_);
  system_.assemble(dynamics_);
  for (Island& island : system_.islands()) {
    bool approaching = false;
    for (std::size_t i = 0; i < island.contacts.size(); ++i) {
      const contact::ContactRows& row = system_.rows()[index(island.contacts[i])];
      for (int k = 0; k < D; ++k)
        island.problem.q[i * index(D) + index(k)] = relative_velocity(row, k, world.state.bodies[index(row.a)].velocity,
                                                                      world.state.bodies[index(row.b)].velocity);
      approaching |= island.problem.q[i * index(D)] < 0;
    }
    std::fill(island.r.begin(), island.r.end(), 0.0);
    if (!approaching) continue;
    choose_laws(world, h, island);
    ++report.solves;
    if (!impacts_.resolve(world.method, laws_, island)) {
      failure_ = {
          world.state.time,
          {},
          island.problem,
          island.summary.residual.error,
          island.summary.solver,
          "an impact that its law does not resolve (friction that jams): take song-pang-kumar, or less friction"};
      for (int c : island.contacts) failure_.contacts.push_back(touching_[index(c)].id);
      return false;
    }
    for (int c : island.contacts)
      events_.push_back({world.state.time, touching_[index(c)].id, contact::Mode::Open, contact::Mode::Slide});
  }
  std::vector<model::Twist> velocities(dynamics_.size());
  for (std::size_t i = 0; i < velocities.size(); ++i) velocities[i] = world.state.bodies[i].velocity;
  system_.apply_impulses(dynamics_, velocities);
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    if (!dynamics_[i].movable) continue;
    model::Twist& v = world.state.bodies[i].velocity;
    const model::Twist before = v;
    v = velocities[i];
    // What an inelastic impact leaves of a velocity that it takes is rounding (rest.h).
    remove_noise(Rest::kNoise * before.linear.lpNorm<1>(), v.linear);
    remove_noise(Rest::kNoise * before.angular.lpNorm<1>(), v.angular);
  }
  return true;
}

void AnitescuPotra::save(ByteWriter& out) const {
  step_.save(out);
  all_contacts_.save(out);
}

void AnitescuPotra::restore(ByteReader& in) {
  step_.restore(in);
  all_contacts_.restore(in);
}

}  // namespace stickslip::stepping
