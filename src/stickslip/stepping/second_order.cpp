// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/second_order.h"

#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

namespace {

constexpr int kMostParts = 8;  // of a step in which contacts run off features; beyond, the rest as it is

bool comes_before(const Event& a, const Event& b) {
  return a.time != b.time ? a.time < b.time : a.contact < b.contact;
}

// Stable without std::stable_sort, which allocates: events of one contact stay in the order in which they happened.
void sort_by_time(std::vector<Event>& events) {
  for (std::size_t k = 1; k < events.size(); ++k)
    for (std::size_t i = k; i > 0 && comes_before(events[i], events[i - 1]); --i) std::swap(events[i], events[i - 1]);
}

// Kinetic, and that of a fall through the radius of gyration.
double energy_in_play(const World& world) {
  double energy = 0;
  for (std::size_t b = 0; b < world.model.bodies.size(); ++b) {
    if (!world.traits[b].movable) continue;
    const model::Body& body = world.model.bodies[b];
    const model::BodyState& state = world.state.bodies[b];
    energy += 0.5 * body.mass * state.velocity.linear.squaredNorm();
    if (!body.rotates()) continue;
    const Vec3& w = state.velocity.angular;
    energy += 0.5 * w.dot(contact::angular_momentum(body, state.pose.orientation, w)) +
              body.mass * world.model.gravity.norm() * std::sqrt(body.inertia.diagonal().maxCoeff() / body.mass);
  }
  return energy;
}

}  // namespace

void SecondOrder::prepare(World& world) {
  components_.prepare(world);
  run_.prepare(world, components_);
  pool_.forget();
  drive_jumps_.prepare(world.model, world.method.step);
  run_.step.data.jumps = drive_jumps_.empty() ? nullptr : &drive_jumps_;
  for (std::size_t b = 0; b < world.model.bodies.size(); ++b)
    drive_jumps_.take_side(world.model, b, world.state.time, DriveJumps::Side::After, world.state.bodies[b]);
  if (components_.features_end()) places_.prepare(world.model);
  run_.search.set_beyond_ends(EventSearch::BeyondEnds::Touch, places_);
}

StepReport SecondOrder::advance(World& world, double h, double end_time) {
  if (!components_.is_prepared()) prepare(world);
  if (run_.step.tape != nullptr) run_.step.tape->begin_step();
  if (!components_.features_end() && drive_jumps_.empty()) return advance_part(world, h, end_time);
  keep(world, step_start_);
  all_events_.clear();
  StepReport report;
  report.sub_steps = 0;
  for (int part = 0; report.certified;) {
    const bool follow_ends = components_.features_end() && part < kMostParts;
    double until = drive_jumps_.next(world.state.time, end_time);
    const double jump = until;
    double left = until < end_time || world.state.time != step_start_.state().time ? until - world.state.time : h;
    keep(world, part_start_);
    StepReport of_part = follow_ends ? advance_to_new_contacts(world, left, until) : advance_part(world, left, until);
    // Where first order had to help, instants to second order are of no use.
    if (follow_ends && of_part.certified && of_part.fallbacks == 0 && !moving_.empty() && located_ &&
        ends_.find(world, components_.margin(), left))
      of_part = advance_to_end_of_feature(world, left, until);
    run_.search.set_beyond_ends(EventSearch::BeyondEnds::Touch, places_);
    report.include(of_part);
    all_events_.insert(all_events_.end(), run_.step.events.begin(), run_.step.events.end());
    if (of_part.certified && world.state.time == jump && drive_jumps_.is_at(jump))
      components_.follow_jump(world);
    else
      ++part;
    if (!(end_time - world.state.time > 1e-9 * h)) break;
  }
  if (!report.certified) put_back(world, step_start_);
  if (report.certified && world.state.time != end_time) world.state.time = end_time;
  report.events = all_events_;
  return report;
}

// To the end of a step of length h, or to the first instant at which something comes down to the plane of a face beyond
// its end: h and end_time are then that. A contact that is listed there again is left out, as long as its bodies stay
// apart.
StepReport SecondOrder::advance_to_new_contacts(World& world, double& h, double& end_time) {
  using BeyondEnds = EventSearch::BeyondEnds;
  const double begin = world.state.time;
  BeyondEnds what = BeyondEnds::EndStep;
  for (int k = 1;; ++k) {
    run_.search.set_beyond_ends(what, places_);
    const StepReport report = advance_part(world, h, end_time);
    if (run_.search.ends_at() > 0) {
      h = run_.search.ends_at();
      end_time = begin + h;
      if (k >= kMostParts) what = BeyondEnds::LeaveOut;
    } else if (report.certified && what != BeyondEnds::Touch && overlap_where_left_out(world)) {
      what = BeyondEnds::Touch;
    } else {
      run_.search.set_beyond_ends(what == BeyondEnds::Touch ? what : BeyondEnds::LeaveOut, places_);
      return report;
    }
    put_back(world, part_start_);
  }
}

