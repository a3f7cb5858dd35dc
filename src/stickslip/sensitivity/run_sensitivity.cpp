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
}

RunSensitivity::~RunSensitivity() = default;

bool RunSensitivity::run_until(double time, std::span<const Direction> directions, const Watch& watch) {
  derivative_.reset();
  if (!directions.empty()) {
    derivative_ = std::make_unique<StepSensitivity>(world_.model, world_.method, directions);
    tangents_.resize(directions[0].start.size(), static_cast<Eigen::Index>(directions.size()));
    for (std::size_t k = 0; k < directions.size(); ++k)
      tangents_.col(static_cast<Eigen::Index>(k)) = directions[k].start;
    derivative_->begin(tangents_);
  }
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
  const stepping::StepReport report = stepper_->advance(world_, h, end_time);
  if (!report.certified) return false;
  ++steps_;
  events_ = report.events;
  worst_residual_ = std::max(worst_residual_, report.residual);
  timeline_.record(world_, begin, report.events);
  for (const stepping::Event& event : report.events)
    if (event.from == contact::Mode::Open) touches_.push_back({event.time, event.contact.body_a, event.contact.body_b});
  if (report.sub_steps > 1) find_rebounds(h);
  if (derivative_ == nullptr) return true;
  derivative_->advance(before_, {h, end_time}, world_, tangents_);
  worst_balance_ = std::max(worst_balance_, derivative_->balance_error());
  return true;
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

// Bodies that met and parted within a step that was cut: no contact changed its mode, but approach became separation.
void RunSensitivity::find_rebounds(double h) {
  const auto normal_velocity = [](const collision::Contact& contact, const model::State& state) {
    contact::ContactRows rows;
    contact::set_rows<3>(contact, state, rows);
    return contact::relative_velocity(rows, 0, state.bodies[static_cast<std::size_t>(rows.a)].velocity,
                                      state.bodies[static_cast<std::size_t>(rows.b)].velocity);
  };
  std::vector<collision::Contact> first = world_.contacts, last = world_.contacts;
  collider_->refresh(world_.model, before_, first);
  collider_->refresh(world_.model, world_.state, last);
  for (std::size_t c = 0; c < last.size(); ++c) {
    if (world_.memory[c].mode != contact::Mode::Open) continue;
    const collision::ContactId& id = world_.memory[c].id;
    if (std::ranges::any_of(events_, [&](const stepping::Event& event) { return event.contact == id; })) continue;
    const double away = normal_velocity(last[c], world_.state);
    if (!(away > 0) || !(normal_velocity(first[c], before_) < 0) || last[c].gap > away * h) continue;
    const int a = last[c].id.body_a, b = last[c].id.body_b;
    const bool known = !touches_.empty() && touches_.back().time > before_.time && touches_.back().body_a == a &&
                       touches_.back().body_b == b;
    if (!known) touches_.push_back({world_.state.time - last[c].gap / away, a, b});
  }
}

}  // namespace stickslip::sensitivity
