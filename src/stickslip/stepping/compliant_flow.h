// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Bodies with visco-elastic contacts as a differential equation, each contact in a given mode (Song, Kumar and Pang
// 2005 and Song, Trinkle, Kumar and Pang 2004, in the limit of short steps).
//
//     q' = v,      A v' = f(q, v, t) + W_n lambda_n + W_t lambda_t
//     closed       lambda_n = -K_n psi - C_n psi',        e = K_t s - C_t u_t
//       stick      lambda_t = e                            s' = (lambda_t - K_t s) / C_t = -u_t
//       slide      lambda_t = mu lambda_n e / |e|          s' = (lambda_t - K_t s) / C_t
//     open         lambda = 0; the layer recovers:         delta(t) = delta_0 exp(-K t / C), s likewise
//
// A mode holds as long as its reserve is positive:
//
//     open    psi + delta                        then the bodies touch
//     closed  lambda_n                           then they part; delta = -psi is what the layer keeps
//     stick   mu_s lambda_n - |e|                then it slides
//     slide   |e| - mu_k lambda_n                then it sticks
//
// Symbol     variable                   meaning
//   q, v     y                          13 numbers per movable body: position, orientation (or angle), velocities
//   s        y, behind the bodies       2 per contact: shear of the layer, in the contact's frame, carried with the
//                                       normal
//   psi      Contact::gap
//   delta    FlowContact::deformation   of an open contact, at the start of the part
//
// Assumes: dynamic motion, no supports; friction needs tangential damping (s' divides by it).
// Cost: one refresh of the contacts' geometry per evaluation. No allocation once the contacts have stopped growing.
#pragma once

#include "stickslip/contact/contact_rows.h"
#include "stickslip/stepping/world.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace stickslip::stepping {

struct FlowContact {
  contact::Mode mode = contact::Mode::Open;  // Open, Stick or Slide
  contact::ContactRows rows;                 // at the start of the part: the frame of the shear
  double deformation = 0;                    // open: what is left of it at the start of the part
  Vec3 impulse = Vec3::Zero();               // on body a over the step so far, world frame
};

// Reserves of a contact in its mode, and the size of what they are differences of. hold: open or closed; grip: stick or
// slide.
struct Reserves {
  double hold = 0, grip = 0;
  double hold_size = 0, grip_size = 0;
};

class CompliantFlow {
 public:
  static constexpr Eigen::Index kBody = 13, kPosition = 0, kTurn = 3, kLinear = 7, kAngular = 10, kShear = 2;

  explicit CompliantFlow(World& world) : world_(world) {}

  // Takes the state of the world and the contacts (with their modes) as the start of a part, at time t.
  void begin(double t, const std::vector<collision::Contact>& contacts, std::vector<FlowContact>& flow,
             Eigen::VectorXd& y);
  // dy/dt at y, `elapsed` after the start of the part. Contacts stay in their modes.
  void evaluate(double elapsed, const Eigen::VectorXd& y, Eigen::VectorXd& rate);

  // Of the last evaluation.
  [[nodiscard]] const model::State& state() const { return state_; }
  [[nodiscard]] const std::vector<collision::Contact>& contacts() const { return contacts_; }
  [[nodiscard]] const contact::ContactRows& rows(std::size_t c) const { return rows_[c]; }
  [[nodiscard]] Vec3 force(std::size_t c) const { return force_[c]; }  // on body a
  [[nodiscard]] Reserves reserves(std::size_t c) const;
  // Whether an open contact that touches would press.
  [[nodiscard]] bool presses(std::size_t c) const { return normal_force_[c] >= 0; }
  [[nodiscard]] bool grips(std::size_t c) const;
  // What is left of an open contact's deformation and shear after a time, as a share.
  [[nodiscard]] double recovery(std::size_t c, double elapsed, bool normal) const;

  // y as a state of the world; orientations of unit length.
  void take_state(const Eigen::VectorXd& y, double time, model::State& state) const;
  [[nodiscard]] Eigen::Index shear_of(std::size_t c) const {
    return static_cast<Eigen::Index>(movable_.size()) * kBody + static_cast<Eigen::Index>(c) * kShear;
  }
  // Largest relative size of an error in y over a part of length h (velocity scale of the state last evaluated).
  [[nodiscard]] double relative(const Eigen::VectorXd& error, double h, double step) const;

 private:
  [[nodiscard]] const model::Surface& surface(std::size_t c) const;
  void list_bodies();
  void press(std::size_t c, Eigen::VectorXd& rate);

  World& world_;
  double start_ = 0;
  std::vector<int> movable_;
  std::vector<double> arm_;  // radius of gyration, of each movable body
  std::vector<FlowContact>* flow_ = nullptr;
  model::State state_;
  std::vector<collision::Contact> contacts_;
  std::vector<contact::ContactRows> rows_;
  std::vector<contact::BodyDynamics> dynamics_;
  std::vector<model::Wrench> wrench_;
  std::vector<double> normal_force_, grip_force_;  // lambda_n as if closed; |e|
  std::vector<double> scale_;                      // sum of the magnitudes in lambda_n
  std::vector<Vec3> force_;
  double elapsed_ = 0;
};

}  // namespace stickslip::stepping
