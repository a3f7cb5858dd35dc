// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contacts whose surfaces give way, as terms of the contact problems of a step: lumped (contact/compliance.h), or
// divided into elements that are coupled (contact/patch.h).
//
//     W += R,    q += b(delta),    after the solve  delta -> delta+(p)
//
//     lumped     R = diag(R_n, R_t[, R_t]) of the contact's own block
//     patch      R_ef between the elements e, f of one contact: normal and tangential parts apart
//
// Symbol   variable                              meaning
//   delta  ContactMemory::deformation, shear     of each contact, or of each element
//   R, b   SpringDamper, PatchResponse           of one direction
//
// The elements of a patch stand next to each other among the contacts, in their order; they share normal and frame.
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
  // against each other while the layer gives way.
  void remember(const World& world, const contact::Island& island, std::size_t i, StepData& step);

 private:
  struct PatchLaw {  // of one surface
    contact::PatchResponse normal, tangential;
  };
  [[nodiscard]] static const model::Patch* patch_of(const World& world, const StepData& step,
                                                    const collision::Contact& contact);
  void add_patch_compliance(const World& world, const StepData& step, contact::Island& island, std::size_t i) const;
  void add_element_terms(const World& world, const StepData& step, std::size_t c, double* q);
  static void remember_lumped(const model::Compliance& layer, int c, const double* r, StepData& step);
  void remember_patch(const World& world, const contact::Island& island, std::size_t first, StepData& step);

  std::vector<PatchLaw> laws_;  // per surface
  bool has_patches_ = false;
  std::vector<collision::Contact> divided_;
  Eigen::VectorXd p_, delta_;  // of the elements of one patch
  std::vector<Vec3> shear_;
};

}  // namespace stickslip::stepping
