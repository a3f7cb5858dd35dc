// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/euler_step.h"

#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/noise.h"
#include "stickslip/stepping/quasi_static.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {
namespace {

constexpr int kMostIterations = 60;  // of the geometry
constexpr int kAverageAfter = 20;    // from then on, half steps: features that take turns at the end of the step
constexpr int kSameAfter = 4;        // from then on, impulses that still solve the problem are the answer
constexpr double kSame = 0.1;        // of the tolerance; all of it where solvers go on sharing loads anew
constexpr int kLooserAfter = 8;

// Does friction on its supports alone decide how a pushed body moves? Then the proximal steps of quasi-static motion
// lead to that motion from any start, and the last one is the best; else they start from rest (motion_model.h).
bool rubs(const model::Body& body) {
  return body.support.friction > 0 &&
         std::ranges::count_if(body.support.points, [](const model::Support::Point& point) { return point.load > 0; }) >
             1;
}

}  // namespace

bool EulerStep::solve(World& world, double h, double end_time, StepReport& report, StepFailure& failure) {
  if (!find_end(world, h, end_time, report, failure)) return false;
  if (step_.rules.end_geometry && ContactEquations::gains_energy(world, step_) &&
      !gain_less(world, h, end_time, report, failure))
    return false;
  move(world);
  equations_.remember(world, compliant_, step_);
  return true;
}

// The step again, with other rows, where those of its end gained energy: rows of the start where bodies touch by corners
// or by surfaces that bend, else of the middle. What overlapped at the start is parted, which does work by the law of the
// contact.
bool EulerStep::gain_less(World& world, double h, double end_time, StepReport& report, StepFailure& failure) {
  const bool corners = step_.bending_shapes || touches_by_corners(world);
  if (!step_.bending_shapes && parts_overlaps(world)) return true;
  ++report.fallbacks;
  if (corners) {
    step_.rules.end_geometry = false;
    const bool solved = find_end(world, h, end_time, report, failure);
    step_.rules.end_geometry = true;
    return solved;
  }
  const StepReport before = report;
  middle_rows_ = true;
  const bool solved = find_end(world, h, end_time, report, failure);
  middle_rows_ = false;
  if (solved) return true;
  report = before;
  return find_end(world, h, end_time, report, failure);
}

// The velocities of the end, by iteration where geometry is that of the end.
bool EulerStep::find_end(World& world, double h, double end_time, StepReport& report, StepFailure& failure) {
  begin(world, h, end_time);
  for (int iteration = 0;; ++iteration) {
    place(world, iteration);
    if (middle_rows_ && iteration > 0)
      step_.bending.rows_from_middle(world, world.state, step_.velocity, h, end_time, step_.contacts);
    if (iteration == 1 && geometry_.same_problem(world, compliant_.has_patches(), step_)) break;
    evaluate_bodies(world, iteration);
    if (iteration == 0) {
      selection_.find(world, compliant_, step_);
      show_drives(world);
    }
    if (!settle_motion(world, iteration, report, failure)) return false;
    for (int round = 1; iteration == 0 && whole_rims_ && round < kMostRimRounds; ++round) {
      if (!selection_.add_rim_points(world, step_)) break;
      if (!settle_motion(world, iteration, report, failure)) return false;
    }
    if (step_.bending_shapes && !step_.rules.end_geometry &&
        step_.bending.move_to_middle(world, step_.at, step_.velocity, step_.h, step_.contacts) &&
        !settle_motion(world, iteration, report, failure))
      return false;
    const bool nothing_moves_along = step_.contacts.empty() && step_.supports.empty() && !step_.forces_vary;
    if (!step_.rules.end_geometry || nothing_moves_along || same_impulses_) break;
    if (iteration > 0 && settled(world)) {
      keep_solved_velocities();
      break;
    }
    if (iteration == kMostIterations && selection_.has_rim_points()) {
      // Points of a rim next to each other may take turns at the end of the step: those that collision lists will do.
      whole_rims_ = false;
      const bool solved = find_end(world, h, end_time, report, failure);
      whole_rims_ = true;
      return solved;
    }
    if (iteration == kMostIterations) {
      ContactEquations::report_failure(
          world, step_, report,
          "the geometry at the end of the step did not settle: take a shorter step, or another stepper", failure);
      return false;
    }
    if (iteration >= kAverageAfter)
      for (std::size_t i = 0; i < step_.velocity.size(); ++i)
        step_.velocity[i] = scaled_sum(0.5, step_.velocity[i], 0.5, step_.last[i]);
  }
  return true;
}

