// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/event_search.h"

#include "stickslip/stepping/corner_pass.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {

using contact::Mode;

namespace {

// Touch: where the search for the instant ends, and which contacts take part in the impact.
constexpr double kRootGap = 1e-13;    // of the gap to close and of what closes within the step
constexpr double kSameTime = 1e-14;   // of the step: trials whose lengths rounding hardly tells apart
constexpr double kTakesPart = 1e-10;  // of the gap that was closed: trials are compared, not exact
// Stop and reversal of slip; all but the last are shares of the slip speed at the start.
constexpr double kForward = 1e-14;    // slip that has not reversed
constexpr double kStuck = 1e-9;       // slip of a contact that sticks: solves leave so much
constexpr double kNoReserve = 1e-12;  // a reserve of friction that is zero
constexpr double kReversal = 1e-10;   // slip at the instant of its reversal
constexpr double kBracket = 1e-13;    // of the sub-step: a bracket that is not shortened further

constexpr double kMeet = 1e-3;  // of the path of a contact in the step: corners that pass are at one place

// At the end of the trial a corner touches: where one of the other body, on which this one bears, passes it?
bool passes_corner(const World& world, const Component& component, const Trial& trial, std::size_t who, double H) {
  const int D = world.model.dimension;
  const collision::Contact& open = trial.contacts[who].contact;
  const double reach = kMeet * H * tangential_norm(trial.contacts[who].u1, D);
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    if (component.contacts[c].mode == Mode::Open) continue;
    const collision::Contact& closed = trial.contacts[c].contact;
    if (may_pass(open.id, closed.id, D) && (open.point_a - closed.point_a).norm() <= reach) return true;
  }
  return false;
}

constexpr double kEndsOfStep = 1e-6;  // of the step: touches closer to its ends do not end it anew

double tangential_response(const ContactTrial& c, int D) {
  return D == 2 ? c.g[1] : std::max(c.g[1], c.g[2]);
}

}  // namespace

// True when something rebounds.
bool EventSearch::touch(World& world, Component& component, const EventCandidate& event, ComponentStep& step) {
  constexpr int kMost = 100;
  Touching touching{.who = index(event.contact), .tau = event.tau};
  if (rests_open(world, component.contacts[touching.who])) {  // it lifted at this very instant: complementarity decides
    step.change_mode(world, component.contacts[touching.who], Mode::Slide);
    component.contacts[touching.who].just_changed = false;
    drop_histories(component);
    return false;
  }
  // Instants are ordered by estimates at first: another contact may have come in before this one.
  for (int k = 0; k < kMost; ++k) {
    if (!search_touch(world, component, touching, step)) return false;
    if (touching.tau == 0) break;
    const EventCandidate earlier = first_touch(world, component, step.trial);
    if (earlier.kind == EventKind::None || index(earlier.contact) == touching.who) break;
    touching = {.who = index(earlier.contact), .tau = earlier.tau};
  }
  if (passes_corner(world, component, step.trial, touching.who, H_)) {
    component.contacts[touching.who].passes = true;
    return false;
  }
  if (touches_nothing(world, touching, component, step)) {
    const double at = component.offset + touching.tau;
    if (beyond_ends_ == BeyondEnds::EndStep && at > kEndsOfStep * H_ && at < (1 - kEndsOfStep) * H_) {
      beyond_.ends_at = at;
      return false;
    }
    const collision::ContactId& id = component.contacts[touching.who].contact.id;
    component.contacts[touching.who].passes = true;
    beyond_.left_out.emplace_back(id.body_a, id.body_b);
    return false;
  }
  step.next.end = SubStepEnd::Touch;
  step.next.contact = static_cast<int>(touching.who);
  if (touching.tau > 0 && !step.accept_event(world, component)) return false;
  const double closed = touching.noise + kTakesPart * touching.gap;
  if (touching.passes && component.contacts[touching.who].contact.gap > 10 * closed) return false;  // without touching

  choose_restitution(world, component, touching.who, closed, touching.falling);
  modes_.clear();
  for (const ContactStart& contact : component.contacts) modes_.push_back(contact.mode);
  step.note_impact(world, component, restitution_);
  step.trial.certified = step.impact.resolve(world, component, restitution_, step.data);
  step.note_after_impact(world, component);
  note_impact(world, component, step);
  drop_histories(component);
  return std::ranges::any_of(restitution_, [](double e) { return e > 0; });
}

