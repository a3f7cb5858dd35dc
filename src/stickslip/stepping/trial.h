// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One smooth second-order step of a component (bodies that may touch each other within the step), with fixed modes.
//
// Contacts in mode Stick or Slide are closed and take part; Open ones only report their gap at the end.
//
//   predict    vm = v0 + h/2 a_,  qm = q0 (+) h/2 (v0 + h/4 a_),  q1p = q0 (+) h vm
//   solve      A v1 = A v_free + Jm' p                                     one contact problem, W = J1 A^-1 Jm'
//              u    = J1 v1 + b1 + kappa (0, u0_t)
//              0 <= u_n  _|_  p_n >= 0,   p_t against u_t                   kappa = 1 for Slide: friction opposes u0 +
//              u1
//   move       q1 = q0 (+) [ h/2 (v0 + v1) - h^3/12 j ],   j = (a - a_) / ((h + h_)/2),   a = (v1 - v0) / h
//   project    q1 <- q1 (+) A^-1 J' (J A^-1 J')^-1 (-defect)                gap = 0; for Stick also no slip on average
//
// Symbol   variable                 meaning
//   a_,h_  BodyStart::acceleration  mean acceleration of the sub-step before, and its length; unknown after an event:
//                                   then a_ = 0 and the prediction is repeated once with the a that came out
//   Jm,J1  rows                     contact rows at the middle and at the predicted end; prescribed motion enters
//   exactly b1                              velocity of prescribed bodies at the end of the sub-step u0
//   ContactStart::velocity   contact velocity at the start A      BodyDynamics             angular part at the
//   predicted end, with L0 = I(q0) w0 carried over, so that free
//                                   rotation keeps its angular momentum: A w1 = L0 + h torque + ...
//                                   Bodies that nothing touches turn as contact::free_turn says, between two halves of
//                                   the torque: energy and |L| are kept to rounding at any h
//   defect gap; slip: h/6 (u0 + 4 um + u1), um = Jm (v0+v1)/2 - Jm h^2/8 j + b_m
//
// Impulses act through the rows of the middle (second order), velocities are those along the rows of the end. W is then
// not quite symmetric, but all contacts of a body see one rigid motion: with the end velocity extrapolated from Jm,
// three sticking points of one body would contradict each other by O(h^3) and jam against each other up to the friction
// limit.
//
// The normal row is the end value: closed contacts stay closed. kappa = 0 for Stick lets slip left over by rounding die
// in one step. Contact frames at middle and end are the start's, carried along with the normal, so that u0 and u1 can
// be added. Cost: one contact solve, about four evaluations of the contacts' geometry. No allocation when warm.
#pragma once

#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/impact_law.h"
#include "stickslip/stepping/island_pool.h"
#include "stickslip/stepping/world.h"

#include <vector>

namespace stickslip::stepping {

// The state at the start of a sub-step is World::state; this is what it does not know.
struct BodyStart {
  int body = 0;
  model::Twist acceleration;  // mean over the sub-step before
};

// What a contact knows at the start of a sub-step.
struct ContactStart {
  collision::Contact contact;  // geometry at the start
  contact::ContactRows rows;
  contact::Mode mode = contact::Mode::Open;
  double velocity[3] = {};    // u0, contact frame
  Vec3 force = Vec3::Zero();  // of the sub-step before, world frame: warm start
  // Reserves of the normal force and of friction in the middle of the sub-step before (events.h).
  bool margins_known = false;
  double margin_n = 0, margin_t = 0, margin_age = 0;  // age: time from that middle to now
  double slip_peak = 0;                               // largest slip speed since the contact started to slide
  Vec3 impulse = Vec3::Zero();                        // over the step so far, world frame
  int position = 0;                                   // in the step's list of contacts
  bool end_law = false;       // sliding, but friction opposes the end velocity alone (kappa = 0): search of a stop
  bool just_changed = false;  // raises no second event at the same instant
  bool false_alarm = false;   // its friction margin runs out although it holds (redundant contacts share the load)
};

struct Component {
  std::vector<BodyStart> bodies;       // movable
  std::vector<int> driven;             // bodies with prescribed motion that matter here
  std::vector<ContactStart> contacts;  // canonical order
  bool acceleration_known = false;
  double acceleration_h = 0;
  double offset = 0;    // time since the start of the step
  int first_order = 0;  // steps to be done at first order because events piled up
  int penalty = 0;      // how many there were the last time
};

struct ContactTrial {
  collision::Contact contact;               // geometry at the end
  contact::ContactRows rows;                // at the end
  double p[3] = {}, u1[3] = {}, g[3] = {};  // impulse, velocity at the end, diagonal of W (closed contacts)
  bool closed = false, slides = false;      // took part; its impulse is on the cone and it slips
  // Open contacts that approach at the start and part at the end: where they were deepest, if they met in between.
  double met = 0, met_depth = 0;  // time from the start, gap there (negative); 0, 0: they did not
};

// A contact that just left rests at zero gap up to rounding; only what comes in deeper than this touches.
[[nodiscard]] double touch_tolerance(const ContactStart& start, const ContactTrial& contact, double h);

struct Trial {
  double h = 0;
  bool certified = false;
  std::vector<model::BodyState> bodies;    // at the end, in the component's order
  std::vector<model::Twist> acceleration;  // mean
  std::vector<ContactTrial> contacts;      // in the component's order
};

class TrialStep {
 public:
  // Prepares for trials within the step of length H that ends at end_time.
  void begin(World& world, double H, double end_time);
  // Absolute time of an offset from the start of the step; the end of the step exactly.
  [[nodiscard]] double at(double offset) const { return offset >= nearly_end_ ? end_time_ : time_ + offset; }

