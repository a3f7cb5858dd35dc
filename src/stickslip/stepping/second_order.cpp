// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/second_order.h"

#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {

using contact::Mode;

namespace {

constexpr double kShortest = 1e-4;        // of the step: shortest sub-step to follow a turn of slip
constexpr double kInstant = 1e-6;         // of the step: events closer than this are simultaneous
constexpr int kMaxEvents = 24;            // per step and component, besides impacts; then first order
constexpr int kMaxImpacts = 20000;        // with restitution, per step and component; then first order
constexpr int kMostHalvings = 6;          // of a step towards the instant of a slip that no line of reserves tells
constexpr int kMostCuts = 6;              // of a step that gains much energy, then first order
constexpr double kGain = 3e-6;            // of the energy in play: a trial that gains more is taken shorter,
constexpr int kMostRefinements = 16;      // so often in a step, then first order
constexpr double kBudget = 4e-7;          // of the largest energy so far: what steps may add to it in all,
constexpr double kSpend = 0.1;            // so much of the rest in one step,
constexpr double kTrickle = 1e-9;         // and once it is used up, so much of the energy in a step
constexpr double kKept = 5e-8;            // of the largest energy: error of a step where nothing takes energy
constexpr int kLongestPenalty = 31;       // steps of first order after events have piled up again and again
constexpr std::size_t kFewContacts = 12;  // of a component; with more, trials are counted:
constexpr int kManyTrials = 6;            // so many in a step, and the next steps are first order;
constexpr int kTooManyTrials = 12;        // so many, and the rest of this step as well
constexpr std::size_t kOneByOne = 16;     // of a component: beyond, only touches are located,
constexpr int kMostTogether = 8;          // with so many trials in a step,
constexpr int kMostTouches = 2;           // and so many touches in sight: more, and the step is first order at once;
constexpr double kRests = 1e-3;           // contacts that move by less than so much of a fall in the step stay closed
constexpr std::size_t kMaxClosed = 64;    // but as long as so many are closed, impacts that rebound are one by one

constexpr int kMostJumps = 12;       // of forces, per step and component; then they are smeared over the rest
constexpr double kShortRest = 1e-5;  // of the step: what they leave of it, and tells nothing of the next one

constexpr int kMostParts = 8;  // of a step in which contacts run off features; beyond, the rest as it is

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

// Contacts that will close within the step if nothing stops them.
int touches_ahead(const World& world, const Component& component, double H) {
  const double falling = 0.5 * H * world.model.gravity.norm();
  return static_cast<int>(std::ranges::count_if(component.contacts, [&](const ContactStart& start) {
    return start.mode == Mode::Open && start.velocity[0] < 0 && start.contact.gap < H * (falling - start.velocity[0]);
  }));
}

// Contacts whose slip ends within the trial get the law of the velocity at its end, those whose static friction breaks in
// it slide from its start. True when there are any: the trial is to be taken again.
bool settle_slips(const World& world, Component& component, ComponentStep& step) {
  bool any = false;
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    ContactStart& start = component.contacts[c];
    const model::Surface& surface = world.model.surfaces[index(start.contact.surface)];
    start.end_law = slip_crosses(start, step.trial.contacts[c], world.model.dimension);
    const bool breaks = start.mode == Mode::Stick && step.trial.contacts[c].slides &&
                        surface.friction_static != surface.friction_kinetic;
    if (breaks) step.change_mode(world, start, Mode::Slide);
    any |= start.end_law || breaks;
  }
  return any;
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

double energy_of(const World& world, const Component& component) {
  double energy = kinetic_energy(world, component);
  for (const BodyStart& start : component.bodies) {
    const auto b = index(start.body);
    energy -= world.model.bodies[b].mass * world.model.gravity.dot(world.state.bodies[b].pose.position);
  }
  return energy;
}

// Of contacts that overlapped and are pushed apart: their law gives energy.
double work_of_parting(const Component& component, const Trial& trial) {
  double work = 0;
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    const ContactTrial& out = trial.contacts[c];
    if (component.contacts[c].contact.gap < 0 && out.closed) work += out.p[0] * std::max(0.0, out.u1[0]);
  }
  return work;
}

