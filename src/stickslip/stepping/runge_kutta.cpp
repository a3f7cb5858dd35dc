// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/runge_kutta.h"

#include "stickslip/contact/compliance.h"
#include "stickslip/contact/support_rows.h"
#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/corner_pass.h"
#include "stickslip/stepping/dormand_prince.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {

using contact::Mode;
using dormand_prince::kA;
using dormand_prince::kC;
using dormand_prince::kE;
using Eigen::Index;

namespace {

constexpr double kError = 1e-7;                      // of a part, relative to the largest speed
constexpr double kShortest = 1e-9;                   // of the step: parts are not shortened further
constexpr int kMostParts = 1000, kMostEvents = 200;  // per step; what needs more is tried in halves, quarters, eighths
constexpr int kSearch = 60;

}  // namespace

std::string RungeKutta::objection_to(const model::Model& model) {
  if (contact::has_supports(model))
    return "the runge-kutta stepper does not handle supports: use stewart-trinkle or implicit";
  for (std::size_t a = 0; a < model.bodies.size(); ++a)
    for (std::size_t b = a + 1; b < model.bodies.size(); ++b) {
      const int law = model.surface_between(static_cast<int>(a), static_cast<int>(b));
      if (law < 0 || (model.bodies[a].mass == 0 && model.bodies[b].mass == 0)) continue;
      const model::Surface& surface = model.surfaces[index(law)];
      const auto name = [&] { return fmt::format("'{}' and '{}'", model.bodies[a].name, model.bodies[b].name); };
      if (!(surface.compliance.stiffness_normal > 0))
        return fmt::format("the runge-kutta stepper needs compliant contacts: give that between {} a stiffness",
                           name());
      if (surface.friction_static > 0 && !(surface.compliance.damping_tangential > 0))
        return fmt::format("the runge-kutta stepper needs tangential damping where there is friction: {} have none",
                           name());
      if (surface.restitution > 0)
        return "a compliant contact cannot have a coefficient of restitution: its rebound follows from its damping";
    }
  return {};
}

StepReport RungeKutta::advance(World& world, double h, double end_time) {
  StepReport report;
  report.solver = "closed form";
  report.sub_steps = 0;
  before_ = world.state;
  events_.clear();
  if (tape_ != nullptr) {
    tape_->length = h;
    tape_->parts.clear();
    tape_->refusal = "";
  }
  prepare(world, h);
  find_contacts(world, h);
  take_memory(world);
  std::string reason = cross(world, h, end_time, report);
  report.contacts = static_cast<int>(contacts_.size());
  report.residual = reason.empty() ? law_error() : 0;
  if (reason.empty() && report.residual > world.method.certificate) reason = "a contact is out of its mode";
  if (!reason.empty()) {
    world.state = before_;
    length_ = 0;
    report.certified = false;
    fail(world, std::move(reason));
    return report;
  }
  report.events = events_;
  remember(world, h);
  return report;
}

void RungeKutta::prepare(World& world, double h) {
  if (!flow_) {
    flow_.emplace(world);
    for (const model::Body& body : world.model.bodies)
      breakpoints_.insert(breakpoints_.end(), body.drive.breakpoints.begin(), body.drive.breakpoints.end());
    std::ranges::sort(breakpoints_);
  }
  if (!(length_ > 0)) length_ = h;
}

// Within reach at the present velocities, and of what forces can add to them.
void RungeKutta::find_contacts(World& world, double h) {
  model::State end = world.state;
  model::apply_drives(world.model, world.state.time + h, end);
  double driven = 0;
  for (std::size_t i = 0; i < world.traits.size(); ++i)
    if (world.traits[i].driven)
      driven = std::max(driven, (end.bodies[i].velocity.linear - world.state.bodies[i].velocity.linear).norm());
  const double acceleration = std::max(acceleration_, world.model.gravity.norm());
  contacts_ = world.contacts;
  world.collider.find(world.model, world.state, 2 * h * (h * acceleration + driven), h, contacts_);
  leave_out_passing(world, h, contacts_);
  carry_over(world.memory, contacts_, memory_);
}

