// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/step_equations.h"

#include "stickslip/collision/registry.h"
#include "stickslip/contact/support_rows.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/step_terms.h"
#include "stickslip/stepping/stepper_traits.h"

#include <algorithm>
#include <utility>

namespace stickslip::sensitivity {

using contact::ContactRows;
using stepping::index;

StepEquations::StepEquations(const model::Model& model, const stepping::Method& method)
    : model_(model),
      method_(method),
      collider_(collision::make_collider(method.collider)),
      traits_(contact::body_traits(model)),
      end_geometry_(stepping::traits_of(method.stepper).end_geometry) {
  const std::size_t n = model.bodies.size();
  for (std::size_t i = 0; i < n; ++i) {
    const model::Body& body = model.bodies[i];
    for (int k = 0; k < 3; ++k)
      if (traits_[i].free_translation[index(k)]) freedoms_.push_back({static_cast<int>(i), k});
    if (traits_[i].free_rotation)
      for (int k = body.planar() ? 2 : 0; k < 3; ++k)
        if (body.planar() || !body.drive.rotation_locked[index(k)]) freedoms_.push_back({static_cast<int>(i), 3 + k});
    for (const model::Support::Point& point : body.support.points)
      supports_.push_back({static_cast<int>(i), body.support.on < 0 ? static_cast<int>(n) : body.support.on,
                           point.position, point.load, body.support.friction});
  }
  terms_.velocity.resize(n + 1);
  terms_.drive.resize(n + 1);
  terms_.free.resize(n + 1);
  terms_.dynamics.resize(n + 1);
}

std::string StepEquations::objection_to(const model::Model& model, const stepping::Method& method) {
  if (stepping::traits_of(method.stepper).derivatives != stepping::StepDerivatives::Equations)
    return "steps of \"" + method.stepper + "\" have no derivative here: use implicit or stewart-trinkle";
  if (method.friction != stepping::FrictionLaw::Cone && model.dimension == 3)
    return "a friction pyramid has no derivative here";
  if (method.compliance == stepping::SoftContacts::Normal) return "steps with soft contacts have no derivative here";
  if (method.impacts != stepping::ImpactSearch::Auto) return "impacts that are located have no derivative here";
  for (const model::Surface& surface : model.surfaces)
    if (surface.restitution > 0) return "restitution on a fixed grid of steps makes the end of a run jump";
  return {};
}

void StepEquations::end_of(const model::State& start, const StepSpan& span, const Eigen::VectorXd& velocity,
                           model::State& end) const {
  end = start;
  end.time = span.end_time;
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    model::BodyState& body = end.bodies[index(f.body)];
    const double v = velocity[static_cast<Eigen::Index>(i)];
    f.of(body.velocity) = v;
  }
  for (std::size_t i = 0; i < model_.bodies.size(); ++i)
    stepping::displace(end.bodies[i], end.bodies[i].velocity, span.h, traits_[i], model_.bodies[i].planar());
  model::apply_drives(model_, span.end_time, end);
}

// Velocities, where geometry is taken, inertia and the velocities that forces alone give.
void StepEquations::set_bodies(const model::State& start, const StepSpan& span, const Eigen::VectorXd& velocity) {
  const std::size_t n = model_.bodies.size();
  std::ranges::fill(terms_.velocity, model::Twist{});
  for (std::size_t i = 0; i < freedoms_.size(); ++i)
    freedoms_[i].of(terms_.velocity[index(freedoms_[i].body)]) = velocity[static_cast<Eigen::Index>(i)];
  if (end_geometry_) {
    end_of(start, span, velocity, terms_.at);
  } else {
    terms_.at = start;
    model::apply_drives(model_, span.end_time, terms_.at);
  }
  const model::State& forces_at = end_geometry_ ? terms_.at : start;
  const stepping::BodyMotion motion{method_.motion, span.h, 1.0};
  for (std::size_t i = 0; i < n; ++i) {
    const contact::BodyTraits& traits = traits_[i];
    terms_.drive[i] = traits.driven ? stepping::part_of(traits, terms_.at.bodies[i].velocity, false) : model::Twist{};
    if (!traits.movable) continue;
    model::Twist reference;
    if (method_.motion == stepping::MotionModel::Dynamic)
      reference = stepping::part_of(traits, start.bodies[i].velocity, true);
    else if (method_.motion == stepping::MotionModel::QuasiStatic)
      reference = terms_.velocity[i];
    motion.evaluate(model_, static_cast<int>(i), traits, start.bodies[i], forces_at, reference, terms_.dynamics[i],
                    terms_.free[i]);
  }
  terms_.at.bodies.resize(n + 1);
}

