// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/components.h"

#include "stickslip/model/described_force.h"
#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/feature_ends.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stickslip::stepping {

using contact::Mode;

namespace {

double largest_change(const std::vector<contact::BodyTraits>& traits, const model::State& now,
                      const model::State& end) {
  double change = 0;
  for (std::size_t i = 0; i < traits.size(); ++i)
    if (traits[i].driven)
      change = std::max(change, (end.bodies[i].velocity.linear - now.bodies[i].velocity.linear).norm());
  return change;
}

// The fastest approach among contacts that close within h at the present velocities: what an impact may pass on to
// bodies that stand still now.
double impact_speed(const std::vector<collision::Contact>& contacts, const model::State& state, double h) {
  double fastest = 0;
  for (const collision::Contact& contact : contacts) {
    const model::BodyState &a = state.bodies[index(contact.id.body_a)], &b = state.bodies[index(contact.id.body_b)];
    const double speed =
        contact.normal.dot(a.velocity.linear + a.velocity.angular.cross(contact.point_a - a.pose.position) -
                           b.velocity.linear - b.velocity.angular.cross(contact.point_b - b.pose.position));
    if (contact.gap + h * speed < 0) fastest = std::max(fastest, -speed);
  }
  return fastest;
}

}  // namespace

void Components::prepare(const World& world) {
  prepared_ = true;
  coupled_ = false;
  reads_.clear();
  now_.bodies.resize(world.model.bodies.size());
  for (std::size_t i = 0; i < world.traits.size(); ++i) {
    const bool pushed = world.traits[i].pushed && world.traits[i].movable;
    pushed_ |= pushed;
    if (pushed) list_reads(world, static_cast<int>(i));
    const auto& list = world.model.bodies[i].drive.breakpoints;
    breakpoints_.insert(breakpoints_.end(), list.begin(), list.end());
  }
  has_chains_ = has_chains(world.model);
  features_end_ = stepping::features_end(world.model);
  std::sort(breakpoints_.begin(), breakpoints_.end());
  breakpoints_.erase(std::unique(breakpoints_.begin(), breakpoints_.end()), breakpoints_.end());
}

// The bodies that the forces on one of them read.
void Components::list_reads(const World& world, int body) {
  for (const model::ForceFunction& force : world.model.bodies[index(body)].forces) {
    const model::DescribedForce* known = description_of(force);
    coupled_ = coupled_ || known == nullptr;
    if (known == nullptr) continue;
    for (int other : known->reads)
      if (other != body) reads_.emplace_back(body, other);
  }
}

double Components::largest_acceleration(const World& world, const model::State& end) const {
  double acceleration = world.model.gravity.norm();
  for (std::size_t i = 0; i < now_.bodies.size(); ++i)
    acceleration = std::max(acceleration, now_.bodies[i].acceleration.linear.norm());
  if (!pushed_) return acceleration;
  for (std::size_t i = 0; i < world.traits.size(); ++i) {
    if (!world.traits[i].pushed || !world.traits[i].movable) continue;
    const model::Body& body = world.model.bodies[i];
    const double inertia = body.rotates() ? body.inertia.diagonal().minCoeff() : 0;
    for (const model::State* state : {&world.state, &end}) {
      const model::Wrench wrench = contact::applied_wrench(world.model, static_cast<int>(i), world.traits[i], *state);
      // Turning moves surfaces about as far from the centre as the radius of gyration.
      const double turning = inertia > 0 ? wrench.torque.norm() / std::sqrt(inertia * body.mass) : 0;
      acceleration = std::max(acceleration, wrench.force.norm() / body.mass + turning);
    }
  }
  return acceleration;
}

