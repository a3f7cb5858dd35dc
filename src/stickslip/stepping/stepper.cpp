// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/stepper.h"

#include "stickslip/stepping/second_order.h"
#include "stickslip/stepping/stewart_trinkle.h"

namespace stickslip::stepping {
namespace {

struct Registry {
  std::vector<complementarity::AlgorithmInfo> infos;
  std::vector<StepperFactory> factories;

  void add(complementarity::AlgorithmInfo info, StepperFactory factory) {
    infos.push_back(info);
    factories.push_back(factory);
  }
  Registry() {
    add({"stewart-trinkle", "first order, one contact problem per step"},
        []() -> std::unique_ptr<Stepper> { return std::make_unique<StewartTrinkle>(); });
    add({"second-order", "second order between changes of contact mode, which are located inside the step"},
        []() -> std::unique_ptr<Stepper> { return std::make_unique<SecondOrder>(); });
  }
};

Registry& registry() {
  static Registry instance;
  return instance;
}

}  // namespace

std::unique_ptr<Stepper> make_stepper(std::string_view name) {
  const Registry& all = registry();
  for (std::size_t k = 0; k < all.infos.size(); ++k)
    if (name == all.infos[k].name) return all.factories[k]();
  return nullptr;
}

std::span<const complementarity::AlgorithmInfo> steppers() {
  return registry().infos;
}

void register_stepper(complementarity::AlgorithmInfo info, StepperFactory factory) {
  registry().add(info, factory);
}

}  // namespace stickslip::stepping