// At the instant that was found last: beyond the end of a face? Bodies that hardly come closer are not asked: points far off
// in the plane of a face on which something bears touch that plane by rounding, and nothing follows from it.
bool EventSearch::touches_nothing(const World& world, const Touching& touching, const Component& component,
                                  const ComponentStep& step) const {
  if (beyond_ends_ == BeyondEnds::Touch) return false;
  const collision::ContactId& id = component.contacts[touching.who].contact.id;
  const double velocity =
      touching.tau == 0 ? component.contacts[touching.who].velocity[0] : step.trial.contacts[touching.who].u1[0];
  if (!(-velocity * H_ > places_->noise(id.body_a, id.body_b))) return false;
  if (touching.tau == 0) return !places_->is_on_bodies(component.contacts[touching.who].contact, world.state);
  return !places_->is_on_bodies(step.trial.contacts[touching.who].contact, step.data.end.state);
}

// Within step.trial, in which the contact closes: leaves there the sub-step that ends where its gap is zero. False
// when a trial was not certified.
bool EventSearch::search_touch(World& world, Component& component, Touching& touching, ComponentStep& step) const {
  const ContactStart& start = component.contacts[touching.who];
  const ContactTrial& out = step.trial.contacts[touching.who];
  const double gap0 = std::max(0.0, start.contact.gap), speed0 = start.velocity[0];
  touching.gap = gap0;
  touching.noise = kInstantGapNoise * (out.contact.point_a.lpNorm<1>() + out.contact.point_b.lpNorm<1>());
  touching.passes = out.contact.gap >= 0;
  double low = 0, high = touching.passes ? out.met : step.trial.h;
  double& tau = touching.tau;
  // Acceleration towards each other. Bodies that pass at an angle lose approach without any: they part for good.
  touching.falling = std::max(0.0, speed0 - out.u1[0]) / step.trial.h;
  if (gap0 <= touching.noise && tau <= 1e-6 * step.trial.h) tau = 0;
  for (int iteration = 0; tau > 0 && iteration < 20; ++iteration) {
    step.run(world, component, tau);
    if (!step.trial.certified) return false;
    const double gap = out.contact.gap, speed = out.u1[0];
    touching.falling = std::max(0.0, speed0 - speed) / tau;
    if (std::fabs(gap) <= touching.noise + kRootGap * (gap0 + std::fabs(speed) * H_)) break;
    (gap > 0 ? low : high) = tau;
    double next = speed < 0 ? tau - gap / speed : 0.5 * (low + high);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::fabs(next - tau) < kSameTime * H_) break;
    tau = next;
  }
  return true;
}

// Of the contacts that take part in the impact; -1: does not. A rebound whose flight would be shorter than the step is
// left out, and so is one that is by far the weakest of many: bodies that come to rest against each other do so in a
// sequence of ever weaker impacts that has an end in time (inelastic collapse), also where nothing falls.
void EventSearch::choose_restitution(const World& world, const Component& component, std::size_t who, double gap,
                                     double falling) {
  constexpr double kCollapsed = 1e-9;  // of the hardest impact
  restitution_.assign(component.contacts.size(), -1.0);
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    const ContactStart& contact = component.contacts[c];
    const bool touches = c == who || (contact.mode == Mode::Open && !contact.passes && contact.contact.gap <= gap &&
                                      contact.velocity[0] < 0);
    if (!touches) continue;
    const double e = world.model.surfaces[index(contact.contact.surface)].restitution;
    const double approach = std::fabs(contact.velocity[0]);
    hardest_ = std::max(hardest_, approach);
    const bool last = 2 * e * approach < std::max(H_, world.method.step) * falling || approach < kCollapsed * hardest_;
    restitution_[c] = last ? 0.0 : e;
  }
}

// The events of an impact, from modes_ before it.
void EventSearch::note_impact(const World& world, const Component& component, ComponentStep& step) const {
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    const ContactStart& contact = component.contacts[c];
    if (contact.mode != modes_[c]) {
      step.events.push_back({world.state.time, contact.contact.id, modes_[c], contact.mode});
    } else if (contact.mode == Mode::Open && restitution_[c] >= 0) {  // it bounced: touched and left
      step.events.push_back({world.state.time, contact.contact.id, Mode::Open, Mode::Slide});
      step.events.push_back({world.state.time, contact.contact.id, Mode::Slide, Mode::Open});
    }
  }
}

