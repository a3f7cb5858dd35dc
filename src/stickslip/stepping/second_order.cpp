// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/second_order.h"

#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

using contact::Mode;

namespace {

constexpr double kShortest = 1e-4;        // of the step: shortest sub-step to follow a turn of slip
constexpr double kInstant = 1e-6;         // of the step: events closer than this are simultaneous
constexpr double kRounding = 1e-12;       // of the step: a remainder of the time axis, not a sub-step
constexpr double kTurnAim = 0.7;          // of the allowed turn of slip per sub-step
constexpr int kMaxEvents = 24;            // per step and component, besides impacts; then first order
constexpr int kMaxImpacts = 20000;        // with restitution, per step and component; then first order
constexpr int kMostCuts = 6;              // of a step that gains energy, then first order
constexpr int kLongestPenalty = 31;       // steps of first order after events have piled up again and again
constexpr std::size_t kCrowd = 12;        // contacts of a component from which on trials are counted:
constexpr int kManyTrials = 6;            // so many in a step, and the next steps are first order;
constexpr int kTooManyTrials = 12;        // so many, and the rest of this step as well
constexpr std::size_t kMaxContacts = 16;  // of a component: beyond, events crowd and dense projections cost too much,
constexpr std::size_t kMaxClosed = 64;    // but as long as so many are closed, impacts that rebound are worth it

constexpr int kMostParts = 8;           // of a step in which contacts run off features; beyond, the rest as it is
constexpr double kInstantOfEnd = 1e-7;  // of the step: how exactly the instant is found at which one does

bool comes_before(const Event& a, const Event& b) {
  return a.time != b.time ? a.time < b.time : a.contact < b.contact;
}

// Stable without std::stable_sort, which allocates: events of one contact stay in the order in which they happened.
void sort_by_time(std::vector<Event>& events) {
  for (std::size_t k = 1; k < events.size(); ++k)
    for (std::size_t i = k; i > 0 && comes_before(events[i], events[i - 1]); --i) std::swap(events[i], events[i - 1]);
}

// Does a contact close within the step that gives something back? Not to be ended by a first-order step then, which has
// one instant for all impacts and would cut a chain of them short.
bool rebounds_ahead(const World& world, const Component& component, double H) {
  std::size_t closed = 0;
  bool ahead = false;
  for (const ContactStart& start : component.contacts) {
    if (start.mode != Mode::Open && ++closed > kMaxClosed) return false;
    if (start.mode != Mode::Open || ahead) continue;
    const double falling = world.model.gravity.norm(), approach = -start.velocity[0];
    const double e = world.model.surfaces[index(start.contact.surface)].restitution;
    ahead = start.contact.gap < H * (approach + H * falling) &&
            rebounds(e, approach, falling, std::max(H, world.method.step));
  }
  return ahead;
}

// First order for some steps to come, and for twice as many if that did not help.
void wait_at_first_order(Component& component) {
  component.penalty = std::min(2 * component.penalty + 1, kLongestPenalty);
  component.first_order = component.penalty;
}

}  // namespace

StepReport SecondOrder::advance(World& world, double h, double end_time) {
  if (!components_.is_prepared()) components_.prepare(world);
  if (!components_.features_end()) return advance_part(world, h, end_time);
  keep(world, step_start_);
  all_events_.clear();
  StepReport report;
  report.sub_steps = 0;
  for (int part = 0; report.certified; ++part) {
    const double left = part == 0 ? h : end_time - world.state.time;
    keep(world, part_start_);
    StepReport of_part = advance_part(world, left, end_time);
    // Where first order had to help, instants to second order are of no use.
    if (of_part.certified && of_part.fallbacks == 0 && part < kMostParts &&
        ends_.find(world, components_.margin(), left))
      of_part = advance_to_end_of_feature(world, left, end_time);
    report.include(of_part);
    all_events_.insert(all_events_.end(), step_.events.begin(), step_.events.end());
    if (!(end_time - world.state.time > 1e-9 * h)) break;
  }
  if (!report.certified) put_back(world, step_start_);
  if (report.certified && world.state.time != end_time) world.state.time = end_time;
  report.events = all_events_;
  return report;
}