// A contact whose gap was to close went in far: its surfaces bent, or turned, faster than the step follows.
bool sinks_in(const World& world, const Component& component, const Trial& trial) {
  constexpr double kDeep = 0.01;  // of the arm of the contact: as the audit allows of the thickness
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    const collision::Contact& start = component.contacts[c].contact;
    if (!trial.contacts[c].closed) continue;
    const double sunk = std::min(0.0, start.gap) - trial.contacts[c].contact.gap;
    if (sunk > 0 && sunk > kDeep * arm_of(start, world.state)) return true;
  }
  return false;
}

bool several_closed(const Component& component) {
  const auto open = std::ranges::count(component.contacts, Mode::Open, &ContactStart::mode);
  return std::ssize(component.contacts) - open > 1;
}

// Nothing takes energy in the trial: no friction at a contact that slides, no damping. What it loses is then an error
// like what it gains; shorter steps on the way up alone would make the energy of a smooth motion drift.
bool keeps_energy(const World& world, const Component& component, const Trial& trial) {
  return std::ranges::none_of(trial.contacts,
                              [](const ContactTrial& contact) {
                                return contact.closed && contact.slides && (contact.p[1] != 0 || contact.p[2] != 0);
                              }) &&
         std::ranges::none_of(component.bodies, [&](const BodyStart& start) {
           const model::Body& body = world.model.bodies[index(start.body)];
           return body.linear_damping > 0 || body.angular_damping > 0;
         });
}

// First order for some steps to come, and for twice as many if that did not help.
void wait_at_first_order(Component& component) {
  component.penalty = std::min(2 * component.penalty + 1, kLongestPenalty);
  component.first_order = component.penalty;
}

}  // namespace

void SecondOrder::prepare(World& world) {
  components_.prepare(world);
  jumps_.prepare(world);
  drive_jumps_.prepare(world.model, world.method.step);
  step_.data.jumps = drive_jumps_.empty() ? nullptr : &drive_jumps_;
  for (std::size_t b = 0; b < world.model.bodies.size(); ++b)
    drive_jumps_.take_side(world.model, b, world.state.time, DriveJumps::Side::After, world.state.bodies[b]);
  if (components_.features_end()) places_.prepare(world.model);
  search_.set_beyond_ends(EventSearch::BeyondEnds::Touch, places_);
}

StepReport SecondOrder::advance(World& world, double h, double end_time) {
  if (!components_.is_prepared()) prepare(world);
  if (step_.tape != nullptr) step_.tape->begin_step();
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
    if (follow_ends && of_part.certified && of_part.fallbacks == 0 && moved_ && located_ &&
        ends_.find(world, components_.margin(), left))
      of_part = advance_to_end_of_feature(world, left, until);
    search_.set_beyond_ends(EventSearch::BeyondEnds::Touch, places_);
    report.include(of_part);
    all_events_.insert(all_events_.end(), step_.events.begin(), step_.events.end());
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
    search_.set_beyond_ends(what, places_);
    const StepReport report = advance_part(world, h, end_time);
    if (search_.ends_at() > 0) {
      h = search_.ends_at();
      end_time = begin + h;
      if (k >= kMostParts) what = BeyondEnds::LeaveOut;
    } else if (report.certified && what != BeyondEnds::Touch && overlap_where_left_out(world)) {
      what = BeyondEnds::Touch;
    } else {
      search_.set_beyond_ends(what == BeyondEnds::Touch ? what : BeyondEnds::LeaveOut, places_);
      return report;
    }
    put_back(world, part_start_);
  }
}

bool SecondOrder::overlap_where_left_out(const World& world) {
  return std::ranges::any_of(search_.left_out(), [&](const std::pair<int, int>& pair) {
    const auto& [a, b] = pair;
    return places_.overlap(world.state, a, b) > places_.overlap(part_start_.state(), a, b) + places_.noise(a, b);
  });
}