// All contacts whose slip ends within the trial are given the end law together: a body on several points stops as a
// whole, and how its points share the load is not unique, so only the sum of their reserves tells whether friction can
// hold.
void EventSearch::stop(World& world, Component& component, const EventCandidate& event, double h, ComponentStep& step) {
  const int D = world.model.dimension;
  stopping_.clear();
  for (std::size_t c = 0; c < component.contacts.size(); ++c)
    if (static_cast<int>(c) == event.contact || slip_crosses(component.contacts[c], step.trial.contacts[c], D))
      stopping_.push_back(static_cast<int>(c));
  if (stopping_.size() == 1 && reverse(world, component, event.contact, event.tau, h, step)) return;
  if (!step.trial.certified) return;
  for (int c : stopping_) component.contacts[index(c)].end_law = true;
  const bool found = search_stop(world, component, event.tau, h, step);
  if (!found && step.trial.certified) step.run(world, component, 0.5 * h);
  for (int c : stopping_) component.contacts[index(c)].end_law = false;
  step.next.end = found ? SubStepEnd::Stop : SubStepEnd::Length;
  if (!found) step.next.length.fixed *= 0.5, step.next.length.part *= 0.5;
  step.next.stopping = stopping_;
  if (!step.trial.certified || !step.accept_event(world, component)) return;
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    ContactStart& contact = component.contacts[c];
    const bool listed = std::find(stopping_.begin(), stopping_.end(), static_cast<int>(c)) != stopping_.end();
    if (!listed || contact.mode != Mode::Slide) continue;
    if (!found && step.trial.contacts[c].slides) continue;  // turned by more than a right angle without stopping
    step.change_mode(world, contact, step.trial.contacts[c].closed ? Mode::Stick : Mode::Open);
    contact.velocity[1] = contact.velocity[2] = 0;
  }
}

// Sum over the stopping contacts of G (mu p_n - |p_t|) - |u_t1|; continued past the cone so that secants see a slope.
double EventSearch::stop_reserve(const World& world, const Component& component, const Trial& trial,
                                 bool& stuck) const {
  const int D = world.model.dimension;
  double sum = 0;
  stuck = true;
  for (int i : stopping_) {
    const ContactStart& start = component.contacts[index(i)];
    const ContactTrial& c = trial.contacts[index(i)];
    const double mu = world.model.surfaces[index(start.contact.surface)].friction_kinetic;
    const double s0 = tangential_norm(start.velocity, D), g = tangential_response(c, D);
    const double along = tangential_dot(c.u1, start.velocity, D) / s0,
                 push = tangential_dot(c.p, start.velocity, D) / s0;
    if (along >= -kForward * s0 && push <= 0)
      sum += g * (mu * c.p[0] - tangential_norm(c.p, D)) - (c.slides ? tangential_norm(c.u1, D) : 0.0);
    else
      sum += g * (mu * c.p[0] + push) - along;
    stuck &= !c.slides || tangential_norm(c.u1, D) <= kStuck * s0;
  }
  return sum;
}

// Leaves in step.trial the shortest sub-step after which all stopping contacts stick. False when there is none within
// h.
bool EventSearch::search_stop(World& world, Component& component, double tau, double h, ComponentStep& step) const {
  double s0 = 0;
  for (int c : stopping_) s0 += tangential_norm(component.contacts[index(c)].velocity, world.model.dimension);
  constexpr double kPrecise = 1e-6;  // of the slip speed: the root is approached from the side where friction holds
  double low = 0, high = h, f_low = -s0, f_high = 0;
  bool bracketed = false, found = false;
  for (int iteration = 0; iteration < 30; ++iteration) {
    step.run(world, component, tau);
    if (!step.trial.certified) return false;
    bool stuck = false;
    const double f = stop_reserve(world, component, step.trial, stuck);
    if (f >= 0) {
      high = tau, f_high = f, bracketed = true;
      if (stuck) {
        std::swap(step.trial, step.best);
        found = true;
        if (f <= kPrecise * s0) break;
      }
    } else {
      low = tau, f_low = f;
      if (f > -kNoReserve * s0) {
        std::swap(step.trial, step.best);
        found = true;
        break;
      }
    }
    if (!bracketed) {
      if (tau >= h) break;
      const double rate = low > 0 ? (f_low + s0) / low : 0.0;
      tau = std::min(h, low > 0 && rate > 0 ? low + 2 * -f_low / rate + kTimeNoise * h : h);
      continue;
    }
    if (high - low < kBracket * h) break;
    double next = low + (high - low) * (-f_low + 0.25 * kPrecise * s0) / (f_high - f_low);
    if (!(next > low && next < high) || (iteration > 6 && iteration % 2 == 1)) next = 0.5 * (low + high);
    tau = next;
  }
  if (found) std::swap(step.trial, step.best);
  return found;
}

