// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/guarded_stepper.h"

#include "stickslip/contact/compliance.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/noise.h"
#include "stickslip/stepping/stepper_traits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {
namespace {

constexpr double kShortest = 1e-7;           // of the run's step: parts are not cut further
constexpr double kShortestSunk = 1.0 / 256;  // the same where bodies sank in: a jam is not undone by it
constexpr double kSunk = 1e-2;               // of the thickness: overlaps beyond this are undone,
constexpr double kSoftStill = 1e-3;  // of what may pass unseen: bodies that give way move by less, or are watched
constexpr double kUnseen = 1e-5;     // of the thickness: overlap of surfaces that give way beyond that of contacts
constexpr double kGrown = 0.25;      // where a step made them, by more than this part of what is allowed
constexpr int kMostParts = 100000;   // of one step; the rest is then taken as it comes,
constexpr std::int64_t kMostAdvances = 200'000;  // and after so many looks at pairs: less than a second

}  // namespace

void GuardedStepper::prepare(const World& world) {
  std::vector<std::uint8_t> movable, moving, driven;
  for (const contact::BodyTraits& traits : world.traits) {
    movable.push_back(traits.movable);
    moving.push_back(traits.movable || traits.driven);
    movable_ += traits.movable ? 1 : 0;
    driven.push_back(traits.driven);
    limits_drives_ |= traits.driven;
    always_watched_ |= traits.driven || (traits.pushed && traits.movable);
  }
  always_watched_ |= world.method.motion != MotionModel::Dynamic;
  limits_drives_ = limits_drives_ && traits_of(world.method.stepper).drives_at_end;
  compliant_ = traits_of(world.method.stepper).compliant &&
               std::ranges::any_of(world.model.surfaces, [](const model::Surface& surface) {
                 return contact::is_compliant(surface.compliance);
               });
  overlaps_.emplace(world.model);
  for (const model::Body& body : world.model.bodies)
    round_.push_back(std::ranges::all_of(body.shapes, [](const model::PlacedShape& placed) {
      return std::holds_alternative<model::Disc>(placed.shape) || std::holds_alternative<model::Sphere>(placed.shape);
    }));
  sweep_.emplace(world.model, std::move(movable), std::move(moving), std::move(driven));
}

StepReport GuardedStepper::advance_inner(World& world, double h, double end_time) {
  world.waypoints.clear();
  StepReport report = inner_->advance(world, h, end_time);
  if (!report.certified) failure_ = inner_->failure();
  return report;
}

StepReport GuardedStepper::advance(World& world, double h, double end_time) {
  if (!sweep_) prepare(world);
  if (sweep_->is_needless()) return advance_inner(world, h, end_time);
  if (!always_watched_ && sweep_->is_calm(world.state, h) && (movable_ < 2 || sweep_->is_still(world.state, h)) &&
      (!compliant_ || sweep_->is_still(world.state, h, kSoftStill)))
    return advance_inner(world, h, end_time);
  keep(world, step_start_);
  if (const double part = longest_part(world, h); part < h) return advance_divided(world, h, end_time, part);
  const StepReport report = advance_inner(world, h, end_time);
  if (!report.certified) {
    if (sweep_->is_calm(step_start_.state(), h)) return report;
    put_back(world, step_start_);
    return advance_divided(world, h, end_time, 0.5 * h);
  }
  const collision::Passage passage = passage_since(world, step_start_.state());
  if (!passage && sank_in(world, step_start_.state())) {
    put_back(world, step_start_);
    return advance_divided(world, h, end_time, 0.5 * h);
  }
  if (!passage) return report;
  put_back(world, step_start_);
  return advance_divided(world, h, end_time, passage.time - world.state.time);
}

double GuardedStepper::longest_part(const World& world, double h) const {
  return limits_drives_ ? sweep_->length_for_drives(world.state, h) : h;
}

