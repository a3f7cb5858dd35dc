// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/sub_step_sensitivity.h"

#include "stickslip/collision/registry.h"
#include "stickslip/contact/material.h"
#include "stickslip/contact/support_rows.h"
#include "stickslip/sensitivity/drive_inputs.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/stepper_traits.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::sensitivity {

using contact::Mode;
using Eigen::Index;
using stepping::Component;
using stepping::ContactStart;
using stepping::ContactTrial;
using stepping::index;
using stepping::SubStep;
using stepping::SubStepEnd;
using stepping::Trial;

namespace {

constexpr double kMove = 2e-6;       // of differences by the state alone, relative to lengths and speeds
constexpr double kTie = 1e-9;        // of a normal force or a limit of friction: nothing
constexpr double kSkew = 0.1;        // of a change: how far the middle of both repetitions may be from the sub-step,
constexpr double kNoise = 1e-8;      // or of lengths and speeds
constexpr double kRounding = 1e-14;  // of velocities: what is left of them where they cancel
constexpr int kMostIterations = 8;   // of the search for the end of a repetition

double largest_arm(const Component& component, const model::State& state) {
  double arm = 0;
  for (const ContactStart& start : component.contacts)
    arm = std::max({arm, (start.contact.point_a - state.bodies[index(start.rows.a)].pose.position).norm(),
                    (start.contact.point_b - state.bodies[index(start.rows.b)].pose.position).norm()});
  return arm;
}

// The end of a trial a little later.
void go_on(double time, Trial& trial) {
  for (std::size_t k = 0; k < trial.bodies.size(); ++k) {
    model::BodyState& body = trial.bodies[k];
    body.pose.position += time * body.velocity.linear;
    turn_slightly(time * body.velocity.angular, body);
    body.velocity.linear += time * trial.acceleration[k].linear;
    body.velocity.angular += time * trial.acceleration[k].angular;
  }
  const double share = 1 + time / trial.h;
  for (ContactTrial& contact : trial.contacts)
    for (double& p : contact.p) p *= share;
  trial.h += time;
}

// How fast and how large what a sub-step is about is.
struct SubStepScales {
  double speed = 0, length = 0;

  SubStepScales(const model::Model& model, const SubStep& one, double h) {
    double arm = 0;
    for (const stepping::BodyStart& body : one.component.bodies) {
      const model::Body& of = model.bodies[index(body.body)];
      if (of.rotates()) arm = std::max(arm, std::sqrt(of.inertia.diagonal().maxCoeff() / of.mass));
    }
    for (const stepping::BodyStart& body : one.component.bodies) {
      const model::Twist& v = one.state.bodies[index(body.body)].velocity;
      speed = std::max(speed, v.linear.norm() + arm * v.angular.norm());
    }
    for (int b : one.component.driven) speed = std::max(speed, one.state.bodies[index(b)].velocity.linear.norm());
    speed += h * model.gravity.norm();
    if (!(speed > 0)) speed = 1;
    length = std::max(arm > 0 ? arm : largest_arm(one.component, one.state), 10 * h * speed);
  }
};

// As the stepper has it (TrialData::at).
double end_of(const stepping::SubStepTape& tape, const SubStep& one) {
  const double offset = one.component.offset + one.trials.back().h;
  return offset >= tape.length * (1 - 1e-12) ? tape.end : tape.begin + offset;
}

// Sum over stopping contacts of what friction could still do, as a velocity. They stick in it.
double stop_reserve(const model::Model& model, const SubStep& one, const Trial& trial) {
  const int D = model.dimension;
  double sum = 0;
  for (int i : one.stopping) {
    const ContactTrial& c = trial.contacts[index(i)];
    const double mu = model.surfaces[index(one.component.contacts[index(i)].contact.surface)].friction_kinetic;
    sum += (D == 2 ? c.g[1] : std::max(c.g[1], c.g[2])) * (mu * c.p[0] - stepping::tangential_norm(c.p, D));
  }
  return sum;
}

double slip_at_start(const SubStep& one, const Component& component, int D) {
  double sum = 0;
  for (int c : one.stopping) sum += stepping::tangential_norm(component.contacts[index(c)].velocity, D);
  return sum;
}

// Slip at the end along the slip at the start.
double slip_along(const Component& component, const Trial& trial, int c, int D) {
  const ContactStart& start = component.contacts[index(c)];
  return stepping::tangential_dot(trial.contacts[index(c)].u1, start.velocity, D) /
         stepping::tangential_norm(start.velocity, D);
}

}  // namespace

