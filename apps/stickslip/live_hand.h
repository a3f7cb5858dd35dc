// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A hand on a body of a live scene: a spring that pulls at a point of it, or a push.
//
//   spring    F = m_p (w^2 (y - p) - 2 w v_p) at the point p of the body, whose velocity is v_p; y is where the hand is
//             m_p  mass that the point shows, 1 / (n . M^-1 n) averaged over directions: m for a particle, less at the
//                  end of a long body
//             w    10 per second of wall time, and at most 0.2 / step: an explicit force must stay gentle with the step
//   push      an impulse J at the centre of mass, spread evenly over kPushSteps steps: F = J / (kPushSteps h)
//
// The force is a function of the state, as those of a scene are: certificate and audit know its work. When the hand lets
// go the function is taken out again, and the run goes on without it.
#pragma once

#include "stickslip/model/model.h"

#include <memory>
#include <string>

namespace stickslip::app {

struct Hand {
  int body = -1;
  // Spring.
  Vec3 local = Vec3::Zero();   // the point, body frame
  Vec3 target = Vec3::Zero();  // world frame
  double stiffness = 0, damping = 0;
  // Push: begin < end.
  Vec3 force = Vec3::Zero();
  double begin = 0, end = 0;

  [[nodiscard]] bool pushes() const { return end > begin; }
  [[nodiscard]] Vec3 point(const model::State& state) const;
  [[nodiscard]] Vec3 force_at(const model::State& state) const;
};

// `per_second`: simulated time per second of wall time, which tells how quick a hand is for the scene.
[[nodiscard]] Hand spring(const model::Model& model, const model::State& state, int body, const Vec3& from,
                          const Vec3& to, double step, double per_second);
[[nodiscard]] Hand push(const model::State& state, int body, const Vec3& impulse, double step);

// The index of a body of that name which moves freely. Throws std::runtime_error when there is none.
[[nodiscard]] int free_body(const model::Model& model, const std::string& name);

// Lets the hand act on the body of the model. The hand may be moved later.
void lay_on(const std::shared_ptr<const Hand>& hand, model::Model& model);

}  // namespace stickslip::app
