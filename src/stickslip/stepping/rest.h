// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Exact rest. The velocity of a body that contacts hold is a sum of large terms that cancel, v+ = v_free + A^-1 J' p,
// and what remains of the sum below its rounding (and the solver's aim) is noise. Taken for motion it would add up over
// millions of steps, so it is removed: components below kVelocityNoise (noise.h) times the sum of the magnitudes of the
// terms become zero. The same for gaps: the difference of two points is not known better than the points' own last
// bits. A real acceleration would have to be below kVelocityNoise times gravity to be lost.
//
// A large problem is not solved to rounding but to its certificate, and its velocities are not known better than that. A
// body whose velocity is below it in every component stands: else a wall would creep by what the solver left, and
// no step would be like the one before (resting_bodies.h).
//
// The same for such an island as a whole. Where the impulses leave none of its bodies a velocity above the certificate, in
// every component, all of them stand: v = 0 with these impulses solves the step to the certificate as well, since it changes
// no velocity, and no momentum, by more than that share of the terms that balance. And where all stood before the step, and
// the impulses of the last one still solve it in this way, they are the answer as they are: an island at rest is then the
// same in every bit from step to step. What begins to slide or to tip with more than the certificate of the accelerations that act on it
// is not held; and nothing is next to a prescribed body that moves. Soft contacts (compliance = "normal") take the rounding of gaps
// for a force: of islands with such that are solved to rounding the bound is what a gap is known to, over the step.
//
// Symbol     variable           meaning
//   v_free   free               velocities without contacts (motion_model.h)
//   A^-1     BodyDynamics       inverse of mass and damping
//   J, p     rows, Island::r    contact rows and impulses
//
// Cost: linear in contacts and bodies.
#pragma once

#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/noise.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stickslip::stepping {

class Rest {
 public:
  // state.velocity += A^-1 J' r of all islands, noise removed. `free`: the free degrees of freedom's velocities before.
  void apply_impulses(const contact::ContactSystem& system, std::span<const contact::BodyDynamics> dynamics,
                      std::span<const model::Twist> free, model::State& state);
  // The same where all contacts are between these bodies, and bodies that do not move.
  void apply_impulses(const contact::ContactSystem& system, std::span<const contact::BodyDynamics> dynamics,
                      std::span<const model::Twist> free, std::span<const int> bodies, model::State& state);

  // A body is as good as still below `share` of the terms that make up its velocity, plus `speed`.
  struct Bound {
    double share = 0, speed = 0;
    [[nodiscard]] bool any() const { return share > 0; }
  };
  // After apply_impulses(): the bodies of the island stand if all are as good as still. For islands that are not solved to rounding.
  void settle_island(const contact::Island& island, std::span<const contact::BodyDynamics> dynamics,
                     std::span<const model::Twist> free, const Bound& bound, model::State& state) const;
  // Would they with the impulses of the island as they are?
  [[nodiscard]] bool stays(const contact::ContactSystem& system, const contact::Island& island,
                           std::span<const contact::BodyDynamics> dynamics, std::span<const model::Twist> free,
                           const Bound& bound);

 private:
  struct Magnitude {
    double linear = 0, angular = 0;
    double lever = 0;  // what the impulses could turn it by if they all acted along the row that turns it most
    double error = 0;  // certificate of the island
  };
  template <int D>
  static void add_magnitude(const double* r, const contact::BodyDynamics& dynamics, const Vec3* turn,
                            Magnitude& magnitude);
  template <class Velocity>
  void push(const contact::ContactSystem& system, const contact::Island& island,
            std::span<const contact::BodyDynamics> dynamics, const Velocity& velocity);
  template <int D, class Velocity>
  void push(const contact::ContactSystem& system, const contact::Island& island,
            std::span<const contact::BodyDynamics> dynamics, const Velocity& velocity);
  void settle(std::size_t body, const contact::BodyDynamics& dynamics, const model::Twist& free, model::Twist& v) const;
  [[nodiscard]] static bool stands(const contact::BodyDynamics& dynamics, double linear, double angular,
                                   const model::Twist& v);