// A model with what is needed to take steps in it.
struct SubStepRepetition::Side {
  std::unique_ptr<collision::Collider> collider;
  stepping::World world;
  stepping::ComponentStep step;
  Component component;
  std::vector<collision::Contact> geometry;
  std::vector<double> breakpoints;
  double longer = 0;  // what the next sub-step may be longer than that of the run
  long begun = -1;    // the step in which it was used last

  Side(const model::Model& model, const stepping::Method& method)
      : collider(collision::make_collider(method.collider)), world(model, method, *collider) {
    for (const model::Body& body : model.bodies)
      breakpoints.insert(breakpoints.end(), body.drive.breakpoints.begin(), body.drive.breakpoints.end());
    std::ranges::sort(breakpoints);
  }
};

SubStepRepetition::SubStepRepetition(const model::Model& model, const stepping::Method& method,
                                     std::span<const Direction> directions)
    : SubStepChanges(model, method, directions) {}

SubStepRepetition::~SubStepRepetition() = default;

SubStepSensitivity::SubStepSensitivity(const model::Model& model, const stepping::Method& method,
                                       std::span<const Direction> directions)
    : SubStepRepetition(model, method, directions),
      collider_(collision::make_collider(method.collider)),
      smooth_(model_, traits_, *collider_) {
  const Index width = std::ssize(directions_), bodies = std::ssize(model.bodies);
  now_.acceleration.setZero(6 * bodies, width);
  now_.length.setZero(bodies, width);
  offset_.setZero(width);
  longest_.setZero(width);
  smooth_columns_ = smooth_changes(model_, directions_);
  is_smooth_.assign(directions_.size(), false);
  for (const SmoothChange& change : smooth_columns_) {
    is_smooth_[static_cast<std::size_t>(change.column)] = true;
    listed_.push_back(change.column);
  }
}

SubStepSensitivity::~SubStepSensitivity() = default;

bool SubStepSensitivity::is_for(const stepping::Method& method) {
  return stepping::traits_of(method.stepper).derivatives == stepping::StepDerivatives::SubSteps;
}

std::string SubStepSensitivity::objection_to(const model::Model& model, const stepping::Method& method) {
  if (!is_for(method)) return "steps of \"" + method.stepper + "\" have no sub-steps";
  if (method.motion != stepping::MotionModel::Dynamic) return "motion that is not dynamic has no derivative here";
  if (contact::has_supports(model)) return "second-order steps with supports have no derivative here";
  if (method.friction != stepping::FrictionLaw::Cone && model.dimension == 3)
    return "a friction pyramid has no derivative here";
  return {};
}

void SubStepSensitivity::begin(bool flew, Eigen::MatrixXd& tangents) {
  for (Index k = 0; k < tangents.cols(); ++k) prescribed_.clear(tangents.col(k));
  forces_open_ = false;
  for (std::size_t k = 0; k < directions_.size(); ++k) {
    const Direction& direction = directions_[k];
    const bool varies = direction.low != nullptr;
    for (auto* sides : {&low_, &high_, &closer_low_, &closer_high_}) sides->emplace_back();
    if (!varies || !flew) continue;
    const Vec3 change = (direction.high->gravity - direction.low->gravity) / direction.width();
    for (std::size_t i = 0; i < traits_.size(); ++i)
      for (int axis = 0; axis < 3; ++axis)
        if (traits_[i].free_translation[index(axis)])
          now_.acceleration(6 * static_cast<Index>(i) + axis, static_cast<Index>(k)) = change[axis];
  }
}

bool SubStepChanges::fail(const char* why) {
  why_not_ = why;
  return false;
}

