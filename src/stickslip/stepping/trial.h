// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the parts of the second-order stepper (second_order.h) pass to each other: a component at the start of a
// sub-step, a trial of that sub-step, and the workspace in which trials are made.
//
//     field of TrialData         filled by                          with
//     mid, end                   SmoothStep, FirstOrderPart         configuration in the middle and at the end
//     dynamics, free             the same                           A^-1, v_free of each body
//     closed, rows_mid, rows_end the same, ComponentImpact          contacts that take part, and their rows
//     system                     the same                           the contact problem, then its impulses
//     jerk                       PositionUpdate
#pragma once

#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/drive_jumps.h"
#include "stickslip/stepping/frozen_modes.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/smooth_record.h"
#include "stickslip/stepping/step_outcome.h"
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
  bool passes = false;        // touches where it runs off the end of its face (corner_pass.h): left out
  bool false_alarm = false;   // its friction margin runs out although it holds (redundant contacts share the load)
};

// Bodies that may touch each other within the step.
struct Component {
  std::vector<BodyStart> bodies;       // movable
  std::vector<int> driven;             // bodies with prescribed motion that matter here
  std::vector<ContactStart> contacts;  // canonical order
  bool pushed = false;                 // by forces besides gravity
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
  Vec3 impulse = Vec3::Zero();              // p along the rows through which it acted, world frame (closed contacts)
  bool closed = false, slides = false;      // took part; its impulse is on the cone and it slips
  // The same of the first of two passes (smooth_step.h).
  double p_first[3] = {};
  bool closed_first = false, slides_first = false;
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

  void resize(const Component& component, double length) {
    h = length;
    bodies.resize(component.bodies.size());
    acceleration.resize(component.bodies.size());
    contacts.resize(component.contacts.size());
  }
};

struct TrialData {
  // A configuration, with the time at which each prescribed body stands in it.
  struct Scratch {
    model::State state;
    std::vector<double> placed;
  };
  Scratch mid, end;
  double time = 0, end_time = 0, nearly_end = 0;               // of the step
  double whole_step = 0;                                       // of the run, if that is longer
  std::vector<contact::BodyDynamics> dynamics;                 // by body
  std::vector<model::Twist> free, jerk, drive_mid, drive_end;  // by body
  std::vector<model::Twist> acceleration;                      // by position in the component
  std::vector<std::uint8_t> turns_freely;                      // by body: tumbles, and nothing holds it
  std::vector<int> closed;                                     // contacts of the component that take part
  std::vector<collision::Contact> closed_contacts;             // their geometry
  std::vector<contact::ContactRows> rows_mid, rows_end;        // and rows
  contact::ContactSystem system;                               // one island: theirs
  Rest rest;
  std::vector<double> slip;  // scratch of take_contacts()
  // Modes are those of this trial, whatever the problem says, and impulses the nearest to its own that satisfy the laws
  // of those modes to rounding (frozen_modes.h). Null: contact problems are solved.
  const Trial* frozen = nullptr;
  FrozenModes frozen_modes;
  bool first_pass = false;            // of two
  const DriveJumps* jumps = nullptr;  // of the drives, if there are any: trials end before them and begin after
  SmoothRecord* record = nullptr;     // where the smooth step taken last is noted; null: nowhere

  // Prepares for trials within the step of length H that ends at end.
  void begin(const World& world, double H, double step_end);
  // Absolute time of an offset from the start of the step; the end of the step exactly.
  [[nodiscard]] double at(double offset) const { return offset >= nearly_end ? end_time : time + offset; }

  // Prescribed bodies of a component at a time.
  void place_driven(const World& world, const Component& component, double when, Scratch& scratch) const;
  // All prescribed bodies at the end of the step; the state returned is a scratch one in which only they are
  // meaningful.
  const model::State& place_ends(const World& world);
  void place_all_driven(const World& world, double when, model::State& state) const;
  // Prescribed bodies of world.state at world.state.time.
  void place_start(World& world, const Component& component) const;

  // Solves the problem of the closed contacts (step_outcome.h). Memory: of modes, where static friction may break. False:
  // not certified.
  bool solve(const World& world, std::span<ContactMemory> memory = {});
  // v1 = v_free + A^-1 J' p into end and the trial, and the mean acceleration.
  void take_velocities(const World& world, const Component& component, Trial& trial);
  // Impulses, end velocities and modes of the closed contacts.
  void take_contacts(const Component& component, Trial& trial);
  // The modes that take_contacts() found are those of the first of two passes.
  void keep_first_pass(Trial& trial) const;

  StepReport report;  // of the step so far: solves, worst certificate and its solver

 private:
  bool solve_frozen();
  void place(const World& world, std::size_t body, double when, model::BodyState& state) const;
  void take_side(const World& world, std::size_t body, double when, DriveJumps::Side side,
                 model::BodyState& state) const {
    if (jumps != nullptr) jumps->take_side(world.model, body, when, side, state);
  }
  StepSolver solver_;
  std::vector<int> bodies_;  // scratch of take_velocities()
};

}  // namespace stickslip::stepping
