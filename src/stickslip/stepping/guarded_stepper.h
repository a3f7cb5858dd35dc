// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Any stepper, with a watch on what happens between the ends of its steps: no body passes through another.
//
//     advance: step; did a pair of bodies overlap on the way (sweep.h)? accept if not
//              else from the start again, up to the instant at which they do: the gap is negative at the end of that
//                part, and the stepper finds what it had missed; if it does not, half as far, and half again;
//              then the rest of the step in the same way
//
// A prescribed body that moves by more than its thickness within the step, next to something free, is followed in parts
// from the start (Sweep::length_for_drives), by steppers that look for its contacts where it will be at the end.
//
// Contacts are looked for at the velocities of the start. A body that an impact of the same step turns may come to what
// was out of reach, and sink in; a drive may push a corner so deep into what stands beside it that another face of that
// is nearer, over which nothing is to be pushed out. So where a pair overlaps after a step by more than
//
//     d = 1 % of the thinner body + s^2 / thickness,     s: how far it moves in the step (the audit's measure)
//
// and by d / 4 more than before, the step is taken in halves, quarters ... down to kShortestSunk. Discs and balls that
// are driven or meet a drive are left out: their centres stay outside. Surfaces that give way may overlap as far as a
// contact knows of it; what is deeper would be energy from nowhere in the next step: another part of the same two bodies,
// which the contacts found at the start do not follow (a cylinder that stands on one corner of a box and turns onto another).
// Twice what its weight presses a body in is left to it.
//
// A step in which something is fast and that no solver certified is divided in halves in the same way.
//
// The parts are steps of the same stepper, each certified on its own. StepReport::divisions counts the cuts. Where
// something passes in a part as short as kShortest of the run's step too, the step is not certified. After bounded work
// the rest of a step is taken in one part, counted in StepReport::passages; if something passes in it, it is not either.
//
// Impacts within a step bend the paths of bodies: steppers note where (World::waypoints).
//
// Cost: nothing where no pair can ever pass (Sweep::is_needless: points on planes), two comparisons per moving body
// where nothing moves fast against its thickness (Sweep::is_calm; where several bodies are free, one may hit another:
// Sweep::is_still; the same beside surfaces that give way, where stiffness makes much of little). Otherwise a copy of the state and the contacts, the test, and the depth of each pair whose boxes
// overlap. A step with d cuts costs about 2 d more.
#pragma once

#include "stickslip/collision/overlaps.h"
#include "stickslip/collision/sweep.h"
#include "stickslip/stepping/rollback.h"
#include "stickslip/stepping/stepper.h"

#include <optional>

namespace stickslip::stepping {

class GuardedStepper final : public Stepper {
 public:
  explicit GuardedStepper(std::unique_ptr<Stepper> inner) : inner_(std::move(inner)) {}
  StepReport advance(World& world, double h, double end_time) override;
  void save(ByteWriter& out) const override { inner_->save(out); }
  void restore(ByteReader& in) override { inner_->restore(in); }
  [[nodiscard]] Stepper& inner() { return *inner_; }

 private:
  using Start = Rollback<ByteWriter>;  // with the bytes of the stepper inside

  void prepare(const World& world);
  [[nodiscard]] double longest_part(const World& world, double h) const;
  void keep(const World& world, Start& start) const;
  void put_back(World& world, const Start& start);
  StepReport advance_inner(World& world, double h, double end_time);
  [[nodiscard]] collision::Passage passage_since(const World& world, const model::State& start);
  // Did a pair of bodies sink into each other since then?
  [[nodiscard]] bool sank_in(const World& world, const model::State& start);
  [[nodiscard]] bool sank_in(const World& world, const model::State& start, int a, int b);
  [[nodiscard]] bool deforms(const World& world, int a, int b) const;
  [[nodiscard]] static double pressed_by_weight(const World& world, int a, int b);
  [[nodiscard]] double known_depth(const World& world, int a, int b);
  StepReport advance_divided(World& world, double h, double end_time, double first_cut);
  bool refuse(const World& world, const collision::Passage& passage);  // false, and failure_ says why
  bool advance_part(World& world, double end_time, double length, StepReport& total);

  std::unique_ptr<Stepper> inner_;
  std::optional<collision::Sweep> sweep_;
  std::optional<collision::Overlaps> overlaps_;
  int movable_ = 0;              // bodies that are
  bool always_watched_ = false;  // forces or drives may speed bodies up within a step
  bool limits_drives_ = false;   // drives must not move far in one part
  bool compliant_ = false;       // surfaces give way
  Start step_start_, part_start_;
  std::vector<std::uint8_t> pressed_, round_;  // of contacts; of bodies: discs and balls only
  std::vector<Event> events_;
  std::vector<collision::Contact> of_pair_;
};

}  // namespace stickslip::stepping
