// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/quasi_static.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {
namespace {

// Small, so that few proximal steps suffice; not so small that the velocities, which the contact problem then holds as
// differences of numbers 1 / kShare as large, lose digits.
constexpr double kShare = 1e-3;
constexpr double kBalanced = 1e-7;  // change of velocities; the imbalance left is this times kShare

}  // namespace

DrivenSpeed driven_speed(const World& world, const StepData& step) {
  DrivenSpeed out;
  double damped = 0;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    const model::Body& body = world.model.bodies[i];
    out.speed = std::max(out.speed, step.speed_of(step.drive[i]));
    if (!world.traits[i].movable) continue;
    const model::Wrench wrench =
        contact::applied_wrench(world.model, static_cast<int>(i), world.traits[i], world.state);
    const double force = wrench.force.norm(), torque = wrench.torque.norm();
    if (body.linear_damping > 0) damped = std::max(damped, force / body.linear_damping);
    if (body.angular_damping > 0) damped = std::max(damped, step.body_arm * torque / body.angular_damping);
    out.mass = std::max(out.mass, body.mass);
    double resistance = force;
    if (step.body_arm > 0) resistance = std::max(resistance, torque / step.body_arm);
    for (const model::Support::Point& point : body.support.points) resistance += body.support.friction * point.load;
    out.force = std::max(out.force, resistance);
  }
  if (!(out.speed > 0) && step.motion.model != MotionModel::Dynamic) out.speed = damped;
  return out;
}

double proximal_weight(const World& world, const StepData& step) {
  const auto [speed, force, mass] = driven_speed(world, step);
  return speed > 0 && force > 0 ? kShare * step.h * force / (mass * speed) : 1.0;
}

bool is_balanced(const StepData& step) {
  double change = 0, largest = 0;
  for (std::size_t i = 0; i < step.velocity.size(); ++i) {
    change = std::max(change, step.speed_of(scaled_sum(1, step.velocity[i], -1, step.reference[i])));
    largest = std::max({largest, step.speed_of(step.velocity[i]), step.speed_of(step.drive[i])});
  }
  return change <= kBalanced * largest;
}

double largest_impulse(const StepData& step) {
  double largest = 0;
  for (const contact::Island& island : step.system.islands())
    for (double r : island.r) largest = std::max(largest, std::fabs(r));
  return largest;
}

std::string no_equilibrium(const World& world, const StepData& step, double first_impulse) {
  if (largest_impulse(step) > 10 * first_impulse && first_impulse > 0)
    return "jammed: no quasi-static motion satisfies the contacts; what is driven presses with a force that grows "
           "without limit";
  std::size_t fastest = 0;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i)
    if (step.velocity[i].linear.norm() > step.velocity[fastest].linear.norm()) fastest = i;
  return "no equilibrium: nothing balances the forces on '" + world.model.bodies[fastest].name +
         "'; a quasi-static body moves only as far as something pushes it (use motion = \"dynamic\")";
}

}  // namespace stickslip::stepping