void SecondOrder::note_begin(const World& world, double h, double end_time) {
  SubStepTape& tape = *step_.tape;
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
  step_.begin(world, h, end_time);
  if (step_.tape != nullptr) note_begin(world, h, end_time);
  components_.find_contacts(world, h, step_.data.place_ends(world));
  search_.begin_part();
  Components::EnergyAccount& account = components_.energy();
  account.scale = std::max(account.scale, energy_in_play(world));
  Outcome outcome = Outcome::MoreContacts;
  while (outcome == Outcome::MoreContacts) {
    outcome = Outcome::Done;
    gained_ = 0;
    moved_ = false;
    located_ = true;
    for (Component& component : components_.make(world)) {
      const bool may_rest = world.method.rest == RestingStep::Skipped && step_.tape == nullptr && !component.pushed;
      if (may_rest && resting_.take(world, component, h, step_.data.report)) continue;
      moved_ = true;
      const bool judged = step_.judges_energy(component);
      if (judged) energy_before_ = energy_of(world, component);
      const StepReport others = step_.data.report;
      step_.data.report.residual = 0;
      outcome = advance_component(world, component, h);
      if (may_rest && outcome == Outcome::Done) resting_.note_end(world, component, step_.data.report);
      if (others.residual > step_.data.report.residual)
        step_.data.report.residual = others.residual, step_.data.report.solver = others.solver;
      if (judged) gained_ += energy_of(world, component) - energy_before_;
      if (outcome == Outcome::Failed) fail(world, component, report);
      if (outcome != Outcome::Done) break;
    }
    if (outcome != Outcome::MoreContacts) break;
    world.state = before_;
    world.drop_later_waypoints();
    step_.start_again();
    components_.recall(world);
  }
  report.solves = step_.data.report.solves;
  report.contacts = static_cast<int>(components_.contact_count());
  if (outcome == Outcome::Failed || outcome == Outcome::EndsEarlier) {
    world.state = before_;
    return report;
  }
  account.excess = std::max(0.0, account.excess + gained_);
  report.residual = step_.data.report.residual;
  report.solver = step_.data.report.solver;
  report.sub_steps = step_.sub_steps;
  report.fallbacks = step_.fallbacks;
  sort_by_time(step_.events);
  report.events = step_.events;
  world.state.time = end_time;
  step_.data.place_all_driven(world, end_time, world.state);
  components_.remember(world, h);
  return report;
}

// What a sub-step that is a share of the step may add to the energy.
double SecondOrder::allowed_gain(const World& world, const Component& component, double share) {
  const Components::EnergyAccount& account = components_.energy();
  const double excess = std::max(0.0, account.excess + gained_ + energy_of(world, component) - energy_before_);
  return share * (kSpend * std::max(0.0, kBudget * account.scale - excess) + kTrickle * account.scale);
}

// What a component has tried so far in a part of a step.
struct SecondOrder::Tries {
  double H = 0, h_min = 0;  // the part, and the shortest sub-step
  double longest = 0;       // the next sub-step may have
  bool crowd = false;
  bool together = false;  // only touches are located
  int first_solve = 0;    // where the count began; those of impacts that rebound are not counted against a crowd
  int events = 0, halvings = 0, cuts = 0, impacts = 0, refinements = 0, jumps = 0;
};

// What a trial adds to the energy, and what it may. The error is of third order: what a step gains in parts falls with
// the square of their length.
struct SecondOrder::Energy {
  EnergyGain gain;
  bool keeps = false;      // friction takes none
  double error = 0;        // what counts of the gain
  bool gains = false;      // the error is judged
  double allowed = 0;      // of it
  bool may_refine = true;  // shorter sub-steps may still be tried
};

SecondOrder::Outcome SecondOrder::advance_component(World& world, Component& component, double H) {
  const bool many = component.contacts.size() > kOneByOne;
  const bool rebounding = (many || component.first_order > 0) && rebounds_ahead(world, component, H);
  const bool together = many && !rebounding;
  step_.resting_gap = together ? kRests * 0.5 * H * H * world.model.gravity.norm() : 0.0;
  if (together) step_.close_what_rests(world, component);
  const bool crowded = component.first_order > 0 || (together && touches_ahead(world, component, H) > kMostTouches);
  if (crowded && !rebounding) {
    component.first_order = std::max(0, component.first_order - 1);
    return fall_back(world, component, H);
  }
  Tries tries{.H = H,
              .h_min = kShortest * H,
              .longest = H,
              .crowd = component.contacts.size() > kFewContacts,
              .together = together,
              .first_solve = step_.data.report.solves};
  located_ = located_ && !tries.together;
  if (tries.together && step_.tape != nullptr)
    step_.tape->refusal = "events of more than 16 contacts were taken together";
  search_.begin(H);
  while (H - component.offset > kTimeNoise * H)
    if (const std::optional<Outcome> end = advance_once(world, component, tries)) return *end;
  if (tries.crowd && step_.data.report.solves - tries.first_solve > kManyTrials)
    wait_at_first_order(component);
  else
    component.penalty = 0;
  return Outcome::Done;
}

