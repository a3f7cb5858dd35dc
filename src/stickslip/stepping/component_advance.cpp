// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/component_advance.h"

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
constexpr double kSpend = 0.1;            // so much of the rest in one step by one component,
constexpr double kSpendAll = 0.5;         // by all that move at most,
constexpr double kTrickle = 1e-9;         // and once it is used up, so much of the energy in a step
constexpr double kKept = 5e-8;            // of the largest energy: error of a step where nothing takes energy
constexpr int kBurst = 4;                 // touches in a row, each within
constexpr double kSoonAgain = 1e-2;       // of the step after the one before, or within
constexpr double kRocks = 0.1;            // and this part of the interval before:
constexpr double kSooner = 0.97;          // they have no end, and first order passes over them,
constexpr double kPast = 1e-3;            // as far again as they went and at least so much of the step,
constexpr int kMostBursts = 3;            // so often in a step
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

// What a sub-step that is a share of the step may add to the energy.
double ComponentAdvance::allowed_gain(const World& world, const Component& component, double share) const {
  const Components::EnergyAccount& account = components_->energy();
  const double excess = std::max(0.0, account.excess + energy_of(world, component) - energy_before_);
  const double spend = std::min(kSpend, kSpendAll / moving_);
  return share * (spend * std::max(0.0, kBudget * account.scale - excess) + kTrickle * account.scale);
}

// What a component has tried so far in a part of a step.
struct ComponentAdvance::Tries {
  double H = 0, h_min = 0;  // the part, and the shortest sub-step
  double longest = 0;       // the next sub-step may have
  bool crowd = false;
  bool together = false;  // only touches are located
  int first_solve = 0;    // where the count began; those of impacts that rebound are not counted against a crowd
  int events = 0, halvings = 0, cuts = 0, impacts = 0, refinements = 0, jumps = 0;
  int in_a_row = 0, bursts = 0;  // touches that follow each other soon
  double burst = 0, last = 0;    // offsets of the first and the last of them
  double interval = 0;           // between the last two
};

// What a trial adds to the energy, and what it may. The error is of third order: what a step gains in parts falls with
// the square of their length.
struct ComponentAdvance::Energy {
  EnergyGain gain;
  bool keeps = false;      // friction takes none
  double error = 0;        // what counts of the gain
  bool gains = false;      // the error is judged
  double allowed = 0;      // of it
  bool may_refine = true;  // shorter sub-steps may still be tried
};

void ComponentAdvance::prepare(const World& world, const Components& components) {
  components_ = &components;
  jumps_.prepare(world);
}

void ComponentAdvance::begin_part(const World& world, const model::State& before, double h, double end_time) {
  before_ = &before;
  step.begin(world, h, end_time);
  search.begin_part();
}

ComponentAdvance::Outcome ComponentAdvance::advance(World& world, Component& component, double H) {
  // Time and prescribed bodies may be where the component before this one left them.
  if (world.state.time != before_->time) {
    world.state.time = before_->time;
    for (int b : component.driven)
      if (!world.traits[index(b)].movable) world.state.bodies[index(b)] = before_->bodies[index(b)];
  }
  const bool judged = ComponentStep::judges_energy(component);
  gained_ = 0;
  located_ = true;
  if (judged) energy_before_ = energy_of(world, component);
  const Outcome outcome = advance_to_end(world, component, H);
  if (judged) gained_ = energy_of(world, component) - energy_before_;
  return outcome;
}

void ComponentAdvance::move_counts_to(Counts& counts) {
  counts.report = step.data.report;
  counts.sub_steps = step.sub_steps;
  counts.fallbacks = step.fallbacks;
  counts.gained = gained_;
  counts.located = located_;
  std::swap(counts.events, step.events);
  std::swap(counts.request, request_);
  search.move_beyond_to(counts.beyond);
  step.start_again();
  step.data.report = {};
}

void ComponentAdvance::add(const Counts& counts) {
  step.data.report.solves += counts.report.solves;
  step.data.report.residual = counts.report.residual;
  step.data.report.solver = counts.report.solver;
  step.sub_steps += counts.sub_steps;
  step.fallbacks += counts.fallbacks;
  step.events.insert(step.events.end(), counts.events.begin(), counts.events.end());
  search.add(counts.beyond);
  request_ = counts.request;
  gained_ = counts.gained;
  located_ = counts.located;
}