// Modes, deformation and shear from the step before. What has come in meanwhile, or was so from the start, presses or
// recovers.
void RungeKutta::take_memory(World& world) {
  const int D = world.model.dimension;
  const std::size_t n = contacts_.size();
  modes_.assign(n, {});
  shear_.setZero(static_cast<Index>(n) * CompliantFlow::kShear);
  for (std::size_t c = 0; c < n; ++c) {
    const ContactMemory& memory = memory_[c];
    FlowContact& flow = modes_[c];
    flow.mode = memory.mode == Mode::Roll ? Mode::Stick : memory.mode;
    flow.deformation = memory.deformation;
    if (D == 2)
      contact::set_rows<2>(contacts_[c], world.state, flow.rows);
    else
      contact::set_rows<3>(contacts_[c], world.state, flow.rows);
    for (int k = 1; k < D; ++k)
      shear_[static_cast<Index>(c) * CompliantFlow::kShear + k - 1] = memory.shear.dot(flow.rows.direction[k]);
  }
  start_part(world);
  for (std::size_t c = 0; c < n; ++c) {
    FlowContact& flow = modes_[c];
    if (flow.mode != Mode::Open || !(at_start_[c].hold < -kFlowNoise * at_start_[c].hold_size)) continue;
    if (flow_->presses(c))
      flow.mode = flow_->grips(c) ? Mode::Stick : Mode::Slide;
    else {
      flow.deformation = -contacts_[c].gap;
      if (tape_ != nullptr) tape_->refusal = "a contact is deeper at the start of a step than its layer was left";
    }
  }
}

// The words for what went wrong, or none.
std::string RungeKutta::cross(World& world, double h, double end_time, StepReport& report) {
  const double begin = before_.time;
  double offset = 0;
  int events = 0;
  for (int tries = 0; h - offset > kTimeNoise * h;) {
    if (++tries > kMostParts)
      return fmt::format(
          "more than {} parts in a step: contacts are too stiff for it; take a shorter step, or "
          "song-pang-kumar",
          kMostParts);
    start_part(world);
    bool cut = false;
    double tau = next_length(begin + offset, h - offset, h, cut);
    const double error = part(tau, h);
    if ((dipped_ || !(error <= kError)) && tau > kShortest * h) {
      length_ = dipped_ || !std::isfinite(error) ? 0.5 * tau
                                                 : tau * std::clamp(0.9 * std::pow(kError / error, 0.2), 0.2, 0.9);
      continue;
    }
    if (!std::isfinite(error)) return "forces that are not a number: contacts are too stiff for double precision";
    const double proposal = tau * std::clamp(0.9 * std::pow(kError / std::max(error, 1e-300), 0.2), 0.2, 5.0);
    length_ = cut ? std::max(length_, proposal) : proposal;
    Violation first = first_violation();
    if (first.contact >= 0) {
      if (++events > kMostEvents) return fmt::format("more than {} changes of contact in a step", kMostEvents);
      for (;;) {
        tau = locate(first, tau, h);
        const Violation earlier = first_violation();
        if (tau == 0 || earlier.contact < 0 || earlier.same(first)) break;
        first = earlier;
      }
    }
    if (tape_ != nullptr) note(world, first, begin + offset, h - offset, tau, h);
    offset += tau;
    if (h - offset <= kTimeNoise * h) offset = h;
    if (tau > 0) {
      accept(world, offset == h ? end_time : begin + offset, tau);
      ++report.sub_steps;
    }
    if (first.contact >= 0) change_mode(world, first);
  }
  start_part(world);  // contacts as they are at the end
  return {};
}

void RungeKutta::start_part(World& world) {
  flow_->begin(world.state.time, contacts_, modes_, y_);
  y_.tail(shear_.size()) = shear_;
  flow_->evaluate(0, y_, stage_[0]);
  const std::size_t n = contacts_.size();
  at_start_.resize(n);
  force_at_start_.resize(n);
  for (std::size_t c = 0; c < n; ++c) {
    at_start_[c] = flow_->reserves(c);
    force_at_start_[c] = flow_->force(c);
  }
}

// The rest of the step, or the time up to the next breakpoint of a drive in it.
double RungeKutta::to_breakpoint(double now, double rest, double h) const {
  const double close = 1e-9 * h;
  const auto next = std::ranges::upper_bound(breakpoints_, now + close);
  return next != breakpoints_.end() && now + rest > *next + close ? *next - now : rest;
}

// As far as the error allows.
double RungeKutta::next_length(double now, double rest, double h, bool& cut) const {
  rest = to_breakpoint(now, rest, h);
  cut = rest <= length_;
  if (cut) return rest;
  return rest < 2 * length_ ? 0.5 * rest : length_;
}

