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
constexpr int kDear = 6;                  // so many in a step, and the next steps are first order;
constexpr int kTooDear = 12;              // so many, and the rest of this step as well
constexpr std::size_t kMaxContacts = 16;  // of a component: beyond, events crowd and dense projections cost too much,
constexpr std::size_t kMaxClosed = 64;    // but as long as so many are closed, impacts that rebound are worth it

bool comes_before(const Event& a, const Event& b) {
  return a.time != b.time ? a.time < b.time : a.contact < b.contact;
}

}  // namespace

StepReport SecondOrder::advance_part(World& world, double h, double end_time) {
  StepReport report;
  before_.bodies = world.state.bodies;
  before_.time = world.state.time;
  events_.clear();
  sub_steps_ = fallbacks_ = 0;
  trials_.reset_counters();
  trials_.begin(world, h, end_time);
  find_contacts(world, h);
  rounds_ = 0;
  Outcome outcome = Outcome::MoreContacts;
  while (outcome == Outcome::MoreContacts) {
    make_components(world);
    outcome = Outcome::Done;
    for (std::size_t k = 0; k < component_count_ && outcome == Outcome::Done; ++k) {
      outcome = advance_component(world, components_[k], h);
      if (outcome == Outcome::Failed) fail(world, components_[k], report);
    }
    if (outcome != Outcome::MoreContacts) break;
    world.state = before_;
    world.drop_later_waypoints();
    events_.clear();
    sub_steps_ = fallbacks_ = 0;
    recall(world);
  }
  report.solves = trials_.solves();
  report.contacts = static_cast<int>(contacts_.size());
  if (outcome == Outcome::Failed) {
    world.state = before_;
    return report;
  }
  report.residual = trials_.residual();
  report.solver = trials_.solver();
  report.sub_steps = sub_steps_;
  report.fallbacks = fallbacks_;
  // Stable without std::stable_sort, which allocates: events of one contact stay in the order in which they happened.
  for (std::size_t k = 1; k < events_.size(); ++k)
    for (std::size_t i = k; i > 0 && comes_before(events_[i], events_[i - 1]); --i)
      std::swap(events_[i], events_[i - 1]);
  report.events = events_;
  world.state.time = end_time;
  trials_.place_all_driven(world, end_time, world.state);
  remember(world, h);
  return report;
}

SecondOrder::Outcome SecondOrder::advance_component(World& world, Component& component, double H) {
  if ((component.first_order > 0 || component.contacts.size() > kMaxContacts) && !rebounds_ahead(world, component, H)) {
    component.first_order = std::max(0, component.first_order - 1);
    return fall_back(world, component, H);
  }
  const double h_min = kShortest * H;
  const bool crowd = component.contacts.size() > kCrowd;
  int first_solve = trials_.solves();  // those of impacts that rebound are not counted against a crowd
  double longest = H;
  int events = 0, halvings = 0, cuts = 0, impacts = 0;
  hardest_ = 0;
  while (H - component.offset > kRounding * H) {
    bool at_breakpoint = false;
    double h = next_length(world, component, H, longest, at_breakpoint);
    if (halvings > 0) h = std::max(h / (1 << halvings), h_min);
    const int solves_before = trials_.solves();
    trials_.run(world, component, h, trial_);
    if (!trial_.certified || (crowd && trials_.solves() - first_solve > kTooDear)) return give_up(world, component, H);
    if (more_contacts(world, component)) return Outcome::MoreContacts;
    if (gains_energy(world, component) || outruns_step(world, component)) {
      if (++cuts > kMostCuts) return give_up(world, component, H);
      longest = std::max(0.25 * h, h_min);
      continue;
    }
    const Candidate event = first_event(world, component, trial_, H, h_min);
    if (event.turns_too_far(h)) {
      longest = std::max(h * std::clamp(kTurnAim / event.turn, 0.1, kTurnAim), h_min);
      continue;
    }
    longest = std::max(h, h_min) * std::clamp(kTurnAim / event.turn, 0.2, 3.0);
    if (event.kind == EventKind::None) {
      accept(world, component, trial_, !at_breakpoint, false);
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
      case EventKind::Slip: lift_or_slip(world, component, event, kInstant * H); break;
      case EventKind::Touch:
        if (!touch(world, component, event, H)) break;
        if (++impacts > kMaxImpacts) return give_up(world, component, H);
        --events;
        first_solve += trials_.solves() - solves_before;
        if (list_faster(world, component, H)) return Outcome::MoreContacts;
        break;
      case EventKind::Stop: stop(world, component, event, h); break;
      case EventKind::None: break;
    }
    if (!trial_.certified) return give_up(world, component, H);
  }
  if (crowd && trials_.solves() - first_solve > kDear)
    wait_at_first_order(component);
  else
    component.penalty = 0;
  return Outcome::Done;
}