Vec3 SubStepChanges::force_change(const collision::ContactId& id, Index k) const {
  const auto found = impulses_.find(id);
  return found == impulses_.end() ? Vec3::Zero() : Vec3(found->second.col(k) / tape_.length);
}

double SubStepChanges::instant_change(double time, Index k) const {
  const auto found = instants_.find(time);
  return found == instants_.end() ? 0.0 : found->second[k];
}

bool SubStepSensitivity::advance(const model::State& end, Eigen::MatrixXd& tangents) {
  const stepping::SubStepTape& tape = tape_;
  if (tape.refusal[0] != '\0') return fail(tape.refusal);
  impulses_.clear();
  instants_.clear();
  ++steps_;
  offset_.setZero();
  follows_turns_ = std::ranges::any_of(tape.sub_steps, [](const SubStep& one) {
    return one.length.fixed > 0 ||
           std::ranges::any_of(one.attempts, [](const auto& attempt) { return attempt.length.fixed > 0; });
  });
  for (std::size_t i = 0; i < tape.sub_steps.size(); ++i) {
    const SubStep& one = tape.sub_steps[i];
    if (one.component.offset == 0) {
      offset_.setZero();
      longest_.setZero();
    }
    located_ = i > 0 && !tape.sub_steps[i - 1].impact && tape.sub_steps[i - 1].end == SubStepEnd::Touch;
    if (!look_for_ties(one) || !differentiate(one, tangents)) return false;
    if (!one.impact) instants_[end_of(tape, one)] = offset_;
  }
  for (Index k = 0; k < tangents.cols(); ++k) prescribed_.put(end, k, tangents);
  return true;
}

// Made when first needed, and at the begin of the step when first needed there.
SubStepRepetition::Side& SubStepRepetition::ready(std::unique_ptr<Side>& side, const model::Model& model) {
  if (side == nullptr) side = std::make_unique<Side>(model, method_);
  if (side->begun == steps_) return *side;
  side->begun = steps_;
  side->world.state = tape_.start;
  side->step.begin(side->world, tape_.length, tape_.end);
  // An event just before the end of the step is beyond it on one side: time goes on there.
  side->step.data.nearly_end = std::numeric_limits<double>::infinity();
  return *side;
}

// Where the laws of contact have corners.
bool SubStepSensitivity::look_for_ties(const SubStep& one) {
  if (one.impact) {
    const auto touching = std::ranges::count_if(one.restitution, [](double e) { return e >= 0; });
    return touching < 2 || fail("tie: several contacts meet at one instant");
  }
  // Where bodies stand on each other the instants at which several contacts stop together are not smooth: derivatives were off by 1e-5, and in
  // one of fifty scenes by 2e-3.
  if (one.end == SubStepEnd::Stop && one.stopping.size() > 1 && one.component.bodies.size() > 1)
    return fail("several contacts of several bodies stop at one instant, and how they share their load decides when");
  const Trial& trial = one.trials.back();
  for (std::size_t c = 0; c < one.component.contacts.size(); ++c) {
    const ContactStart& start = one.component.contacts[c];
    if (start.mode == Mode::Open) continue;
    const ContactTrial& out = trial.contacts[c];
    const bool stops = std::ranges::find(one.stopping, static_cast<int>(c)) != one.stopping.end();
    const double mu = contact::friction_coefficient(model_.surfaces[index(start.contact.surface)], start.mode);
    const double limit = mu * out.p[0], friction = stepping::tangential_norm(out.p, model_.dimension);
    if (out.closed && !out.slides && !stops && mu > 0 && friction >= limit * (1 - kTie))
      return fail("tie: a contact sticks at the limit of friction");
    const double press = out.g[0] * out.p[0], usual = trial.h * model_.gravity.norm();
    if (out.closed ? press <= kTie * usual : out.u1[0] <= kTie * usual)
      if (one.end != SubStepEnd::Reserve) return fail("tie: a contact neither presses nor leaves");
  }
  return true;
}

