// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of simulation.h.
//
// Everything that later steps depend on, as bytes under a checksum. Not a file format: it belongs to one version and
// one machine.
#include "stickslip/files/checksum.h"
#include "stickslip/simulation/audit.h"
#include "stickslip/simulation/simulation.h"

#include <concepts>
#include <stdexcept>
#include <type_traits>

namespace stickslip::simulation {
namespace {

constexpr std::string_view kSignature = "stickslip state 7";

// What is kept of each, in its order: written and read by the same lines.
template <class T, class Kept>
concept Same = std::same_as<std::remove_const_t<T>, Kept>;

void each_part(Same<model::BodyState> auto& s, auto&& part) {
  part(s.pose.position);
  part(s.pose.orientation.coeffs());
  part(s.velocity.linear);
  part(s.velocity.angular);
  part(s.angle);
}

void each_part(Same<collision::ContactId> auto& id, auto&& part) {
  for (auto* x : {&id.body_a, &id.body_b, &id.shape_a, &id.shape_b, &id.feature_a, &id.feature_b, &id.element})
    part(*x);
}

void each_part(Same<collision::Contact> auto& c, auto&& part) {
  each_part(c.id, part);
  part(c.surface);
  part(c.gap);
  for (auto* x : {&c.point_a, &c.point_b, &c.normal}) part(*x);
}

void each_part(Same<stepping::ContactMemory> auto& m, auto&& part) {
  each_part(m.id, part);
  part(m.mode);
  part(m.force);
  part(m.relative_velocity);
  part(m.touching);
  part(m.touched_before);
  part(m.deformation);
  part(m.shear);
}

template <class T>
concept Scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;

void put(ByteWriter& out, const auto& x) {
  each_part(x, [&](const auto& part) {
    if constexpr (Scalar<std::remove_cvref_t<decltype(part)>>)
      out.put(part);
    else
      out.put_matrix(part);
  });
}

void get(ByteReader& in, auto& x) {
  each_part(x, [&](auto& part) {
    if constexpr (Scalar<std::remove_cvref_t<decltype(part)>>)
      in.get(part);
    else
      in.get_matrix(part);
  });
}

}  // namespace

std::string Simulation::checkpoint() const {
  ByteWriter out;
  out.put_text(kSignature);
  out.put_text(world_.method.stepper);
  out.put(world_.state.time);
  out.put(start_time_);
  out.put(step_index_);
  out.put_list(world_.state.bodies, [&](const model::BodyState& s) { put(out, s); });
  out.put_list(world_.contacts, [&](const collision::Contact& c) { put(out, c); });
  out.put_list(world_.memory, [&](const stepping::ContactMemory& m) { put(out, m); });
  for (std::int64_t x : {counters_.steps, counters_.solves, counters_.sub_steps, counters_.fallbacks, counters_.events,
                         counters_.divisions, counters_.passages, counters_.at_worst})
    out.put(x);
  out.put(counters_.most_contacts);
  out.put(counters_.worst_residual);
  out.put(counters_.worst_time);
  out.put(report_.residual);
  timeline_.save(out);
  stepper_->save(out);
  // A text of its own, empty where the audit is off: a run may go on with another setting.
  ByteWriter audit;
  if (audit_ && audit_begun_) audit_->save(audit);
  out.put_text(audit.take());
  return files::sealed(out.take());
}

void Simulation::restore(std::string_view bytes) {
  // Before anything is changed: numbers out of place would index beyond lists.
  const files::Unsealed checked = files::unsealed(bytes);
  if (!checked.intact) throw std::runtime_error("the checkpoint is damaged: its checksum does not match");
  ByteReader in(checked.content);
  if (in.get_text() != kSignature) throw std::runtime_error("not a checkpoint of this version of stickslip");
  if (in.get_text() != world_.method.stepper)
    throw std::runtime_error("the checkpoint was made with a different stepper");
  model::State state;
  double start_time = 0;
  std::int64_t step_index = 0;
  in.get(state.time);
  in.get(start_time);
  in.get(step_index);
  in.get_list(state.bodies, [&](model::BodyState& s) { get(in, s); });
  if (state.bodies.size() != world_.state.bodies.size())
    throw std::runtime_error("the checkpoint has a different number of bodies");
  ++world_.revision;
  world_.state = state;  // lists stay where they are
  start_time_ = start_time;
  step_index_ = step_index;
  in.get_list(world_.contacts, [&](collision::Contact& c) { get(in, c); });
  in.get_list(world_.memory, [&](stepping::ContactMemory& m) { get(in, m); });
  for (std::int64_t* x : {&counters_.steps, &counters_.solves, &counters_.sub_steps, &counters_.fallbacks,
                          &counters_.events, &counters_.divisions, &counters_.passages, &counters_.at_worst})
    in.get(*x);
  in.get(counters_.most_contacts);
  in.get(counters_.worst_residual);
  in.get(counters_.worst_time);
  in.get(report_.residual);
  timeline_.restore(in);
  stepper_->restore(in);
  const std::string_view audit_bytes = in.get_text();
  bool audit_good = true;
  if (audit_ && !audit_bytes.empty()) {
    ByteReader audit(audit_bytes);
    audit_->restore(audit);
    audit_good = audit.ok() && audit.at_end();
  }
  audit_begun_ = !audit_bytes.empty();
  if (!in.ok() || !in.at_end() || !audit_good) throw std::runtime_error("the checkpoint is damaged");
  failed_ = audit_failed_ = false;
  results_current_ = false;
}

}  // namespace stickslip::simulation