// A smooth step keeps the energy of what only gravity and resting contacts act on up to its error of third order. Much
// more means that geometry changed faster than the step can follow: a contact that runs over the flat side of a rounded
// body, a body that turns by a radian.
bool SecondOrder::gains_energy(const World& world, const Component& component) const {
  constexpr double kGain = 1e-3;  // of the kinetic energy
  if (coupled_ || !component.driven.empty() || component.contacts.empty()) return false;
  double gained = 0, size = 0;
  for (std::size_t k = 0; k < component.bodies.size(); ++k) {
    const auto b = index(component.bodies[k].body);
    const model::Body& body = world.model.bodies[b];
    const model::BodyState &start = world.state.bodies[b], &end = trial_.bodies[k];
    const auto twice = [&](const model::BodyState& s) {
      const double linear = body.mass * s.velocity.linear.squaredNorm();
      return body.rotates()
                 ? linear +
                       s.velocity.angular.dot(contact::angular_momentum(body, s.pose.orientation, s.velocity.angular))
                 : linear;
    };
    const double before = 0.5 * twice(start), after = 0.5 * twice(end);
    gained += after - before - body.mass * world.model.gravity.dot(end.pose.position - start.pose.position);
    size += std::max(before, after);
  }
  return gained > kGain * size;
}

// Where a pressed contact moves far over its bodies within the sub-step, the rows of the middle say little about its
// ends: a coin that has nearly settled turns its lowest point around the rim at once.
bool SecondOrder::outruns_step(const World& world, const Component& component) const {
  constexpr double kFar = 0.2;  // of the arm from the centre of mass, or of the radius of gyration
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    if (!trial_.contacts[c].closed) continue;
    const collision::Contact &start = component.contacts[c].contact, &end = trial_.contacts[c].contact;
    const bool movable_a = world.traits[index(start.id.body_a)].movable;
    const int b = movable_a ? start.id.body_a : start.id.body_b;
    const model::Body& body = world.model.bodies[index(b)];
    if (!body.rotates()) continue;
    const auto at = std::ranges::lower_bound(component.bodies, b, {}, &BodyStart::body) - component.bodies.begin();
    const Vec3 before = (movable_a ? start.point_a : start.point_b) - world.state.bodies[index(b)].pose.position;
    const Vec3 after =
        (movable_a ? end.point_a : end.point_b) - trial_.bodies[static_cast<std::size_t>(at)].pose.position;
    const double size = std::max(before.squaredNorm(), body.inertia.diagonal().maxCoeff() / body.mass);
    if ((after - before).squaredNorm() > kFar * kFar * size) return true;
  }
  return false;
}

// The sub-step that ends at an event, unless it gains energy: then first order takes over, as from an unsolved problem.
bool SecondOrder::accept_event(World& world, Component& component) {
  trial_.certified = !gains_energy(world, component);
  if (trial_.certified) accept(world, component, trial_, false, true);
  return trial_.certified;
}

