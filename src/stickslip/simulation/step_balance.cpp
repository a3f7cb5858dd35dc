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
  const model::State& after = now.state();
  const double h = after.time - before_.time;
  if (!(h > 0)) return;
  const bool damping_at_end = stepping::traits_of(now.method().stepper).order < 2;
  // A step of higher order has a part for each group of bodies that may touch each other, at least.
  const stepping::StepReport& report = now.last_report();
  const auto movable = std::ranges::count_if(traits_, [](const contact::BodyTraits& traits) { return traits.movable; });
  const bool one_part = report.sub_steps <= (damping_at_end ? 1 : movable) && report.fallbacks == 0 &&
                        report.divisions == 0 && report.events.empty();
  sums_.assign(model.bodies.size(), {});
  for (const contact::ContactResult& one : now.balanced_contacts()) {
    const double size = one.force.norm();
    for (const bool is_a : {true, false}) {
      const auto b = static_cast<std::size_t>(is_a ? one.contact.id.body_a : one.contact.id.body_b);
      const Vec3 force = is_a ? one.force : Vec3(-one.force);
      const Vec3 arm = (is_a ? one.contact.point_a : one.contact.point_b) - after.bodies[b].pose.position;
      sums_[b].force += force;
      sums_[b].moment += arm.cross(force);
      sums_[b].force_size += size;
      sums_[b].moment_size += arm.norm() * size;
    }
  }
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const model::Body& body = model.bodies[b];
    if (!traits_[b].movable || !body.support.points.empty()) continue;
    const int number = static_cast<int>(b);
    const model::Wrench start = contact::applied_wrench(model, number, traits_[b], before_);
    const model::Wrench end = contact::applied_wrench(model, number, traits_[b], after);
    const model::Twist& v0 = before_.bodies[b].velocity;
    const model::Twist& v1 = after.bodies[b].velocity;
    const Vec3 damped = damping_at_end ? v1.linear : Vec3(0.5 * (v0.linear + v1.linear));
    const Vec3 applied = 0.5 * (start.force + end.force), inertia = body.mass * (v1.linear - v0.linear) / h;
    Vec3 defect = inertia - applied + body.linear_damping * damped - sums_[b].force;
    for (int k = 0; k < 3; ++k)
      if (!traits_[b].free_translation[static_cast<std::size_t>(k)]) defect[k] = 0;
    const double rounding = body.mass * 1e-16 * (v1.linear.norm() + v0.linear.norm()) / h;  // of v+ - v
    const double size = sums_[b].force_size + applied.norm() + inertia.norm();
    double share = size > 0 ? std::max(defect.norm() - rounding, 0.0) / size : 0;
    const bool at_rest = rests(before_.bodies[b], after.bodies[b]);
    if (!at_rest && !one_part) continue;
    if (at_rest && traits_[b].free_rotation && sums_[b].moment_size > 0) {
      Vec3 turning = sums_[b].moment + 0.5 * (start.torque + end.torque);
      for (int k = 0; k < 3; ++k)
        if (body.planar() ? k < 2 : body.drive.rotation_locked[static_cast<std::size_t>(k)]) turning[k] = 0;
      share = std::max(share, turning.norm() / (sums_[b].moment_size + start.torque.norm()));
    }
    Worst& worst = at_rest ? resting_ : moving_;
    ++worst.judged;
    if (worst.body >= 0 && share <= worst.defect) continue;
    worst = {share, after.time, number, worst.judged};
  }
}

}  // namespace stickslip::simulation
