// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How the end of a step with located impacts changes with its start and with the model: flight, impact, flight.
//
//     flight over t       q += t v + t^2/2 g,  v += t g;            dq += t dv + t^2/2 dg,  dv += t dg
//     impact at tau       psi(q(tau)) = 0                           d tau = -d psi / psi'
//                         v+ = I(q, v-; u)                          impact law of the second-order stepper
//     saltation           ds-  = ds + s' d tau      (at the instant of the impact, whenever that is)
//                         dv+  = I_q dq- + I_v dv- + I_u du,  dq+ = dq-
//                         ds   = ds+ - s'+ d tau    (back at a fixed time)
//
// so that the length of the part before the impact is differentiated with everything else. Bodies that are round for
// their inertia and that nothing but gravity pushes fly exactly in this way, whatever the step.
//
// The step is repeated by these formulas and held against the stepper's: where they do not agree (a contact stayed
// closed, several impacts at once, an impact that was left out) advance() says so, and the caller takes differences of
// runs instead.
//
// Symbol   variable      meaning
//   psi    Contact::gap  of the contact that meets
//   I      impact()      u_n+ = -e u_n-, friction kinetic and against u_t+; one contact (stepping/component_impact.h)
//   ds     tangents      tangent.h, one column per direction
//   s'     shift()       the velocities and gravity; of a driven body, what its motion says
//   d tau  d_tau
//
// The jump of the derivative at an impact (the saltation matrix): Aizerman and Gantmakher 1958; Leine and Nijmeijer 2004.
// d psi and I's derivative are central differences at the instant. Cost: 4 evaluations of one contact per impact and
// direction; flight costs next to nothing.
#pragma once

#include "stickslip/collision/collider.h"
#include "stickslip/sensitivity/direction.h"
#include "stickslip/stepping/world.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace stickslip::sensitivity {

class FlightSensitivity {
 public:
  FlightSensitivity(const model::Model& model, const stepping::Method& method, std::span<const Direction> directions);

  // Whether flights of this model are as assumed, and its stepper locates impacts.
  [[nodiscard]] static bool covers(const model::Model& model, const stepping::Method& method);

  // The changes at the start of the step become those at its end. False: the step is not of this kind.
  [[nodiscard]] bool advance(const model::State& before, double h, const stepping::World& world,
                             Eigen::MatrixXd& tangents);

  // Of the last step: how far the stepper's end is from that of the formulas, relative to the speeds.
  [[nodiscard]] double balance_error() const { return balance_error_; }

 private:
  // A model with what is needed to evaluate a contact of it.
  struct Side {
    const model::Model* model = nullptr;
    std::unique_ptr<collision::Collider> collider;
  };
  struct Meeting {
    int contact = -1;
    double tau = 0;
  };
  // A contact that closes now: how fast, and the sum of its levers.
  struct Arrival {
    const collision::Contact* contact;
    std::array<std::size_t, 2> bodies;
    double approach, length;  // approach: psi' < 0
  };
  // Where differences along a direction are taken: low at -below, high at +above.
  struct Sides {
    const Side &low, &high;
    double below, above;
    [[nodiscard]] double width() const { return below + above; }
  };

  void fly(double t, model::State& state) const;
  void fly(double t, const model::State& start, Eigen::MatrixXd& tangents) const;
  void shift(const model::State& state, Eigen::Index k, double time, Eigen::MatrixXd& tangents) const;
  double gap_of(const Side& side, const collision::Contact& contact, const model::State& state);
  [[nodiscard]] double approach_of(const collision::Contact& contact, const model::State& state) const;
  [[nodiscard]] Meeting first_meeting(const std::vector<collision::Contact>& contacts, const model::State& start,
                                      double rest);
  bool impact(const Side& side, const collision::Contact& contact, model::State& state);
  [[nodiscard]] Arrival arrive(const collision::Contact& contact, const model::State& state);
  [[nodiscard]] Sides sides_of(Eigen::Index k, const Arrival& arrival, const Eigen::MatrixXd& tangents) const;
  [[nodiscard]] double change_of_instant(const Arrival& arrival, const model::State& state, Eigen::Index k,
                                         const Eigen::MatrixXd& tangents);
  [[nodiscard]] bool change_by_impact(const Arrival& arrival, const model::State& state, Eigen::Index k,
                                      Eigen::MatrixXd& tangents);
  bool meet(const collision::Contact& contact, model::State& state, Eigen::MatrixXd& tangents);
  [[nodiscard]] bool agree(const model::State& here, const model::State& there, double h);

  std::vector<Direction> directions_;
  std::vector<contact::BodyTraits> traits_;
  Side here_;
  std::vector<Side> low_, high_;
  std::vector<collision::Contact> one_;  // scratch of evaluations
  model::State now_, moved_, trial_;
  Eigen::MatrixXd changed_;
  double h_ = 0, balance_error_ = 0;
};

}  // namespace stickslip::sensitivity