// How far to go to both sides where the model stays as it is; 0: nothing changes.
double SubStepRepetition::amount_beside(const SubStep& one, Index k, const Eigen::MatrixXd& tangents) const {
  const SubStepScales scales(model_, one, tape_.length);
  double largest = 0;
  for (std::size_t i = 0; i < traits_.size(); ++i) {
    const auto d = tangents.col(k).segment<kBodyTangent>(static_cast<Index>(i) * kBodyTangent);
    if (d.isZero(0)) continue;
    largest = std::max({largest, d.segment<3>(kPosition).norm() / scales.length, d.segment<3>(kRotation).norm(),
                        d.segment<3>(kLinear).norm() / scales.speed,
                        scales.length * d.segment<3>(kAngular).norm() / scales.speed});
  }
  largest = std::max(largest, std::fabs(offset_[k]) / tape_.length);
  return largest > 0 ? kMove / largest : 0.0;
}

bool SubStepSensitivity::differentiate(const SubStep& one, Eigen::MatrixXd& tangents) {
  const bool smooth = differentiate_smooth(one, tangents);
  if (drives_ != nullptr) return smooth || differentiate_inputs(one, tangents);
  for (Index k = 0; k < tangents.cols(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (smooth && is_smooth_[i]) continue;
    const Direction& direction = directions_[i];
    const bool varies = direction.low != nullptr;
    const double beside = varies ? 0 : amount_beside(one, k, tangents);
    const double below = varies ? direction.below : beside, above = varies ? direction.above : beside;
    if (!(below + above > 0)) {
      // Nothing changes with it, here or before.
      for (const stepping::BodyStart& body : one.component.bodies) {
        now_.acceleration.block<6, 1>(6 * body.body, k).setZero();
        now_.length(body.body, k) = 0;
      }
      for (const ContactStart& start : one.component.contacts)
        if (const auto found = now_.reserves.find(start.contact.id); found != now_.reserves.end())
          found->second.col(k).setZero();
      continue;
    }
    Side &low = ready(low_[i], varies ? *direction.low : model_),
         &high = ready(high_[i], varies ? *direction.high : model_);
    if (differentiate(one, k, below, above, low, high, tangents)) continue;
    if (!differentiate_closer(one, k, below, above, tangents)) return false;
  }
  return true;
}

// An impact by its inputs; nothing else can be repeated by those.
bool SubStepSensitivity::differentiate_inputs(const SubStep& one, Eigen::MatrixXd& tangents) {
  if (!one.impact) return fail("a sub-step has no closed form");
  if (std::ranges::any_of(one.component.driven, [&](int b) { return drives_->has(b); }))
    return fail("an impact of a driven body");
  for (const SmoothChange& change : smooth_columns_)
    if (std::ranges::any_of(change.friction, [](const auto& mu) { return mu.first != 0 || mu.second != 0; }))
      return fail("an impact where friction is an unknown");
  Side &low = ready(low_[0], model_), &high = ready(high_[0], model_);
  for (Index k = 0; k < tangents.cols(); ++k) {
    const double beside = amount_beside(one, k, tangents);
    if (beside > 0 && !differentiate(one, k, beside, beside, low, high, tangents)) return false;
  }
  return true;
}

// By unknown k, from both sides.
bool SubStepSensitivity::differentiate(const SubStep& one, Index k, double below, double above, Side& low, Side& high,
                                       Eigen::MatrixXd& tangents) {
  for (const bool lower : {true, false}) {
    Side& side = lower ? low : high;
    End& end = lower ? lower_ : higher_;
    place(one, k, lower ? -below : above, tangents, side);
    side.step.data.frozen_modes.reset();
    if (!(one.impact ? repeat_impact(one, side, end) : repeat(one, side, end)))
      return why_not_.empty() ? fail("a sub-step cannot be repeated beside itself") : false;
    const stepping::FrozenModes& modes = side.step.data.frozen_modes;
    if (modes.moves_bodies()) return fail("redundant contacts share their load, and the share moves bodies");
    if (modes.shared() && one.end == SubStepEnd::Reserve)
      return fail("an event depends on how redundant contacts share their load");
    forces_open_ |= modes.shared();
  }
  return take(one, k, below, above, tangents);
}

// Likewise, where it did not do from further off; why_not() is why.
bool SubStepSensitivity::differentiate_closer(const SubStep& one, Index k, double below, double above,
                                              Eigen::MatrixXd& tangents) {
  const auto i = static_cast<std::size_t>(k);
  const Direction& direction = directions_[i];
  if (one.impact || (direction.low != nullptr && !direction.closer)) return false;
  const std::string before = why_not_;
  why_not_.clear();
  Direction::Pair models{&model_, &model_};
  if (closer_low_[i] == nullptr && direction.low != nullptr) models = direction.closer();
  if (differentiate(one, k, Direction::kCloser * below, Direction::kCloser * above, ready(closer_low_[i], *models.low),
                    ready(closer_high_[i], *models.high), tangents))
    return true;
  why_not_ = before;
  return false;
}

// The start of a sub-step with unknown k changed by `amount`.
void SubStepRepetition::place(const SubStep& one, Index k, double amount, const Eigen::MatrixXd& tangents, Side& side) {
  stepping::World& world = side.world;
  const int D = model_.dimension;
  move_along(one.state, tangents.col(k), amount, world.state);
  side.component = one.component;
  Component& component = side.component;
  if (component.offset > 0) component.offset += amount * offset_[k];
  side.longer = one.held ? 0 : amount * longest_[k];
  world.state.time = side.step.data.at(component.offset);
  for (std::size_t b = 0; b < traits_.size(); ++b) {
    if (traits_[b].driven) {
      model::apply_drive(world.model.bodies[b].drive, world.state.time, world.state.bodies[b]);
    } else if (!traits_[b].movable) {
      side.step.data.mid.state.bodies[b] = side.step.data.end.state.bodies[b] = world.state.bodies[b];
    }
  }
  for (stepping::BodyStart& body : component.bodies) {
    const auto change = now_.acceleration.col(k).segment<6>(6 * body.body);
    body.acceleration.linear += amount * change.head<3>();
    body.acceleration.angular += amount * change.tail<3>();
  }
  component.acceleration_h += amount * now_.length(component.bodies[0].body, k);
  side.geometry.clear();
  for (const ContactStart& start : component.contacts) side.geometry.push_back(start.contact);
  if (!side.geometry.empty()) world.collider.refresh(world.model, world.state, side.geometry);
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    ContactStart& start = component.contacts[c];
    start.contact = side.geometry[c];
    contact::set_rows_near(one.component.contacts[c].rows, start.contact, world.state, D, start.rows);
    const auto a = index(start.rows.a), b = index(start.rows.b);
    const bool at_rest = start.velocity[1] == 0 && start.velocity[2] == 0;  // put there by an event
    for (int d = 0; d < D; ++d)
      if (d == 0 || !at_rest)
        start.velocity[d] =
            contact::relative_velocity(start.rows, d, world.state.bodies[a].velocity, world.state.bodies[b].velocity);
    const auto known = now_.reserves.find(start.contact.id);
    if (known == now_.reserves.end()) continue;
    start.margin_n += amount * known->second(0, k);
    start.margin_t += amount * known->second(1, k);
    start.margin_age += amount * known->second(2, k);
    if (start.slip_peak > 0) start.slip_peak += amount * known->second(3, k);
  }
}