// Does a contact close within the step that gives something back? Not to be ended by a first-order step then, which has
// one instant for all impacts and would cut a chain of them short.
bool SecondOrder::rebounds_ahead(const World& world, const Component& component, double H) const {
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
void SecondOrder::wait_at_first_order(Component& component) {
  component.penalty = std::min(2 * component.penalty + 1, kLongestPenalty);
  component.first_order = component.penalty;
}

// Events pile up, or a problem of this order has no answer.
SecondOrder::Outcome SecondOrder::give_up(World& world, Component& component, double H) {
  wait_at_first_order(component);
  return fall_back(world, component, H);
}

// To the end of the step, or to the next breakpoint of a drive, or as far as a turning slip allows.
double SecondOrder::next_length(const World& world, const Component& component, double H, double longest,
                                bool& at_breakpoint) const {
  double h = H - component.offset;
  const double now = before_.time + component.offset, close = 1e-9 * H;
  const auto next = std::upper_bound(breakpoints_.begin(), breakpoints_.end(), now + close);
  if (next != breakpoints_.end() && now + h >= *next - close) {
    at_breakpoint = true;
    if (now + h > *next + close) h = *next - now;
  }
  if (h > longest) {
    h = h < 2 * longest ? 0.5 * h : longest;
    at_breakpoint = false;
  }
  (void)world;
  return h;
}

// The trial's end becomes the component's start.
void SecondOrder::accept(World& world, Component& component, Trial& trial, bool smooth, bool keep_modes) {
  const int D = world.model.dimension;
  bool changed = false;
  component.offset += trial.h;
  world.state.time = trials_.at(component.offset);
  for (std::size_t k = 0; k < component.bodies.size(); ++k) {
    world.state.bodies[index(component.bodies[k].body)] = trial.bodies[k];
    component.bodies[k].acceleration = trial.acceleration[k];
  }
  trials_.place_start(world, component);
  if (!keep_modes) settle_modes(world, component, trial, changed);
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    ContactStart& start = component.contacts[c];
    const ContactTrial& out = trial.contacts[c];
    const bool took_part = out.g[0] > 0;
    start.contact = out.contact;
    start.rows = out.rows;
    const auto a = index(start.rows.a), b = index(start.rows.b);
    for (int k = 0; k < D; ++k)
      start.velocity[k] =
          contact::relative_velocity(start.rows, k, world.state.bodies[a].velocity, world.state.bodies[b].velocity);
    start.just_changed = false;
    start.margins_known = false;
    if (!took_part) continue;
    const model::Surface& surface = world.model.surfaces[index(start.contact.surface)];
    const Margins margins = force_margins(out, surface.friction_static, trial.h, D);
    start.margin_n = margins.normal;
    start.margin_t = margins.tangential;
    start.margin_age = 0.5 * trial.h;
    start.margins_known = start.mode != Mode::Open;
    start.force.setZero();
    for (int k = 0; k < D; ++k) start.force += out.p[k] / trial.h * out.rows.direction[k];
    start.impulse += trial.h * start.force;
    start.slip_peak = start.mode == Mode::Slide ? std::max(start.slip_peak, tangential_norm(out.u1, D)) : 0.0;
  }
  component.acceleration_h = trial.h;
  component.acceleration_known = true;
  ++sub_steps_;
  if (!smooth || changed) drop_histories(component);
}

// Modes after a step in which no event was located.
void SecondOrder::settle_modes(World& world, Component& component, const Trial& trial, bool& changed) {
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    ContactStart& start = component.contacts[c];
    const ContactTrial& out = trial.contacts[c];
    if (start.mode == Mode::Open) continue;
    Mode mode = start.mode;
    const double speed = tangential_norm(start.velocity, world.model.dimension);
    if (!out.closed)
      mode = Mode::Open;
    else if (start.mode == Mode::Slide && !out.slides && speed <= slip_noise(start, out, world.model.dimension)) {
      mode = Mode::Stick;
      start.false_alarm = true;
    } else if (start.mode == Mode::Stick && out.slides) {
      mode = Mode::Slide;
    }
    if (start.mode == Mode::Slide && out.slides) start.false_alarm = false;
    if (mode == start.mode) continue;
    change_mode(world, component, start, mode);
    changed = true;
  }
}