  template <class Velocity>
  [[nodiscard]] bool stands(const contact::Island& island, std::span<const contact::BodyDynamics> dynamics,
                            std::span<const model::Twist> free, const Bound& bound, const Velocity& velocity) const;

  std::vector<Magnitude> magnitude_;  // sum of |terms| per body; 0: no contact pushes on it
  std::vector<model::Twist> trial_;   // velocities that stays() looks at
};

// The size of the numbers that a gap is the difference of.
[[nodiscard]] inline double coordinates_of(const collision::Contact& contact, const model::State& state) {
  const Vec3& a = state.bodies[static_cast<std::size_t>(contact.id.body_a)].pose.position;
  const Vec3& b = state.bodies[static_cast<std::size_t>(contact.id.body_b)].pose.position;
  return contact.point_a.lpNorm<1>() + contact.point_b.lpNorm<1>() + a.lpNorm<1>() + b.lpNorm<1>();
}

// The gap less a distance that is known, zero where it is not known better than that.
[[nodiscard]] inline double without_rounding_noise(const collision::Contact& contact, const model::State& state,
                                                   double less = 0) {
  const double gap = contact.gap - less;
  return std::fabs(gap) <= kGapNoise * coordinates_of(contact, state) ? 0.0 : gap;
}

// The speed at which an overlap that a step finds may be taken out. What a sound step can sink in by is the curvature
// of the motion, h^2 (u^2 / arm + g), and where a contact passes from one face to the next a part of its path; both are
// taken out at once. Overlap beyond that was there at the start or was found too late: gap / h would shoot the bodies
// apart, so it leaves slowly, and adds little energy however deep it is and however short the step.
//
//     kPartingShare u + 2 h (u^2 / arm + g) + kPartingRate arm
//
// Symbol   variable   meaning
//   u      u          relative speed at the contact, turning included
//   arm    arm_of()   distance to the nearer centre of mass
//
// Without speed and gravity that is a tenth of the arm per unit of time.
inline constexpr double kPartingShare = 0.1, kPartingRate = 0.1;
[[nodiscard]] double parting_limit(const collision::Contact& contact, const model::State& state, const model::Twist& va,
                                   const model::Twist& vb, double gravity, double h);

// The speed at which a gap may close within h; negative: at which an overlap has to be left, but not faster than
// `limit`. What has sunk in comes out over a whole step, however short a part of it is taken: within a part of a
// nanosecond it would be shot out. `driven`: normal velocity (positive: away) of prescribed bodies that stand in the
// gap where they will be at the end of h; what they travel is no overlap.
template <class Limit>
[[nodiscard]] inline double closing_speed(double gap, double h, double whole_step, double driven, const Limit& limit) {
  if (gap >= 0) return gap / h;
  const double overlap = gap - h * driven;
  if (overlap >= 0) return gap / h;
  const double speed = overlap / std::max(h, whole_step), most = limit();
  if (-speed > most) return driven - most;
  return h >= whole_step ? gap / h : driven + speed;
}

// Distance between a contact and the centres of the bodies that meet there: the smaller one that is not zero, the
// length that small gaps are compared with.
[[nodiscard]] inline double arm_of(const collision::Contact& contact, const model::State& state) {
  const Vec3& a = state.bodies[static_cast<std::size_t>(contact.id.body_a)].pose.position;
  const Vec3& b = state.bodies[static_cast<std::size_t>(contact.id.body_b)].pose.position;
  const double arm_a = (contact.point_a - a).norm(), arm_b = (contact.point_b - b).norm();
  return std::min(arm_a, arm_b) > 0 ? std::min(arm_a, arm_b) : std::max(arm_a, arm_b);
}

// Turns a body by h times the angular velocity; a body that does not turn keeps its bits.
inline void turn(model::BodyState& body, const Vec3& angular_velocity, double h, bool planar) {
  if (angular_velocity.isZero(0)) return;
  model::Twist twist;
  twist.angular = angular_velocity;
  model::advance(body, twist, h, planar);
}

}  // namespace stickslip::stepping