// From part_start_, whose end a closed contact does not reach: to the instant just after it is lost, or over all of h
// when it was not found at the start either (a pair of features that collision takes for what lies ahead).
StepReport SecondOrder::advance_to_end_of_feature(World& world, double h, double end_time) {
  const double begin = part_start_.world.state.time;
  put_back(world, part_start_);
  if (!ends_.keep_present(world, components_.margin())) return advance_part(world, h, end_time);
  double low = 0, high = h;
  while (high - low > kInstantOfEnd * h) {
    const double middle = 0.5 * (low + high);
    put_back(world, part_start_);
    const StepReport report = advance_part(world, middle, begin + middle);
    if (!report.certified) break;
    (ends_.lost_some(world, components_.margin()) ? high : low) = middle;
  }
  put_back(world, part_start_);
  if (!(high < h * (1 - kInstantOfEnd))) return advance_part(world, h, end_time);
  const StepReport report = advance_part(world, high, begin + high);
  components_.forget_forces();
  return report;
}

StepReport SecondOrder::advance_part(World& world, double h, double end_time) {
  StepReport report;
  before_.bodies = world.state.bodies;
  before_.time = world.state.time;
  step_.begin(world, h, end_time, components_.coupled());
  components_.find_contacts(world, h, step_.data.place_ends(world));
  Outcome outcome = Outcome::MoreContacts;
  while (outcome == Outcome::MoreContacts) {
    outcome = Outcome::Done;
    for (Component& component : components_.make(world)) {
      outcome = advance_component(world, component, h);
      if (outcome == Outcome::Failed) fail(world, component, report);
      if (outcome != Outcome::Done) break;
    }
    if (outcome != Outcome::MoreContacts) break;
    world.state = before_;
    world.drop_later_waypoints();
    step_.start_again();
    components_.recall(world);
  }
  report.solves = step_.data.solves;
  report.contacts = static_cast<int>(components_.contact_count());
  if (outcome == Outcome::Failed) {
    world.state = before_;
    return report;
  }
  report.residual = step_.data.residual;
  report.solver = step_.data.solver;
  report.sub_steps = step_.sub_steps;
  report.fallbacks = step_.fallbacks;
  sort_by_time(step_.events);
  report.events = step_.events;
  world.state.time = end_time;
  step_.data.place_all_driven(world, end_time, world.state);
  components_.remember(world, h);
  return report;
}

SecondOrder::Outcome SecondOrder::advance_component(World& world, Component& component, double H) {
  if ((component.first_order > 0 || component.contacts.size() > kMaxContacts) && !rebounds_ahead(world, component, H)) {
    component.first_order = std::max(0, component.first_order - 1);
    return fall_back(world, component, H);
  }
  const double h_min = kShortest * H;
  const bool crowd = component.contacts.size() > kCrowd;
  int first_solve = step_.data.solves;  // those of impacts that rebound are not counted against a crowd
  double longest = H;
  int events = 0, halvings = 0, cuts = 0, impacts = 0;
  search_.begin(H);
  while (H - component.offset > kRounding * H) {
    bool at_breakpoint = false;
    double h = next_length(component, H, longest, at_breakpoint);
    if (halvings > 0) h = std::max(h / (1 << halvings), h_min);
    const int solves_before = step_.data.solves;
    step_.run(world, component, h);
    if (!step_.trial.certified || (crowd && step_.data.solves - first_solve > kTooManyTrials))
      return give_up(world, component, H);
    if (components_.list_rim_points(world, component, step_.data, step_.trial)) return Outcome::MoreContacts;
    if (step_.gains_energy(world, component) || step_.outruns_step(world, component)) {
      if (++cuts > kMostCuts) return give_up(world, component, H);
      longest = std::max(0.25 * h, h_min);
      continue;
    }
    const Candidate event = first_event(world, component, step_.trial, H, h_min);
    if (event.turns_too_far(h)) {
      longest = std::max(h * std::clamp(kTurnAim / event.turn, 0.1, kTurnAim), h_min);
      continue;
    }
    longest = std::max(h, h_min) * std::clamp(kTurnAim / event.turn, 0.2, 3.0);
    if (event.kind == EventKind::None) {
      step_.accept(world, component, !at_breakpoint, false);
      halvings = 0;
      continue;
    }
    if (event.without_history && halvings < 2 && h > 4 * h_min) {
      ++halvings;  // two shorter steps give a line of force reserves
      continue;
    }
    halvings = 0;
    if (++events > kMaxEvents) return give_up(world, component, H);
    switch (event.kind) {
      case EventKind::Lift:
      case EventKind::Slip: search_.lift_or_slip(world, component, event, kInstant * H, step_); break;
      case EventKind::Touch:
        if (!search_.touch(world, component, event, step_)) break;
        if (++impacts > kMaxImpacts) return give_up(world, component, H);
        --events;
        first_solve += step_.data.solves - solves_before;
        if (components_.list_faster(world, component, before_, H)) return Outcome::MoreContacts;
        break;
      case EventKind::Stop: search_.stop(world, component, event, h, step_); break;
      case EventKind::None: break;
    }
    if (!step_.trial.certified) return give_up(world, component, H);
  }
  if (crowd && step_.data.solves - first_solve > kManyTrials)
    wait_at_first_order(component);
  else
    component.penalty = 0;
  return Outcome::Done;
}