// The stepper's own sub-step, in the modes of one that it took.
bool SubStepRepetition::run(const Trial& trial, double tau, Side& side) const {
  if (!(tau > 0)) return false;
  side.step.data.frozen = &trial;
  side.step.run(side.world, side.component, tau);
  side.step.data.frozen = nullptr;
  return side.step.trial.certified;
}

// A trial, taken again where what it was made of is not known. Empty: it cannot be.
std::optional<SmoothTangent::Trial> SubStepSensitivity::known_trial(const SubStep& one, const Trial& trial,
                                                                    bool ends_slip, const Eigen::MatrixXd& tangents) {
  const bool last = &trial == &one.trials.back();
  if (last && one.smooth.certified && one.smooth.h == trial.h)
    return SmoothTangent::Trial{one, trial, one.smooth, ends_slip};
  Side& side = ready(middle_, model_);
  side.step.tape = &middle_tape_;  // so that it is noted
  place(one, 0, 0, tangents, side);
  for (int c : one.stopping) side.component.contacts[index(c)].end_law = ends_slip;
  if (!run(trial, trial.h, side)) return std::nullopt;
  return SmoothTangent::Trial{one, side.step.trial, side.step.next.smooth, ends_slip};
}

double SubStepRepetition::length_of(const stepping::SubStepLength& length, const Side& side) const {
  if (length.fixed > 0) return length.fixed + length.share * side.longer;
  double until = length.until;
  if (length.at_breakpoint) {
    // The same breakpoint of a drive that may have moved with the unknown.
    std::vector<double> here;
    for (const model::Body& body : model_.bodies)
      here.insert(here.end(), body.drive.breakpoints.begin(), body.drive.breakpoints.end());
    std::ranges::sort(here);
    const auto at = std::ranges::lower_bound(here, until) - here.begin();
    if (here.size() == side.breakpoints.size() && at < std::ssize(here))
      until = side.breakpoints[static_cast<std::size_t>(at)];
  } else {
    return length.part * (tape_.length - side.component.offset);
  }
  return length.part * (until - tape_.begin - side.component.offset);
}