// One trial: accepted, shortened up to an event in it, or to be tried again shorter. An outcome ends the part.
std::optional<SecondOrder::Outcome> SecondOrder::advance_once(World& world, Component& component, Tries& tries) {
  const double H = tries.H, h_min = tries.h_min;
  bool at_breakpoint = false;
  step_.next.begin();
  double h = next_length(component, H, tries.longest, at_breakpoint);
  if (tries.halvings > 0) {
    h = std::max(h / (1 << tries.halvings), h_min);
    step_.next.length.part /= 1 << tries.halvings;
    step_.next.length.fixed /= 1 << tries.halvings;
    step_.next.length.share /= 1 << tries.halvings;
  }
  const int solves_before = step_.data.report.solves;
  if (tries.together) step_.close_what_rests(world, component);
  step_.run(world, component, h);
  if (tries.together && step_.trial.certified && settle_slips(world, component, step_)) step_.run(world, component, h);
  const int most_trials = tries.together ? kMostTogether : kTooManyTrials;
  if (!step_.trial.certified || (tries.crowd && step_.data.report.solves - tries.first_solve > most_trials))
    return give_up(world, component, H);
  const bool jumps = jumps_.watches(component) && end_at_force_jump(world, component, tries);
  if (!step_.trial.certified) return give_up(world, component, H);
  if (jumps) {
    h = step_.trial.h;
    at_breakpoint = true;
  }
  if (components_.list_rim_points(world, component, step_.data, step_.trial)) return Outcome::MoreContacts;
  Energy energy{.gain = step_.energy_gain(world, component)};
  if (energy.gain.is_wrong() || step_.outruns_step(world, component)) {
    if (++tries.cuts > kMostCuts) return give_up(world, component, H);
    tries.longest = std::max(0.25 * h, h_min);
    hold_length();
    return std::nullopt;
  }
  const EventCandidate event = tries.together ? first_touch(world, component, step_.trial)
                                              : first_event(world, component, step_.trial, H, h_min);
  if (event.turns_too_far(h)) {
    tries.longest = std::max(length_by_turn(h, event.turn, 0.1, kTurnAim), h_min);
    note_attempt(event, 0.1, kTurnAim, 0);
    return std::nullopt;
  }
  tries.longest = length_by_turn(std::max(h, h_min), event.turn, 0.2, 3.0);
  if (jumps) tries.longest = H;
  note_attempt(event, 0.2, 3.0, h_min);
  judge_energy(world, component, tries, h, energy);
  if (event.kind == EventKind::None) return finish_smooth(world, component, tries, h, energy, at_breakpoint);
  return go_to_event(world, component, tries, h, energy, event, solves_before);
}

// Where a force changes its formula within the trial, step_.trial becomes the sub-step up to there.
bool SecondOrder::end_at_force_jump(World& world, Component& component, Tries& tries) {
  if (tries.jumps > kMostJumps) return false;
  const double h = step_.trial.h;
  const ForceJumps::Found found = jumps_.find(world, component, step_);
  if (found == ForceJumps::Found::None) return false;
  if (step_.tape != nullptr) step_.tape->refusal = "a force that reads the state jumped within a step";
  if (found == ForceJumps::Found::Instant && ++tries.jumps <= kMostJumps) return true;
  if (found == ForceJumps::Found::Instant) step_.run(world, component, h);
  tries.jumps = kMostJumps + 1;
  ++step_.fallbacks;
  return false;
}

