// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/run_adjoint.h"

#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/guarded_stepper.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/second_order.h"

#include <algorithm>

namespace stickslip::sensitivity {

using Eigen::Index;
using Eigen::MatrixXd;
using stepping::index;
using stepping::SubStep;

namespace {

constexpr Index kReserves = 4;                // numbers of a contact
constexpr std::size_t kMostEntries = 40'000'000;  // of all steps: 640 MB
constexpr std::ptrdiff_t kMostBodies = 8;     // movable ones: a step's matrix has all of them

}  // namespace

// Sub-steps by so many inputs at once.
struct RunAdjoint::Instance {
  Index width;
  SubStepSensitivity by;
  MatrixXd tangents;

  Instance(const model::Model& model, const stepping::Method& method, Index columns, DriveInputs& drives,
           std::span<const SmoothChange> model_inputs)
      : width(columns), by(model, method, std::vector<Direction>(static_cast<std::size_t>(columns))) {
    tangents.setZero(std::ssize(model.bodies) * kBodyTangent, columns);
    by.begin(false, tangents);
    by.take_inputs(drives, model_inputs);
  }
};

struct RunAdjoint::Changes {
  MatrixXd tangent, acceleration, length;
  std::map<collision::ContactId, MatrixXd> reserves;

  [[nodiscard]] auto of(const Slot& slot) {
    MatrixXd& of = slot.kind == Kind::Tangent ? tangent : slot.kind == Kind::Acceleration ? acceleration : length;
    return of.col(slot.row);
  }
};

RunAdjoint::RunAdjoint(simulation::Simulation& simulation, std::span<const Direction> directions)
    : simulation_(simulation),
      directions_(directions.begin(), directions.end()),
      traits_(contact::body_traits(simulation.model())),
      prescribed_(simulation.model(), directions_),
      drives_(prescribed_),
      unknowns_(smooth_changes(simulation.model(), directions_)) {
  list_slots();
  list_model_inputs();
  simulation_.watch_parts(this);
}

RunAdjoint::~RunAdjoint() {
  simulation_.watch_parts(nullptr);
  if (noting_ != nullptr) noting_->record(nullptr);
}

std::string RunAdjoint::objection_to(const model::Model& model, const stepping::Method& method,
                                     std::span<const Direction> directions) {
  if (std::string objection = SubStepSensitivity::objection_to(model, method); !objection.empty()) return objection;
  const auto traits = contact::body_traits(model);
  if (std::ranges::count_if(traits, [](const auto& one) { return one.movable; }) > kMostBodies)
    return "too many bodies";
  const auto changes_impacts = [](const Direction& direction) {
    return direction.low != nullptr &&
           !std::ranges::equal(direction.low->surfaces, direction.high->surfaces, {}, &model::Surface::restitution,
                               &model::Surface::restitution);
  };
  if (smooth_changes(model, directions).size() < directions.size() || std::ranges::any_of(directions, changes_impacts))
    return "an unknown enters otherwise than through the start, prescribed motion, gravity and friction";
  return {};
}

void RunAdjoint::list_slots() {
  const model::Model& model = simulation_.model();
  for (std::size_t i = 0; i < traits_.size(); ++i) {
    if (!traits_[i].movable) continue;
    const Index first = static_cast<Index>(i) * kBodyTangent, rates = static_cast<Index>(i) * 6;
    for (int axis = 0; axis < 3; ++axis) {
      if (traits_[i].free_translation[index(axis)]) {
        slots_.push_back({Kind::Tangent, first + kPosition + axis});
        slots_.push_back({Kind::Tangent, first + kLinear + axis});
        slots_.push_back({Kind::Acceleration, rates + axis});
      }
      if (traits_[i].free_rotation && (!model.bodies[i].planar() || axis == 2)) {
        slots_.push_back({Kind::Tangent, first + kRotation + axis});
        slots_.push_back({Kind::Tangent, first + kAngular + axis});
        slots_.push_back({Kind::Acceleration, rates + 3 + axis});
      }
    }
    slots_.push_back({Kind::Length, static_cast<Index>(i)});
  }
}

void RunAdjoint::list_model_inputs() {
  const auto add = [&](const auto& set) {
    SmoothChange& one = model_inputs_.emplace_back();
    one.column = std::ssize(model_inputs_) - 1;
    one.enters = true;
    one.friction.assign(simulation_.model().surfaces.size(), {});
    set(one);
  };
  for (int axis = 0; axis < 3; ++axis)
    if (std::ranges::any_of(unknowns_, [&](const SmoothChange& one) { return one.gravity[axis] != 0; }))
      add([&](SmoothChange& one) { one.gravity[axis] = 1; });
  for (std::size_t s = 0; s < simulation_.model().surfaces.size(); ++s) {
    if (std::ranges::any_of(unknowns_, [&](const SmoothChange& one) { return one.friction[s].first != 0; }))
      add([&](SmoothChange& one) { one.friction[s].first = 1; });
    if (std::ranges::any_of(unknowns_, [&](const SmoothChange& one) { return one.friction[s].second != 0; }))
      add([&](SmoothChange& one) { one.friction[s].second = 1; });
  }
}

RunAdjoint::Instance& RunAdjoint::instance_for(Index width) {
  constexpr Index kRounded = 16;
  width = (width + kRounded - 1) / kRounded * kRounded;
  auto& instance = instances_[width];
  if (!instance)
    instance =
        std::make_unique<Instance>(simulation_.model(), simulation_.method(), width, drives_, model_inputs_);
  return *instance;
}

void RunAdjoint::before_part(stepping::Stepper& stepper, const stepping::World&) {
  if (!known() || noting_ != nullptr) return;
  auto* const guarded = dynamic_cast<stepping::GuardedStepper*>(&stepper);
  noting_ = dynamic_cast<stepping::SecondOrder*>(guarded != nullptr ? &guarded->inner() : &stepper);
  if (noting_ == nullptr) {
    why_unknown_ = "the stepper does not tell its sub-steps";
    return;
  }
  noting_->record(&tape_);
}

void RunAdjoint::after_part(const stepping::World& world, double, const stepping::StepReport& report) {
  if (!known()) return;
  if (report.divisions > 0) {
    why_unknown_ = "a step was cut where bodies would have passed through each other";
    return;
  }
  Step step;
  std::size_t sweeps = 0;
  for (const SubStep& one : tape_.sub_steps) {
    sweeps += one.trials.size() + one.attempts.size();
    for (const stepping::ContactStart& start : one.component.contacts) {
      const collision::ContactId& id = start.contact.id;
      if (one.component.offset == 0 && start.mode != contact::Mode::Open &&
          std::ranges::find(step.contacts_in, id) == step.contacts_in.end())
        step.contacts_in.push_back(id);
    }
  }
  const Index width = std::ssize(model_inputs_) + std::ssize(slots_) + kReserves * std::ssize(step.contacts_in) +
                      drives_.columns_per_time() * static_cast<Index>(1 + 2 * sweeps);
  if (!linearise(world, instance_for(width), step)) return;
  steps_.push_back(std::move(step));
}

// One sweep of the step with what it reads for its unknowns.
bool RunAdjoint::linearise(const stepping::World& world, Instance& instance, Step& step) {
  const Index first = std::ssize(model_inputs_), slots = std::ssize(slots_);
  SubStepSensitivity::Histories& histories = instance.by.histories();
  instance.tangents.setZero();
  histories.acceleration.setZero();
  histories.length.setZero();
  histories.reserves.clear();
  const auto matrix_of = [&](Kind kind) -> MatrixXd& {
    return kind == Kind::Tangent        ? instance.tangents
           : kind == Kind::Acceleration ? histories.acceleration
                                        : histories.length;
  };
  for (Index s = 0; s < slots; ++s) {
    const Slot& slot = slots_[static_cast<std::size_t>(s)];
    matrix_of(slot.kind)(slot.row, first + s) = 1;
  }
  Index column = first + slots;
  for (const collision::ContactId& id : step.contacts_in) {
    auto& reserves = histories.reserves[id];
    reserves.setZero(kReserves, instance.width);
    for (Index row = 0; row < kReserves; ++row) reserves(row, column++) = 1;
  }
  drives_.begin(column, instance.width);
  std::swap(instance.by.tape(), tape_);
  const bool known = instance.by.advance(world.state, instance.tangents) && !drives_.exhausted();
  std::swap(instance.by.tape(), tape_);
  if (!known) {
    why_unknown_ = drives_.exhausted() ? "a step reads prescribed motion too often" : instance.by.why_not();
    return false;
  }
  step.inputs.assign(drives_.inputs().begin(), drives_.inputs().end());
  const Index used = column + std::ssize(step.inputs);
  const auto take = [&](Index row, const auto& values) {
    for (Index k = 0; k < used; ++k)
      if (values[k] != 0) step.entries.push_back({static_cast<int>(row), static_cast<int>(k), values[k]});
  };
  for (Index s = 0; s < slots; ++s) {
    const Slot& slot = slots_[static_cast<std::size_t>(s)];
    take(s, matrix_of(slot.kind).row(slot.row));
  }
  Index row = slots;
  for (const auto& [id, reserves] : histories.reserves) {
    step.contacts_out.push_back(id);
    for (Index r = 0; r < kReserves; ++r) take(row++, reserves.row(r));
  }
  entries_ += step.entries.size();
  if (entries_ > kMostEntries) why_unknown_ = "the run is too long to be kept";
  return known;
}

MatrixXd RunAdjoint::pull_back(const MatrixXd& by_end) const {
  const Index functions = by_end.rows(), width = std::ssize(directions_), slots = std::ssize(slots_),
              first = std::ssize(model_inputs_);
  MatrixXd gradient = MatrixXd::Zero(functions, width), model = MatrixXd::Zero(functions, first);
  const auto bodies = prescribed_.bodies();
  const auto place_of = [&](int body) { return (std::ranges::lower_bound(bodies, body) - bodies.begin()) * kBodyTangent; };
  for (int body : bodies)
    gradient += by_end.middleCols<kBodyTangent>(body * kBodyTangent) *
                prescribed_.at(simulation_.state().time).middleRows<kBodyTangent>(place_of(body));
  Changes now;
  now.tangent = by_end;
  now.acceleration.setZero(functions, 6 * std::ssize(traits_));
  now.length.setZero(functions, std::ssize(traits_));
  MatrixXd out, in;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    out.setZero(functions, slots + kReserves * std::ssize(step->contacts_out));
    for (Index s = 0; s < slots; ++s) out.col(s) = now.of(slots_[static_cast<std::size_t>(s)]);
    for (std::size_t c = 0; c < step->contacts_out.size(); ++c)
      if (const auto found = now.reserves.find(step->contacts_out[c]); found != now.reserves.end())
        out.middleCols<kReserves>(slots + kReserves * static_cast<Index>(c)) = found->second;
    const Index contacts = first + slots, drives = contacts + kReserves * std::ssize(step->contacts_in);
    in.setZero(functions, drives + std::ssize(step->inputs));
    for (const Entry& entry : step->entries) in.col(entry.column) += entry.value * out.col(entry.row);
    model += in.leftCols(first);
    for (Index s = 0; s < slots; ++s) now.of(slots_[static_cast<std::size_t>(s)]) = in.col(first + s);
    now.reserves.clear();
    for (std::size_t c = 0; c < step->contacts_in.size(); ++c)
      now.reserves[step->contacts_in[c]] = in.middleCols<kReserves>(contacts + kReserves * static_cast<Index>(c));
    for (std::size_t i = 0; i < step->inputs.size(); ++i) {
      const DriveInputs::Input& one = step->inputs[i];
      const auto weight = in.col(drives + static_cast<Index>(i));
      if (!weight.isZero(0))
        gradient.noalias() += weight * prescribed_.at(one.time).row(place_of(one.body) + one.row);
    }
  }
  for (Index k = 0; k < width; ++k) {
    Eigen::VectorXd start = directions_[static_cast<std::size_t>(k)].start;
    prescribed_.clear(start);
    for (const Slot& slot : slots_)
      if (slot.kind == Kind::Tangent) gradient.col(k) += now.of(slot) * start[slot.row];
  }
  for (const SmoothChange& unknown : unknowns_)
    for (Index m = 0; m < first; ++m) {
      const SmoothChange& input = model_inputs_[static_cast<std::size_t>(m)];
      double share = unknown.gravity.dot(input.gravity);
      for (std::size_t s = 0; s < input.friction.size(); ++s)
        share += unknown.friction[s].first * input.friction[s].first + unknown.friction[s].second * input.friction[s].second;
      gradient.col(unknown.column) += share * model.col(m);
    }
  return gradient;
}

}  // namespace stickslip::sensitivity