bool SecondOrder::overlap_where_left_out(const World& world) {
  return std::ranges::any_of(run_.search.left_out(), [&](const std::pair<int, int>& pair) {
    const auto& [a, b] = pair;
    return places_.overlap(world.state, a, b) > places_.overlap(part_start_.state(), a, b) + places_.noise(a, b);
  });
}

void SecondOrder::note_begin(const World& world, double h, double end_time) {
  SubStepTape& tape = *run_.step.tape;
  if (drive_jumps_.is_at(world.state.time) || drive_jumps_.is_at(end_time))
    tape.refusal = "the velocity of a prescribed body jumped";
  if (++tape.parts > 1 && *tape.refusal == '\0') tape.refusal = "a contact ran off the end of a face within a step";
  tape.begin = world.state.time;
  tape.length = h;
  tape.end = end_time;
  tape.start = world.state;
}

StepReport SecondOrder::advance_to_end_of_feature(World& world, double h, double end_time) {
  const StepReport report = ends_.advance_to_loss(
      world, components_.margin(), h, end_time,
      [&](double length, double end) { return advance_part(world, length, end); },
      [&] { put_back(world, part_start_); });
  if (world.state.time < end_time) components_.forget_forces();
  return report;
}

StepReport SecondOrder::advance_part(World& world, double h, double end_time) {
  StepReport report;
  before_.bodies = world.state.bodies;
  before_.time = world.state.time;
  run_.begin_part(world, before_, h, end_time);
  TrialData& data = run_.step.data;
  if (run_.step.tape != nullptr) note_begin(world, h, end_time);
  components_.find_contacts(world, h, data.place_ends(world));
  Components::EnergyAccount& account = components_.energy();
  account.scale = std::max(account.scale, energy_in_play(world));
  Outcome outcome = Outcome::MoreContacts;
  while (outcome == Outcome::MoreContacts) {
    outcome = advance_components(world, h, end_time, report);
    if (outcome != Outcome::MoreContacts) break;
    world.state = before_;
    world.drop_later_waypoints();
    run_.step.start_again();
    components_.list_more(world, before_, h, run_.request());
    components_.recall(world);
  }
  report.solves = data.report.solves;
  report.contacts = static_cast<int>(components_.contact_count());
  if (outcome == Outcome::Failed || outcome == Outcome::EndsEarlier) {
    world.state = before_;
    return report;
  }
  account.excess = std::max(0.0, account.excess + gained_);
  report.residual = data.report.residual;
  report.solver = data.report.solver;
  report.sub_steps = run_.step.sub_steps;
  report.fallbacks = run_.step.fallbacks;
  sort_by_time(run_.step.events);
  report.events = run_.step.events;
  world.state.time = end_time;
  data.place_all_driven(world, end_time, world.state);
  components_.remember(world, h);
  return report;
}

// All of them that do not rest, up to the first that does not reach the end of the part.
SecondOrder::Outcome SecondOrder::advance_components(World& world, double h, double end_time, StepReport& report) {
  StepReport& worst = run_.step.data.report;
  const std::span<Component> all = components_.make(world);
  const auto may_rest = [&](const Component& component) {
    return world.method.rest == RestingStep::Skipped && run_.step.tape == nullptr && !component.pushed;
  };
  moving_.clear();
  for (std::size_t k = 0; k < all.size(); ++k)
    if (!may_rest(all[k]) || !resting_.take(world, all[k], h, worst)) moving_.push_back(k);
  gained_ = 0;
  located_ = true;
  run_.share_energy(static_cast<int>(moving_.size()));
  const bool at_once = run_.step.tape == nullptr && pool_.pays(world, components_, all, moving_);
  if (at_once) pool_.advance(world, all, moving_, run_, before_, h, end_time);
  for (std::size_t k = 0; k < moving_.size(); ++k) {
    Component& component = all[moving_[k]];
    const double residual = worst.residual;
    const char* const solver = worst.solver;
    worst.residual = 0;
    const Outcome outcome = at_once ? pool_.take(k, all, world, run_) : run_.advance(world, component, h);
    if (may_rest(component) && outcome == Outcome::Done) resting_.note_end(world, component, worst);
    if (residual > worst.residual) worst.residual = residual, worst.solver = solver;
    gained_ += run_.gained();
    located_ = located_ && run_.located();
    if (outcome == Outcome::Failed && at_once) pool_.failed(k, report, failure_);
    if (outcome == Outcome::Failed && !at_once) run_.fail(world, component, report, failure_);
    if (outcome != Outcome::Done) return outcome;
  }
  return Outcome::Done;
}

void SecondOrder::keep(const World& world, Start& start) const {
  start.keep(world) = components_.histories();
}

void SecondOrder::put_back(World& world, const Start& start) {
  components_.set_histories(start.put_back(world));
}

}  // namespace stickslip::stepping