void ComponentAdvance::fail(const World& world, const Component& component, StepReport& report,
                            StepFailure& failure) const {
  fail_step(world, step.data.system.islands()[0], {}, {}, report, failure);
  for (int c : step.data.closed) failure.contacts.push_back(component.contacts[index(c)].contact.id);
}

ComponentAdvance::Outcome ComponentAdvance::advance_to_end(World& world, Component& component, double H) {
  const bool many = component.contacts.size() > kOneByOne;
  const bool rebounding = (many || component.first_order > 0) && rebounds_ahead(world, component, H);
  const bool together = many && !rebounding;
  step.resting_gap = together ? kRests * 0.5 * H * H * world.model.gravity.norm() : 0.0;
  if (together) step.close_what_rests(world, component);
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
              .first_solve = step.data.report.solves};
  located_ = !tries.together;
  if (tries.together && step.tape != nullptr)
    step.tape->refusal = "events of more than 16 contacts were taken together";
  search.begin(H);
  while (H - component.offset > kTimeNoise * H)
    if (const std::optional<Outcome> end = advance_once(world, component, tries)) return *end;
  if (tries.crowd && step.data.report.solves - tries.first_solve > kManyTrials)
    wait_at_first_order(component);
  else
    component.penalty = 0;
  return Outcome::Done;
}

