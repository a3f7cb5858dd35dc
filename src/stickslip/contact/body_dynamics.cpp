// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/body_dynamics.h"

#include "stickslip/contact/body_energy.h"
#include "stickslip/math/rotation.h"

#include <Eigen/LU>
#include <cmath>

namespace stickslip::contact {
namespace {

bool is_isotropic(const Mat3& inertia) {
  return inertia == Mat3(inertia(0, 0) * Mat3::Identity());
}

// Inverse of the free axes' sub-block, zero elsewhere.
Mat3 invert_free_axes(const Mat3& inertia, const std::array<bool, 3>& locked) {
  Mat3 m = inertia;
  for (int k = 0; k < 3; ++k) {
    if (!locked[static_cast<std::size_t>(k)]) continue;
    m.row(k).setZero();
    m.col(k).setZero();
    m(k, k) = 1;
  }
  Mat3 inverse = m.inverse();
  for (int k = 0; k < 3; ++k)
    if (locked[static_cast<std::size_t>(k)]) inverse(k, k) = 0;
  return inverse;
}

}  // namespace

std::vector<BodyTraits> body_traits(const model::Model& model) {
  std::vector<BodyTraits> all;
  all.reserve(model.bodies.size());
  for (const model::Body& body : model.bodies) {
    BodyTraits t;
    const bool massive = body.mass > 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const bool exists = k < 2 || !body.planar();
      t.free_translation[k] = massive && exists && !body.drive.translation[k];
      t.driven |= static_cast<bool>(body.drive.translation[k]);
      t.movable |= t.free_translation[k];
    }
    const auto& locked = body.drive.rotation_locked;
    const bool all_locked = !body.planar() && locked[0] && locked[1] && locked[2];
    const bool driven = body.drive.angle || body.drive.orientation;
    t.free_rotation = massive && body.rotates() && !driven && !all_locked;
    t.locked_rotation = t.free_rotation && !body.planar() && (locked[0] || locked[1] || locked[2]);
    t.isotropic = body.planar() || (!t.locked_rotation && is_isotropic(body.inertia));
    t.driven |= driven;
    t.movable |= t.free_rotation;
    t.pushed = !body.forces.empty();
    all.push_back(t);
  }
  return all;
}

void evaluate_inertia(const model::Body& body, const BodyTraits& traits, const Quat& orientation, double damping_time,
                      BodyDynamics& dynamics) {
  dynamics.movable = traits.movable;
  if (!traits.movable) return;  // stays zero
  const double inverse = 1 / (body.mass + damping_time * body.linear_damping);
  for (int k = 0; k < 3; ++k)
    dynamics.inverse_mass[k] = traits.free_translation[static_cast<std::size_t>(k)] ? inverse : 0.0;
  if (!traits.free_rotation) return;
  const double drag = damping_time * body.angular_damping;
  if (body.planar()) {
    dynamics.inverse_inertia(2, 2) = 1 / (body.inertia(2, 2) + drag);
  } else if (traits.isotropic) {
    dynamics.inverse_inertia.diagonal().setConstant(1 / (body.inertia(0, 0) + drag));
  } else {
    const Mat3 R = orientation.toRotationMatrix();
    if (!traits.locked_rotation && drag == 0) {
      dynamics.inverse_inertia.noalias() = R * body.inertia.inverse() * R.transpose();
      return;
    }
    Mat3 world = R * body.inertia * R.transpose();
    world.diagonal().array() += drag;
    dynamics.inverse_inertia = invert_free_axes(world, body.drive.rotation_locked);
  }
}

model::Wrench applied_wrench(const model::Model& model, int body, const BodyTraits& traits, const model::State& state) {
  model::Wrench wrench;
  const model::Body& b = model.bodies[static_cast<std::size_t>(body)];
  wrench.force = b.mass * model.gravity;
  if (traits.pushed)
    for (const model::ForceFunction& force : b.forces) force(state, wrench);
  return wrench;
}

Vec3 angular_momentum(const model::Body& body, const Quat& orientation, const Vec3& angular_velocity) {
  if (body.planar()) return Vec3(0, 0, body.inertia(2, 2) * angular_velocity.z());
  return orientation * (body.inertia * (orientation.conjugate() * angular_velocity));
}

Vec3 gyroscopic_step(const Mat3& inertia, const Quat& orientation, const Vec3& angular_velocity, double h) {
  if (angular_velocity.isZero(0)) return angular_velocity;
  const Mat3 R = orientation.toRotationMatrix();
  const Vec3 w0 = R.transpose() * angular_velocity;
  Vec3 w1 = w0;
  for (int iteration = 0; iteration < 12; ++iteration) {
    const Vec3 mean = 0.5 * (w0 + w1), momentum = inertia * mean;
    const Vec3 defect = inertia * (w1 - w0) + h * mean.cross(momentum);
    const Mat3 jacobian = inertia + 0.5 * h * (cross_matrix(mean) * inertia - cross_matrix(momentum));
    const Vec3 correction = jacobian.inverse() * defect;
    w1 -= correction;
    // Converged to rounding: the next correction would be the square of this one.
    if (correction.squaredNorm() <= 1e-24 * w0.squaredNorm()) return R * w1;
  }
  return angular_velocity;  // turns by more than a radian in a step: leave the term out, which also keeps the energy
}

Vec3 free_turn(const Mat3& inertia, const Vec3& angular_velocity, double h, Quat& orientation) {
  static const double kOuter = 1 / (2 - std::cbrt(2.0));
  Vec3 w = angular_velocity;
  for (const double part : {kOuter, 1 - 2 * kOuter, kOuter}) {
    const Vec3 next = gyroscopic_step(inertia, orientation, w, part * h);
    const Vec3 turn = 0.5 * part * h * (w + next);
    const double angle = turn.norm();
    if (angle == 0) return w;
    const Quat rotation(Eigen::AngleAxisd(angle, turn / angle));
    w = rotation * next;
    orientation = (rotation * orientation).normalized();
  }
  return w;
}

double kinetic_energy(const model::Model& model, const model::State& state) {
  double energy = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) energy += kinetic_energy(model.bodies[i], state.bodies[i]);
  return energy;
}

double potential_energy(const model::Model& model, const model::State& state) {
  double energy = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    energy += potential_energy(model.bodies[i], model.gravity, state.bodies[i]);
  return energy;
}

}  // namespace stickslip::contact
