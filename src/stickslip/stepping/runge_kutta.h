// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The stepper for visco-elastic contacts at high order: Dormand and Prince's Runge-Kutta formula of order 5 with its
// error estimate of order 4 (1980), over parts of the step that end where a contact touches, parts, sticks or slips.
//
//     while the step is not over:
//       part of length h from the start of the part, every contact in its mode               compliant_flow.h
//       error above the tolerance?          shorten h and try again
//       a reserve negative at its end?      search the instant at which the first one vanishes, end the part there,
//                                           change that contact's mode
//       accept; the error decides the next h
//
// Song-Pang-Kumar's step (euler_stepper.h) solves the same contact law with backward Euler, whose damping is of the
// order of h: a restitution of 0.8 becomes 0.7 with fifty steps in the impact. Here a dozen parts give it to eight
// digits, and since every change of mode is located, the end of a run is a smooth function of its start.
//
// The contact law holds by construction (forces are functions of the state); what a step certifies is that no contact
// is out of its mode at the end: penetration of an open one, pull of a closed one, friction beyond its bound, each
// relative to what it is made of.
//
// Symbol   variable    meaning
//   h      length_     of the next part, as the error estimate has it; kept from step to step
//   k_i    stage_
//
// Cost: 7 evaluations per part, and 7 per iteration of a search. Parts are limited by stability to about 3 / (C W) for
// stiff dampers; a step of more than kMostParts is not certified.
#pragma once

#include "stickslip/stepping/flow_tape.h"
#include "stickslip/stepping/stepper.h"

#include <optional>

namespace stickslip::stepping {

class RungeKutta final : public Stepper {
 public:
  StepReport advance(World& world, double h, double end_time) override;
  void save(ByteWriter& out) const override;
  void restore(ByteReader& in) override;

  // Why a model cannot be stepped in this way; empty when it can.
  [[nodiscard]] static std::string objection_to(const model::Model& model);

  // Parts of later steps are noted there. Null: nowhere.
  void record(FlowTape* tape) { tape_ = tape; }
  // A part again, over tau from the state of the world: with its contacts in their modes, and what their layers keep
  // from before given. Of a stepper that takes no steps.
  void repeat(World& world, const FlowPart& part, std::span<const Vec3> shear, std::span<const double> deformation,
              double tau, FlowEnd& end);

 private:
  // A reserve that is negative at the end of a part.
  struct Violation {
    int contact = -1;  // -1: none
    bool grip = false;
    double before = 0, after = 0;
    [[nodiscard]] double estimate() const { return before > 0 ? before / (before - after) : 0.0; }
    [[nodiscard]] bool same(const Violation& other) const { return contact == other.contact && grip == other.grip; }
  };

  void prepare(World& world, double h);
  void find_contacts(World& world, double h);
  void take_memory(World& world);
  std::string cross(World& world, double h, double end_time, StepReport& report);
  void start_part(World& world);
  [[nodiscard]] double to_breakpoint(double now, double rest, double h) const;
  [[nodiscard]] double next_length(double now, double rest, double h, bool& cut) const;
  double part(double h, double step);
  [[nodiscard]] Violation first_violation() const;
  double locate(const Violation& violation, double h, double step);
  void note(const World& world, const Violation& event, double now, double rest, double tau, double h);
  void accept(World& world, double time, double h);
  void change_mode(World& world, const Violation& violation);
  [[nodiscard]] double law_error() const;
  void remember(World& world, double h);
  void fail(const World& world, std::string reason);

  std::optional<CompliantFlow> flow_;
  std::vector<collision::Contact> contacts_;
  std::vector<ContactMemory> memory_;
  std::vector<FlowContact> modes_;
  std::vector<Reserves> at_start_;
  std::vector<Vec3> force_at_start_, impulse_;  // impulse_: of the part
  Eigen::VectorXd y_, end_, error_, shear_, stage_[7];
  std::vector<Event> events_;
  std::vector<double> breakpoints_;
  model::State before_;
  double length_ = 0, acceleration_ = 0;
  FlowTape* tape_ = nullptr;
  bool dipped_ = false;  // an open contact was closed within the part, whatever it is at its end
};

}  // namespace stickslip::stepping
