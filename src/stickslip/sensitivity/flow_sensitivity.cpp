// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/flow_sensitivity.h"

#include "stickslip/collision/registry.h"
#include "stickslip/contact/material.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/stepper_traits.h"

#include <algorithm>
#include <cmath>

namespace stickslip::sensitivity {

using contact::Mode;
using Eigen::Index;
using stepping::FlowPart;
using stepping::index;

namespace {

constexpr double kMove = 2e-6;    // of differences by the state alone, relative to lengths and speeds
constexpr double kLonger = 1e-5;  // of a part: differences by its length
constexpr double kSkew = 0.1;     // of a change: how far the middle of both repetitions may be from the part,
constexpr double kNoise = 1e-8;   // or of lengths and speeds

constexpr Index kGap = FlowTangent::kGap, kHold = FlowTangent::kHold, kGrip = FlowTangent::kGrip,
                kDeformation = FlowTangent::kDeformation, kShear = FlowTangent::kShear,
                kImpulse = FlowTangent::kImpulse, kContact = FlowTangent::kContact;

struct Scales {
  double speed = 0, length = 0;
  Scales(const model::Model& model, const std::vector<contact::BodyTraits>& traits, const FlowPart& part, double h) {
    double arm = 0;
    for (std::size_t i = 0; i < traits.size(); ++i) {
      const model::BodyState& body = part.state.bodies[i];
      double size = 0;
      if (traits[i].movable && model.bodies[i].rotates())
        size = std::sqrt(model.bodies[i].inertia.diagonal().maxCoeff() / model.bodies[i].mass);
      arm = std::max(arm, size);
      speed = std::max(speed, body.velocity.linear.norm() + size * body.velocity.angular.norm());
    }
    speed += h * model.gravity.norm();
    if (!(speed > 0)) speed = 1;
    length = std::max(arm, 10 * h * speed);
  }
};

}  // namespace

// A model with what is needed to take parts in it.
struct FlowSensitivity::Side {
  std::unique_ptr<collision::Collider> collider;
  stepping::World world;
  stepping::RungeKutta stepper;
  stepping::FlowEnd end;
  std::vector<Vec3> shear;
  std::vector<double> deformation, breakpoints;