  // All prescribed bodies at the end of the step; the state returned is a scratch one in which only they are
  // meaningful.
  const model::State& place_ends(const World& world);
  void place_all_driven(const World& world, double time, model::State& state) const;
  // Prescribed bodies of world.state at world.state.time.
  void place_start(World& world, const Component& component) const;

  // From the component's start over h.
  void run(World& world, Component& component, double h, Trial& trial);

  // One step of the first-order scheme over h; the result has the same form (Stewart-Trinkle, restricted to a
  // component).
  void run_first_order(World& world, Component& component, double h, Trial& trial);

  // Velocities after an impact at the start's configuration: contacts with gap 0 take part; restitution as given for
  // each contact of the component. Velocities and modes of the component's start are replaced. False when not
  // certified.
  bool impact(World& world, Component& component, std::span<const double> restitution);

  // The second half of impacts that a first-order step ended inelastically: contacts get the separation speeds given,
  // or the largest share of them with which the component's kinetic energy stays below `energy`. False as above.
  bool expand(World& world, Component& component, std::span<const double> speed, double energy);
  [[nodiscard]] static double kinetic_energy(const World& world, const Component& component);

  // Of a prescribed body at the end of the last trial.
  [[nodiscard]] const model::Twist& driven_velocity(int body) const {
    return end_.state.bodies[static_cast<std::size_t>(body)].velocity;
  }
  [[nodiscard]] int solves() const { return solves_; }
  [[nodiscard]] double residual() const { return residual_; }
  [[nodiscard]] const char* solver() const { return solver_; }
  [[nodiscard]] const contact::Island& last_problem() const { return system_.islands()[0]; }
  [[nodiscard]] std::span<const int> last_contacts() const { return closed_; }
  void reset_counters() { solves_ = 0, residual_ = 0, solver_ = ""; }

 private:
  struct Scratch {
    model::State state;
    std::vector<double> placed;  // time at which each prescribed body stands
  };
  void place_driven(const World& world, const Component& component, double time, Scratch& scratch) const;
  void predict(World& world, const Component& component, double h);
  void list_closed(const World& world, const Component& component);
  void predict_free_turn(const World& world, std::size_t body, const Vec3& torque, double h);
  void closed_rows(World& world, const Component& component);
  void pose(World& world, const Component& component, double h);
  bool solve(World& world);
  void pose_impact(World& world, const Component& component);
  void take_impact(World& world, Component& component);
  void take_velocities(World& world, const Component& component, double h, Trial& trial);
  void take_contacts(const Component& component, Trial& trial);
  void move(World& world, const Component& component, double h, Trial& trial);
  [[nodiscard]] double worst_gap(const Trial& trial) const;
  bool project(World& world, const Component& component, double h, Trial& trial);
  template <int D>
  void single_response();
  void finish(World& world, const Component& component, Trial& trial);
  void look_between(World& world, const Component& component, std::size_t c, Trial& trial);
  void place_between(const World& world, const Component& component, const Trial& trial, double time);
  [[nodiscard]] double closing_speed(const World& world, const collision::Contact& start,
                                     const collision::Contact& moved, double h) const;

  Scratch mid_, end_;
  double time_ = 0, end_time_ = 0, nearly_end_ = 0, step_ = 0;
  IslandPool pool_;
  ImpactSolver impacts_;
  std::vector<ImpactSolver::Law> laws_;
  contact::ContactSystem system_, projection_;
  std::vector<contact::BodyDynamics> dynamics_;                    // by body
  std::vector<model::Twist> free_, jerk_, drive_mid_, drive_end_;  // by body
  std::vector<model::Twist> acceleration_;                         // by position in the component
  std::vector<std::uint8_t> turns_freely_;                         // by body: tumbles, and nothing holds it
  std::vector<int> closed_;                                        // contacts of the component that take part
  std::vector<collision::Contact> closed_contacts_, all_contacts_, one_contact_;
  std::vector<contact::ContactRows> rows_mid_, rows_end_;  // of closed contacts
  contact::ContactRows row_between_;
  std::vector<double> magnitude_linear_, magnitude_angular_;  // by body, for Rest
  std::vector<double> matrix_, defect_, slip_;
  std::vector<int> defect_row_;
  int solves_ = 0;
  double residual_ = 0;
  const char* solver_ = "";
};

}  // namespace stickslip::stepping