// The impulses of a contact, added to what forces alone give.
void StepEquations::push(const ActiveContact& active, const ContactRows& row) {
  const auto a = index(row.a), b = index(row.b);
  const contact::BodyDynamics &body_a = terms_.dynamics[a], &body_b = terms_.dynamics[b];
  for (int k = active.first_row(); k <= active.tangents; ++k) {
    const Vec3 impulse = active.p[k] * row.direction[k];
    terms_.free[a].linear += body_a.inverse_mass.cwiseProduct(impulse);
    terms_.free[a].angular += body_a.inverse_inertia * (active.p[k] * row.moment_a[k]);
    terms_.free[b].linear -= body_b.inverse_mass.cwiseProduct(impulse);
    terms_.free[b].angular -= body_b.inverse_inertia * (active.p[k] * row.moment_b[k]);
  }
}

void StepEquations::evaluate(const model::State& start, const StepSpan& span, const Eigen::VectorXd& velocity,
                             std::span<const ActiveContact> contacts, Values& values) {
  set_bodies(start, span, velocity);
  terms_.contacts.clear();
  for (const ActiveContact& active : contacts)
    if (active.support < 0) terms_.contacts.push_back(active.contact);
  if (!terms_.contacts.empty()) collider_->refresh(model_, terms_.at, terms_.contacts);

  const auto count = static_cast<Eigen::Index>(contacts.size());
  values.approach.setZero(count);
  values.mu.setZero(count);
  values.normal_impulse.setZero(count);
  values.slip.setZero(2, count);
  terms_.rows.resize(contacts.size());
  std::size_t next = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ActiveContact& active = contacts[c];
    const auto column = static_cast<Eigen::Index>(c);
    ContactRows& row = terms_.rows[c];
    const collision::Contact* geometry = active.support < 0 ? &terms_.contacts[next++] : nullptr;
    if (geometry == nullptr) {
      const SupportPoint& support = supports_[index(active.support)];
      contact::set_support_rows(terms_.at, support.body, support.plane, support.position, row);
      values.mu[column] = support.friction;
      values.normal_impulse[column] = span.h * support.load;
    } else {
      contact::set_rows_near(active.rows, *geometry, terms_.at, model_.dimension, row);
      values.mu[column] = contact::friction_coefficient(model_.surfaces[index(geometry->surface)],
                                                        active.slides ? contact::Mode::Slide : contact::Mode::Stick);
    }
    const auto a = index(row.a), b = index(row.b);
    double u[3] = {};
    const stepping::PairVelocities end{terms_.velocity[a], terms_.velocity[b]}, drive{terms_.drive[a], terms_.drive[b]};
    stepping::set_free_terms(active.tangents + 1, row, end, drive, true, u);
    for (int k = 1; k <= active.tangents; ++k) values.slip(k - 1, column) = u[k];
    if (geometry != nullptr)
      values.approach[column] = active.gap_weight * geometry->gap / span.h + (end_geometry_ ? 0 : u[0]);
    push(active, row);
  }
  values.balance.resize(static_cast<Eigen::Index>(freedoms_.size()));
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    values.balance[row] = velocity[row] - freedoms_[i].of(std::as_const(terms_.free[index(freedoms_[i].body)]));
  }
}

ContactRows StepEquations::rows_at(const model::State& state, const ActiveContact& active) {
  one_.assign(1, active.contact);
  collider_->refresh(model_, state, one_);
  ContactRows rows;
  contact::set_rows_near(active.rows, one_[0], state, model_.dimension, rows);
  return rows;
}

void StepEquations::response(std::size_t contact, int k, Eigen::Ref<Eigen::VectorXd> change) const {
  const ContactRows& row = terms_.rows[contact];
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    double& value = change[static_cast<Eigen::Index>(i)];
    value = 0;
    if (f.body != row.a && f.body != row.b) continue;
    const contact::BodyDynamics& body = terms_.dynamics[index(f.body)];
    const Vec3& moment = f.body == row.a ? row.moment_a[k] : row.moment_b[k];
    value = f.axis < 3 ? body.inverse_mass[f.axis] * row.direction[k][f.axis]
                       : body.inverse_inertia.row(f.axis - 3).dot(moment);
    if (f.body != row.a) value = -value;
  }
}

void StepEquations::put_row(std::size_t contact, int k, Eigen::MatrixXd& matrix, Eigen::Index place) const {
  const ContactRows& row = terms_.rows[contact];
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    if (f.body != row.a && f.body != row.b) continue;
    const double sign = f.body == row.a ? 1 : -1;
    const Vec3& moment = f.body == row.a ? row.moment_a[k] : row.moment_b[k];
    matrix(place, static_cast<Eigen::Index>(i)) = sign * (f.axis < 3 ? row.direction[k][f.axis] : moment[f.axis - 3]);
  }
}

}  // namespace stickslip::sensitivity