// Events pile up, or a problem of this order has no answer.
SecondOrder::Outcome SecondOrder::give_up(World& world, Component& component, double H) {
  wait_at_first_order(component);
  return fall_back(world, component, H);
}

// To the end of the step, or to the next breakpoint of a drive, or as far as a turning slip allows.
double SecondOrder::next_length(const Component& component, double H, double longest, bool& at_breakpoint) const {
  const std::span<const double> breakpoints = components_.breakpoints();
  double h = H - component.offset;
  const double now = before_.time + component.offset, close = 1e-9 * H;
  const auto next = std::upper_bound(breakpoints.begin(), breakpoints.end(), now + close);
  if (next != breakpoints.end() && now + h >= *next - close) {
    at_breakpoint = true;
    if (now + h > *next + close) h = *next - now;
  }
  if (h > longest) {
    h = h < 2 * longest ? 0.5 * h : longest;
    at_breakpoint = false;
  }
  return h;
}

// Speeds at which contacts of a component that approach are to part again, into rebound_.
void SecondOrder::list_rebounds(const World& world, const Component& component, double H) {
  rebound_.assign(component.contacts.size(), 0.0);
  for (std::size_t c = 0; c < rebound_.size(); ++c) {
    const ContactStart& start = component.contacts[c];
    const double e = world.model.surfaces[index(start.contact.surface)].restitution;
    const double speed = start.velocity[0];
    if (speed < 0 && -2 * e * speed > std::max(H, world.method.step) * world.model.gravity.norm())
      rebound_[c] = -e * speed;
  }
}

SecondOrder::Outcome SecondOrder::fall_back(World& world, Component& component, double H) {
  ++step_.fallbacks;
  const double h = H - component.offset, energy = kinetic_energy(world, component);
  list_rebounds(world, component, H);
  step_.run_first_order(world, component, h);
  if (!step_.trial.certified) return Outcome::Failed;
  if (components_.list_rim_points(world, component, step_.data, step_.trial)) return Outcome::MoreContacts;
  bool owed = false;
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    const ContactTrial& out = step_.trial.contacts[c];
    ContactStart& start = component.contacts[c];
    step_.change_mode(world, start, !out.closed ? Mode::Open : out.slides ? Mode::Slide : Mode::Stick);
    // A contact that closes at the end of the step still approaches; its compression is over in the next one.
    if (!out.closed || 2 * out.u1[0] < start.velocity[0]) rebound_[c] = 0;
    owed |= rebound_[c] > 0;
  }
  step_.accept(world, component, false, true);
  component.offset = H;
  if (owed && !step_.impact.expand(world, component, rebound_, energy, step_.data)) return Outcome::Failed;
  return Outcome::Done;
}

void SecondOrder::keep(const World& world, Snapshot& kept) const {
  world.save(kept.world);
  kept.histories = components_.histories();
}

void SecondOrder::put_back(World& world, const Snapshot& kept) {
  world.restore(kept.world);
  components_.set_histories(kept.histories);
}

void SecondOrder::fail(const World& world, const Component& component, StepReport& report) {
  const contact::Island& island = step_.data.system.islands()[0];
  report.certified = false;
  report.residual = island.summary.residual.error;
  report.solver = island.summary.solver;
  failure_.time = world.state.time;
  failure_.contacts.clear();
  for (int c : step_.data.closed) failure_.contacts.push_back(component.contacts[index(c)].contact.id);
  failure_.problem = island.problem;
  failure_.residual = report.residual;
  failure_.solver = report.solver;
}

}  // namespace stickslip::stepping
