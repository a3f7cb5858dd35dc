// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Sub-steps in closed form (smooth_tangent.h), for the unknowns that enter them through the start, prescribed motion,
// gravity and friction. One that ends at an event has the length with which the condition of the event stays as it is.
#include "stickslip/contact/material.h"
#include "stickslip/sensitivity/drive_inputs.h"
#include "stickslip/sensitivity/sub_step_sensitivity.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace stickslip::sensitivity {

using Eigen::Index;
using stepping::ContactStart;
using stepping::index;
using stepping::SubStep;
using stepping::SubStepEnd;

std::vector<SmoothChange> smooth_changes(const model::Model& model, std::span<const Direction> directions) {
  std::vector<SmoothChange> changes;
  const auto breakpoints = [](const model::Model& a, const model::Model& b) {
    return std::ranges::equal(a.bodies, b.bodies, [](const model::Body& x, const model::Body& y) {
      return x.drive.breakpoints == y.drive.breakpoints;
    });
  };
  const std::vector<contact::BodyTraits> traits = contact::body_traits(model);
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const Direction& direction = directions[k];
    if (moves_what_is_fixed(traits, direction)) continue;
    SmoothChange change;
    change.column = static_cast<Index>(k);
    change.friction.assign(model.surfaces.size(), {});
    if (direction.low != nullptr) {
      const model::Model &low = *direction.low, &high = *direction.high;
      if (low.surfaces.size() != high.surfaces.size() || model.surfaces.size() != low.surfaces.size()) continue;
      model::Model alike = high;
      alike.gravity = low.gravity;
      for (std::size_t s = 0; s < low.surfaces.size(); ++s) {
        const double width = direction.width();
        change.friction[s] = {(high.surfaces[s].friction_static - low.surfaces[s].friction_static) / width,
                              (high.surfaces[s].friction_kinetic - low.surfaces[s].friction_kinetic) / width};
        alike.surfaces[s].friction_static = low.surfaces[s].friction_static;
        alike.surfaces[s].friction_kinetic = low.surfaces[s].friction_kinetic;
        alike.surfaces[s].restitution = low.surfaces[s].restitution;  // of impacts
        change.enters |= change.friction[s].first != 0 || change.friction[s].second != 0;
      }
      change.gravity = (high.gravity - low.gravity) / direction.width();
      change.enters |= !change.gravity.isZero(0);
      if (!same_but_for_motion(low, alike) || !breakpoints(low, high) || !breakpoints(low, model)) continue;
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

void SubStepSensitivity::take_inputs(DriveInputs& drives, std::span<const SmoothChange> model_inputs) {
  drives_ = &drives;
  for (const SmoothChange& input : model_inputs) smooth_columns_[static_cast<std::size_t>(input.column)] = input;
}

namespace {

// The longest length that the next sub-step may have, as the stepper has it.
struct LongestLength {
  const stepping::SubStepAttempt& attempt;
  const ContactStart& start;
  const stepping::Trial& trial;
  double H;
  // Slip at the start and at the end, largest slip so far, length.
  static constexpr Index kNumbers = 6;
  using Numbers = std::array<double, kNumbers>;

  [[nodiscard]] Numbers numbers() const {
    const stepping::ContactTrial& out = trial.contacts[index(attempt.turning)];
    return {start.velocity[1], start.velocity[2], out.u1[1], out.u1[2], start.slip_peak, trial.h};
  }
  [[nodiscard]] double at(const Numbers& x) const {
    ContactStart from;
    stepping::ContactTrial to;
    for (std::size_t k = 0; k < 2; ++k) {
      from.velocity[k + 1] = x[k];
      to.u1[k + 1] = x[k + 2];
    }
    from.slip_peak = x[4];
    return stepping::length_by_turn(std::max(x[5], attempt.shortest), stepping::relative_turn(from, to, H, x[5]),
                                    attempt.least, attempt.most);
  }
  [[nodiscard]] Numbers slopes() const {
    constexpr double kBeside = 1e-6;
    const Numbers here = numbers();
    double speed = 0;
    for (std::size_t i = 0; i < 5; ++i) speed = std::max(speed, std::fabs(here[i]));
    Numbers slopes{};
    for (std::size_t i = 0; i < here.size(); ++i) {
      const double beside = kBeside * (i < 5 ? speed : here[i]);
      if (!(beside > 0) || (i == 4 && here[i] == 0)) continue;
      Numbers low = here, high = here;
      low[i] -= beside;
      high[i] += beside;
      slopes[i] = (at(high) - at(low)) / (2 * beside);
    }
    return slopes;
  }
};

}  // namespace

// How a length that is not that of an event changes, where the longest one changes so.
void SubStepSensitivity::change_length(const SubStep& one, const stepping::SubStepLength& length,
                                       const std::vector<double>& longest, std::vector<double>& change) const {
  change.resize(smooth_columns_.size());
  for (std::size_t k = 0; k < change.size(); ++k) {
    const double offset = one.component.offset > 0 ? offset_[smooth_columns_[k].column] : 0.0;
    change[k] = length.fixed > 0 ? length.share * longest[k] : -length.part * offset;
  }
}

// A trial over a length that changes so. by_length: with one more column, for a length that changes by itself.
bool SubStepSensitivity::sweep(const SmoothTangent::Trial& trial, const std::vector<double>& length, bool by_length,
                               const Eigen::MatrixXd& tangents) {
  if (!smooth_.covers(trial)) return false;
  const SubStep& one = trial.one;
  const Index unknowns = std::ssize(smooth_columns_), width = unknowns + (by_length ? 1 : 0);
  const stepping::Component& component = one.component;
  smooth_.begin(trial, width);
  const auto gather = [&](const Eigen::MatrixXd& from, Index row, Index count, double* to) {
    for (Index k = 0; k < unknowns; ++k) {
      const double* const column = from.col(smooth_columns_[static_cast<std::size_t>(k)].column).data() + row;
      for (Index i = 0; i < count; ++i) to[i * width + k] = column[i];
    }
  };
  static_assert(SmoothTangent::kVelocity == kLinear && SmoothTangent::kPose == kPosition);
  for (std::size_t i = 0; i < component.bodies.size(); ++i) {
    const Index b = component.bodies[i].body;
    gather(tangents, b * kBodyTangent, kBodyTangent, smooth_.body(i));
    gather(now_.acceleration, 6 * b, 6, smooth_.body(i) + SmoothTangent::kAcceleration * width);
  }
  gather(now_.length, component.bodies[0].body, 1, smooth_.rest(SmoothTangent::kLastLength));
  later_.setZero(3, width);  // at the start, in the middle, at the end
  double* const by = smooth_.rest(SmoothTangent::kLength);
  std::ranges::copy(length, by);
  if (by_length) by[unknowns] = 1;
  bool shifted = false;
  for (Index k = 0; k < width; ++k) {
    if (k < unknowns && component.offset > 0)
      later_(0, k) = offset_[smooth_columns_[static_cast<std::size_t>(k)].column];
    shifted |= later_(0, k) != 0 || by[k] != 0;
  }
  later_.row(1) = later_.row(2) = later_.row(0);
  rows::add(width, 0.5, by, later_.row(1).data());
  rows::add(width, 1, by, later_.row(2).data());
  const double h = trial.record.h, begin = tape_.begin + component.offset, end_offset = component.offset + h;
  const double end = end_offset >= tape_.length * (1 - 1e-12) ? tape_.end : tape_.begin + end_offset;
  for (std::size_t j = 0; j < component.driven.size(); ++j) {
    const int b = component.driven[j];
    const auto at = component.bodies.size() + j;
    double* const to = smooth_.driven(j);
    const auto give = [&](double time, const model::BodyState& state, Index row, int first) {
      prescribed_.give(b, time, state, listed_, shifted ? later_.row(row).data() : nullptr, width, to + first * width);
      if (drives_ != nullptr) drives_->give(b, time, width, to + first * width);
    };
    give(component.offset > 0 ? begin : tape_.start.time, one.state.bodies[index(b)], 0, SmoothTangent::kStart);
    give(begin + 0.5 * h, trial.record.last.mid[at], 1, SmoothTangent::kMid);
    give(end, trial.record.last.end[at], 2, SmoothTangent::kEnd);
  }
  give_model(trial, width);
  return smooth_.advance();
}

// How the longest length of the next sub-step changes, by the trial that was swept last.
void SubStepSensitivity::change_longest(const SubStep& one, const stepping::SubStepAttempt& attempt,
                                        const stepping::Trial& trial, const std::vector<double>& length,
                                        std::vector<double>& longest) const {
  longest.resize(smooth_columns_.size());
  if (attempt.turning < 0) {
    for (std::size_t k = 0; k < longest.size(); ++k)
      longest[k] = trial.h > attempt.shortest ? attempt.most * length[k] : 0.0;
    return;
  }
  const ContactStart& start = one.component.contacts[index(attempt.turning)];
  const auto slopes = LongestLength{attempt, start, trial, tape_.length}.slopes();
  const auto known = now_.reserves.find(start.contact.id);
  const double* const before = smooth_.watched_end(SmoothTangent::kSlipBefore + 1);
  const double* const after = smooth_.watched_end(SmoothTangent::kSlipAfter + 1);
  for (std::size_t k = 0; k < longest.size(); ++k) {
    double change = slopes[5] * length[k];
    for (std::size_t i = 0; i < 2; ++i) {
      const auto at = static_cast<Index>(i) * smooth_.width() + static_cast<Index>(k);
      change += slopes[i] * before[at] + slopes[i + 2] * after[at];
    }
    if (known != now_.reserves.end() && start.slip_peak > 0)
      change += slopes[4] * known->second(3, smooth_columns_[k].column);
    longest[k] = change;
  }
}

// The length of a sub-step up to an event, from its sweep with one more column: that its condition stays as it is.
// False: it does not change with the length.
bool SubStepSensitivity::find_event(const SmoothTangent::Trial& trial, std::vector<double>& length) const {
  const SubStep& one = trial.one;
  const int D = model_.dimension;
  const Index width = smooth_.width();
  std::vector<double> change(static_cast<std::size_t>(width), 0.0);
  if (one.end == SubStepEnd::Touch) {
    rows::add(width, 1, smooth_.watched_end(SmoothTangent::kGap), change.data());
  } else if (one.end == SubStepEnd::Stop) {
    const auto c =
        static_cast<std::size_t>(std::ranges::find(trial.record.closed, trial.watched) - trial.record.closed.begin());
    const stepping::ContactTrial& out = trial.trial.contacts[index(trial.watched)];
    const ContactStart& start = one.component.contacts[index(trial.watched)];
    const double mu = model_.surfaces[index(start.contact.surface)].friction_kinetic,
                 friction = stepping::tangential_norm(out.p, D);
    const double* const push = smooth_.watched_end(SmoothTangent::kPush);
    rows::add(width, mu, push, change.data());
    rows::add(width, out.p[0], smooth_.given_friction(c), change.data());
    for (int k = 1; k < D; ++k) rows::add(width, -out.p[k] / friction, push + k * width, change.data());
  } else {
    const ContactStart& start = one.component.contacts[index(one.contact)];
    const stepping::ContactTrial& out = trial.trial.contacts[index(one.contact)];
    const double speed = stepping::tangential_norm(start.velocity, D),
                 along = stepping::tangential_dot(out.u1, start.velocity, D) / speed;
    for (int k = 1; k < D; ++k) {
      const double d = start.velocity[k] / speed;
      rows::add(width, d, smooth_.watched_end(SmoothTangent::kSlipAfter + k), change.data());
      rows::add(width, (out.u1[k] - along * d) / speed, smooth_.watched_end(SmoothTangent::kSlipBefore + k),
                change.data());
    }
  }
  const double slope = change.back();
  for (std::size_t k = 0; k < length.size(); ++k) length[k] = -change[k] / slope;
  return std::ranges::all_of(length, [](double x) { return std::isfinite(x); });
}

// The end of a trial of a search by reserves says where the next one ends.
void SubStepSensitivity::change_by_reserve(const SmoothTangent::Trial& trial, std::vector<double>& length) const {
  const SubStep& one = trial.one;
  const ContactStart& start = one.component.contacts[index(one.contact)];
  const double tau = trial.trial.h, mu = model_.surfaces[index(start.contact.surface)].friction_static;
  const stepping::Margins margins =
      stepping::force_margins(trial.trial.contacts[index(one.contact)], mu, tau, model_.dimension);
  const double now = one.lifts ? margins.normal : margins.tangential,
               before = one.lifts ? start.margin_n : start.margin_t;
  const double age = start.margin_age + 0.5 * tau, rise = now - before;
  const auto c =
      static_cast<std::size_t>(std::ranges::find(trial.record.closed, one.contact) - trial.record.closed.begin());
  const double* const change =
      smooth_.contact_end(c) + (SmoothTangent::kReserves + (one.lifts ? 0 : 1)) * smooth_.width();
  const auto known = now_.reserves.find(start.contact.id);
  for (std::size_t k = 0; k < length.size(); ++k) {
    const Index column = smooth_columns_[k].column;
    const double d_before = known == now_.reserves.end() ? 0.0 : known->second(one.lifts ? 0 : 1, column),
                 d_age = (known == now_.reserves.end() ? 0.0 : known->second(2, column)) + 0.5 * length[k];
    // tau / 2 - now age / rise
    length[k] =
        0.5 * length[k] - (change[k] * age + now * d_age) / rise + now * age / (rise * rise) * (change[k] - d_before);
  }
}

// False: it is none of this kind, or its equations do not decide.
bool SubStepSensitivity::differentiate_smooth(const SubStep& one, Eigen::MatrixXd& tangents) {
  if (smooth_columns_.empty() || one.impact || one.trials.empty()) return false;
  const bool ends_itself = one.end == SubStepEnd::Length;
  if (one.end == SubStepEnd::Stop && one.stopping.size() > 1) return false;  // its condition has weights of its own
  std::vector<double> longest(smooth_columns_.size(), 0.0), length;
  for (std::size_t k = 0; k < longest.size() && !one.held; ++k) longest[k] = longest_[smooth_columns_[k].column];
  change_length(one, one.length, longest, length);
  for (std::size_t i = 0; follows_turns_ && i < one.attempts.size(); ++i) {
    const stepping::SubStepAttempt& attempt = one.attempts[i];
    change_length(one, attempt.length, longest, length);
    if (ends_itself && i + 1 == one.attempts.size()) break;
    if (attempt.turning >= 0) {
      auto trial = known_trial(one, attempt.trial, false, tangents);
      if (!trial) return false;
      trial->watched = attempt.turning;
      if (!sweep(*trial, length, false, tangents)) return false;
      change_longest(one, attempt, trial->trial, length, longest);
    } else {
      change_longest(one, attempt, attempt.trial, length, longest);
    }
  }
  for (std::size_t i = 0; one.end == SubStepEnd::Reserve && i + 1 < one.trials.size(); ++i) {
    const auto trial = known_trial(one, one.trials[i], false, tangents);
    if (!trial || !sweep(*trial, length, false, tangents)) return false;
    change_by_reserve(*trial, length);
  }
  auto trial = known_trial(one, one.trials.back(), true, tangents);
  if (!trial) return false;
  const bool located = !ends_itself && one.end != SubStepEnd::Reserve;
  const stepping::SubStepAttempt* const last =
      follows_turns_ && ends_itself && !one.attempts.empty() ? &one.attempts.back() : nullptr;
  if (located)
    trial->watched = one.end == SubStepEnd::Stop ? one.stopping[0] : one.contact;
  else if (last != nullptr && last->turning >= 0)
    trial->watched = last->turning;
  if (located) std::ranges::fill(length, 0.0);
  if (!sweep(*trial, length, located, tangents)) return false;
  if (located) {
    if (!find_event(*trial, length)) return false;
    smooth_.lengthen(length);
  }
  if (last != nullptr) change_longest(one, *last, trial->trial, length, longest);
  take_smooth(*trial, length, longest, tangents);
  return true;
}

void SubStepSensitivity::give_model(const SmoothTangent::Trial& trial, Index width) {
  for (Index k = 0; k < std::ssize(smooth_columns_); ++k) {
    const SmoothChange& change = smooth_columns_[static_cast<std::size_t>(k)];
    for (int axis = 0; axis < 3 && change.enters; ++axis)
      smooth_.rest(SmoothTangent::kGravity + axis)[k] = change.gravity[axis];
    for (std::size_t c = 0; c < trial.record.closed.size(); ++c) {
      const ContactStart& start = trial.one.component.contacts[index(trial.record.closed[c])];
      const auto& friction = change.friction[index(start.contact.surface)];
      double* const to = smooth_.contact(c) + k;
      to[SmoothTangent::kFriction * width] = start.mode == contact::Mode::Slide ? friction.second : friction.first;
      const auto known = now_.reserves.find(start.contact.id);
      if (known != now_.reserves.end() && start.slip_peak > 0)
        to[SmoothTangent::kSlipPeak * width] = known->second(3, change.column);
    }
  }
}

// The end becomes the start of the next.
void SubStepSensitivity::take_smooth(const SmoothTangent::Trial& trial, const std::vector<double>& length,
                                     const std::vector<double>& longest, Eigen::MatrixXd& tangents) {
  const SubStep& one = trial.one;
  const Index width = smooth_.width(), unknowns = std::ssize(smooth_columns_);
  const auto scatter = [&](const double* from, Index count, auto&& to) {
    for (Index k = 0; k < unknowns; ++k) {
      double* const column = to(smooth_columns_[static_cast<std::size_t>(k)].column);
      for (Index i = 0; i < count; ++i) column[i] = from[i * width + k];
    }
  };
  for (std::size_t k = 0; k < length.size(); ++k) {
    const Index column = smooth_columns_[k].column;
    offset_[column] = (one.component.offset > 0 ? offset_[column] : 0.0) + length[k];
    longest_[column] = longest[k];
    for (const stepping::BodyStart& body : one.component.bodies) now_.length(body.body, column) = length[k];
  }
  for (std::size_t i = 0; i < one.component.bodies.size(); ++i) {
    const Index b = one.component.bodies[i].body;
    const double* const end = smooth_.body_end(i);
    scatter(end, kBodyTangent, [&](Index k) { return tangents.col(k).data() + b * kBodyTangent; });
    scatter(end + SmoothTangent::kAcceleration * width, 6,
            [&](Index k) { return now_.acceleration.col(k).data() + 6 * b; });
  }
  for (std::size_t c = 0; c < trial.record.closed.size(); ++c) {
    const collision::ContactId& id = one.component.contacts[index(trial.record.closed[c])].contact.id;
    auto& reserves = now_.reserves[id];
    auto& impulses = impulses_[id];
    if (reserves.cols() == 0) reserves.setZero(4, std::ssize(directions_));
    if (impulses.cols() == 0) impulses.setZero(3, std::ssize(directions_));
    const double* const end = smooth_.contact_end(c);
    scatter(end + SmoothTangent::kReserves * width, 4, [&](Index k) { return reserves.col(k).data(); });
    for (Index k = 0; k < unknowns; ++k)
      for (Index d = 0; d < 3; ++d)
        impulses(d, smooth_columns_[static_cast<std::size_t>(k)].column) +=
            end[(SmoothTangent::kImpulse + d) * width + k];
  }
}

}  // namespace stickslip::sensitivity
