// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The equations that an implicit Euler step satisfies (stepping/euler_step.h), as functions that can be evaluated
// beside the solution: what is differentiated to get the step's sensitivity.
//
//     balance    v+ - v_free - A^-1 J' p                    = 0         per free degree of freedom
//     approach   psi(q+) / h, or psi(q0) / h + J_n v+       = 0         per closed contact
//     slip       J_t v+                                     = 0         per closed contact that sticks
//                p_t + mu p_n slip / |slip|                 = 0         per closed contact that slides
//
// q+ = q0 (+) h v+. Which of the two forms of psi, and where rows, inertia and forces are evaluated, follows from the
// stepper: the end of the step (implicit) or its start (stewart-trinkle). Quasi-static motion has v_free with v+ as its
// own reference, which leaves -A^-1 (h f + J' p) = 0, the balance of forces.
//
// The step at its start's geometry: Stewart and Trinkle 1996; at its end's: Berard, Nguyen, Trinkle and Anderson 2010,
// equation 9.
//
// Free velocities, velocities along the rows and friction are the terms of the steppers themselves (motion_model.h,
// step_terms.h). An overlap that leaves over more than the step has psi times less than 1 / h (gap_slope there); left out
// is that of a step of `implicit` which is itself part of a step.
//
// Symbol  variable          meaning
//   v+    velocity          of the free degrees of freedom, in the order of freedoms()
//   p     ActiveContact::p  normal and tangential impulses, in the contact's frame
//
// Cost of an evaluation: one of the contacts' geometry and one product with A^-1 per body; no contact solve.
#pragma once

#include "stickslip/collision/collider.h"
#include "stickslip/contact/contact_rows.h"
#include "stickslip/stepping/motion_model.h"
#include "stickslip/stepping/world.h"

#include <Eigen/Core>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stickslip::sensitivity {

// A contact that pressed in the step, or a point on which a body stands.
struct ActiveContact {
  collision::Contact contact;  // its features; the geometry is evaluated anew
  int support = -1;            // index of the support point; -1: a contact between bodies
  bool slides = false;
  int tangents = 1;           // 1: plane; 2: space, and supports
  double gap_weight = 1;      // of psi / h in the approach
  contact::ContactRows rows;  // where the step ended: the frame of p
  double p[3] = {};           // normal, tangents

  [[nodiscard]] int first_row() const { return support < 0 ? 0 : 1; }  // supports have no normal
  [[nodiscard]] int row_count() const { return tangents + 1 - first_row(); }
};

struct Freedom {
  int body = 0;
  int axis = 0;  // 0 .. 2: translation, 3 .. 5: rotation

  [[nodiscard]] double& of(model::Twist& v) const { return axis < 3 ? v.linear[axis] : v.angular[axis - 3]; }
  [[nodiscard]] double of(const model::Twist& v) const { return axis < 3 ? v.linear[axis] : v.angular[axis - 3]; }
};

struct StepSpan {
  double h = 0, end_time = 0;
};

class StepEquations {
 public:
  struct Values {
    Eigen::VectorXd balance;         // per freedom
    Eigen::VectorXd approach, mu;    // per contact; approach of supports: 0
    Eigen::Matrix2Xd slip;           // per contact
    Eigen::VectorXd normal_impulse;  // given ones of supports; 0 for contacts
  };
  // What an evaluation went through; per body and one more, the plane that stands still.
  struct Terms {
    model::State at;  // where geometry was evaluated
    std::vector<model::Twist> velocity, drive, free;
    std::vector<contact::BodyDynamics> dynamics;
    std::vector<contact::ContactRows> rows;    // of each contact and support
    std::vector<collision::Contact> contacts;  // without supports
  };

  // The model and the method must outlive the equations.
  StepEquations(const model::Model& model, const stepping::Method& method);

  // Why steps of this kind are not covered; empty when they are.
  [[nodiscard]] static std::string objection_to(const model::Model& model, const stepping::Method& method);

  [[nodiscard]] const model::Model& model() const { return model_; }
  [[nodiscard]] std::span<const Freedom> freedoms() const { return freedoms_; }
  [[nodiscard]] const std::vector<contact::BodyTraits>& traits() const { return traits_; }
  [[nodiscard]] bool end_geometry() const { return end_geometry_; }
  [[nodiscard]] int supports() const { return static_cast<int>(supports_.size()); }

  // Values at (start, velocity, contacts.p). `start` has the prescribed bodies where they are at its time.
  void evaluate(const model::State& start, const StepSpan& span, const Eigen::VectorXd& velocity,
                std::span<const ActiveContact> contacts, Values& values);
  [[nodiscard]] const Terms& terms() const { return terms_; }  // of the last evaluation
  // Of the last evaluation: A^-1 J' for a unit impulse along a row, and the row itself, by freedoms.
  void response(std::size_t contact, int row, Eigen::Ref<Eigen::VectorXd> change) const;
  void put_row(std::size_t contact, int row, Eigen::MatrixXd& matrix, Eigen::Index place) const;
  // Rows of a contact that has no support in another configuration.
  [[nodiscard]] contact::ContactRows rows_at(const model::State& state, const ActiveContact& active);
  // The end of the step.
  void end_of(const model::State& start, const StepSpan& span, const Eigen::VectorXd& velocity,
              model::State& end) const;

 private:
  struct SupportPoint {
    int body = 0, plane = 0;
    Vec3 position;
    double load = 0, friction = 0;
  };
  void set_bodies(const model::State& start, const StepSpan& span, const Eigen::VectorXd& velocity);
  void push(const ActiveContact& active, const contact::ContactRows& rows);

  const model::Model& model_;
  const stepping::Method& method_;
  std::unique_ptr<collision::Collider> collider_;
  std::vector<contact::BodyTraits> traits_;
  std::vector<Freedom> freedoms_;
  std::vector<SupportPoint> supports_;
  bool end_geometry_ = false;
  Terms terms_;
  std::vector<collision::Contact> one_;
};

}  // namespace stickslip::sensitivity