// Contacts that are closed are touching up to what their projection leaves, whatever accelerates.
void Components::find_contacts(World& world, double h, const model::State& end) {
  rounds_ = 0;
  const double driven = largest_change(world.traits, world.state, end);
  double margin = 2 * h * (h * largest_acceleration(world, end) + driven);
  const bool same_lists = world.memory.size() == world.contacts.size();  // else the model has just changed
  for (std::size_t c = 0; same_lists && c < world.memory.size(); ++c)
    if (world.memory[c].mode != Mode::Open) margin = std::max(margin, 2 * world.contacts[c].gap);
  margin_ = margin;
  if (has_chains_) contacts_ = world.contacts;
  world.collider.find(world.model, world.state, margin, h, contacts_);
  faster_ = std::numeric_limits<double>::infinity();
  if (world.model.bodies.size() > 2) {
    faster_ = impact_speed(contacts_, world.state, h);
    if (faster_ > 0) world.collider.find(world.model, world.state, margin + 2 * h * faster_, h, contacts_);
  }
  old_history_.swap(now_.contacts);
  recall(world);
}

// Both bodies of a pair may have become faster_ faster.
bool Components::may_reach_more(const World& world, const Component& component, const model::State& before, double H,
                                Request& request) const {
  double faster = 0, arm = 0;
  for (const ContactStart& contact : component.contacts) arm = std::max(arm, arm_of(contact.contact, world.state));
  for (const BodyStart& start : component.bodies) {
    const model::Twist &now = world.state.bodies[index(start.body)].velocity,
                       &then = before.bodies[index(start.body)].velocity;
    faster =
        std::max(faster, now.linear.norm() - then.linear.norm() + arm * (now.angular.norm() - then.angular.norm()));
  }
  // The margin allows for what forces add.
  if (!(faster > faster_ * (1 + 1e-9) + 0.5 * margin_ / H)) return false;
  request.faster = faster;
  return true;
}

void Components::list_more(World& world, const model::State& before, double H, const Request& request) {
  if (request.faster == 0) {
    ++rounds_;
    insert_contacts(request.rim_points, contacts_);
    return;
  }
  faster_ = 2 * request.faster;
  if (has_chains_) contacts_ = world.contacts;
  world.collider.find(world.model, before, margin_ + 2 * H * faster_, H, contacts_);
}

// What is remembered of the contacts of this step; histories follow the same merge.
void Components::recall(const World& world) {
  carry_over(world.memory, contacts_, memory_);
  now_.contacts.resize(contacts_.size());
  std::size_t k = 0;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    while (k < world.memory.size() && world.memory[k].id < contacts_[c].id) ++k;
    const bool known = k < world.memory.size() && k < old_history_.size() && world.memory[k].id == contacts_[c].id;
    now_.contacts[c] = known ? old_history_[k] : ContactHistory{};
    if (!known) now_.contacts[c].fresh = true;
  }
}

bool Components::find_rim_points(World& world, const Component& component, const TrialData& data, const Trial& trial,
                                 Request& request) const {
  request.faster = 0;
  if (component.contacts.size() < 2 || rounds_ >= kMostRimRounds) return false;
  std::vector<model::Twist>& motion = request.motion;
  motion.assign(world.model.bodies.size(), {});
  for (int b : component.driven) motion[index(b)] = data.end.state.bodies[index(b)].velocity;
  for (std::size_t k = 0; k < component.bodies.size(); ++k)
    motion[index(component.bodies[k].body)] = trial.bodies[k].velocity;
  return world.collider.find_more(world.model, world.state, motion, trial.h, contacts_, request.rim_points);
}

int Components::find_root(int body) {
  while (parent_[index(body)] != body) body = parent_[index(body)] = parent_[index(parent_[index(body)])];
  return body;
}

// Which bodies belong together, into parent_.
void Components::connect(const World& world) {
  const std::size_t n = world.model.bodies.size();
  parent_.resize(n);
  std::iota(parent_.begin(), parent_.end(), 0);
  const auto unite = [&](int a, int b) {
    a = find_root(a), b = find_root(b);
    if (a != b) parent_[index(std::max(a, b))] = std::min(a, b);
  };
  const auto movable = [&](int body) { return world.traits[index(body)].movable; };
  for (const collision::Contact& contact : contacts_)
    if (movable(contact.id.body_a) && movable(contact.id.body_b)) unite(contact.id.body_a, contact.id.body_b);
  for (const auto& [body, other] : reads_)
    if (movable(other)) unite(body, other);
  if (!coupled_) return;
  int first = -1;
  for (std::size_t i = 0; i < n; ++i)
    if (movable(static_cast<int>(i))) {
      if (first < 0) first = static_cast<int>(i);
      unite(first, static_cast<int>(i));
    }
}

