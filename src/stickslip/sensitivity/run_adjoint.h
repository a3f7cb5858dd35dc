// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Derivatives of functions of the end of a second-order run by very many unknowns: one sweep back over the run.
//
//     step       x' = M x + N z            x: changes of poses and velocities of movable bodies, and of what the next sub-step
//                                             reads besides; z: of prescribed motion at the times at which the step reads it,
//                                             of gravity and of friction
//     back       l  = M' l',   g += N' l'    l = dF/dx at the end;  then dF/du = l_0' dx_0/du + g' dz/du
//
// M and N come from the sweeps of SubStepSensitivity, with x and z for its unknowns: the cost of the run and of the sweep back
// does not grow with the unknowns, but for dz/du, whose closed forms are evaluated at each time once for all of them.
//
// For unknowns that enter through the start, prescribed motion, gravity and friction; sub-steps that have no closed form, impacts
// of driven bodies and impacts where friction is an unknown are left to tangents carried forward (RunSensitivity).
//
// The reverse sweep over stored linearisations: Griewank and Walther 2008. Memory: the nonzero numbers of M and N,
// about 3 kB per step of a particle.
#pragma once

#include "stickslip/sensitivity/drive_inputs.h"
#include "stickslip/sensitivity/sub_step_sensitivity.h"
#include "stickslip/simulation/part_watcher.h"
#include "stickslip/simulation/simulation.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace stickslip::stepping {
class SecondOrder;
}

namespace stickslip::sensitivity {

class RunAdjoint final : public simulation::PartWatcher {
 public:
  // Watches the simulation from its present state on. Both must outlive it.
  RunAdjoint(simulation::Simulation& simulation, std::span<const Direction> directions);
  ~RunAdjoint() override;
  RunAdjoint(const RunAdjoint&) = delete;
  RunAdjoint& operator=(const RunAdjoint&) = delete;

  // Why it is not for these; empty when it is.
  [[nodiscard]] static std::string objection_to(const model::Model& model, const stepping::Method& method,
                                                std::span<const Direction> directions);

  // False after a step that is not of this kind.
  [[nodiscard]] bool known() const { return why_unknown_.empty(); }
  [[nodiscard]] const std::string& why_unknown() const { return why_unknown_; }

  // Derivatives of functions of the end (rows) by the unknowns (columns), from their derivatives by the changes of its
  // state (rows; columns: tangent.h).
  [[nodiscard]] Eigen::MatrixXd pull_back(const Eigen::MatrixXd& by_end) const;

  void begin_step() override { kept_ = steps_.size(); }
  void before_part(stepping::Stepper& stepper, const stepping::World& world) override;
  void after_part(const stepping::World& world, double h, const stepping::StepReport& report) override;
  void take_back() override { steps_.resize(kept_); }

 private:
  // A number that one step leaves to the next.
  enum class Kind : char { Tangent, Acceleration, Length };
  struct Slot {
    Kind kind;
    Eigen::Index row;
  };
  struct Entry {
    int row, column;
    double value;
  };
  struct Step {
    std::vector<collision::ContactId> contacts_in, contacts_out;
    std::vector<DriveInputs::Input> inputs;
    std::vector<Entry> entries;
  };
  struct Instance;
  struct Changes;  // of everything that a step leaves, by function

  void list_slots();
  void list_model_inputs();
  [[nodiscard]] bool linearise(const stepping::World& world, Instance& instance, Step& step);
  [[nodiscard]] Instance& instance_for(Eigen::Index width);

  simulation::Simulation& simulation_;
  std::vector<Direction> directions_;
  std::vector<contact::BodyTraits> traits_;
  PrescribedChanges prescribed_;
  DriveInputs drives_;
  std::vector<SmoothChange> unknowns_;      // how they enter
  std::vector<SmoothChange> model_inputs_;  // gravity along an axis, friction of a surface
  std::vector<Slot> slots_;
  std::vector<Step> steps_;
  std::map<Eigen::Index, std::unique_ptr<Instance>> instances_;  // by width
  stepping::SubStepTape tape_;
  stepping::SecondOrder* noting_ = nullptr;
  std::size_t kept_ = 0, entries_ = 0;
  std::string why_unknown_;
};

}  // namespace stickslip::sensitivity
