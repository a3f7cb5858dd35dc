// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/run_sensitivity.h"

#include "stickslip/collision/registry.h"

#include <algorithm>
#include <stdexcept>

namespace stickslip::sensitivity {
namespace {

constexpr double kRounding = 1e-9;  // of a step: shorter remainders are rounding of the grid, as in simulation/

std::unique_ptr<collision::Collider> collider_or_throw(const stepping::Method& method) {
  auto collider = collision::make_collider(method.collider);
  if (!collider) throw std::invalid_argument("unknown collider \"" + method.collider + "\"");
  return collider;
}

}  // namespace

RunSensitivity::RunSensitivity(const model::Model& model, const stepping::Method& method)
    : collider_(collider_or_throw(method)),
      world_(model, method, *collider_),
      stepper_(stepping::make_stepper(method, model)) {
  if (!stepper_) throw std::invalid_argument("unknown stepper \"" + method.stepper + "\"");
  ByteWriter fresh;
  stepper_->save(fresh);
  fresh_ = fresh.take();
}

void RunSensitivity::restart() {
  ByteReader fresh(fresh_);
  stepper_->restore(fresh);
  world_.state = model::initial_state(world_.model);
  world_.contacts.clear();
  world_.memory.clear();
  timeline_ = {};
  touches_.clear();
  events_ = {};
  worst_residual_ = worst_balance_ = 0;
  steps_ = 0;
}

RunSensitivity::~RunSensitivity() = default;

void RunSensitivity::begin_tangents(std::span<const Direction> directions) {
  flight_.reset();
  tangents_known_ = !directions.empty();
  if (!tangents_known_) return;
  tangents_.resize(directions[0].start.size(), static_cast<Eigen::Index>(directions.size()));
  for (std::size_t k = 0; k < directions.size(); ++k) tangents_.col(static_cast<Eigen::Index>(k)) = directions[k].start;
  if (covers_flights(world_.model, world_.method)) {
    flight_ = std::make_unique<FlightSensitivity>(world_.model, world_.method, directions);
    return;
  }
  if (!derivative_ || !derivative_->serves(directions))
    derivative_ = std::make_unique<StepSensitivity>(world_.model, world_.method, directions);
  derivative_->begin(tangents_);
}

bool RunSensitivity::run_until(double time, std::span<const Direction> directions, const Watch& watch) {
  begin_tangents(directions);
  if (derivative_) derivative_->ends_only(!watch);
  if (watch && !watch(*this)) return true;
  const double h = world_.method.step;
  const double start = world_.state.time;
  for (std::int64_t k = 1; time - world_.state.time > kRounding * h; ++k) {
    const double next = start + static_cast<double>(k) * h;
    const bool whole = next <= time + kRounding * h;
    if (!step(whole ? h : time - world_.state.time, whole ? next : time)) return false;
    if (watch && !watch(*this)) return true;
  }
  return true;
}

bool RunSensitivity::step(double h, double end_time) {
  const double begin = world_.state.time;
  before_ = world_.state;
  closed_.clear();
  for (const stepping::ContactMemory& memory : world_.memory)
    if (memory.mode != contact::Mode::Open) closed_.push_back(memory.id);
  const stepping::StepReport report = stepper_->advance(world_, h, end_time);
  if (!report.certified) return false;
  ++steps_;
  events_ = report.events;
  worst_residual_ = std::max(worst_residual_, report.residual);
  timeline_.record(world_, begin, report.events);
  if (!events_.empty()) find_touches();
  if (report.divisions > 0) tangents_known_ = false;  // it was not one step
  if (tangents_known_) differentiate({h, end_time});
  return true;
}

void RunSensitivity::differentiate(const StepSpan& span) {
  if (flight_) {
    tangents_known_ = flight_->advance(before_, span, world_, tangents_);
    if (tangents_known_) worst_balance_ = std::max(worst_balance_, flight_->balance_error());
    return;
  }
  derivative_->advance(before_, span, world_, tangents_);
  // A step with rows from elsewhere than StepEquations takes them (stepping/bending.h) does not satisfy its equations.
  constexpr double kAnotherStep = 1e-5;
  if (derivative_->balance_error() > kAnotherStep) {
    tangents_known_ = false;
    return;
  }
  worst_balance_ = std::max(worst_balance_, derivative_->balance_error());
}

void RunSensitivity::contacts(std::vector<contact::ContactResult>& results) const {
  std::vector<collision::Contact> geometry = world_.contacts;
  collider_->refresh(world_.model, world_.state, geometry);
  results.resize(geometry.size());
  for (std::size_t c = 0; c < results.size(); ++c) {
    const stepping::ContactMemory& memory = world_.memory[c];
    results[c] = {geometry[c], memory.mode, memory.force, memory.relative_velocity};
  }
}

void RunSensitivity::contacts_along(Eigen::Index k, double amount, const model::Model& model, const model::State& moved,
                                    std::vector<contact::ContactResult>& results) const {
  std::vector<collision::Contact> geometry = world_.contacts;
  collider_->refresh(model, moved, geometry);
  contacts(results);
  for (std::size_t c = 0; c < results.size(); ++c) results[c].contact = geometry[c];
  if (steps_ > 0) derivative_->contacts_along(k, amount, before_, results);
}

// Bodies that were apart and have a contact that closed. Where one of their contacts is closed already, another one
// that closes is no meeting: both corners of a box that lands flat, a corner that a rocking box sets down.
void RunSensitivity::find_touches() {
  const auto same = [](const collision::ContactId& a, const collision::ContactId& b) {
    return a.body_a == b.body_a && a.body_b == b.body_b;
  };
  for (std::size_t k = 0; k < events_.size(); ++k) {
    if (events_[k].from != contact::Mode::Open) continue;
    auto closed = std::ranges::count_if(closed_, [&](const auto& id) { return same(id, events_[k].contact); });
    for (std::size_t i = 0; i < k; ++i) {
      if (!same(events_[i].contact, events_[k].contact)) continue;
      closed += events_[i].from == contact::Mode::Open ? 1 : events_[i].to == contact::Mode::Open ? -1 : 0;
    }
    const Touch touch{events_[k].time, events_[k].contact.body_a, events_[k].contact.body_b};
    const bool known = std::ranges::any_of(touches_, [&](const Touch& one) {
      return one.body_a == touch.body_a && one.body_b == touch.body_b && one.time == touch.time;
    });
    if (closed <= 0 && !known) touches_.push_back(touch);
  }
}

}  // namespace stickslip::sensitivity