void Components::add_body(const World& world, std::size_t i, Component& component) const {
  const BodyHistory& history = now_.bodies[i];
  if (component.bodies.empty()) {
    component.acceleration_known = true;
    component.acceleration_h = history.h;
  }
  component.bodies.push_back({static_cast<int>(i), history.acceleration});
  component.acceleration_known &= history.h > 0 && history.h == component.acceleration_h;
  component.first_order = std::max(component.first_order, history.first_order);
  component.penalty = std::max(component.penalty, history.penalty);
  component.pushed |= world.traits[i].pushed;
  if (world.traits[i].driven) component.driven.push_back(static_cast<int>(i));
}

std::span<Component> Components::make(const World& world) {
  connect(world);
  count_ = 0;
  component_of_.assign(world.model.bodies.size(), -1);
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    if (!world.traits[i].movable) continue;
    int& slot = component_of_[index(find_root(static_cast<int>(i)))];
    if (slot < 0) {
      slot = static_cast<int>(count_);
      if (count_ == components_.size()) components_.emplace_back();
      Component& fresh = components_[count_++];
      fresh.bodies.clear();
      fresh.driven.clear();
      fresh.contacts.clear();
      fresh.pushed = false;
      fresh.offset = 0;
      fresh.first_order = fresh.penalty = 0;
    }
    add_body(world, i, components_[index(slot)]);
  }
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const collision::ContactId& id = contacts_[c].id;
    const int body = world.traits[index(id.body_a)].movable ? id.body_a : id.body_b;
    if (!world.traits[index(body)].movable) continue;
    add_contact(world, static_cast<int>(c), components_[index(component_of_[index(find_root(body))])]);
  }
  for (const auto& [body, other] : reads_)
    add_driven(world, other, components_[index(component_of_[index(find_root(body))])]);
  if (coupled_ && count_ > 0)  // one component: forces may read them wherever they are
    for (std::size_t b = 0; b < world.traits.size(); ++b) add_driven(world, static_cast<int>(b), components_[0]);
  return {components_.data(), count_};
}

void Components::add_driven(const World& world, int body, Component& component) {
  if (world.traits[index(body)].driven && std::ranges::find(component.driven, body) == component.driven.end())
    component.driven.push_back(body);
}

void Components::add_contact(const World& world, int c, Component& component) {
  const int D = world.model.dimension;
  const collision::Contact& contact = contacts_[index(c)];
  const ContactHistory& history = now_.contacts[index(c)];
  component.contacts.emplace_back();
  ContactStart& start = component.contacts.back();
  start.contact = contact;
  start.position = c;
  if (D == 2)
    contact::set_rows<2>(contact, world.state, start.rows);
  else
    contact::set_rows<3>(contact, world.state, start.rows);
  const model::Twist& va = world.state.bodies[index(start.rows.a)].velocity;
  const model::Twist& vb = world.state.bodies[index(start.rows.b)].velocity;
  for (int k = 0; k < D; ++k) start.velocity[k] = contact::relative_velocity(start.rows, k, va, vb);
  start.force = history.force;
  start.margins_known = history.margins_known;
  start.margin_n = history.margin_n;
  start.margin_t = history.margin_t;
  start.margin_age = history.margin_age;
  start.slip_peak = history.slip_peak;
  start.false_alarm = history.false_alarm;
  const Mode before = memory_[index(c)].mode;
  start.mode = before == Mode::Roll ? Mode::Stick : before;
  if (history.fresh) {
    // Never seen: closed if it touches and does not approach; an approaching one will raise a touch.
    const double size = contact.point_a.lpNorm<1>() + contact.point_b.lpNorm<1>();
    const double speed = va.linear.lpNorm<1>() + vb.linear.lpNorm<1>();
    const bool touching = contact.gap <= kInstantGapNoise * size;
    if (touching && std::fabs(start.velocity[0]) <= 1e-9 * speed) start.mode = mode_before_touch(start.rows, D, va, vb);
  }
  for (int body : {start.rows.a, start.rows.b})
    if (!world.traits[index(body)].movable) add_driven(world, body, component);
}