void EulerStep::prepare(const World& world) {
  step_.supports.collect(world.model);
  compliant_.prepare(world, step_.rules);
  step_.bending_shapes = world.method.motion == MotionModel::Dynamic && has_bending_shapes(world.model);
  for (const model::Body& body : world.model.bodies)
    if (body.rotates() && body.mass > 0)
      step_.body_arm = std::max(step_.body_arm, std::sqrt(body.inertia.diagonal().maxCoeff() / body.mass));
  prepared_ = true;
}

void EulerStep::begin(const World& world, double h, double end_time) {
  const std::size_t n = world.model.bodies.size();
  step_.h = h;
  step_.end_time = end_time;
  step_.whole_step = world.method.step;
  step_.motion = {world.method.motion, h, 1.0};
  if (!prepared_) prepare(world);
  step_.dynamics.resize(n + 1);
  for (auto* list : {&step_.free, &step_.drive, &step_.reference, &step_.velocity, &step_.last}) list->resize(n + 1);
  step_.forces_vary = false;
  for (std::size_t i = 0; i < n; ++i) {
    step_.forces_vary |= world.traits[i].pushed;
    step_.reference[i] = step_.motion.model == MotionModel::Dynamic || rubs(world.model.bodies[i])
                             ? part_of(world.traits[i], world.state.bodies[i].velocity, true)
                             : model::Twist{};
  }
  step_.warm = false;
  step_.bending.forget();
  step_.gamma = step_.h * world.method.gamma;
  step_.at = world.state;
  step_.at.bodies.resize(n + 1);
  step_.end = step_.at;
}

// Do bodies that may turn touch by shapes with corners? (On the round path of discs and balls the gap of the start and
// that of the end, in turn, would tear the path apart.)
bool EulerStep::touches_by_corners(const World& world) const {
  const auto one = [&](int body, int shape) {
    const auto& shapes = world.model.bodies[index(body)].shapes;
    return world.traits[index(body)].free_rotation && index(shape) < shapes.size() &&
           (std::holds_alternative<model::Polygon>(shapes[index(shape)].shape) ||
            std::holds_alternative<model::Polyhedron>(shapes[index(shape)].shape));
  };
  return std::ranges::any_of(step_.contacts, [&](const collision::Contact& contact) {
    return one(contact.id.body_a, contact.id.shape_a) || one(contact.id.body_b, contact.id.shape_b);
  });
}

// Did contacts of the step overlap at its start? Taking that out does work by their law.
bool EulerStep::parts_overlaps(World& world) {
  at_start_ = step_.contacts;
  world.collider.refresh(world.model, world.state, at_start_);
  return std::ranges::any_of(at_start_, [&](const collision::Contact& contact) {
    return contact.gap < -kClosedGap * arm_of(contact, world.state);
  });
}

// Iteration 0: all bodies at the start of the step, prescribed ones at its end. Later: all at the estimated end.
void EulerStep::place(World& world, int iteration) {
  if (iteration == 0) {
    if (!step_.rules.closed_only) model::apply_drives(world.model, step_.end_time, step_.at);
    model::apply_drives(world.model, step_.end_time, step_.end);  // for the velocities
    for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
      step_.drive[i] = part_of(world.traits[i], step_.end.bodies[i].velocity, false);
      if (!world.traits[i].driven) step_.drive[i] = {};
      if (!step_.rules.closed_only)
        step_.at.bodies[i].velocity = part_of(world.traits[i], step_.at.bodies[i].velocity, true);
    }
    return;
  }
  step_.last = step_.velocity;
  geometry_.refresh(world, iteration, compliant_.has_patches(), step_);
  if (compliant_.has_patches()) compliant_.shift_elements(world, iteration, step_);
}

// Contacts are found with prescribed bodies at rest where they will be (their motion is done); forces may depend on how
// fast they move.
void EulerStep::show_drives(const World& world) {
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i)
    if (world.traits[i].driven && !step_.rules.closed_only)
      step_.at.bodies[i].velocity = scaled_sum(1, step_.at.bodies[i].velocity, 1, step_.drive[i]);
}