  Side(const model::Model& model, const stepping::Method& method)
      : collider(collision::make_collider(method.collider)), world(model, method, *collider) {
    for (const model::Body& body : model.bodies)
      breakpoints.insert(breakpoints.end(), body.drive.breakpoints.begin(), body.drive.breakpoints.end());
    std::ranges::sort(breakpoints);
  }
};

FlowSensitivity::FlowSensitivity(const model::Model& model, const stepping::Method& method,
                                 std::span<const Direction> directions)
    : model_(model),
      directions_(directions.begin(), directions.end()),
      method_(method),
      traits_(contact::body_traits(model)),
      prescribed_(model, directions_),
      closed_(model, method, directions_, prescribed_) {
  low_.resize(directions_.size());
  high_.resize(directions_.size());
}

FlowSensitivity::~FlowSensitivity() = default;

bool FlowSensitivity::is_for(const stepping::Method& method) {
  return stepping::traits_of(method.stepper).derivatives == stepping::StepDerivatives::FlowParts;
}

std::string FlowSensitivity::objection_to(const model::Model& model, const stepping::Method& method) {
  if (!is_for(method)) return "steps of \"" + method.stepper + "\" are none of the Runge-Kutta formula";
  return stepping::RungeKutta::objection_to(model);
}

void FlowSensitivity::begin(Eigen::MatrixXd& tangents) {
  for (Index k = 0; k < tangents.cols(); ++k) prescribed_.clear(tangents.col(k));
}

// Made when first needed.
FlowSensitivity::Side& FlowSensitivity::ready(std::unique_ptr<Side>& side, const model::Model& model) {
  if (side == nullptr) side = std::make_unique<Side>(model, method_);
  return *side;
}

bool FlowSensitivity::fail(const char* why) {
  why_not_ = why;
  return false;
}

Vec3 FlowSensitivity::force_change(const collision::ContactId& id, Index k) const {
  const auto found = impulses_.find(id);
  return found == impulses_.end() ? Vec3::Zero() : Vec3(found->second.col(k) / tape_.length);
}

double FlowSensitivity::instant_change(double time, Index k) const {
  const auto found = instants_.find(time);
  return found == instants_.end() ? 0.0 : found->second[k];
}

bool FlowSensitivity::advance(const model::State& end, Eigen::MatrixXd& tangents) {
  if (tape_.refusal[0] != '\0') return fail(tape_.refusal);
  impulses_.clear();
  instants_.clear();
  offset_.setZero(tangents.cols());
  if (!tape_.parts.empty())  // what the stepper lost sight of has a new layer when it comes back
    std::erase_if(now_, [&](const auto& layer) {
      return std::ranges::none_of(tape_.parts.front().contacts,
                                  [&](const collision::Contact& contact) { return contact.id == layer.first; });
    });
  for (std::size_t p = 0; p < tape_.parts.size(); ++p) {
    if (!differentiate(tape_.parts[p], tangents)) return false;
    instants_[p + 1 < tape_.parts.size() ? tape_.parts[p + 1].state.time : end.time] = offset_;
  }
  for (Index k = 0; k < tangents.cols(); ++k) prescribed_.put(end, k, tangents);
  return true;
}

double FlowSensitivity::amount_beside(const FlowPart& part, Index k, const Eigen::MatrixXd& tangents) const {
  const Scales scales(model_, traits_, part, tape_.length);
  double largest = std::fabs(offset_[k]) / tape_.length;
  for (std::size_t i = 0; i < traits_.size(); ++i) {
    const auto d = tangents.col(k).segment<kBodyTangent>(static_cast<Index>(i) * kBodyTangent);
    largest = std::max({largest, d.segment<3>(kPosition).norm() / scales.length, d.segment<3>(kRotation).norm(),
                        d.segment<3>(kLinear).norm() / scales.speed,
                        scales.length * d.segment<3>(kAngular).norm() / scales.speed});
  }
  return largest > 0 ? kMove / largest : 0.0;
}

// Of a part that ends at no change of contact.
double FlowSensitivity::length_change(const FlowPart& part, Index k) {
  if (part.contact >= 0 || part.share == 0) return 0;
  double until = 0;
  const auto i = static_cast<std::size_t>(k);
  if (part.at_breakpoint && directions_[i].low != nullptr) {
    const auto &low = ready(low_[i], *directions_[i].low).breakpoints,
               &high = ready(high_[i], *directions_[i].high).breakpoints, &here = ready(middle_, model_).breakpoints;
    const auto at = std::ranges::lower_bound(here, part.breakpoint - 1e-9 * tape_.length) - here.begin();
    if (at < std::ssize(here) && low.size() == here.size() && high.size() == here.size())
      until = (high[static_cast<std::size_t>(at)] - low[static_cast<std::size_t>(at)]) / directions_[i].width();
  }
  return part.share * (until - offset_[k]);
}

// The part over tau with unknown k changed by `amount`; -1: none.
void FlowSensitivity::repeat(const FlowPart& part, Index k, double amount, double tau, const Eigen::MatrixXd& tangents,
                             Side& side, Eigen::VectorXd& values) {
  stepping::World& world = side.world;
  const std::size_t n = part.contacts.size();
  side.shear.assign(n, Vec3::Zero());
  side.deformation.resize(n);
  for (std::size_t c = 0; c < n; ++c) {
    side.deformation[c] = part.modes[c].deformation;
    for (int d = 1; d < model_.dimension; ++d)
      side.shear[c] +=
          part.shear[static_cast<Index>(c) * stepping::CompliantFlow::kShear + d - 1] * part.modes[c].rows.direction[d];
    if (k < 0) continue;
    const auto known = now_.find(part.contacts[c].id);
    if (known == now_.end()) continue;
    side.shear[c] += amount * known->second.block<3, 1>(0, k);
    side.deformation[c] += amount * known->second(3, k);
  }
  if (k < 0) {
    world.state = part.state;
  } else {
    move_along(part.state, tangents.col(k), amount, world.state);
    world.state.time = part.state.time + amount * offset_[k];
    model::apply_drives(world.model, world.state.time, world.state);
  }
  side.stepper.repeat(world, part, side.shear, side.deformation, tau, side.end);
  values.resize(std::ssize(part.end) * kBodyTangent + static_cast<Index>(n) * kContact);
  for (std::size_t i = 0; i < part.end.size(); ++i)
    values.segment<kBodyTangent>(static_cast<Index>(i) * kBodyTangent) =
        difference(part.end[i], side.end.state.bodies[i]);
  for (std::size_t c = 0; c < n; ++c) {
    const stepping::FlowEnd::Contact& out = side.end.contacts[c];
    auto to = values.segment<kContact>(std::ssize(part.end) * kBodyTangent + static_cast<Index>(c) * kContact);
    to << out.gap, out.hold, out.grip, out.deformation, out.shear, out.impulse;
  }
}

double FlowSensitivity::reserve(const FlowPart& part, const Eigen::VectorXd& values) const {
  const Index first = std::ssize(part.end) * kBodyTangent + part.contact * kContact;
  return values[first + (part.grip ? kGrip : kHold)];
}

// How the end of a part at a change of contact moves with its length. False: the reserve does not change with it.
bool FlowSensitivity::by_length(const FlowPart& part) {
  const double longer = kLonger * part.tau;
  static const Eigen::MatrixXd none;
  repeat(part, -1, 0, part.tau - longer, none, ready(middle_, model_), lower_);
  repeat(part, -1, 0, part.tau + longer, none, ready(middle_, model_), higher_);
  per_length_ = (higher_ - lower_) / (2 * longer);
  return std::fabs(reserve(part, per_length_)) > 0 || fail("tie: a contact only just changes");
}

// Unknowns that are known in closed form.
bool FlowSensitivity::differentiate_closed(const FlowPart& part, Eigen::MatrixXd& tangents) {
  const auto unknowns = closed_.unknowns();
  const bool event = part.contact >= 0;
  closed_.begin(part, event);
  const Index width = closed_.width(), bodies = std::ssize(part.end) * kBodyTangent;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const Index k = unknowns[i], at = static_cast<Index>(i);
    closed_.later()[i] = offset_[k];
    if (!event) closed_.length()[i] = -part.share * offset_[k];
    for (std::size_t b = 0; b < traits_.size(); ++b) {
      if (!traits_[b].movable) continue;
      for (Index row = 0; row < kBodyTangent; ++row)
        closed_.body(b)[row * width + at] = tangents(static_cast<Index>(b) * kBodyTangent + row, k);
    }
    for (std::size_t c = 0; c < part.contacts.size(); ++c)
      if (const auto known = now_.find(part.contacts[c].id); known != now_.end())
        for (Index row = 0; row < FlowTangent::kLayer; ++row)
          closed_.layer(c)[row * width + at] = known->second(row, k);
  }
  const FlowTangent::Columns& ends = closed_.advance();
  if (!is_that_of_the_run(part)) return fail("a part taken again is not the one of the run");
  const auto last = static_cast<Index>(unknowns.size());
  const Index which = bodies + part.contact * kContact + (part.grip ? kGrip : kHold);
  const double slope = event ? ends(which, last) : 1.0;
  if (!(std::fabs(slope) > 0)) return fail("tie: a contact only just changes");
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const Index k = unknowns[i], at = static_cast<Index>(i);
    const double longer = event ? -ends(which, at) / slope : closed_.length()[i];
    change_ = ends.col(at);
    if (event) change_ += longer * ends.col(last);
    offset_[k] += longer;
    take(part, k, change_, tangents);
  }
  return true;
}