collision::Passage GuardedStepper::passage_since(const World& world, const model::State& start) {
  if (world.waypoints.empty() && sweep_->is_slow(start, world.state)) return {};
  pressed_.resize(world.contacts.size());
  for (std::size_t c = 0; c < pressed_.size(); ++c) pressed_[c] = world.memory[c].touching;
  return sweep_->first_passage(start, world.state, world.waypoints, world.contacts, pressed_);
}

bool GuardedStepper::sank_in(const World& world, const model::State& start) {
  const auto driven = [&](int a, int b) { return world.traits[index(a)].driven || world.traits[index(b)].driven; };
  const double step = world.method.step;
  const bool quiet =
      movable_ < 2 ? sweep_->is_calm(start, step) && (always_watched_ || compliant_) : sweep_->is_still(start, step);
  const bool soft_quiet = !compliant_ || sweep_->is_still(start, step, kSoftStill);
  if (!quiet || !soft_quiet)
    return overlaps_->visit_near(world.state, [&](int a, int b) {
      if (deforms(world, a, b) ? soft_quiet : quiet) return false;
      return !(driven(a, b) && (round_[index(a)] || round_[index(b)])) && sank_in(world, start, a, b);
    });
  if (!limits_drives_) return false;
  for (std::size_t c = 0; c < world.contacts.size(); ++c) {
    const int a = world.contacts[c].id.body_a, b = world.contacts[c].id.body_b;
    if (c > 0 && world.contacts[c - 1].id.body_a == a && world.contacts[c - 1].id.body_b == b) continue;
    if (!driven(a, b) || round_[index(a)] || round_[index(b)]) continue;
    if (sank_in(world, start, a, b)) return true;
  }
  return false;
}

bool GuardedStepper::sank_in(const World& world, const model::State& start, int a, int b) {
  const double h = world.state.time - start.time, thickness = overlaps_->thickness(a, b);
  if (!std::isfinite(thickness)) return false;
  if (deforms(world, a, b)) {
    const double unseen =
        overlaps_->depth(world.state, a, b) - kUnseen * thickness - 2 * pressed_by_weight(world, a, b);
    return unseen > 0 && unseen > known_depth(world, a, b) && unseen > overlaps_->depth(start, a, b);
  }
  const auto travel_at = [&](const model::State& state) {
    const model::Twist &va = state.bodies[index(a)].velocity, &vb = state.bodies[index(b)].velocity;
    return h * ((va.linear - vb.linear).norm() + va.angular.norm() * overlaps_->radius(a) +
                vb.angular.norm() * overlaps_->radius(b));
  };
  const double travel = travel_at(world.state), slow = kSunk * thickness;
  if (travel <= slow && world.waypoints.empty() && travel_at(start) <= slow)
    return false;  // an overlap does not grow by more
  const double allowed = slow + travel * travel / thickness;
  const double depth = overlaps_->depth(world.state, a, b);
  return depth > allowed && depth > overlaps_->depth(start, a, b) + kGrown * allowed;
}

// Do the surfaces of the two give way?
bool GuardedStepper::deforms(const World& world, int a, int b) const {
  if (!compliant_) return false;
  const int surface = world.model.surface_between(std::min(a, b), std::max(a, b));
  return surface >= 0 && contact::is_compliant(world.model.surfaces[index(surface)].compliance);
}

// How far the weight of the lighter of the two presses it into surfaces that give way: what bodies at rest overlap by.
double GuardedStepper::pressed_by_weight(const World& world, int a, int b) {
  double mass = std::numeric_limits<double>::infinity();
  for (const int body : {a, b})
    if (world.traits[index(body)].movable) mass = std::min(mass, world.model.bodies[index(body)].mass);
  const model::Surface& surface =
      world.model.surfaces[index(world.model.surface_between(std::min(a, b), std::max(a, b)))];
  const double stiffness = surface.compliance.stiffness_normal;
  return std::isfinite(mass) && stiffness > 0 ? mass * world.model.gravity.norm() / stiffness : 0.0;
}