// By how much longer the next sub-step may be than that of the run, by the repetition of an attempt in side.step.trial.
double SubStepRepetition::longer_by(const SubStep& one, const stepping::SubStepAttempt& attempt,
                                    const Side& side) const {
  const auto longest = [&](const Component& component, const Trial& trial) {
    const auto c = index(std::max(attempt.turning, 0));
    const double turn = attempt.turning < 0
                            ? 0
                            : stepping::relative_turn(component.contacts[c], trial.contacts[c], tape_.length, trial.h);
    return stepping::length_by_turn(std::max(trial.h, attempt.shortest), turn, attempt.least, attempt.most);
  };
  return longest(side.component, side.step.trial) - longest(one.component, attempt.trial);
}

// Leaves in side.step.trial the repetition that ends as the sub-step did. tau: the first length that it tried.
bool SubStepRepetition::find_length(const SubStep& one, double tau, Side& side) {
  const int D = model_.dimension;
  const std::size_t last = one.trials.size() - 1;
  const Trial& accepted = one.trials.back();
  const Trial& trial = side.step.trial;
  for (int c : one.stopping) side.component.contacts[index(c)].end_law = true;
  if (one.end == SubStepEnd::Length) {
    // What an event left of a step may be shorter than what the event moves by: the same length then, and the rest at
    // the rates of the end.
    constexpr double kShort = 0.2;
    const bool is_short = std::fabs(tau - accepted.h) > kShort * accepted.h;
    if (!run(accepted, is_short ? accepted.h : tau, side)) return false;
    if (is_short) go_on(tau - accepted.h, side.step.trial);
    return true;
  }
  if (one.end == SubStepEnd::Reserve) {
    for (std::size_t i = 0; i <= last; ++i) {
      if (!run(one.trials[i], tau, side)) return false;
      if (i == last) break;
      const ContactStart& start = side.component.contacts[index(one.contact)];
      const double mu = side.world.model.surfaces[index(start.contact.surface)].friction_static;
      const stepping::Margins margins = stepping::force_margins(trial.contacts[index(one.contact)], mu, tau, D);
      const double now = one.lifts ? margins.normal : margins.tangential,
                   before = one.lifts ? start.margin_n : start.margin_t;
      const double slope = (now - before) / (start.margin_age + 0.5 * tau);
      tau = 0.5 * tau - now / slope;
    }
    return true;
  }
  // The root of what the stepper searched, at the value that it left.
  const auto value = [&](const SubStep& of, const Component& component, const Trial& at, const model::Model& model) {
    if (of.end == SubStepEnd::Touch) return at.contacts[index(of.contact)].contact.gap;
    if (of.end == SubStepEnd::Stop) return stop_reserve(model, of, at);
    return slip_along(component, at, of.contact, D);
  };
  const double aim = value(one, one.component, accepted, model_);
  tau = accepted.h;
  double slope = 0, scale = 0;
  if (one.end == SubStepEnd::Touch) {
    slope = accepted.contacts[index(one.contact)].u1[0];
    scale = std::fabs(slope) * accepted.h;
  } else if (one.end == SubStepEnd::Stop) {
    scale = slip_at_start(one, one.component, D);
    slope = (aim + scale) / accepted.h;
  } else {
    scale = stepping::tangential_norm(one.component.contacts[index(one.contact)].velocity, D);
    slope = (aim - scale) / accepted.h;
  }
  // Secants, until what is left is small enough for one last step with the slope known by then: slopes of what comes
  // after it would be those of rounding.
  constexpr double kNear = 1e-10;
  double speed = 0;
  for (const stepping::BodyStart& body : one.component.bodies)
    speed = std::max(speed, one.state.bodies[index(body.body)].velocity.linear.lpNorm<1>());
  const double close = kNear * scale + (one.end == SubStepEnd::Touch ? accepted.h : 1.0) * kRounding * speed;
  double tau_before = 0, f_before = 0;
  for (int k = 0; k < kMostIterations; ++k) {
    if (!run(accepted, tau, side)) return false;
    const double f = value(one, side.component, trial, side.world.model) - aim;
    if (f == 0 || (k > 0 && std::fabs(f_before) <= close)) return std::fabs(f) <= close;
    if (k > 0) slope = (f - f_before) / (tau - tau_before);
    if (!std::isfinite(slope) || slope == 0) return false;
    tau_before = tau;
    f_before = f;
    tau -= f / slope;
  }
  return false;
}

