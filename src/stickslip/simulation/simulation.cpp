// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/simulation/simulation.h"

#include "stickslip/collision/registry.h"
#include "stickslip/simulation/audit.h"
#include "stickslip/simulation/part_watcher.h"
#include "stickslip/stepping/choose_stepper.h"
#include "stickslip/stepping/method_force_law.h"
#include "stickslip/stepping/stepper_traits.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stickslip::simulation {
namespace {

constexpr int kHalvings = 3;         // of a step that no solver certified,
constexpr int kHalvingsAtWorst = 6;  // and whose parts are held to certificate_at_worst

std::unique_ptr<collision::Collider> collider_or_throw(std::unique_ptr<collision::Collider> given,
                                                       const stepping::Method& method) {
  if (!given) given = collision::make_collider(method.collider);
  if (!given) throw std::invalid_argument("unknown collider \"" + method.collider + "\"");
  return given;
}

// The points of a chain; 0: the body has no such shape, or it is no chain.
std::size_t chain_points(const model::Model& model, std::int32_t body, std::int32_t shape) {
  const auto& shapes = model.bodies[static_cast<std::size_t>(body)].shapes;
  if (static_cast<std::size_t>(shape) >= shapes.size()) return 0;
  const auto* chain = std::get_if<model::Chain>(&shapes[static_cast<std::size_t>(shape)].shape);
  return chain != nullptr ? chain->points.size() : 0;
}

// Is the contact one with a chain that has the same segments in both models?
bool on_same_chain(const model::Model& before, const model::Model& now, const collision::ContactId& id) {
  const std::size_t a = chain_points(before, id.body_a, id.shape_a), b = chain_points(before, id.body_b, id.shape_b);
  return a + b > 0 && a == chain_points(now, id.body_a, id.shape_a) && b == chain_points(now, id.body_b, id.shape_b);
}

}  // namespace

Simulation::Simulation(const model::Model& model, const stepping::Method& method,
                       std::unique_ptr<collision::Collider> collider)
    : method_(stepping::with_stepper(method, model)),
      certificate_(method.certificate),
      collider_(collider_or_throw(std::move(collider), method)),
      world_(model, method_, *collider_),
      stepper_(stepping::make_stepper(method_, model)) {
  if (!stepper_) throw std::invalid_argument("unknown stepper \"" + method.stepper + "\"");
  if (!(method.step > 0) || !std::isfinite(method.step)) throw std::invalid_argument("the step must be positive");
  if (const std::string objection = stepping::objection_to(method_, model); !objection.empty())
    throw std::invalid_argument(objection);
  start_time_ = world_.state.time;
  shares_ = method_.friction == stepping::FrictionLaw::Cone && method_.compliance != stepping::SoftContacts::Normal &&
            method_.gamma == 0 &&
            std::ranges::all_of(model.bodies, [](const model::Body& body) { return body.support.points.empty(); });
  if (method.audit == stepping::Auditing::On) audit_ = std::make_unique<Audit>(world_);
}

Simulation::~Simulation() = default;

stepping::StepReport Simulation::step() {
  if (failed_) return report_;
  const double begin = world_.state.time, h = world_.method.step;
  const double end = start_time_ + static_cast<double>(++step_index_) * h;
  advance(h, end);
  observe(begin);
  return report_;
}

bool Simulation::run_until(double time, const Observer& observer) {
  const double h = world_.method.step;
  // Of a step, or of a run that is shorter: shorter remainders are rounding of the grid.
  const double rounding = 1e-9 * std::min(h, std::fabs(time));
  while (!failed_ && time - world_.state.time > rounding) {
    const double next = start_time_ + static_cast<double>(step_index_ + 1) * h;
    if (next <= time + rounding) {
      step();
    } else {  // a shorter last step; the grid starts anew from here
      const double begin = world_.state.time;
      advance(time - begin, time);
      start_time_ = time;
      step_index_ = 0;
      observe(begin);
    }
    if (!failed_ && observer && !observer(*this)) return false;
  }
  if (!failed_ && audit_ && audit_begun_ && !audit_->look_at_end(world_, h)) fail_audit();
  return !failed_;
}

void Simulation::advance(double h, double end) {
  if (audit_) {
    if (!audit_begun_) begin_audit();
    audit_->before_step(world_);
  }
  if (watcher_ != nullptr) watcher_->begin_step();
  const bool at_worst_before = report_.residual > certificate_;
  report_ = advance_part(h, end);
  if (report_.certified) return;
  const stepping::StepReport whole = report_;
  // Where one step stalls the next ones do too, and so do their parts.
  if (at_worst_before && advance_at_worst(h, end)) return;
  method_.certificate = certificate_;
  const std::string before = checkpoint();
  const auto in_parts = [&](int halvings) {
    stepping::StepReport total;
    total.sub_steps = 0;
    total.fallbacks = 1;
    events_.clear();
    if (!advance_in_parts(h, end, halvings, total)) {
      restore(before);
      if (watcher_ != nullptr) watcher_->take_back();
      return false;
    }
    total.events = events_;
    report_ = total;
    return true;
  };
  if (in_parts(kHalvings) || advance_at_worst(h, end)) return;
  if (method_.certificate > certificate_ && in_parts(kHalvingsAtWorst)) return;
  report_ = whole;
}

stepping::StepReport Simulation::advance_part(double h, double end) {
  if (watcher_ == nullptr) return stepper_->advance(world_, h, end);
  watcher_->before_part(*stepper_, world_);
  const stepping::StepReport report = stepper_->advance(world_, h, end);
  if (report.certified) watcher_->after_part(world_, h, report);
  return report;
}