// One Runge-Kutta step from the start of the part: end_, error_, impulse_. Returns the relative error.
double RungeKutta::part(double h, double step) {
  const std::size_t n = contacts_.size();
  dipped_ = false;
  impulse_.resize(n);
  for (std::size_t c = 0; c < n; ++c) impulse_[c] = kA[6][0] * h * force_at_start_[c];
  for (int i = 1; i < 7; ++i) {
    end_ = y_;
    for (int j = 0; j < i; ++j)
      if (kA[i][j] != 0) end_ += h * kA[i][j] * stage_[j];
    flow_->evaluate(kC[i] * h, end_, stage_[i]);
    for (std::size_t c = 0; c < n; ++c) {
      if (i < 6) impulse_[c] += kA[6][i] * h * flow_->force(c);
      if (kC[i] == 1 || modes_[c].mode != Mode::Open) continue;
      const Reserves reserves = flow_->reserves(c);
      dipped_ |=
          reserves.hold < -kFlowNoise * reserves.hold_size && at_start_[c].hold > kFlowNoise * at_start_[c].hold_size;
    }
  }
  for (std::size_t c = 0; dipped_ && c < n; ++c)  // it is closed at the end as well: that will be located
    if (modes_[c].mode == Mode::Open && flow_->reserves(c).hold < 0) dipped_ = false;
  error_ = h * kE[0] * stage_[0];
  for (int i = 2; i < 7; ++i) error_ += h * kE[i] * stage_[i];
  return flow_->relative(error_, h, step);
}

RungeKutta::Violation RungeKutta::first_violation() const {
  Violation first;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Reserves end = flow_->reserves(c);
    Violation one{static_cast<int>(c), false, at_start_[c].hold, end.hold};
    if (!(end.hold < -kFlowNoise * end.hold_size)) {
      one = {static_cast<int>(c), true, at_start_[c].grip, end.grip};
      if (!(end.grip < -kFlowNoise * end.grip_size)) continue;
    }
    if (first.contact < 0 || one.estimate() < first.estimate()) first = one;
  }
  return first;
}

// The length at which the reserve vanishes: false position with the Illinois rule, in a bracket. Leaves the part of
// that length behind.
double RungeKutta::locate(const Violation& violation, double h, double step) {
  const auto c = index(violation.contact);
  const Reserves& start = at_start_[c];
  double low = 0, high = h, f_low = violation.before, f_high = violation.after;
  if (f_low <= kFlowNoise * (violation.grip ? start.grip_size : start.hold_size)) return 0;
  double tau = h;
  int side = 0;
  for (int iteration = 0; iteration < kSearch; ++iteration) {
    tau = high - f_high * (high - low) / (f_high - f_low);
    if (!(tau > low && tau < high)) tau = 0.5 * (low + high);
    static_cast<void>(part(tau, step));
    const Reserves reserves = flow_->reserves(c);
    const double f = violation.grip ? reserves.grip : reserves.hold;
    const double noise = kFlowNoise * (violation.grip ? reserves.grip_size : reserves.hold_size);
    if (std::fabs(f) <= noise || high - low <= kTimeNoise * 1e-3 * step) break;
    if (f > 0) {
      low = tau, f_low = f;
      if (side > 0) f_high *= 0.5;
      side = 1;
    } else {
      high = tau, f_high = f;
      if (side < 0) f_low *= 0.5;
      side = -1;
    }
  }
  return tau;
}

// Before the part is accepted.
void RungeKutta::note(const World& world, const Violation& event, double now, double rest, double tau, double h) {
  if (tau == 0) tape_->refusal = "tie: a contact changes twice at one instant";
  FlowPart& part = tape_->parts.emplace_back();
  part.tau = tau;
  part.state = world.state;
  part.contacts = contacts_;
  part.modes = modes_;
  part.shear = shear_;
  if (event.contact >= 0) {
    part.contact = event.contact;
    part.grip = event.grip;
    part.lifts = !event.grip && modes_[index(event.contact)].mode != Mode::Open;
    return;
  }
  const double until = to_breakpoint(now, rest, h);
  part.share = tau == until ? 1.0 : tau == 0.5 * until ? 0.5 : 0.0;
  part.at_breakpoint = until < rest;
  part.breakpoint = now + until;
}

void RungeKutta::repeat(World& world, const FlowPart& part, std::span<const Vec3> shear,
                        std::span<const double> deformation, double tau, FlowEnd& end) {
  const int D = world.model.dimension;
  prepare(world, tau);
  contacts_ = part.contacts;
  world.collider.refresh(world.model, world.state, contacts_);
  modes_ = part.modes;
  const std::size_t n = contacts_.size();
  shear_.setZero(static_cast<Index>(n) * CompliantFlow::kShear);
  for (std::size_t c = 0; c < n; ++c) {
    set_rows_near(part.modes[c].rows, contacts_[c], world.state, D, modes_[c].rows);
    modes_[c].deformation = deformation[c];
    for (int k = 1; k < D; ++k)
      shear_[static_cast<Index>(c) * CompliantFlow::kShear + k - 1] = shear[c].dot(modes_[c].rows.direction[k]);
  }
  start_part(world);
  static_cast<void>(this->part(tau, tau));
  end.state = world.state;
  flow_->take_state(end_, world.state.time + tau, end.state);
  end.contacts.resize(n);
  for (std::size_t c = 0; c < n; ++c) {
    FlowEnd::Contact& out = end.contacts[c];
    const bool open = modes_[c].mode == Mode::Open;
    const Reserves reserves = flow_->reserves(c);
    out.gap = flow_->contacts()[c].gap;
    out.hold = reserves.hold;
    out.grip = reserves.grip;
    out.deformation = open ? modes_[c].deformation * flow_->recovery(c, tau, true) : 0;
    out.impulse = impulse_[c];
    out.shear.setZero();
    for (int k = 1; k < D; ++k)
      out.shear += end_[flow_->shear_of(c) + k - 1] * (open ? flow_->recovery(c, tau, false) : 1.0) *
                   flow_->rows(c).direction[k];
  }
}

