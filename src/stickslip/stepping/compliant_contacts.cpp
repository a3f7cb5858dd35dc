// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/compliant_contacts.h"

#include "stickslip/stepping/contact_memory.h"

#include <algorithm>

namespace stickslip::stepping {

using contact::ContactRows;
using contact::Island;
using contact::Mode;

void CompliantContacts::prepare(const World& world, const EulerRules& rules) {
  if (!rules.compliant) return;
  laws_.resize(world.model.surfaces.size());
  has_patches_ = std::ranges::any_of(world.model.surfaces,
                                     [](const model::Surface& surface) { return surface.compliance.patch != nullptr; });
}

const model::Patch* CompliantContacts::patch_of(const World& world, const StepData& step,
                                                const collision::Contact& contact) {
  return step.rules.compliant ? world.model.surfaces[index(contact.surface)].compliance.patch.get() : nullptr;
}

void CompliantContacts::divide_patches(const World& world, StepData& step) {
  divided_.clear();
  for (const collision::Contact& contact : step.contacts) {
    const model::Patch* patch = patch_of(world, step, contact);
    const int elements = patch != nullptr ? contact::elements_of(*patch, world.model.dimension) : 1;
    for (int e = 0; e < elements; ++e) {
      divided_.push_back(contact);
      divided_.back().id.element = e;
    }
  }
  step.contacts.swap(divided_);
  for (std::size_t s = 0; s < laws_.size(); ++s)
    if (const model::Patch* patch = world.model.surfaces[s].compliance.patch.get())
      laws_[s].set(*patch, world.model.dimension, step.h);
  shift_elements(world, 0, step);
}

// What turning adds to the gap of an element within the step is in its row; the contact point knows nothing of it.
void CompliantContacts::shift_elements(const World& world, int iteration, StepData& step) const {
  for (collision::Contact& contact : step.contacts) {
    const model::Patch* patch = patch_of(world, step, contact);
    if (patch == nullptr) continue;
    const Vec3 point = contact.point_a;
    contact::shift_to_element(*patch, world.model.dimension, contact);
    if (iteration == 0) continue;
    const std::vector<model::BodyState>& bodies = step.at.bodies;
    const Vec3 turning =
        bodies[index(contact.id.body_a)].velocity.angular - bodies[index(contact.id.body_b)].velocity.angular;
    contact.gap += step.h * turning.dot((contact.point_a - point).cross(contact.normal));
  }
}

void CompliantContacts::add_compliance(const World& world, const StepData& step, Island& island, std::size_t i) const {
  const model::Compliance* layer = step.compliance_of(world, island.contacts[i]);
  if (layer == nullptr) return;
  ++island.soft_contacts;
  if (layer->patch) {
    add_patch_compliance(world, step, island, i);
    return;
  }
  complementarity::BlockMatrix& W = island.problem.W;
  const int D = step.D;
  double* block = W.value.data() + index(W.diagonal[i] * D * D);
  const double R_t = contact::tangential_spring(*layer, step.h).compliance();
  block[0] += contact::normal_spring(*layer, step.h).compliance();
  for (int k = 1; k < D; ++k) block[k * D + k] += R_t;
}

// Element i, and its neighbours beside it in the island.
void CompliantContacts::add_patch_compliance(const World& world, const StepData& step, Island& island,
                                             std::size_t i) const {
  complementarity::BlockMatrix& W = island.problem.W;
  const int D = step.D;
  const collision::Contact& contact = step.contacts[index(island.contacts[i])];
  const contact::PatchResponse& law = laws_[index(contact.surface)];
  const int e = contact.id.element;
  const int elements = contact::elements_of(*patch_of(world, step, contact), world.model.dimension);
  const int first = static_cast<int>(i) - e;
  for (int p = W.row_start[i]; p < W.row_start[i + 1]; ++p) {
    const int f = W.column[index(p)] - first;
    if (f < 0 || f >= elements) continue;
    double* block = W.value.data() + index(p * D * D);
    for (int k = 0; k < D; ++k)
      for (int l = 0; l < D; ++l) block[k * D + l] += law.compliance(k, e, l, f);
  }
}

void CompliantContacts::add_terms(const World& world, const StepData& step, int c, double* q) {
  const model::Compliance* layer = step.compliance_of(world, c);
  if (layer == nullptr) return;
  if (layer->patch) {
    add_element_terms(world, step, index(c), q);
    return;
  }
  const ContactMemory& memory = step.memory[index(c)];
  const ContactRows& row = step.rows[index(c)];
  q[0] += contact::normal_spring(*layer, step.h).normal_term(memory.deformation);
  const contact::SpringDamper tangential = contact::tangential_spring(*layer, step.h);
  for (int k = 1; k < step.D; ++k) q[k] += tangential.tangential_term(memory.shear.dot(row.direction[k]));
}

void CompliantContacts::take_deformations(const StepData& step, std::size_t first, int elements) {
  delta_.resize(step.D * elements);
  for (int f = 0; f < elements; ++f) {
    const ContactMemory& memory = step.memory[first + index(f)];
    delta_[f] = memory.deformation;
    for (int k = 1; k < step.D; ++k) delta_[k * elements + f] = memory.shear.dot(step.rows[first].direction[k]);
  }
}

void CompliantContacts::add_element_terms(const World& world, const StepData& step, std::size_t c, double* q) {
  const contact::PatchResponse& law = laws_[index(step.contacts[c].surface)];
  const int e = step.contacts[c].id.element;
  const int elements = contact::elements_of(*patch_of(world, step, step.contacts[c]), world.model.dimension);
  take_deformations(step, c - index(e), elements);
  q[0] += law.relaxed(0, e, delta_) / step.h;
  for (int k = 1; k < step.D; ++k) q[k] += (law.relaxed(k, e, delta_) - delta_[k * elements + e]) / step.h;
}

void CompliantContacts::remember(const World& world, const Island& island, std::size_t i, StepData& step) {
  const int c = island.contacts[i];
  const model::Compliance* layer = step.compliance_of(world, c);
  if (layer == nullptr) return;
  const double* r = island.r.data() + i * index(step.D);
  if (!layer->patch)
    remember_lumped(*layer, c, r, step);
  else if (step.contacts[index(c)].id.element == 0)
    remember_patch(world, island, i, step);
  ContactMemory& memory = step.memory[index(c)];
  if (!memory.touching) return;
  const ContactRows& row = step.rows[index(c)];
  if (tangential_norm(r, step.D) >= island.problem.mu[i] * r[0] * (1 - kVelocityNoise))
    memory.mode = Mode::Slide;
  else
    memory.mode = rolls(row, world.model, memory.id, step.end.bodies[index(row.a)].velocity,
                        step.end.bodies[index(row.b)].velocity, 0)
                      ? Mode::Roll
                      : Mode::Stick;
}

void CompliantContacts::remember_lumped(const model::Compliance& layer, int c, const double* r, StepData& step) {
  const ContactRows& row = step.rows[index(c)];
  ContactMemory& memory = step.memory[index(c)];
  const Vec3 shear = memory.shear;
  memory.deformation = contact::normal_spring(layer, step.h).next(r[0], memory.deformation);
  memory.shear.setZero();
  const contact::SpringDamper tangential = contact::tangential_spring(layer, step.h);
  for (int k = 1; k < step.D; ++k)
    memory.shear += tangential.next(r[k], shear.dot(row.direction[k])) * row.direction[k];
}

// All elements of the patch whose first one is the island's contact `first`.
void CompliantContacts::remember_patch(const World& world, const Island& island, std::size_t first, StepData& step) {
  const auto c = index(island.contacts[first]);
  const int elements = contact::elements_of(*patch_of(world, step, step.contacts[c]), world.model.dimension);
  const ContactRows& row = step.rows[c];  // one normal, one frame for all
  take_deformations(step, c, elements);
  p_.resize(step.D * elements);
  for (int f = 0; f < elements; ++f)
    for (int k = 0; k < step.D; ++k) p_[k * elements + f] = island.r[(first + index(f)) * index(step.D) + index(k)];
  laws_[index(step.contacts[c].surface)].next(p_, delta_, next_);
  for (int f = 0; f < elements; ++f) {
    ContactMemory& memory = step.memory[c + index(f)];
    memory.deformation = next_[f];
    memory.shear.setZero();
    for (int k = 1; k < step.D; ++k) memory.shear += next_[k * elements + f] * row.direction[k];
  }
}

}  // namespace stickslip::stepping