void SecondOrder::note_attempt(const EventCandidate& event, double least, double most, double shortest) {
  if (step_.tape != nullptr)
    step_.next.attempts.push_back({step_.next.length, step_.trial, event.turning, least, most, shortest});
}

// The longest length is not one that slip says.
void SecondOrder::hold_length() {
  step_.next.attempts.clear();
  step_.next.held = true;
}

void SecondOrder::judge_energy(const World& world, const Component& component, const Tries& tries, double h,
                               Energy& energy) {
  energy.keeps = keeps_energy(world, component, step_.trial);
  energy.error = energy.keeps ? std::abs(energy.gain.gained) : energy.gain.gained;
  energy.gains = energy.error > 0 && step_.judges_energy(component);
  energy.allowed = !energy.gains  ? 0
                   : energy.keeps ? h / tries.H * kKept * components_.energy().scale
                                  : allowed_gain(world, component, h / tries.H);
  energy.may_refine = h > 4 * tries.h_min && tries.refinements < kMostRefinements;
}

// A trial without an event.
std::optional<SecondOrder::Outcome> SecondOrder::finish_smooth(World& world, Component& component, Tries& tries,
                                                               double h, const Energy& energy, bool at_breakpoint) {
  const bool too_much = energy.gain.exceeds(kGain);
  if (energy.gains && energy.may_refine && (too_much || energy.error > energy.allowed)) {
    ++tries.refinements;
    const double by_step = too_much ? 0.8 * std::cbrt(kGain / energy.gain.relative()) : 1;
    tries.longest = h * std::clamp(std::min(by_step, 0.9 * std::sqrt(energy.allowed / energy.error)), 0.1, 0.7);
    hold_length();
    return std::nullopt;
  }
  if (too_much) return fall_back(world, component, tries.H);
  step_.accept(world, component,
               at_breakpoint    ? SubStepChange::Breakpoint
               : tries.together ? SubStepChange::Together
                                : SubStepChange::None);
  // Rounding, over so short a rest, is what its acceleration consists of.
  if (tries.jumps > 0 && h < kShortRest * tries.H) drop_histories(component);
  if (energy.gains && tries.refinements > 0) {
    tries.longest = std::min(tries.longest, h * std::clamp(0.9 * std::sqrt(energy.allowed / energy.error), 0.2, 3.0));
    hold_length();
  }
  tries.halvings = 0;
  return std::nullopt;
}

std::optional<SecondOrder::Outcome> SecondOrder::go_to_event(World& world, Component& component, Tries& tries, double h,
                                                             const Energy& energy, const EventCandidate& event,
                                                             int solves_before) {
  const double H = tries.H;
  // Two shorter steps give a line of force reserves. Contacts that share a load have none: the instant at which the
  // solver lets them slip is closed in on.
  const int most_halvings = event.kind == EventKind::Slip && several_closed(component) ? kMostHalvings : 2;
  if (event.without_history && tries.halvings < most_halvings && h > 4 * tries.h_min) {
    ++tries.halvings;
    return std::nullopt;
  }
  tries.halvings = 0;
  if (++tries.events > kMaxEvents) return give_up(world, component, H);
  step_.allowed_gain = !energy.may_refine || !step_.judges_energy(component) ? std::numeric_limits<double>::infinity()
                       : energy.keeps                                        ? kKept * components_.energy().scale
                                                                             : allowed_gain(world, component, 1);
  step_.gains = false;
  switch (event.kind) {
    case EventKind::Lift:
    case EventKind::Slip: search_.lift_or_slip(world, component, event, kInstant * H, step_); break;
    case EventKind::Touch:
      if (!search_.touch(world, component, event, step_)) {
        if (search_.ends_at() > 0) return Outcome::EndsEarlier;
        break;
      }
      if (++tries.impacts > kMaxImpacts) return give_up(world, component, H);
      if (!tries.together) {
        --tries.events;
        tries.first_solve += step_.data.report.solves - solves_before;
      }
      if (components_.list_faster(world, component, before_, H)) return Outcome::MoreContacts;
      break;
    case EventKind::Stop: search_.stop(world, component, event, h, step_); break;
    case EventKind::None: break;
  }
  if (step_.gains) {
    ++tries.refinements;
    --tries.events;
    tries.longest = 0.5 * step_.trial.h;
    hold_length();
    return std::nullopt;
  }
  if (!step_.trial.certified) return give_up(world, component, H);
  return std::nullopt;
}

