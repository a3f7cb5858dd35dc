// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/reported_share.h"

#include "stickslip/complementarity/union_find.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stickslip::contact {
namespace {

constexpr double kRests = 1e-7;  // of what falling through the arm of a contact gives

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

void put(const Vec3& x, std::vector<double>& out) {
  out.insert(out.end(), x.data(), x.data() + 3);
}

}  // namespace

int ReportedShare::root_of(int body) {
  return complementarity::find_root(parent_, body);
}

// Islands as steps see them: potential contacts that share a movable body. Is one of them too large for a step?
bool ReportedShare::list_large(const model::Model& model, std::span<const ContactResult> results) {
  if (results.size() <= CanonicalShare::kMostInStep) return false;
  if (traits_.empty()) traits_ = body_traits(model);
  parent_.resize(model.bodies.size());
  std::iota(parent_.begin(), parent_.end(), 0);
  contacts_.assign(model.bodies.size(), 0);
  const auto movable = [&](int body) { return traits_[at(body)].movable; };
  for (const ContactResult& one : results)
    if (movable(one.contact.id.body_a) && movable(one.contact.id.body_b))
      parent_[at(root_of(one.contact.id.body_a))] = root_of(one.contact.id.body_b);
  for (const ContactResult& one : results)
    ++contacts_[at(root_of(movable(one.contact.id.body_a) ? one.contact.id.body_a : one.contact.id.body_b))];
  return std::ranges::max(contacts_) > CanonicalShare::kMostInStep;
}

bool ReportedShare::rests(const model::Model& model, const model::State& state, const StepForces& forces,
                          std::size_t island, std::span<const ContactResult> results) const {
  return std::ranges::all_of(forces.members(island), [&](int k) {
    const collision::Contact& contact = results[at(forces.touching()[at(k)])].contact;
    const auto stands = [&](int body, const Vec3& point) {
      const model::BodyState& s = state.bodies[at(body)];
      const double arm = (point - s.pose.position).norm();
      return !traits_[at(body)].movable || s.velocity.linear.norm() + arm * s.velocity.angular.norm() <=
                                               kRests * std::sqrt(model.gravity.norm() * arm);
    };
    return stands(contact.id.body_a, contact.point_a) && stands(contact.id.body_b, contact.point_b);
  });
}

void ReportedShare::apply(const model::Model& model, const model::State& state, const ForceLaw& law,
                          std::span<ContactResult> results) {
  if (!list_large(model, results)) return;
  StepForces forces(model, state, results, law);
  kept_.resize(forces.islands());
  for (std::size_t g = 0; g < forces.islands(); ++g) {
    const std::span<const int> members = forces.members(g);
    const collision::ContactId& id = results[at(forces.touching()[at(members[0])])].contact.id;
    const int body = traits_[at(id.body_a)].movable ? id.body_a : id.body_b;
    if (contacts_[at(root_of(body))] <= CanonicalShare::kMostInStep || members.size() > kMostResting) continue;
    input_.clear();
    bool slides = false;
    for (const int k : members) {
      const ContactResult& one = results[at(forces.touching()[at(k)])];
      slides = slides || one.mode == Mode::Slide;
      input_.push_back(forces.touching()[at(k)]);
      input_.push_back(static_cast<double>(one.mode));
      put(one.force, input_);
      put(one.contact.point_a, input_);
      put(one.contact.normal, input_);
    }
    Kept& kept = kept_[g];
    if (kept.input != input_) {
      const bool looks = members.size() <= (slides ? kMostSliding : kMostSticking) ||
                         (!slides && rests(model, state, forces, g, results));
      kept.input = input_;
      if (!looks || !forces.share(g, share_, kept.shared)) kept.shared.clear();
    }
    if (kept.shared.empty()) continue;
    for (std::size_t i = 0; i < members.size(); ++i) {
      ContactResult& one = results[at(forces.touching()[at(members[i])])];
      one.force = kept.shared[i].force;
      const bool bears = one.force.dot(one.contact.normal) > 0;
      if (!bears) one.mode = Mode::Open;
      if (bears && one.mode == Mode::Open) one.mode = kept.shared[i].sticks ? Mode::Stick : Mode::Slide;
    }
  }
}

}  // namespace stickslip::contact
