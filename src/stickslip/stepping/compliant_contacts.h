// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contacts of compliant surfaces, as terms of the contact problems of a step: lumped (contact/compliance.h), or
// divided into elements that are coupled (contact/patch.h).
//
//     W += R,    q += b(delta),    after the solve  delta -> delta+(p)
//
//     lumped     R = diag(R_n, R_t[, R_t]) of the contact's own block
//     patch      R_ef between the elements e, f of one contact: a block of all directions
//
// Symbol   variable                              meaning
//   delta  ContactMemory::deformation, shear     of each contact, or of each element
//   R, b   SpringDamper, PatchResponse           of one direction; of a patch
//
// The elements of a patch stand next to each other among the contacts, in their order; they share normal and frame.
//
// Lumped: Song, Trinkle, Kumar and Pang 2004, equations 11 to 14. Patches: Song, Kumar and Pang 2005, equations 2 and 3.
// Cost: O(1) per lumped contact; for a patch of n elements O(n^2) per step, and O(n^3) when the length of the step
// changes.
#pragma once

#include "stickslip/contact/patch.h"
#include "stickslip/stepping/step_data.h"

namespace stickslip::stepping {

class CompliantContacts {
 public:
  void prepare(const World& world, const EulerRules& rules);  // once per run
  [[nodiscard]] bool has_patches() const { return has_patches_; }

  // Replaces each contact that has a patch by its elements.
  void divide_patches(const World& world, StepData& step);
  // Moves contacts to their elements; in estimates of the end (iteration > 0), with what turning adds to the gap.
  void shift_elements(const World& world, int iteration, StepData& step) const;

  // R of contact i of an island.
  void add_compliance(const World& world, const StepData& step, contact::Island& island, std::size_t i) const;
  // b of contact c.
  void add_terms(const World& world, const StepData& step, int c, double* q);
  // delta+ of contact i of an island, and its mode: it slides when friction is used up; until then the bodies move
  // against each other while the layer deforms.
  void remember(const World& world, const contact::Island& island, std::size_t i, StepData& step);

 private:
  [[nodiscard]] static const model::Patch* patch_of(const World& world, const StepData& step,
                                                    const collision::Contact& contact);
  void add_patch_compliance(const World& world, const StepData& step, contact::Island& island, std::size_t i) const;
  // Deformations of the elements of the patch whose first contact is `first`, by direction.
  void take_deformations(const StepData& step, std::size_t first, int elements);
  void add_element_terms(const World& world, const StepData& step, std::size_t c, double* q);
  static void remember_lumped(const model::Compliance& layer, int c, const double* r, StepData& step);
  void remember_patch(const World& world, const contact::Island& island, std::size_t first, StepData& step);

  std::vector<contact::PatchResponse> laws_;  // per surface
  bool has_patches_ = false;
  std::vector<collision::Contact> divided_;
  Eigen::VectorXd p_, delta_, next_;  // of the elements of one patch
};

}  // namespace stickslip::stepping
