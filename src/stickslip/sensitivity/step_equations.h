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
// Symbol  variable          meaning
//   v+    velocity          of the free degrees of freedom, in the order of freedoms()
//   p     ActiveContact::p  normal and tangential impulses, in the contact's frame
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
  contact::ContactRows rows;  // where the step ended: the frame of p
  double p[3] = {};           // normal, tangents
};

struct Freedom {
  int body = 0;
  int axis = 0;  // 0 .. 2: translation, 3 .. 5: rotation
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

  // The model and the method must outlive the equations.
  StepEquations(const model::Model& model, const stepping::Method& method);

  // Why steps of this kind are not covered; empty when they are.
  [[nodiscard]] static std::string objection_to(const model::Model& model, const stepping::Method& method);

  [[nodiscard]] std::span<const Freedom> freedoms() const { return freedoms_; }
  [[nodiscard]] const std::vector<contact::BodyTraits>& traits() const { return traits_; }
  [[nodiscard]] bool end_geometry() const { return end_geometry_; }
  [[nodiscard]] int supports() const { return static_cast<int>(supports_.size()); }

  // Values at (start, velocity, contacts.p). `start` has the prescribed bodies where they are at its time.
  void evaluate(const model::State& start, const StepSpan& span, const Eigen::VectorXd& velocity,
                std::span<const ActiveContact> contacts, Values& values);
  // Whether slopes() knows steps of this kind: dynamic motion of particles, planar bodies and bodies with the same
  // inertia about all axes, without forces besides gravity.
  [[nodiscard]] static bool knows_slopes(const model::Model& model, const stepping::Method& method);
  [[nodiscard]] bool knows_slopes() const { return knows_slopes_; }
  // The derivatives of the values of the last evaluation by its start, the model staying as it is: a row per freedom,
  // then three per contact (approach, slip), by the 12 numbers of each body (tangent.h). Prescribed degrees of freedom
  // are meant at the end of the step. Gap and velocities are differentiated exactly. The turning of the rows of a
  // contact is a one-sided difference over a displacement of 1e-7 length for each way in which its two bodies move
  // against each other (4 in the plane, 6 for a particle on a body that turns, 9 in space; none where it does not
  // bend). moves: 12 per body, whether any change is asked for.
  using Slopes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  void slopes(const StepSpan& span, double length, std::span<const ActiveContact> contacts,
              const std::vector<bool>& moves, Slopes& slopes);
  // Whether the rows of a contact turn when its bodies move. Those of balls, discs and particles on planes that do not
  // turn do not.
  [[nodiscard]] bool bends(const collision::ContactId& contact, const model::State& state) const;
  [[nodiscard]] bool bends(const ActiveContact& contact) const {  // at the last evaluation
    return contact.support >= 0 || bends(contact.contact.id, at_);
  }
  // Of the last evaluation: where geometry was evaluated, rows of each contact, and A^-1 J' for a unit impulse along
  // one of them.
  [[nodiscard]] const model::State& at() const { return at_; }
  [[nodiscard]] const contact::ContactRows& rows(std::size_t contact) const { return rows_[contact]; }
  void response(std::size_t contact, int row, Eigen::Ref<Eigen::VectorXd> change) const;
  // J v along a row, v by freedoms.
  [[nodiscard]] Eigen::VectorXd row(std::size_t contact, int row) const;
  void put_row(std::size_t contact, int row, Eigen::MatrixXd& matrix, Eigen::Index place) const;
  // The end of the step.
  void end_of(const model::State& start, const StepSpan& span, const Eigen::VectorXd& velocity,
              model::State& end) const;

 private:
  struct SupportPoint {
    int body = 0, plane = 0;
    Vec3 position;
    double load = 0, friction = 0;
  };
  void spread(const Eigen::VectorXd& velocity);
  void slopes_of_contact(std::size_t contact, const StepSpan& span, double length, const ActiveContact& active,
                         const std::vector<bool>& moves, Slopes& slopes);
  void add_turn(std::size_t contact, const ActiveContact& active, const contact::ContactRows& moved, double amount,
                Slopes& slopes, Eigen::Index to, Eigen::Index from);
  void turn_ends(const StepSpan& span, Slopes& slopes) const;

  const model::Model& model_;
  const stepping::Method& method_;
  std::unique_ptr<collision::Collider> collider_;
  std::vector<contact::BodyTraits> traits_;
  std::vector<Freedom> freedoms_;
  std::vector<SupportPoint> supports_;
  stepping::MotionModel motion_;
  bool end_geometry_ = false, knows_slopes_ = false;

  // Workspaces; per body and one more, the plane that stands still.
  model::State at_, moved_;
  std::vector<model::Twist> velocity_, drive_, free_;
  std::vector<contact::BodyDynamics> dynamics_;
  std::vector<contact::ContactRows> rows_;
  std::vector<collision::Contact> contacts_, one_;
};

}  // namespace stickslip::sensitivity
