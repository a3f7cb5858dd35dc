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

#include <stdexcept>

namespace stickslip::simulation {
namespace {

constexpr std::string_view kSignature = "stickslip state 7";

void put(ByteWriter& out, const model::BodyState& s) {
  out.put_matrix(s.pose.position);
  out.put_matrix(s.pose.orientation.coeffs());
  out.put_matrix(s.velocity.linear);
  out.put_matrix(s.velocity.angular);
  out.put(s.angle);
}

void get(ByteReader& in, model::BodyState& s) {
  in.get_matrix(s.pose.position);
  in.get_matrix(s.pose.orientation.coeffs());
  in.get_matrix(s.velocity.linear);
  in.get_matrix(s.velocity.angular);
  in.get(s.angle);
}

void put(ByteWriter& out, const collision::ContactId& id) {
  for (std::int32_t x : {id.body_a, id.body_b, id.shape_a, id.shape_b, id.feature_a, id.feature_b, id.element})
    out.put(x);
}

void get(ByteReader& in, collision::ContactId& id) {
  for (std::int32_t* x : {&id.body_a, &id.body_b, &id.shape_a, &id.shape_b, &id.feature_a, &id.feature_b, &id.element})
    in.get(*x);
}

void put(ByteWriter& out, const collision::Contact& c) {
  put(out, c.id);
  out.put(c.surface);
  out.put(c.gap);
  for (const Vec3* v : {&c.point_a, &c.point_b, &c.normal}) out.put_matrix(*v);
}

void get(ByteReader& in, collision::Contact& c) {
  get(in, c.id);
  in.get(c.surface);
  in.get(c.gap);
  for (Vec3* v : {&c.point_a, &c.point_b, &c.normal}) in.get_matrix(*v);
}

void put(ByteWriter& out, const stepping::ContactMemory& m) {
  put(out, m.id);
  out.put(m.mode);
  out.put_matrix(m.force);
  out.put_matrix(m.relative_velocity);
  out.put(m.touching);
  out.put(m.touched_before);
  out.put(m.deformation);
  out.put_matrix(m.shear);
}

void get(ByteReader& in, stepping::ContactMemory& m) {
  get(in, m.id);
  in.get(m.mode);
  in.get_matrix(m.force);
  in.get_matrix(m.relative_velocity);
  in.get(m.touching);
  in.get(m.touched_before);
  in.get(m.deformation);
  in.get_matrix(m.shear);
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