void EulerStep::evaluate_bodies(const World& world, int iteration) {
  if (iteration == 0 && step_.motion.model == MotionModel::QuasiStatic)
    step_.motion.weight = proximal_weight(world, step_);
  // A body that turns by h w+ has w+ . I(q+) w+ = w+ . I(q) w+: with the inertia of the start impulses do the work that their
  // rows tell, with that of the end they would not.
  const bool inertia_of_start = middle_rows_ && !step_.forces_vary;
  const model::State& forces_at = iteration == 0 || inertia_of_start ? world.state : step_.at;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i)
    if (world.traits[i].movable)
      step_.motion.evaluate(world.model, static_cast<int>(i), world.traits[i], world.state.bodies[i], forces_at,
                            step_.reference[i], step_.dynamics[i], step_.free[i]);
}

// Dynamic and first-order motion need one solve; quasi-static motion proximal steps (motion_model.h).
bool EulerStep::settle_motion(World& world, int iteration, StepReport& report, StepFailure& failure) {
  if (!step_.supports.empty() && SupportBalance::applies(world, compliant_)) {
    if (balance_.settle({equations_, compliant_}, world, iteration, step_, report, failure)) return true;
    evaluate_bodies(world, iteration);
  }
  step_.put_supports_into_problem(true);
  step_.D = step_.supports.empty() ? world.model.dimension : 3;
  equations_.build(world, compliant_, step_);
  equations_.pose(world, iteration, compliant_, step_);
  same_impulses_ =
      iteration >= kSameAfter && equations_.still_solve(world, step_, iteration < kLooserAfter ? kSame : 1.0, report);
  if (!same_impulses_ && !equations_.solve(world, step_, report, failure)) return false;
  equations_.take_velocities(world, step_);
  return step_.motion.model != MotionModel::QuasiStatic || balance_forces(world, iteration, report, failure);
}

bool EulerStep::balance_forces(const World& world, int iteration, StepReport& report, StepFailure& failure) {
  constexpr int kMostRounds = 40;
  const double first_impulse = largest_impulse(step_);
  for (int round = 0; round < kMostRounds; ++round) {
    if (is_balanced(step_)) return true;
    step_.reference = step_.velocity;
    evaluate_bodies(world, std::max(iteration, 1));
    equations_.pose(world, iteration, compliant_, step_);
    if (!equations_.solve(world, step_, report, failure)) return false;
    equations_.take_velocities(world, step_);
  }
  ContactEquations::report_failure(world, step_, report, no_equilibrium(world, step_, first_impulse), failure);
  return false;
}

// Impulses that hold on in the new geometry are taken as they are, and leave what a solver would have removed of
// velocities that ought to be zero: the same in every step, so that a flat box would tilt in the end. The velocities
// before were solved for, and are the same up to that.
void EulerStep::keep_solved_velocities() {
  constexpr double kNothing = 1e-12;
  if (change_ > kNothing * largest_) return;
  step_.velocity = step_.last;
  for (std::size_t i = 0; i + 1 < step_.velocity.size(); ++i)
    step_.end.bodies[i].velocity = scaled_sum(1, step_.velocity[i], 1, step_.drive[i]);
}

// To the tolerance of the run, or to what the rounding of positions leaves in gap / h.
bool EulerStep::settled(const World& world) {
  double size = 0;
  change_ = largest_ = 0;
  for (std::size_t i = 0; i < step_.velocity.size(); ++i) {
    change_ = std::max(change_, step_.speed_of(scaled_sum(1, step_.velocity[i], -1, step_.last[i])));
    largest_ = std::max({largest_, step_.speed_of(step_.velocity[i]), step_.speed_of(step_.free[i])});
    size = std::max(size, step_.at.bodies[i].pose.position.lpNorm<Eigen::Infinity>() + step_.body_arm);
  }
  const double rounding = 64 * std::numeric_limits<double>::epsilon() * size / step_.h;
  if (step_.gamma > 0 && equations_.smoothing_error(world, step_) > world.method.certificate) return false;
  return change_ <= std::max(world.method.certificate * largest_, rounding);
}

void EulerStep::move(World& world) {
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i)
    displace_from(world.state.bodies[i], step_.velocity[i], step_.h, world.traits[i], world.model.bodies[i].planar(),
                  step_.end.bodies[i]);
  step_.end.time = step_.end_time;
  if (!selection_.open_contacts().empty()) world.collider.refresh(world.model, step_.end, selection_.open_contacts());
}

void EulerStep::commit(World& world) {
  std::copy(step_.end.bodies.begin(), step_.end.bodies.end() - 1, world.state.bodies.begin());
  world.state.time = step_.end.time;
  selection_.merge_open(step_);
  world.contacts.swap(step_.contacts);
  world.memory.swap(step_.memory);
}

}  // namespace stickslip::stepping
