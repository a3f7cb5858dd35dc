// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/euler_stepper.h"

#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {

using contact::Island;
using contact::relative_velocity;

namespace {

constexpr int kMostImpacts = 20000;     // in one step
constexpr int kMostAtOnce = 200;        // in succession, while time stands still
constexpr double kSameInstant = 1e-12;  // of the step
constexpr int kMostApproaches = 60;     // steps towards one impact
constexpr double kGapAtImpact = 1e-10;  // of the arm: the gap to which the instant of an impact is found,
constexpr double kSearchEnd = 1e-14;    // of the step: or to which the instant is, where rounding ends the search

}  // namespace

StepReport EulerStepper::advance(World& world, double h, double end_time) {
  kept_ = false;
  events_.clear();
  const bool by_gap = rules_.compliant && world.method.gap_step > 0;
  StepReport report = by_gap ? advance_by_gap(world, h, end_time) : advance_parts(world, h, end_time);
  report.events = events_;
  if (!report.certified && kept_) world.restore(start_);
  return report;
}

StepReport EulerStepper::advance_parts(World& world, double h, double end_time) {
  StepReport report;
  report.sub_steps = 0;
  double last_time = world.state.time;
  for (int impacts = 0, at_once = 0;; ++impacts) {
    const double left = impacts == 0 ? h : end_time - world.state.time;
    at_once = world.state.time - last_time > kSameInstant * h ? 0 : at_once + 1;
    last_time = world.state.time;
    if (impacts > kMostImpacts || at_once > kMostAtOnce) {
      ++report.fallbacks;
      all_contacts_.selection().watch({});
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
    if (!(end_time - world.state.time > kTimeNoise * h)) {
      world.state.time = end_time;
      break;
    }
  }
  return report;
}

StepReport EulerStepper::advance_by_gap(World& world, double h, double end_time) {
  constexpr double kShortest = 1e-6;  // of the step
  StepReport report;
  report.sub_steps = 0;
  while (report.certified && end_time - world.state.time > kTimeNoise * h) {
    const double left = end_time - world.state.time;
    const double length = std::max(length_by_gap(world, left), kShortest * h);
    const bool last = length > 0.999 * left;
    if (!last) keep(world);
    report.include(advance_parts(world, last ? left : length, last ? end_time : world.state.time + length));
  }
  world.state.time = report.certified ? end_time : world.state.time;
  return report;
}

double EulerStepper::length_by_gap(World& world, double left) {
  constexpr double kPressing = 1e-3;  // of gap_step: a gap that counts as closed
  const double gap_step = world.method.gap_step;
  near_ = world.contacts;
  double margin = gap_step;
  for (const collision::Contact& contact : near_)
    margin = std::max(margin, left * left * step_.selection().acceleration_of(contact, world.state));
  world.collider.find(world.model, world.state, margin, left, near_);
  double length = left;
  for (const collision::Contact& contact : near_) {
    if (!step_.data().is_compliant(world, contact)) continue;
    contact::ContactRows row;
    contact::set_rows<3>(contact, world.state, row);
    const double rate =
        relative_velocity(row, 0, world.state.bodies[index(row.a)].velocity, world.state.bodies[index(row.b)].velocity);
    double a = 2 * step_.selection().acceleration_of(contact, world.state);
    double distance = gap_step, speed = std::fabs(rate);
    if (contact.gap > kPressing * gap_step) {
      distance = contact.gap;
      speed = -rate;
    } else {
      for (const ContactMemory& memory : world.memory) {
        if (memory.id < contact.id || memory.id.body_a != contact.id.body_a || memory.id.body_b != contact.id.body_b)
          continue;
        for (const int body : {row.a, row.b})
          if (world.traits[index(body)].movable) a += memory.force.norm() / world.model.bodies[index(body)].mass;
      }
    }
    if (a > 0 || speed > 0)
      length = std::min(length, 2 * distance / (std::sqrt(speed * speed + 2 * a * distance) + speed));
  }
  return length;
}

// To the end of the step, or to the first instant at which an impact begins.
EulerStepper::Part EulerStepper::advance_part(World& world, double h, double end_time, StepReport& report) {
  watched_.clear();
  meeting_.clear();
  ++report.sub_steps;
  if (!leave_out_impacts(world, h, end_time, report)) return Part::Failed;
  if (step_.selection().meets_contact() && world.method.motion == MotionModel::Dynamic) return Part::Touched;
  double tolerance = 0;
  if (!(deepest(tolerance) < -tolerance)) {
    step_.commit(world);
    return Part::Finished;
  }
  keep(world);
  return world.method.impacts == ImpactSearch::Approach ? approach(world, h, report) : back_up(world, h, report);
}

// The step without the contacts at which it meets impacts. Leaving one out may let another one close: until no new ones
// are found.
bool EulerStepper::leave_out_impacts(World& world, double h, double end_time, StepReport& report) {
  do {
    step_.selection().watch(watched_);
    if (!step_.solve(world, h, end_time, report, failure_)) return false;
  } while (!rules_.closed_only &&
           step_.selection().add_impacts(world, step_.data(), world.method.impacts != ImpactSearch::Auto, watched_));
  return true;
}

// The smallest gap at the end of the trial among contacts that took no part, and how exactly zero is to be met there.
double EulerStepper::deepest(double& tolerance) {
  double gap = std::numeric_limits<double>::infinity();
  for (const collision::Contact& contact : step_.selection().open_contacts()) {
    if (contact.gap >= gap) continue;
    gap = contact.gap;
    tolerance = kGapAtImpact * arm_of(contact, step_.end());
  }
  return gap;
}

// The same at the start of the trial, among those that end below zero (meeting_).
double EulerStepper::smallest_gap(World& world, double& tolerance) {
  meeting_.clear();
  for (const collision::Contact& contact : step_.selection().open_contacts())
    if (contact.gap < 0) meeting_.push_back(contact);
  world.collider.refresh(world.model, world.state, meeting_);
  double gap = std::numeric_limits<double>::infinity();
  for (const collision::Contact& contact : meeting_) {
    if (contact.gap >= gap) continue;
    gap = contact.gap;
    tolerance = kGapAtImpact * arm_of(contact, world.state);
  }
  return gap;
}

EulerStepper::Part EulerStepper::back_up(World& world, double h, StepReport& report) {
  const double begin = world.state.time;
  double tolerance = 0, unused = 0;
  double high = h, gap_high = deepest(tolerance);
  double low = 0, gap_low = smallest_gap(world, unused);
  if (gap_low <= tolerance) return Part::Touched;  // at the start already
  // Regula falsi; a side that is kept twice counts half (Illinois).
  double tau = h, gap = gap_high;
  int last_side = 0;
  for (int k = 0; k < 80 && std::fabs(gap) > tolerance && high - low > kSearchEnd * h; ++k) {
    tau = low + (high - low) * gap_low / (gap_low - gap_high);
    if (!(tau > low && tau < high) || k % 8 == 7) tau = 0.5 * (low + high);
    if (!leave_out_impacts(world, tau, begin + tau, report)) return Part::Failed;
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

// How long no contact of meeting_ can close.
double EulerStepper::safe_time(const World& world, double h) const {
  double time = h;
  for (const collision::Contact& contact : meeting_) {
    contact::ContactRows row;
    contact::set_rows<3>(contact, world.state, row);
    const double rate =
        relative_velocity(row, 0, world.state.bodies[index(row.a)].velocity, world.state.bodies[index(row.b)].velocity);
    // 0.5 a t^2 - rate t - gap = 0; an Euler step moves by a h^2, not by half of it.
    const double a = 2 * step_.selection().acceleration_of(contact, world.state);
    time = std::min(time, 2 * contact.gap / (std::sqrt(rate * rate + 2 * a * contact.gap) - rate));
  }
  return time;
}

EulerStepper::Part EulerStepper::approach(World& world, double h, StepReport& report) {
  const double end_time = world.state.time + h;
  for (int k = 0; k < kMostApproaches; ++k) {
    const double left = end_time - world.state.time;
    double tolerance = 0;
    if (smallest_gap(world, tolerance) <= tolerance) return Part::Touched;
    const double length = safe_time(world, left);
    if (!leave_out_impacts(world, length, world.state.time + length, report)) return Part::Failed;
    if (deepest(tolerance) < -tolerance) return back_up(world, length, report);
    step_.commit(world);
    ++report.sub_steps;
    if (!(end_time - world.state.time > kSearchEnd * h)) return Part::Touched;
    // What lies ahead from here.
    if (!leave_out_impacts(world, end_time - world.state.time, end_time, report)) return Part::Failed;
    if (step_.selection().meets_contact()) return Part::Touched;
    if (!(deepest(tolerance) < -tolerance)) {
      step_.commit(world);
      return Part::Finished;
    }
  }
  return back_up(world, end_time - world.state.time, report);
}

// Restitution only where the flight that follows is longer than a step.
void EulerStepper::choose_laws(World& world, double h, const Island& island) {
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
    const double step = std::max(h, world.method.step);
    const double e = rebounds(surface.restitution, approach, falling, step) ? surface.restitution : 0.0;
    laws_.push_back({e, surface.impact, surface.friction_kinetic});
  }
}

// Contacts of the impact whose bodies part again at once.
void EulerStepper::note_partings(const World& world) {
  const std::size_t touched = events_.size();
  for (std::size_t c = 0; c < touching_.size(); ++c) {
    const contact::ContactRows& row = system_.rows()[c];
    const double before =
        relative_velocity(row, 0, world.state.bodies[index(row.a)].velocity, world.state.bodies[index(row.b)].velocity);
    if (!(before < 0 &&
          relative_velocity(row, 0, velocities_[index(row.a)], velocities_[index(row.b)]) > -kVelocityNoise * before))
      continue;
    for (std::size_t k = 0; k < touched; ++k) {
      if (events_[k].contact != touching_[c].id || events_[k].time != world.state.time) continue;
      events_.push_back({world.state.time, touching_[c].id, contact::Mode::Slide, contact::Mode::Open});
      break;
    }
  }
}

bool EulerStepper::impact(World& world, double h, StepReport& report) {
  if (world.method.motion != MotionModel::Dynamic) return true;
  keep(world);
  const int D = world.model.dimension;
  // Bodies at rest against each other take part, though the step had no reason to look at their contact.
  touching_ = meeting_;
  step_.selection().find_closed(world, step_.data(), touching_);
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
      fail_step(world, island, touching_,
                "an impact that its law does not resolve (friction that jams): use song-pang-kumar, or less friction",
                report, failure_);
      return false;
    }
    for (int c : island.contacts)
      events_.push_back({world.state.time, touching_[index(c)].id, contact::Mode::Open, contact::Mode::Slide});
  }
  velocities_.resize(dynamics_.size());
  for (std::size_t i = 0; i < velocities_.size(); ++i) velocities_[i] = world.state.bodies[i].velocity;
  system_.apply_impulses(dynamics_, velocities_);
  note_partings(world);
  for (std::size_t i = 0; i < velocities_.size(); ++i) {
    if (!dynamics_[i].movable) continue;
    model::Twist& v = world.state.bodies[i].velocity;
    const model::Twist before = v;
    if (v.linear != velocities_[i].linear || v.angular != velocities_[i].angular)
      world.note_waypoint(static_cast<int>(i));
    v = velocities_[i];
    // What an inelastic impact leaves of a velocity that it takes is rounding (rest.h).
    remove_noise(kVelocityNoise * before.linear.lpNorm<1>(), v.linear);
    remove_noise(kVelocityNoise * before.angular.lpNorm<1>(), v.angular);
  }
  return true;
}

void EulerStepper::keep(const World& world) {
  if (kept_) return;
  kept_ = true;
  world.save(start_);
}

void EulerStepper::save(ByteWriter& out) const {
  step_.save(out);
  all_contacts_.save(out);
}

void EulerStepper::restore(ByteReader& in) {
  step_.restore(in);
  all_contacts_.restore(in);
}

}  // namespace stickslip::stepping