// The whole step, held to the residual at which it stalled, which is found again in the same way; else, where another
// island did worse, to the larger certificate. observe() puts the certificate back: the audit of the step judges by what
// its contact problems were solved to.
bool Simulation::advance_at_worst(double h, double end) {
  // Its forces obey the law by construction: what it refuses is not a matter of residuals.
  if (!stepping::traits_of(method_.stepper).certified_forces) return false;
  constexpr double kRounding = 1.01;
  const double worst = method_.certificate_at_worst, stalled_at = kRounding * report_.residual;
  for (const double certificate : {stalled_at, worst}) {
    if (!(certificate > certificate_) || !(certificate <= worst)) continue;
    method_.certificate = certificate;
    report_ = advance_part(h, end);
    ++report_.fallbacks;
    if (report_.certified) return true;
  }
  return false;
}

// Two halves, each again in halves if it is not certified. False when the shortest part was not.
bool Simulation::advance_in_parts(double h, double end, int halvings, stepping::StepReport& total) {
  const double part = 0.5 * h, middle = world_.state.time + part;
  for (const double part_end : {middle, end}) {
    const stepping::StepReport report = advance_part(part, part_end);
    if (!report.certified) {
      if (halvings <= 1 || !advance_in_parts(part, part_end, halvings - 1, total)) return false;
      continue;
    }
    total.include(report);
    events_.insert(events_.end(), report.events.begin(), report.events.end());
  }
  return true;
}

void Simulation::set_state(const model::State& state) {
  if (state.bodies.size() != world_.state.bodies.size())
    throw std::invalid_argument("the state has a different number of bodies");
  world_.state = state;
  model::apply_drives(world_.model, world_.state.time, world_.state);
  world_.contacts.clear();
  world_.memory.clear();
  ++world_.revision;
  start_time_ = world_.state.time;
  step_index_ = 0;
  results_current_ = false;
  audit_begun_ = false;
}

void Simulation::continue_from(const Simulation& before) {
  if (before.world_.state.bodies.size() != world_.state.bodies.size())
    throw std::invalid_argument("the simulation to continue from has a different number of bodies");
  world_.state = before.world_.state;
  model::apply_drives(world_.model, world_.state.time, world_.state);
  for (std::size_t i = 0; i < world_.state.bodies.size(); ++i)  // fixed bodies may stand elsewhere in this model
    if (!world_.traits[i].movable && !world_.traits[i].driven) world_.state.bodies[i] = world_.model.bodies[i].initial;
  // Contacts of other shapes mean nothing here; what they remember is found again by their ids. But a chain is told by
  // them on which side bodies are.
  world_.contacts = before.world_.contacts;
  std::erase_if(world_.contacts, [&](const collision::Contact& contact) {
    return !on_same_chain(before.world_.model, world_.model, contact.id);
  });
  world_.memory = before.world_.memory;
  ++world_.revision;
  counters_ = before.counters_;
  timeline_ = before.timeline_;
  start_time_ = world_.state.time;
  step_index_ = 0;
  results_.clear();  // until the next step
  results_current_ = results_shared_ = true;
  audit_begun_ = false;
}

void Simulation::observe(double begin) {
  results_current_ = false;
  if (report_.certified)
    count_and_audit(begin);
  else
    failed_ = true;
  method_.certificate = certificate_;
}

void Simulation::count_and_audit(double begin) {
  ++counters_.steps;
  counters_.solves += report_.solves;
  counters_.sub_steps += report_.sub_steps;
  counters_.fallbacks += report_.fallbacks;
  counters_.divisions += report_.divisions;
  counters_.passages += report_.passages;
  counters_.events += static_cast<std::int64_t>(report_.events.size());
  counters_.most_contacts = std::max(counters_.most_contacts, report_.contacts);
  if (report_.residual > counters_.worst_residual) {
    counters_.worst_residual = report_.residual;
    counters_.worst_time = world_.state.time;
  }
  if (report_.residual > certificate_) ++counters_.at_worst;
  timeline_.record(world_, begin, report_.events);
  if (audit_ && !audit_->after_step(world_, begin, report_)) fail_audit();
}

// The state may be moved between the constructor and the first step (overlaps.cpp).
void Simulation::begin_audit() {
  audit_->begin(world_);
  audit_begun_ = true;
}

void Simulation::fail_audit() {
  failed_ = audit_failed_ = true;
  report_.certified = false;
  audit_failure_ = {};
  audit_failure_.time = world_.state.time;
  audit_failure_.reason = audit_->summary().violation;
}

const AuditSummary& Simulation::audit() const {
  static const AuditSummary off;
  return audit_ ? audit_->summary() : off;
}

std::span<const contact::ContactResult> Simulation::balanced_contacts() const {
  if (results_current_) return results_;
  refreshed_ = world_.contacts;
  world_.collider.refresh(world_.model, world_.state, refreshed_);
  results_.resize(refreshed_.size());
  for (std::size_t c = 0; c < results_.size(); ++c) {
    const stepping::ContactMemory& memory = world_.memory[c];
    results_[c] = {refreshed_[c], memory.mode, memory.force, memory.relative_velocity};
  }
  results_current_ = true;
  results_shared_ = !shares_;
  return results_;
}

std::span<const contact::ContactResult> Simulation::contacts() const {
  if (!results_current_) (void)balanced_contacts();
  if (!results_shared_) reported_share_.apply(world_.model, world_.state, stepping::force_law(method_), results_);
  results_shared_ = true;
  return results_;
}

}  // namespace stickslip::simulation