bool SubStepRepetition::repeat(const SubStep& one, Side& side, End& end) {
  const int D = model_.dimension;
  const Trial& trial = side.step.trial;
  const bool ends_itself = one.end == SubStepEnd::Length;  // the last attempt is the sub-step
  double tau = length_of(one.length, side), longer = side.longer;
  for (std::size_t i = 0; follows_turns_ && i < one.attempts.size(); ++i) {
    const stepping::SubStepAttempt& attempt = one.attempts[i];
    tau = length_of(attempt.length, side);
    if (ends_itself && i + 1 == one.attempts.size()) break;
    if (!run(attempt.trial, tau, side)) return false;
    longer = longer_by(one, attempt, side);
    if (i + 1 < one.attempts.size()) side.longer = longer;
  }
  if (!find_length(one, tau, side)) return false;
  if (follows_turns_ && ends_itself && !one.attempts.empty()) longer = longer_by(one, one.attempts.back(), side);
  end.longest = longer;
  end.tau = trial.h;
  end.offset = side.component.offset + trial.h;
  end.bodies = trial.bodies;
  end.acceleration = trial.acceleration;
  const auto n = std::ssize(one.component.contacts);
  end.reserves.setZero(4, n);
  end.impulses.setZero(3, n);
  for (Index c = 0; c < n; ++c) {
    const ContactTrial& out = trial.contacts[static_cast<std::size_t>(c)];
    if (!(out.g[0] > 0)) continue;
    const auto surface = index(one.component.contacts[static_cast<std::size_t>(c)].contact.surface);
    const stepping::Margins margins =
        stepping::force_margins(out, side.world.model.surfaces[surface].friction_static, trial.h, D);
    const ContactStart& start = side.component.contacts[static_cast<std::size_t>(c)];
    const double peak =
        start.mode == Mode::Slide ? std::max(start.slip_peak, stepping::tangential_norm(out.u1, D)) : 0.0;
    end.reserves.col(c) << margins.normal, margins.tangential, 0.5 * trial.h, peak;
    for (int d = 0; d < D; ++d) end.impulses.col(c) += out.p[d] * out.rows.direction[d];
  }
  return true;
}

