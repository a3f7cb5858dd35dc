// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// EulerStep: contacts divided into elements (contact/patch.h), and the smoothed friction cone.
#include "stickslip/contact/material.h"
#include "stickslip/stepping/euler_step.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

using contact::ContactRows;
using contact::Island;

const model::Patch* EulerStep::patch_of(const World& world, const collision::Contact& contact) const {
  return rules_.compliant ? world.model.surfaces[index(contact.surface)].compliance.patch.get() : nullptr;
}

// The elements of a patch stand next to each other, in their order.
void EulerStep::divide_patches(const World& world) {
  divided_.clear();
  for (const collision::Contact& contact : contacts_) {
    const model::Patch* patch = patch_of(world, contact);
    const int elements = patch != nullptr ? contact::elements_of(*patch, world.model.dimension) : 1;
    for (int e = 0; e < elements; ++e) {
      divided_.push_back(contact);
      divided_.back().id.element = e;
    }
  }
  contacts_.swap(divided_);
  for (std::size_t s = 0; s < patch_laws_.size(); ++s)
    if (const model::Patch* patch = world.model.surfaces[s].compliance.patch.get()) {
      patch_laws_[s].normal.set(patch->K_n, patch->C_n, h_);
      patch_laws_[s].tangential.set(patch->K_t, patch->C_t, h_);
    }
  shift_elements(world, 0);
}

// What turning adds to the gap of an element within the step is in its row; the contact point knows nothing of it.
void EulerStep::shift_elements(const World& world, int iteration) {
  for (collision::Contact& contact : contacts_) {
    const model::Patch* patch = patch_of(world, contact);
    if (patch == nullptr) continue;
    const Vec3 point = contact.point_a;
    contact::shift_to_element(*patch, world.model.dimension, contact);
    if (iteration == 0) continue;
    const Vec3 turning =
        at_.bodies[index(contact.id.body_a)].velocity.angular - at_.bodies[index(contact.id.body_b)].velocity.angular;
    contact.gap += h_ * turning.dot((contact.point_a - point).cross(contact.normal));
  }
}

// R between the elements of one patch: i is an element, its neighbours stand beside it in the island.
void EulerStep::add_patch_compliance(const World& world, Island& island, std::size_t i) {
  complementarity::BlockMatrix& W = island.problem.W;
  const collision::Contact& contact = contacts_[index(island.contacts[i])];
  const PatchLaw& law = patch_laws_[index(contact.surface)];
  const int e = contact.id.element, elements = contact::elements_of(*patch_of(world, contact), world.model.dimension);
  const int first = static_cast<int>(i) - e;
  for (int p = W.row_start[i]; p < W.row_start[i + 1]; ++p) {
    const int f = W.column[index(p)] - first;
    if (f < 0 || f >= elements) continue;
    double* block = W.value.data() + index(p * D_ * D_);
    block[0] += law.normal.compliance(e, f);
    for (int k = 1; k < D_; ++k) block[k * D_ + k] += law.tangential.compliance(e, f);
  }
}

void EulerStep::pose_element(const World& world, const ContactRows& row, std::size_t c, double* q) {
  const PatchLaw& law = patch_laws_[index(contacts_[c].surface)];
  const int e = contacts_[c].id.element;
  const std::size_t first = c - index(e);
  const int elements = contact::elements_of(*patch_of(world, contacts_[c]), world.model.dimension);
  patch_delta_.resize(elements);
  for (int f = 0; f < elements; ++f) patch_delta_[f] = memory_[first + index(f)].deformation;
  q[0] += law.normal.relaxed(e, patch_delta_) / h_;
  for (int k = 1; k < D_; ++k) {
    for (int f = 0; f < elements; ++f) patch_delta_[f] = memory_[first + index(f)].shear.dot(row.direction[k]);
    q[k] += (law.tangential.relaxed(e, patch_delta_) - patch_delta_[e]) / h_;
  }
}

// All elements of the patch whose first one is the island's contact `first`.
void EulerStep::remember_patch(const World& world, const Island& island, std::size_t first) {
  const auto c = index(island.contacts[first]);
  const PatchLaw& law = patch_laws_[index(contacts_[c].surface)];
  const int elements = contact::elements_of(*patch_of(world, contacts_[c]), world.model.dimension);
  const ContactRows& row = rows_[c];  // one normal, one frame for all
  patch_p_.resize(elements);
  patch_delta_.resize(elements);
  const auto impulse = [&](int f, int k) { return island.r[(first + index(f)) * index(D_) + index(k)]; };
  for (int f = 0; f < elements; ++f) {
    patch_p_[f] = impulse(f, 0);
    patch_delta_[f] = memory_[c + index(f)].deformation;
  }
  for (int f = 0; f < elements; ++f) memory_[c + index(f)].deformation = law.normal.next(f, patch_p_, patch_delta_);
  patch_shear_.assign(index(elements), Vec3::Zero());
  for (int k = 1; k < D_; ++k) {
    for (int f = 0; f < elements; ++f) {
      patch_p_[f] = impulse(f, k);
      patch_delta_[f] = memory_[c + index(f)].shear.dot(row.direction[k]);
    }
    for (int f = 0; f < elements; ++f)
      patch_shear_[index(f)] += law.tangential.next(f, patch_p_, patch_delta_) * row.direction[k];
  }
  for (int f = 0; f < elements; ++f) memory_[c + index(f)].shear = patch_shear_[index(f)];
}

double EulerStep::smoothed(double mu, double p_n) const {
  return gamma_ > 0 && mu > 0 && p_n > 0 ? mu * std::sqrt(1 + 2 * gamma_ / (mu * p_n)) : mu;
}

// How far the radii of the friction discs are from those that belong to the impulses, beside the largest impulse.
double EulerStep::smoothing_error(const World& world) const {
  double error = 0, largest = 0;
  for (const Island& island : system_.islands())
    for (std::size_t i = 0; i < island.contacts.size(); ++i) {
      const int c = island.contacts[i];
      if (is_support(c)) continue;
      const double p_n = island.r[i * index(D_)];
      const model::Surface& surface = world.model.surfaces[index(contacts_[index(c)].surface)];
      const double mu = contact::friction_coefficient(surface, memory_[index(c)].mode);
      error = std::max(error, std::fabs(smoothed(mu, p_n) - island.problem.mu[i]) * p_n);
      largest = std::max(largest, p_n);
    }
  return largest > 0 ? error / largest : 0;
}

}  // namespace stickslip::stepping