void Components::remember(World& world, double h) {
  for (std::size_t k = 0; k < count_; ++k) {
    const Component& component = components_[k];
    for (const BodyStart& body : component.bodies)
      now_.bodies[index(body.body)] = {body.acceleration, component.acceleration_known ? component.acceleration_h : 0.0,
                                       component.first_order, component.penalty};
    for (const ContactStart& contact : component.contacts) {
      ContactMemory& memory = memory_[index(contact.position)];
      ContactHistory& history = now_.contacts[index(contact.position)];
      history = {contact.force,     contact.margin_n,      contact.margin_t,    contact.margin_age,
                 contact.slip_peak, contact.margins_known, contact.false_alarm, false};
      memory.force = contact.impulse / h;
      memory.relative_velocity.setZero();
      for (int d = 0; d < world.model.dimension; ++d)
        memory.relative_velocity += contact.velocity[d] * contact.rows.direction[d];
      memory.touched_before = memory.touching;
      memory.touching = contact.mode != Mode::Open;
      memory.mode = contact.mode;
      if (contact.mode == Mode::Stick &&
          rolls(contact.rows, world.model, memory.id, world.state.bodies[index(contact.rows.a)].velocity,
                world.state.bodies[index(contact.rows.b)].velocity, 0))
        memory.mode = Mode::Roll;
    }
  }
  world.contacts.swap(contacts_);
  world.memory.swap(memory_);
}

void Components::forget_forces() {
  for (BodyHistory& body : now_.bodies) body.h = 0;
  for (ContactHistory& contact : now_.contacts) contact.margins_known = false;
}

void Components::follow_jump(World& world) {
  constexpr double kMoves = 1e-9;  // of the speeds
  forget_forces();
  contacts_ = world.contacts;
  world.collider.refresh(world.model, world.state, contacts_);
  const int D = world.model.dimension;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    ContactMemory& memory = world.memory[c];
    if (memory.mode == Mode::Open) continue;
    contact::ContactRows rows;
    if (D == 2)
      contact::set_rows<2>(contacts_[c], world.state, rows);
    else
      contact::set_rows<3>(contacts_[c], world.state, rows);
    const model::Twist &a = world.state.bodies[index(rows.a)].velocity, &b = world.state.bodies[index(rows.b)].velocity;
    const double speed = a.linear.lpNorm<1>() + b.linear.lpNorm<1>();
    const bool moves = std::fabs(contact::relative_velocity(rows, 0, a, b)) > kMoves * speed;
    memory.mode = moves ? Mode::Open : mode_before_touch(rows, D, a, b);
    now_.contacts[c].slip_peak = 0;
  }
}

void Components::save(ByteWriter& out) const {
  out.put_list(now_.bodies, [&](const BodyHistory& b) {
    out.put_matrix(b.acceleration.linear);
    out.put_matrix(b.acceleration.angular);
    out.put(b.h);
    out.put(b.first_order);
    out.put(b.penalty);
  });
  out.put_list(now_.contacts, [&](const ContactHistory& c) {
    out.put_matrix(c.force);
    for (double x : {c.margin_n, c.margin_t, c.margin_age, c.slip_peak}) out.put(x);
    for (bool x : {c.margins_known, c.false_alarm, c.fresh}) out.put(x);
  });
  out.put(now_.energy.excess);
  out.put(now_.energy.scale);
}

void Components::restore(ByteReader& in) {
  prepared_ = false;
  breakpoints_.clear();
  in.get_list(now_.bodies, [&](BodyHistory& b) {
    in.get_matrix(b.acceleration.linear);
    in.get_matrix(b.acceleration.angular);
    in.get(b.h);
    in.get(b.first_order);
    in.get(b.penalty);
  });
  in.get_list(now_.contacts, [&](ContactHistory& c) {
    in.get_matrix(c.force);
    for (double* x : {&c.margin_n, &c.margin_t, &c.margin_age, &c.slip_peak}) in.get(*x);
    for (bool* x : {&c.margins_known, &c.false_alarm, &c.fresh}) in.get(*x);
  });
  in.get(now_.energy.excess);
  in.get(now_.energy.scale);
}

}  // namespace stickslip::stepping
