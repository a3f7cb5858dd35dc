// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/motion_model.h"

#include "stickslip/contact/support_rows.h"
#include "stickslip/stepping/motion.h"

namespace stickslip::stepping {
namespace {

// A = h C: linear and angular damping are the same in all directions.
void damper_inverse(const model::Body& body, const contact::BodyTraits& traits, double h,
                    contact::BodyDynamics& dynamics) {
  dynamics.movable = traits.movable;
  if (!traits.movable) return;
  for (int k = 0; k < 3; ++k)
    dynamics.inverse_mass[k] = traits.free_translation[index(k)] ? 1 / (h * body.linear_damping) : 0.0;
  if (!traits.free_rotation) return;
  for (int k = body.planar() ? 2 : 0; k < 3; ++k) {
    const bool locked = !body.planar() && body.drive.rotation_locked[index(k)];
    dynamics.inverse_inertia(k, k) = locked ? 0.0 : 1 / (h * body.angular_damping);
  }
}

}  // namespace

void BodyMotion::evaluate(const model::Model& world, int i, const contact::BodyTraits& traits,
                          const model::BodyState& start, const model::State& forces_at, const model::Twist& reference,
                          contact::BodyDynamics& dynamics, model::Twist& free) const {
  const model::Body& body = world.bodies[index(i)];
  const Quat& orientation = forces_at.bodies[index(i)].pose.orientation;
  const model::Wrench wrench = contact::applied_wrench(world, i, traits, forces_at);
  if (model == MotionModel::FirstOrder) {
    damper_inverse(body, traits, h, dynamics);
    free.linear = dynamics.inverse_mass.cwiseProduct(h * wrench.force);
    free.angular = dynamics.inverse_inertia * (h * wrench.torque);
    return;
  }
  contact::evaluate_inertia(body, traits, orientation, h / weight, dynamics);
  if (weight != 1) {
    dynamics.inverse_mass /= weight;
    dynamics.inverse_inertia /= weight;
  }
  set_free_velocity(body, traits, dynamics, wrench, reference, start.pose.orientation, h, model == MotionModel::Dynamic,
                    free);
}

std::string objection_to_motion(MotionModel motion, const model::Model& model) {
  const std::vector<contact::BodyTraits> traits = contact::body_traits(model);
  // Weight alone moves nothing, unless a damper holds against it: what stands stays, what falls has no equilibrium.
  bool anything_drives = false, stands = contact::has_supports(model), damped = false;
  for (std::size_t i = 0; i < traits.size(); ++i) {
    const model::Body& body = model.bodies[i];
    anything_drives |= traits[i].driven || traits[i].pushed;
    damped |= traits[i].movable && body.linear_damping > 0;
    if (motion != MotionModel::FirstOrder || !traits[i].movable) continue;
    const bool translates =
        traits[i].free_translation[0] || traits[i].free_translation[1] || traits[i].free_translation[2];
    if (translates && !(body.linear_damping > 0))
      return "first-order motion needs damping: give body '" + body.name + "' a linear_damping > 0";
    if (traits[i].free_rotation && !(body.angular_damping > 0))
      return "first-order motion needs damping: give body '" + body.name + "' an angular_damping > 0";
  }
  const bool sinks = damped && model.gravity != Vec3::Zero();
  if (motion == MotionModel::QuasiStatic && !anything_drives && !stands && !sinks)
    return "quasi-static motion with nothing that pushes: prescribe the motion of a body, give a force, or set "
           "motion = \"dynamic\"";
  return {};
}

}  // namespace stickslip::stepping