bool FlowSensitivity::is_that_of_the_run(const FlowPart& part) const {
  const Scales scales(model_, traits_, part, tape_.length);
  for (std::size_t b = 0; b < part.end.size(); ++b) {
    const auto apart = difference(part.end[b], closed_.end()[b]);
    if (!(apart.segment<3>(kPosition).norm() <= kNoise * scales.length &&
          apart.segment<3>(kLinear).norm() <= kNoise * scales.speed))
      return false;
  }
  return true;
}

bool FlowSensitivity::differentiate(const FlowPart& part, Eigen::MatrixXd& tangents) {
  const auto closed = std::ssize(closed_.unknowns());
  if (closed > 0 && !differentiate_closed(part, tangents)) return false;
  if (closed == tangents.cols()) return true;
  if (part.contact >= 0 && !by_length(part)) return false;
  const Scales scales(model_, traits_, part, tape_.length);
  for (Index k = 0; k < tangents.cols(); ++k) {
    if (closed_.covers(k)) continue;
    const auto i = static_cast<std::size_t>(k);
    const Direction& direction = directions_[i];
    const bool varies = direction.low != nullptr;
    const double beside = varies ? 0 : amount_beside(part, k, tangents);
    const double below = varies ? direction.below : beside, above = varies ? direction.above : beside;
    const double width = below + above, longer = length_change(part, k);
    if (!(width > 0)) {
      take(part, k, Eigen::VectorXd::Zero(std::ssize(part.end) * kBodyTangent + std::ssize(part.contacts) * kContact),
           tangents);
      continue;
    }
    repeat(part, k, -below, part.tau - below * longer, tangents, ready(low_[i], varies ? *direction.low : model_), lower_);
    repeat(part, k, above, part.tau + above * longer, tangents, ready(high_[i], varies ? *direction.high : model_), higher_);
    Eigen::VectorXd change = higher_ - lower_;
    for (std::size_t b = 0; b < part.end.size(); ++b)
      for (const int first : {kPosition, kRotation, kLinear, kAngular}) {
        const Index at = static_cast<Index>(b) * kBodyTangent + first;
        const double size = first == kPosition   ? scales.length
                            : first == kRotation ? 1.0
                            : first == kLinear   ? scales.speed
                                                 : scales.speed / scales.length;
        const double middle = (below * higher_ + above * lower_).segment<3>(at).norm() / width;
        if (!(middle <= kSkew * change.segment<3>(at).norm() + kNoise * size))
          return fail("a part repeated beside itself is not the one of the run");
      }
    change /= width;
    double later = longer;
    if (part.contact >= 0) {
      later = -reserve(part, change) / reserve(part, per_length_);
      change += later * per_length_;
    }
    offset_[k] += later;
    take(part, k, change, tangents);
  }
  return true;
}

// The end becomes the start of the next part.
void FlowSensitivity::take(const FlowPart& part, Index k, const Eigen::VectorXd& change, Eigen::MatrixXd& tangents) {
  const Index bodies = std::ssize(part.end) * kBodyTangent;
  tangents.col(k) = change.head(bodies);
  for (std::size_t c = 0; c < part.contacts.size(); ++c) {
    const auto of = change.segment<kContact>(bodies + static_cast<Index>(c) * kContact);
    const collision::ContactId& id = part.contacts[c].id;
    auto& layer = now_[id];
    auto& impulse = impulses_[id];
    if (layer.cols() == 0) layer.setZero(4, std::ssize(directions_));
    if (impulse.cols() == 0) impulse.setZero(3, std::ssize(directions_));
    layer.block<3, 1>(0, k) = of.segment<3>(kShear);
    layer(3, k) = part.lifts && part.contact == static_cast<int>(c) ? -of[kGap] : of[kDeformation];
    impulse.col(k) += of.segment<3>(kImpulse);
  }
}

}  // namespace stickslip::sensitivity