// One trial: accepted, shortened up to an event in it, or to be tried again shorter. An outcome ends the part.
std::optional<ComponentAdvance::Outcome> ComponentAdvance::advance_once(World& world, Component& component,
                                                                        Tries& tries) {
  const double H = tries.H, h_min = tries.h_min;
  bool at_breakpoint = false;
  step.next.begin();
  double h = next_length(component, H, tries.longest, at_breakpoint);
  if (tries.halvings > 0) {
    h = std::max(h / (1 << tries.halvings), h_min);
    step.next.length.part /= 1 << tries.halvings;
    step.next.length.fixed /= 1 << tries.halvings;
    step.next.length.share /= 1 << tries.halvings;
  }
  const int solves_before = step.data.report.solves;
  if (tries.together) step.close_what_rests(world, component);
  step.run(world, component, h);
  if (tries.together && step.trial.certified && settle_slips(world, component, step)) step.run(world, component, h);
  const int most_trials = tries.together ? kMostTogether : kTooManyTrials;
  if (!step.trial.certified || (tries.crowd && step.data.report.solves - tries.first_solve > most_trials))
    return give_up(world, component, H);
  const bool jumps = jumps_.watches(component) && end_at_force_jump(world, component, tries);
  if (!step.trial.certified) return give_up(world, component, H);
  if (jumps) {
    h = step.trial.h;
    at_breakpoint = true;
  }
  if (components_->find_rim_points(world, component, step.data, step.trial, request_)) return Outcome::MoreContacts;
  Energy energy{.gain = step.energy_gain(world, component)};
  if (energy.gain.is_wrong() || step.outruns_step(world, component)) {
    if (++tries.cuts > kMostCuts) return give_up(world, component, H);
    tries.longest = std::max(0.25 * h, h_min);
    hold_length();
    return std::nullopt;
  }
  const EventCandidate event =
      tries.together ? first_touch(world, component, step.trial) : first_event(world, component, step.trial, H, h_min);
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

// Where a force changes its formula within the trial, step.trial becomes the sub-step up to there.
bool ComponentAdvance::end_at_force_jump(World& world, Component& component, Tries& tries) {
  if (tries.jumps > kMostJumps) return false;
  const double h = step.trial.h;
  const ForceJumps::Found found = jumps_.find(world, component, step);
  if (found == ForceJumps::Found::None) return false;
  if (step.tape != nullptr) step.tape->refusal = "a force that reads the state jumped within a step";
  if (found == ForceJumps::Found::Instant && ++tries.jumps <= kMostJumps) return true;
  if (found == ForceJumps::Found::Instant) step.run(world, component, h);
  tries.jumps = kMostJumps + 1;
  ++step.fallbacks;
  return false;
}

void ComponentAdvance::note_attempt(const EventCandidate& event, double least, double most, double shortest) {
  if (step.tape != nullptr)
    step.next.attempts.push_back({step.next.length, step.trial, event.turning, least, most, shortest});
}

// The longest length is not one that slip says.
void ComponentAdvance::hold_length() {
  step.next.attempts.clear();
  step.next.held = true;
}

void ComponentAdvance::judge_energy(const World& world, const Component& component, const Tries& tries, double h,
                                    Energy& energy) {
  energy.keeps = keeps_energy(world, component, step.trial);
  energy.error = energy.keeps ? std::abs(energy.gain.gained) : energy.gain.gained;
  energy.gains = energy.error > 0 && step.judges_energy(component);
  energy.allowed = !energy.gains  ? 0
                   : energy.keeps ? h / tries.H * kKept * components_->energy().scale
                                  : allowed_gain(world, component, h / tries.H);
  energy.may_refine = h > 4 * tries.h_min && tries.refinements < kMostRefinements;
}

// A trial without an event.
std::optional<ComponentAdvance::Outcome> ComponentAdvance::finish_smooth(World& world, Component& component,
                                                                         Tries& tries, double h, const Energy& energy,
                                                                         bool at_breakpoint) {
  const bool too_much = energy.gain.exceeds(kGain);
  if (energy.gains && energy.may_refine && (too_much || energy.error > energy.allowed)) {
    ++tries.refinements;
    const double by_step = too_much ? 0.8 * std::cbrt(kGain / energy.gain.relative()) : 1;
    tries.longest = h * std::clamp(std::min(by_step, 0.9 * std::sqrt(energy.allowed / energy.error)), 0.1, 0.7);
    hold_length();
    return std::nullopt;
  }
  if (too_much) return fall_back(world, component, tries.H);
  step.accept(world, component,
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

std::optional<ComponentAdvance::Outcome> ComponentAdvance::go_to_event(World& world, Component& component, Tries& tries,
                                                                       double h, const Energy& energy,
                                                                       const EventCandidate& event, int solves_before) {
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
  step.allowed_gain = !energy.may_refine || !step.judges_energy(component) ? std::numeric_limits<double>::infinity()
                      : energy.keeps                                       ? kKept * components_->energy().scale
                                                                           : allowed_gain(world, component, 1);
  step.gains = false;
  switch (event.kind) {
    case EventKind::Lift:
    case EventKind::Slip: search.lift_or_slip(world, component, event, kInstant * H, step); break;
    case EventKind::Touch:
      if (!search.touch(world, component, event, step)) {
        if (search.ends_at() > 0) return Outcome::EndsEarlier;
        break;
      }
      if (++tries.impacts > kMaxImpacts) return give_up(world, component, H);
      if (!tries.together) {
        --tries.events;
        tries.first_solve += step.data.report.solves - solves_before;
      }
      if (components_->may_reach_more(world, component, *before_, H, request_)) return Outcome::MoreContacts;
      break;
    case EventKind::Stop: search.stop(world, component, event, h, step); break;
    case EventKind::None: break;
  }
  if (step.gains) {
    ++tries.refinements;
    --tries.events;
    tries.longest = 0.5 * step.trial.h;
    hold_length();
    return std::nullopt;
  }
  if (!step.trial.certified) return give_up(world, component, H);
  if (event.kind != EventKind::Touch) return std::nullopt;
  const int surface = component.contacts[index(event.contact)].contact.surface;
  if (world.model.surfaces[index(surface)].restitution > 0) {  // a chain of impacts, each with its law
    tries.in_a_row = 0;
    return std::nullopt;
  }
  return pass_burst(world, component, tries);
}

// A body without restitution rocks to rest, and a stack rattles, by touches in ever shorter intervals that have no end within the
// step. Their sum is about as long as the first few of them; over that, a first-order step closes what they would close.
std::optional<ComponentAdvance::Outcome> ComponentAdvance::pass_burst(World& world, Component& component,
                                                                      Tries& tries) {
  const double H = tries.H, now = component.offset, interval = now - tries.last;
  const bool soon = interval <= kSoonAgain * H;
  const bool sooner = interval <= kRocks * H && interval <= kSooner * tries.interval;
  if (tries.in_a_row == 0 || !(soon || sooner)) tries.in_a_row = 0, tries.burst = now;
  tries.last = now;
  tries.interval = interval;
  if (++tries.in_a_row < kBurst || tries.bursts >= kMostBursts || rebounds_ahead(world, component, H))
    return std::nullopt;
  ++tries.bursts;
  tries.in_a_row = 0;
  const double past = now + std::max(now - tries.burst, kPast * H);
  const Outcome outcome = pass_at_first_order(world, component, std::min(past, H), H);
  if (outcome != Outcome::Done) return outcome;
  return std::nullopt;
}

// Events pile up, or a problem of this order has no answer.
ComponentAdvance::Outcome ComponentAdvance::give_up(World& world, Component& component, double H) {
  wait_at_first_order(component);
  return fall_back(world, component, H);
}

// To the end of the step, or to the next breakpoint of a drive, or as far as a turning slip allows.
double ComponentAdvance::next_length(const Component& component, double H, double longest, bool& at_breakpoint) {
  const std::span<const double> breakpoints = components_->breakpoints();
  double h = H - component.offset;
  const double now = before_->time + component.offset, close = 1e-9 * H;
  const auto next = std::upper_bound(breakpoints.begin(), breakpoints.end(), now + close);
  if (next != breakpoints.end() && now + h >= *next - close) {
    at_breakpoint = true;
    if (now + h > *next + close) h = *next - now;
  }
  step.next.length = {.part = h < 2 * longest && h > longest ? 0.5 : 1.0,
                      .until = at_breakpoint ? *next : step.data.end_time,
                      .at_breakpoint = at_breakpoint};
  if (h >= 2 * longest) step.next.length.fixed = longest;
  if (h > longest) {
    h = h < 2 * longest ? 0.5 * h : longest;
    at_breakpoint = false;
  }
  return h;
}

// Speeds at which contacts of a component that approach are to part again, into rebound_.
void ComponentAdvance::list_rebounds(const World& world, const Component& component, double H) {
  rebound_.assign(component.contacts.size(), 0.0);
  for (std::size_t c = 0; c < rebound_.size(); ++c) {
    const ContactStart& start = component.contacts[c];
    const double e = world.model.surfaces[index(start.contact.surface)].restitution;
    const double speed = start.velocity[0];
    if (speed < 0 && -2 * e * speed > std::max(H, world.method.step) * world.model.gravity.norm())
      rebound_[c] = -e * speed;
  }
}

// First order over the rest of the step.
ComponentAdvance::Outcome ComponentAdvance::fall_back(World& world, Component& component, double H) {
  return pass_at_first_order(world, component, H, H);
}

// First order up to an offset in the step of length H, in parts where it gains energy or bodies sink into each other.
ComponentAdvance::Outcome ComponentAdvance::pass_at_first_order(World& world, Component& component, double until,
                                                                double H) {
  ++step.fallbacks;
  if (step.tape != nullptr) step.tape->refusal = "a step was taken at first order because events piled up";
  double longest = until - component.offset;
  int cuts = 0;
  for (bool last = false; !last;) {
    last = until - component.offset <= longest * (1 + kTimeNoise);
    const double h = last ? until - component.offset : longest;
    const double kinetic = kinetic_energy(world, component), energy = energy_of(world, component);
    list_rebounds(world, component, H);
    step.run_first_order(world, component, h);
    if (!step.trial.certified) return Outcome::Failed;
    if (components_->find_rim_points(world, component, step.data, step.trial, request_)) return Outcome::MoreContacts;
    const double parting = work_of_parting(component, step.trial);
    const bool gains = step.judges_energy(component) &&
                       step.energy_gain(world, component).gained - parting > allowed_gain(world, component, 1);
    if (cuts < kMostCuts && (gains || sinks_in(world, component, step.trial))) {
      ++cuts;
      longest = 0.5 * h;
      last = false;
      continue;
    }
    bool owed = false;
    for (std::size_t c = 0; c < component.contacts.size(); ++c) {
      const ContactTrial& out = step.trial.contacts[c];
      ContactStart& start = component.contacts[c];
      step.change_mode(world, start, !out.closed ? Mode::Open : out.slides ? Mode::Slide : Mode::Stick);
      // A contact that closes at the end of the step still approaches; its compression is over in the next one.
      if (!out.closed || 2 * out.u1[0] < start.velocity[0]) rebound_[c] = 0;
      owed |= rebound_[c] > 0;
    }
    step.accept(world, component, SubStepChange::Event);
    energy_before_ += parting;
    if (last) component.offset = until;
    if (!owed) continue;
    // No more than there was, less what it took to rise against gravity.
    const double rise = energy_of(world, component) - kinetic_energy(world, component) - (energy - kinetic);
    const double most = step.judges_energy(component) ? kinetic - std::max(0.0, rise) : kinetic;
    if (!step.impact.expand(world, component, rebound_, most, step.data)) return Outcome::Failed;
  }
  return Outcome::Done;
}

}  // namespace stickslip::stepping