// Events pile up, or a problem of this order has no answer.
SecondOrder::Outcome SecondOrder::give_up(World& world, Component& component, double H) {
  wait_at_first_order(component);
  return fall_back(world, component, H);
}

// To the end of the step, or to the next breakpoint of a drive, or as far as a turning slip allows.
double SecondOrder::next_length(const Component& component, double H, double longest, bool& at_breakpoint) {
  const std::span<const double> breakpoints = components_.breakpoints();
  double h = H - component.offset;
  const double now = before_.time + component.offset, close = 1e-9 * H;
  const auto next = std::upper_bound(breakpoints.begin(), breakpoints.end(), now + close);
  if (next != breakpoints.end() && now + h >= *next - close) {
    at_breakpoint = true;
    if (now + h > *next + close) h = *next - now;
  }
  step_.next.length = {.part = h < 2 * longest && h > longest ? 0.5 : 1.0,
                       .until = at_breakpoint ? *next : step_.data.end_time,
                       .at_breakpoint = at_breakpoint};
  if (h >= 2 * longest) step_.next.length.fixed = longest;
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

// First order over the rest of the step, in parts where it gains energy or bodies sink into each other.
SecondOrder::Outcome SecondOrder::fall_back(World& world, Component& component, double H) {
  ++step_.fallbacks;
  if (step_.tape != nullptr) step_.tape->refusal = "a step was taken at first order because events piled up";
  double longest = H - component.offset;
  int cuts = 0;
  for (bool last = false; !last;) {
    last = H - component.offset <= longest * (1 + kTimeNoise);
    const double h = last ? H - component.offset : longest;
    const double kinetic = kinetic_energy(world, component), energy = energy_of(world, component);
    list_rebounds(world, component, H);
    step_.run_first_order(world, component, h);
    if (!step_.trial.certified) return Outcome::Failed;
    if (components_.list_rim_points(world, component, step_.data, step_.trial)) return Outcome::MoreContacts;
    const double parting = work_of_parting(component, step_.trial);
    const bool gains = step_.judges_energy(component) &&
                       step_.energy_gain(world, component).gained - parting > allowed_gain(world, component, 1);
    if (cuts < kMostCuts && (gains || sinks_in(world, component, step_.trial))) {
      ++cuts;
      longest = 0.5 * h;
      last = false;
      continue;
    }
    bool owed = false;
    for (std::size_t c = 0; c < component.contacts.size(); ++c) {
      const ContactTrial& out = step_.trial.contacts[c];
      ContactStart& start = component.contacts[c];
      step_.change_mode(world, start, !out.closed ? Mode::Open : out.slides ? Mode::Slide : Mode::Stick);
      // A contact that closes at the end of the step still approaches; its compression is over in the next one.
      if (!out.closed || 2 * out.u1[0] < start.velocity[0]) rebound_[c] = 0;
      owed |= rebound_[c] > 0;
    }
    step_.accept(world, component, SubStepChange::Event);
    energy_before_ += parting;
    if (last) component.offset = H;
    if (!owed) continue;
    // No more than there was, less what it took to rise against gravity.
    const double rise = energy_of(world, component) - kinetic_energy(world, component) - (energy - kinetic);
    const double most = step_.judges_energy(component) ? kinetic - std::max(0.0, rise) : kinetic;
    if (!step_.impact.expand(world, component, rebound_, most, step_.data)) return Outcome::Failed;
  }
  return Outcome::Done;
}

void SecondOrder::keep(const World& world, Start& start) const {
  start.keep(world) = components_.histories();
}

void SecondOrder::put_back(World& world, const Start& start) {
  components_.set_histories(start.put_back(world));
}

void SecondOrder::fail(const World& world, const Component& component, StepReport& report) {
  const contact::Island& island = step_.data.system.islands()[0];
  fail_step(world, island, {}, {}, report, failure_);
  for (int c : step_.data.closed) failure_.contacts.push_back(component.contacts[index(c)].contact.id);
}

}  // namespace stickslip::stepping
