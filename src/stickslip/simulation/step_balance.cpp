// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/simulation/step_balance.h"

#include "stickslip/stepping/stepper_traits.h"

#include <algorithm>
#include <cmath>

namespace stickslip::simulation {
namespace {

bool rests(const model::BodyState& before, const model::BodyState& after) {
  constexpr double kRounding = 1e-14;
  const double moved = (after.pose.position - before.pose.position).norm();
  const double turned = (after.pose.orientation.coeffs() - before.pose.orientation.coeffs()).norm();
  return moved <= kRounding * (1 + after.pose.position.norm()) && turned <= kRounding;
}

}  // namespace

void StepBalance::see(const Simulation& now) {
  if (traits_.empty()) traits_ = contact::body_traits(now.model());
  const std::int64_t steps = now.counters().steps;
  if (steps == steps_ + 1 && steps_ >= 0 && now.failure() == nullptr &&
      now.method().motion == stepping::MotionModel::Dynamic)
    judge(now);
  before_ = now.state();
  steps_ = steps;
}

void StepBalance::judge(const Simulation& now) {
  const model::Model& model = now.model();
  if (!(now.state().time > before_.time)) return;
  const bool damping_at_end = stepping::traits_of(now.method().stepper).order < 2;
  // A step of higher order has a part for each group of bodies that may touch each other, at least.
  const stepping::StepReport& report = now.last_report();
  const auto movable = std::ranges::count_if(traits_, [](const contact::BodyTraits& traits) { return traits.movable; });
  const bool one_part = report.sub_steps <= (damping_at_end ? 1 : movable) && report.fallbacks == 0 &&
                        report.divisions == 0 && report.events.empty();
  sum_forces(now);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    if (!traits_[b].movable || !model.bodies[b].support.points.empty()) continue;
    const bool at_rest = rests(before_.bodies[b], now.state().bodies[b]);
    if (!at_rest && !one_part) continue;
    const double share = defect_of(now, b, damping_at_end, at_rest);
    Worst& worst = at_rest ? resting_ : moving_;
    ++worst.judged;
    if (worst.body >= 0 && share <= worst.defect) continue;
    worst = {share, now.state().time, static_cast<int>(b), worst.judged};
  }
}

// Forces and moments of contacts on each body.
void StepBalance::sum_forces(const Simulation& now) {
  sums_.assign(now.model().bodies.size(), {});
  for (const contact::ContactResult& one : now.balanced_contacts()) {
    const double size = one.force.norm();
    for (const bool is_a : {true, false}) {
      const auto b = static_cast<std::size_t>(is_a ? one.contact.id.body_a : one.contact.id.body_b);
      const Vec3 force = is_a ? one.force : Vec3(-one.force);
      const Vec3 arm = (is_a ? one.contact.point_a : one.contact.point_b) - now.state().bodies[b].pose.position;
      sums_[b].force += force;
      sums_[b].moment += arm.cross(force);
      sums_[b].force_size += size;
      sums_[b].moment_size += arm.norm() * size;
    }
  }
}

// What is missing in the balance of forces on a body, at rest also of moments, as a share of what balances.
double StepBalance::defect_of(const Simulation& now, std::size_t b, bool damping_at_end, bool at_rest) const {
  const model::Body& body = now.model().bodies[b];
  const contact::BodyTraits& traits = traits_[b];
  const Sum& sum = sums_[b];
  const double h = now.state().time - before_.time;
  const int number = static_cast<int>(b);
  const model::Wrench start = contact::applied_wrench(now.model(), number, traits, before_);
  const model::Wrench end = contact::applied_wrench(now.model(), number, traits, now.state());
  const Vec3 &v0 = before_.bodies[b].velocity.linear, &v1 = now.state().bodies[b].velocity.linear;
  const Vec3 damped = damping_at_end ? v1 : Vec3(0.5 * (v0 + v1));
  const Vec3 applied = 0.5 * (start.force + end.force), inertia = body.mass * (v1 - v0) / h;
  Vec3 defect = inertia - applied + body.linear_damping * damped - sum.force;
  for (int k = 0; k < 3; ++k)
    if (!traits.free_translation[static_cast<std::size_t>(k)]) defect[k] = 0;
  const double rounding = body.mass * 1e-16 * (v1.norm() + v0.norm()) / h;  // of v+ - v
  const double size = sum.force_size + applied.norm() + inertia.norm();
  const double share = size > 0 ? std::max(defect.norm() - rounding, 0.0) / size : 0;
  if (!at_rest || !traits.free_rotation || !(sum.moment_size > 0)) return share;
  Vec3 turning = sum.moment + 0.5 * (start.torque + end.torque);
  for (int k = 0; k < 3; ++k)
    if (body.planar() ? k < 2 : body.drive.rotation_locked[static_cast<std::size_t>(k)]) turning[k] = 0;
  return std::max(share, turning.norm() / (sum.moment_size + start.torque.norm()));
}

}  // namespace stickslip::simulation