// The part's end becomes the start of the next.
void RungeKutta::accept(World& world, double time, double h) {
  flow_->take_state(end_, time, world.state);
  shear_ = end_.tail(shear_.size());
  if (tape_ != nullptr) tape_->parts.back().end = world.state.bodies;
  if (std::ranges::any_of(modes_, [](const FlowContact& flow) { return flow.mode != Mode::Open; }))
    for (std::size_t i = 0; i < world.traits.size(); ++i)
      if (world.traits[i].movable) world.note_waypoint(static_cast<int>(i));
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    FlowContact& flow = modes_[c];
    contacts_[c] = flow_->contacts()[c];
    flow.rows = flow_->rows(c);
    flow.impulse += impulse_[c];
    if (flow.mode != Mode::Open) continue;
    flow.deformation *= flow_->recovery(c, h, true);
    shear_.segment<CompliantFlow::kShear>(static_cast<Index>(c) * CompliantFlow::kShear) *=
        flow_->recovery(c, h, false);
  }
}

void RungeKutta::change_mode(World& world, const Violation& violation) {
  const auto c = index(violation.contact);
  FlowContact& flow = modes_[c];
  const Mode from = flow.mode;
  if (violation.grip) {
    flow.mode = from == Mode::Stick ? Mode::Slide : Mode::Stick;
  } else if (from != Mode::Open) {
    flow.mode = Mode::Open;
    flow.deformation = -contacts_[c].gap;
  } else {
    start_part(world);
    flow.mode = flow_->grips(c) ? Mode::Stick : Mode::Slide;
  }
  events_.push_back({world.state.time, contacts_[c].id, from, flow.mode});
}

double RungeKutta::law_error() const {
  double worst = 0;
  for (const Reserves& r : at_start_) {
    if (r.hold < 0) worst = std::max(worst, -r.hold / r.hold_size);
    if (r.grip < 0) worst = std::max(worst, -r.grip / r.grip_size);
  }
  return worst;
}

void RungeKutta::remember(World& world, double h) {
  const int D = world.model.dimension;
  acceleration_ = 0;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i)
    acceleration_ =
        std::max(acceleration_, (world.state.bodies[i].velocity.linear - before_.bodies[i].velocity.linear).norm() / h);
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const FlowContact& flow = modes_[c];
    ContactMemory& memory = memory_[c];
    const model::Twist& va = world.state.bodies[index(flow.rows.a)].velocity;
    const model::Twist& vb = world.state.bodies[index(flow.rows.b)].velocity;
    memory.mode = flow.mode;
    if (flow.mode == Mode::Stick && rolls(flow.rows, world.model, memory.id, va, vb, 0)) memory.mode = Mode::Roll;
    memory.touched_before = memory.touching;
    memory.touching = flow.mode != Mode::Open;
    memory.force = flow.impulse / h;
    memory.deformation = flow.mode == Mode::Open ? flow.deformation : -contacts_[c].gap;
    memory.relative_velocity.setZero();
    memory.shear.setZero();
    for (int k = 0; k < D; ++k)
      memory.relative_velocity += contact::relative_velocity(flow.rows, k, va, vb) * flow.rows.direction[k];
    for (int k = 1; k < D; ++k)
      memory.shear += shear_[static_cast<Index>(c) * CompliantFlow::kShear + k - 1] * flow.rows.direction[k];
  }
  world.contacts.swap(contacts_);
  world.memory.swap(memory_);
}

void RungeKutta::fail(const World& world, std::string reason) {
  failure_ = {};
  failure_.time = before_.time;
  for (const collision::Contact& contact : contacts_) failure_.contacts.push_back(contact.id);
  failure_.solver = "closed form";
  failure_.reason = std::move(reason);
  (void)world;
}

void RungeKutta::save(ByteWriter& out) const {
  out.put(length_);
  out.put(acceleration_);
}

void RungeKutta::restore(ByteReader& in) {
  in.get(length_);
  in.get(acceleration_);
}

}  // namespace stickslip::stepping