void SecondOrder::change_mode(const World& world, const Component& component, ContactStart& contact, Mode mode) {
  if (contact.mode == mode) return;
  (void)component;
  events_.push_back({world.state.time, contact.contact.id, contact.mode, mode});
  contact.mode = mode;
  if (mode != Mode::Slide) contact.slip_peak = 0;
}

void SecondOrder::drop_histories(Component& component) {
  component.acceleration_known = false;
  for (ContactStart& contact : component.contacts) contact.margins_known = false;
}

void SecondOrder::lift_or_slip(World& world, Component& component, const Candidate& event, double instant) {
  if (event.tau > instant) {
    refine(world, component, event, instant);
    if (!trial_.certified || !accept_event(world, component)) return;
  }
  ContactStart& contact = component.contacts[index(event.contact)];
  change_mode(world, component, contact, event.kind == EventKind::Lift ? Mode::Open : Mode::Slide);
  if (event.kind == EventKind::Slip) contact.velocity[1] = contact.velocity[2] = 0;  // it stuck until now
  contact.just_changed = true;
  drop_histories(component);
}

// Leaves in trial_ the sub-step that ends at the event. If the solver had already let go, the reserve was only an
// estimate (it takes the contact alone): a trial to the estimated instant gives a true one, and with it a better
// instant.
void SecondOrder::refine(World& world, Component& component, const Candidate& event, double instant) {
  const ContactStart& start = component.contacts[index(event.contact)];
  const ContactTrial& out = trial_.contacts[index(event.contact)];
  const model::Surface& surface = world.model.surfaces[index(start.contact.surface)];
  const double longest = trial_.h;
  const bool let_go = event.kind == EventKind::Lift ? !out.closed : out.slides || !out.closed;
  double tau = event.tau;
  if (!let_go && tau > longest - instant) return;
  for (int round = 0; round < 4; ++round) {
    trials_.run(world, component, tau, trial_);
    if (!trial_.certified || !let_go || !start.margins_known) return;
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

SecondOrder::Outcome SecondOrder::fall_back(World& world, Component& component, double H) {
  ++fallbacks_;
  const double h = H - component.offset, energy = trials_.kinetic_energy(world, component);
  rebound_.assign(component.contacts.size(), 0.0);
  for (std::size_t c = 0; c < rebound_.size(); ++c) {
    const ContactStart& start = component.contacts[c];
    const double e = world.model.surfaces[index(start.contact.surface)].restitution;
    const double speed = start.velocity[0];
    if (speed < 0 && -2 * e * speed > std::max(H, world.method.step) * world.model.gravity.norm())
      rebound_[c] = -e * speed;
  }
  trials_.run_first_order(world, component, h, trial_);
  if (!trial_.certified) return Outcome::Failed;
  if (more_contacts(world, component)) return Outcome::MoreContacts;
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    ContactStart& start = component.contacts[c];
    const ContactTrial& out = trial_.contacts[c];
    change_mode(world, component, start, !out.closed ? Mode::Open : out.slides ? Mode::Slide : Mode::Stick);
  }
  bool owed = false;
  for (std::size_t c = 0; c < rebound_.size(); ++c) {
    // A contact that closes at the end of the step still approaches; its compression is over in the next one.
    if (!trial_.contacts[c].closed || 2 * trial_.contacts[c].u1[0] < component.contacts[c].velocity[0]) rebound_[c] = 0;
    owed |= rebound_[c] > 0;
  }
  accept(world, component, trial_, false, true);
  component.offset = H;
  if (owed && !trials_.expand(world, component, rebound_, energy)) return Outcome::Failed;
  return Outcome::Done;
}

void SecondOrder::fail(World& world, const Component& component, StepReport& report) {
  const contact::Island& island = trials_.last_problem();
  report.certified = false;
  report.residual = island.summary.residual.error;
  report.solver = island.summary.solver;
  failure_.time = world.state.time;
  failure_.contacts.clear();
  for (int c : trials_.last_contacts()) failure_.contacts.push_back(component.contacts[index(c)].contact.id);
  failure_.problem = island.problem;
  failure_.residual = report.residual;
  failure_.solver = report.solver;
}

}  // namespace stickslip::stepping