bool SubStepRepetition::repeat_impact(const SubStep& one, Side& side, End& end) {
  stepping::World& world = side.world;
  world.waypoints.clear();
  // Without a sub-step that ended there, it must touch beside it at the same instant.
  const double rounding = 1e-11 * SubStepScales(model_, one, tape_.length).length;
  for (std::size_t c = 0; !located_ && c < one.restitution.size(); ++c)
    if (one.restitution[c] >= 0 &&
        std::fabs(side.component.contacts[c].contact.gap - one.component.contacts[c].contact.gap) > rounding)
      return fail("tie: a contact touches at the very start of a step");
  std::vector<double> restitution = one.restitution;  // 0: left out; else the pair's own
  for (std::size_t c = 0; c < restitution.size(); ++c)
    if (restitution[c] > 0)
      restitution[c] = world.model.surfaces[index(one.component.contacts[c].contact.surface)].restitution;
  if (!side.step.impact.resolve(world, side.component, restitution, side.step.data)) return false;
  end.tau = 0;
  end.offset = side.component.offset;
  end.bodies.clear();
  for (const stepping::BodyStart& body : one.component.bodies)
    end.bodies.push_back(world.state.bodies[index(body.body)]);
  return true;
}

// Differences of lower_ and higher_ become the changes at the end.
bool SubStepSensitivity::take(const SubStep& one, Index k, double below, double above, Eigen::MatrixXd& tangents) {
  const double width = below + above;
  const SubStepScales scales(model_, one, tape_.length);
  for (std::size_t j = 0; j < one.component.bodies.size(); ++j) {
    const int b = one.component.bodies[j].body;
    const model::BodyState& here = one.impact ? one.after[j] : one.trials.back().bodies[j];
    const auto low = difference(here, lower_.bodies[j]), high = difference(here, higher_.bodies[j]);
    const Eigen::Matrix<double, kBodyTangent, 1> change = high - low, middle = (below * high + above * low) / width;
    for (const int first : {kPosition, kRotation, kLinear, kAngular}) {
      const double size = first == kPosition   ? scales.length
                          : first == kRotation ? 1.0
                          : first == kLinear   ? scales.speed
                                               : scales.speed / scales.length;
      const double allowed = kSkew * change.segment<3>(first).norm() + kNoise * size;
      if (!(middle.segment<3>(first).norm() <= allowed))
        return fail(one.impact ? "tie: the velocities after an impact have a corner"
                               : "a sub-step repeated in its modes is not the one of the run");
    }
    tangents.col(k).segment<kBodyTangent>(static_cast<Index>(b) * kBodyTangent) = change / width;
  }
  if (one.impact) return true;
  offset_[k] = (higher_.offset - lower_.offset) / width;
  longest_[k] = (higher_.longest - lower_.longest) / width;
  for (std::size_t j = 0; j < one.component.bodies.size(); ++j) {
    const int b = one.component.bodies[j].body;
    auto acceleration = now_.acceleration.col(k).segment<6>(6 * b);
    acceleration.head<3>() = (higher_.acceleration[j].linear - lower_.acceleration[j].linear) / width;
    acceleration.tail<3>() = (higher_.acceleration[j].angular - lower_.acceleration[j].angular) / width;
    now_.length(b, k) = (higher_.tau - lower_.tau) / width;
  }
  for (std::size_t c = 0; c < one.component.contacts.size(); ++c) {
    if (!(one.trials.back().contacts[c].g[0] > 0)) continue;
    const auto column = static_cast<Index>(c);
    const collision::ContactId& id = one.component.contacts[c].contact.id;
    if (auto& entry = now_.reserves[id]; entry.cols() == 0) entry.setZero(4, std::ssize(directions_));
    if (auto& entry = impulses_[id]; entry.cols() == 0) entry.setZero(3, std::ssize(directions_));
    now_.reserves[id].col(k) = (higher_.reserves.col(column) - lower_.reserves.col(column)) / width;
    impulses_[id].col(k) += (higher_.impulses.col(column) - lower_.impulses.col(column)) / width;
  }
  return true;
}

}  // namespace stickslip::sensitivity