// How far the two overlap by the contacts of the step.
double GuardedStepper::known_depth(const World& world, int a, int b) {
  of_pair_.clear();
  for (const collision::Contact& contact : world.contacts)
    if (std::minmax(contact.id.body_a, contact.id.body_b) == std::minmax(a, b)) of_pair_.push_back(contact);
  world.collider.refresh(world.model, world.state, of_pair_);
  double depth = 0;
  for (const collision::Contact& contact : of_pair_) depth = std::max(depth, -contact.gap);
  return depth;
}

StepReport GuardedStepper::advance_divided(World& world, double h, double end_time, double first_cut) {
  StepReport total;
  total.sub_steps = 0;
  events_.clear();
  double length = first_cut;
  const std::int64_t most = sweep_->advances() + kMostAdvances;
  for (int parts = 0; end_time - world.state.time > kTimeNoise * h; ++parts) {
    if (parts >= kMostParts || sweep_->advances() > most) {
      keep(world, part_start_);
      StepReport rest = advance_inner(world, end_time - world.state.time, end_time);
      const collision::Passage passage = passage_since(world, part_start_.state());
      if (rest.certified && passage) rest.certified = refuse(world, passage);
      ++rest.passages;
      total.include(rest);
      if (rest.certified) break;
      put_back(world, step_start_);
      return total;
    }
    if (!advance_part(world, end_time, length, total)) {
      put_back(world, step_start_);
      return total;
    }
    length = longest_part(world, end_time - world.state.time);
  }
  world.state.time = end_time;
  total.events = events_;
  return total;
}

// The next part of a step: as long as asked for, or as far as nothing passes.
bool GuardedStepper::advance_part(World& world, double end_time, double length, StepReport& total) {
  const double begin = world.state.time, shortest = kShortest * world.method.step;
  keep(world, part_start_);
  bool cut = begin + length < end_time;
  for (;;) {
    length = std::max(length, shortest);
    const bool last = begin + length >= end_time;
    const double part_end = last ? end_time : begin + length;
    const StepReport report = advance_inner(world, last ? end_time - begin : length, part_end);
    if (!report.certified && !sweep_->is_calm(part_start_.state(), part_end - begin) && length > shortest) {
      put_back(world, part_start_);
      length = 0.5 * (part_end - begin);
      cut = true;
      continue;
    }
    if (!report.certified) {
      total.certified = false;
      total.residual = report.residual;
      total.solver = report.solver;
      return false;
    }
    const collision::Passage passage = passage_since(world, part_start_.state());
    const bool shorter = length > shortest && part_end - begin > shortest;
    if (passage && shorter) {
      put_back(world, part_start_);
      // Up to where they overlap; if that is the end of the part, it did not help to end there.
      const double until = passage.time - begin;
      length = until < 0.9 * (part_end - begin) ? until : 0.5 * (part_end - begin);
      cut = true;
      continue;
    }
    if (passage) {
      total.certified = refuse(world, passage);
      return false;
    }
    if (part_end - begin > kShortestSunk * world.method.step && sank_in(world, part_start_.state())) {
      put_back(world, part_start_);
      length = 0.5 * (part_end - begin);
      cut = true;
      continue;
    }
    total.include(report);
    total.divisions += cut ? 1 : 0;
    events_.insert(events_.end(), report.events.begin(), report.events.end());
    return true;
  }
}

bool GuardedStepper::refuse(const World& world, const collision::Passage& passage) {
  failure_ = {};
  failure_.time = step_start_.state().time;
  failure_.reason =
      fmt::format("'{}' passes through '{}', however the step is divided: take a shorter step, or stiffer surfaces",
                  world.model.bodies[index(passage.body_a)].name, world.model.bodies[index(passage.body_b)].name);
  return false;
}

void GuardedStepper::keep(const World& world, Start& start) const {
  ByteWriter& stepper = start.keep(world);
  stepper.clear();
  inner_->save(stepper);
}

void GuardedStepper::put_back(World& world, const Start& start) {
  ByteReader in(start.put_back(world).view());
  inner_->restore(in);
}

}  // namespace stickslip::stepping