bool EventSearch::reverse(World& world, Component& component, int c, double tau, double h, ComponentStep& step) {
  const int D = world.model.dimension;
  const auto who = index(c);
  const ContactStart& start = component.contacts[who];
  const double mu = world.model.surfaces[index(start.contact.surface)].friction_static;
  const double s0 = tangential_norm(start.velocity, D);
  double d0[3] = {}, push[3] = {};
  for (int k = 1; k < D; ++k) d0[k] = start.velocity[k] / s0;
  step.run(world, component, tau);
  if (!step.trial.certified) return false;
  const ContactTrial& out = step.trial.contacts[who];
  const double g = tangential_response(out, D);
  for (int k = 1; k < D; ++k) push[k] = out.u1[k] - start.velocity[k] - g * out.p[k];
  if (tangential_norm(push, D) <= g * mu * out.p[0]) return false;  // friction can hold it

  double low = 0, high = h, f_low = s0, f_high = 0;
  bool bracketed = false;
  for (int iteration = 0; iteration < 8; ++iteration) {
    const double f = tangential_dot(step.trial.contacts[who].u1, d0, D);
    if (std::fabs(f) <= kReversal * s0) break;
    if (f > 0)
      low = tau, f_low = f;
    else
      high = tau, f_high = f, bracketed = true;
    const double next = bracketed ? low + (high - low) * f_low / (f_low - f_high) : std::min(h, tau * s0 / (s0 - f));
    if (!(next > low && next <= high) || next == tau) break;
    tau = next;
    step.run(world, component, tau);
    if (!step.trial.certified) return false;
  }
  step.next.end = SubStepEnd::Reversal;
  step.next.contact = c;
  if (!step.accept_event(world, component)) return false;
  component.contacts[who].just_changed = true;
  return true;
}

void EventSearch::lift_or_slip(World& world, Component& component, const EventCandidate& event, double instant,
                               ComponentStep& step) {
  if (event.tau > instant) {
    step.next.end = SubStepEnd::Reserve;
    step.next.contact = event.contact;
    step.next.lifts = event.kind == EventKind::Lift;
    refine(world, component, event, instant, step);
    if (!step.trial.certified || !step.accept_event(world, component)) return;
  }
  ContactStart& contact = component.contacts[index(event.contact)];
  step.change_mode(world, contact, event.kind == EventKind::Lift ? Mode::Open : Mode::Slide);
  if (event.kind == EventKind::Slip) contact.velocity[1] = contact.velocity[2] = 0;  // it stuck until now
  contact.just_changed = true;
  drop_histories(component);
}

// Leaves in step.trial the sub-step that ends at the event. If the solver had already let go, the reserve was only an
// estimate (it takes the contact alone): a trial to the estimated instant gives a true one, and with it a better
// instant.
void EventSearch::refine(World& world, Component& component, const EventCandidate& event, double instant,
                         ComponentStep& step) {
  const ContactStart& start = component.contacts[index(event.contact)];
  const ContactTrial& out = step.trial.contacts[index(event.contact)];
  const model::Surface& surface = world.model.surfaces[index(start.contact.surface)];
  const double longest = step.trial.h;
  const bool let_go = event.kind == EventKind::Lift ? !out.closed : out.slides || !out.closed;
  double tau = event.tau;
  if (!let_go && tau > longest - instant) return;
  for (int round = 0; round < 4; ++round) {
    if (step.tape != nullptr) step.next.trials.push_back(step.trial);
    step.run(world, component, tau);
    if (!step.trial.certified || !let_go || !start.margins_known) return;
    const Margins margins = force_margins(out, surface.friction_static, tau, world.model.dimension);
    const bool lift = event.kind == EventKind::Lift;
    const double now = lift ? margins.normal : margins.tangential, before = lift ? start.margin_n : start.margin_t;
    const double slope = (now - before) / (start.margin_age + 0.5 * tau);
    if (!(slope < 0)) return;
    const double next = std::clamp(0.5 * tau - now / slope, 0.0, longest);
    if (std::fabs(next - tau) <= instant || next <= instant) return;
    tau = next;
  }
}

}  // namespace stickslip::stepping
