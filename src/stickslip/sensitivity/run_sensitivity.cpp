// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/run_sensitivity.h"

#include "stickslip/collision/registry.h"
#include "stickslip/stepping/guarded_stepper.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/second_order.h"

#include <algorithm>

namespace stickslip::sensitivity {

void RunSensitivity::begin(std::span<const Direction> directions, Of what) {
  const model::Model& model = simulation_.model();
  const stepping::Method& method = simulation_.method();
  touches_.clear();
  worst_balance_ = 0;
  any_step_ = false;
  why_unknown_.clear();
  flight_.reset();
  sub_steps_.reset();
  flow_.reset();
  repeating_ = flew_ = false;
  stop_noting();
  tangents_known_ = !directions.empty();
  if (!tangents_known_) return;
  tangents_.resize(directions[0].start.size(), std::ssize(directions));
  for (std::size_t k = 0; k < directions.size(); ++k) tangents_.col(static_cast<Eigen::Index>(k)) = directions[k].start;
  if (what == Of::MotionAndForces && !collider_) collider_ = collision::make_collider(method.collider);
  if (FlowSensitivity::is_for(method)) {
    flow_ = std::make_unique<FlowSensitivity>(model, method, directions);
    flow_->begin(tangents_);
    return;
  }
  if (SubStepSensitivity::objection_to(model, method).empty())
    sub_steps_ = std::make_unique<SubStepSensitivity>(model, method, directions);
  if (covers_flights(model, method) && (what == Of::Motion || !sub_steps_)) {  // instants of impacts are lost there
    flight_ = std::make_unique<FlightSensitivity>(model, method, directions);
    return;
  }
  if (sub_steps_) {
    sub_steps_->begin(flew_, tangents_);
    repeating_ = true;
    return;
  }
  if (!derivative_ || !derivative_->serves(directions))
    derivative_ = std::make_unique<StepSensitivity>(model, method, directions);
  derivative_->begin(what == Of::MotionAndForces, tangents_);
}

void RunSensitivity::begin_step() {
  if (tangents_known_) kept_.tangents = tangents_;
  kept_.known = tangents_known_;
  kept_.touches = touches_.size();
  if (sub_steps_ && tangents_known_) sub_steps_->keep();
  if (flow_ && tangents_known_) flow_->keep();
}

void RunSensitivity::take_back() {
  if (kept_.known) tangents_ = kept_.tangents;
  tangents_known_ = kept_.known;
  if (derivative_) derivative_->take_back();
  if (sub_steps_ && kept_.known) sub_steps_->take_back();
  if (flow_ && kept_.known) flow_->take_back();
  touches_.resize(kept_.touches);
}

RunSensitivity::~RunSensitivity() {
  simulation_.watch_parts(nullptr);
  stop_noting();
}

void RunSensitivity::stop_noting() {
  if (noting_ != nullptr) noting_->record(nullptr);
  if (noting_parts_ != nullptr) noting_parts_->record(nullptr);
  noting_ = nullptr;
  noting_parts_ = nullptr;
}

void RunSensitivity::before_part(stepping::Stepper& stepper, const stepping::World& world) {
  before_ = world.state;
  if (sub_steps_ && tangents_known_ && noting_ == nullptr) {
    auto* const guarded = dynamic_cast<stepping::GuardedStepper*>(&stepper);
    noting_ = dynamic_cast<stepping::SecondOrder*>(guarded != nullptr ? &guarded->inner() : &stepper);
    if (noting_ == nullptr) return lose("the stepper does not tell its sub-steps");
    noting_->record(&sub_steps_->tape());
  }
  if (flow_ && tangents_known_ && noting_parts_ == nullptr) {
    auto* const guarded = dynamic_cast<stepping::GuardedStepper*>(&stepper);
    noting_parts_ = dynamic_cast<stepping::RungeKutta*>(guarded != nullptr ? &guarded->inner() : &stepper);
    if (noting_parts_ == nullptr) return lose("the stepper does not tell its parts");
    noting_parts_->record(&flow_->tape());
  }
  closed_.clear();
  for (const stepping::ContactMemory& memory : world.memory)
    if (memory.mode != contact::Mode::Open) closed_.push_back(memory.id);
}

void RunSensitivity::after_part(const stepping::World& world, double h, const stepping::StepReport& report) {
  any_step_ = true;
  if (!report.events.empty()) find_touches(report.events);
  if (!tangents_known_) return;
  if (report.divisions > 0)
    lose("a step was cut where bodies would have passed through each other");
  else
    differentiate(world, h);
}

void RunSensitivity::lose(std::string why) {
  tangents_known_ = false;
  why_unknown_ = std::move(why);
}

void RunSensitivity::differentiate(const stepping::World& world, double h) {
  if (flight_) {
    if (flight_->advance(before_, h, world, tangents_)) {
      worst_balance_ = std::max(worst_balance_, flight_->balance_error());
      flew_ = true;
      return;
    }
    if (!sub_steps_) return lose("a step was more than flight and single impacts");
    flight_.reset();
    sub_steps_->begin(flew_, tangents_);
    repeating_ = true;
  }
  if (flow_) {
    if (!flow_->advance(world.state, tangents_)) lose(flow_->why_not());
    return;
  }
  if (repeating_) {
    if (!sub_steps_->advance(world.state, tangents_)) lose(sub_steps_->why_not());
    return;
  }
  derivative_->advance(before_, h, world, tangents_);
  // A step with rows from elsewhere than StepEquations takes them (stepping/bending.h) does not satisfy its equations.
  constexpr double kAnotherStep = 1e-5;
  if (derivative_->balance_error() > kAnotherStep)
    return lose("a step satisfies other equations than those known here");
  worst_balance_ = std::max(worst_balance_, derivative_->balance_error());
}

void RunSensitivity::contacts_along(Eigen::Index k, double amount, const model::Model& model, const model::State& moved,
                                    std::vector<contact::ContactResult>& results) const {
  const auto now = simulation_.contacts();
  results.assign(now.begin(), now.end());
  std::vector<collision::Contact> geometry;
  for (const contact::ContactResult& one : now) geometry.push_back(one.contact);
  collider_->refresh(model, moved, geometry);
  for (std::size_t c = 0; c < results.size(); ++c) results[c].contact = geometry[c];
  if (!any_step_ || !tangents_known_) return;
  if (!repeating_ && !flight_ && derivative_) derivative_->contacts_along(k, amount, results);
  if (!repeating_ && !flow_) return;
  const auto velocity_of = [](const collision::Contact& contact, const model::State& state) {
    const auto at = [&](int body, const Vec3& point) -> Vec3 {
      const model::BodyState& s = state.bodies[stepping::index(body)];
      return s.velocity.linear + s.velocity.angular.cross(point - s.pose.position);
    };
    return Vec3(at(contact.id.body_a, contact.point_a) - at(contact.id.body_b, contact.point_b));
  };
  for (std::size_t c = 0; c < results.size(); ++c) {
    const collision::ContactId& id = now[c].contact.id;
    results[c].force += amount * (flow_ ? flow_->force_change(id, k) : sub_steps_->force_change(id, k));
    results[c].relative_velocity +=
        velocity_of(results[c].contact, moved) - velocity_of(now[c].contact, simulation_.state());
  }
}

void RunSensitivity::events_along(Eigen::Index k, double amount, std::vector<stepping::Event>& events) const {
  const auto now = simulation_.last_report().events;
  events.assign(now.begin(), now.end());
  if (!(repeating_ || flow_) || !tangents_known_) return;
  for (stepping::Event& event : events)
    event.time += amount * (flow_ ? flow_->instant_change(event.time, k) : sub_steps_->instant_change(event.time, k));
}

// Bodies that were apart and have a contact that closed. Where one of their contacts is closed already, another one
// that closes is no meeting: both corners of a box that lands flat, a corner that a rocking box sets down.
void RunSensitivity::find_touches(std::span<const stepping::Event> events) {
  const auto same = [](const collision::ContactId& a, const collision::ContactId& b) {
    return a.body_a == b.body_a && a.body_b == b.body_b;
  };
  for (std::size_t k = 0; k < events.size(); ++k) {
    if (events[k].from != contact::Mode::Open) continue;
    auto closed = std::ranges::count_if(closed_, [&](const auto& id) { return same(id, events[k].contact); });
    for (std::size_t i = 0; i < k; ++i) {
      if (!same(events[i].contact, events[k].contact)) continue;
      closed += events[i].from == contact::Mode::Open ? 1 : events[i].to == contact::Mode::Open ? -1 : 0;
    }
    const Touch touch{events[k].time, events[k].contact.body_a, events[k].contact.body_b};
    const bool known = std::ranges::any_of(touches_, [&](const Touch& one) {
      return one.body_a == touch.body_a && one.body_b == touch.body_b && one.time == touch.time;
    });
    if (closed <= 0 && !known) touches_.push_back(touch);
  }
}

}  // namespace stickslip::sensitivity
