// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a smooth sub-step reads, and what comes out of it, as rows of changes (tangent_rows.h): the table that smooth_tangent.h
// fills, with the names of its rows, and the sub-step that they belong to.
//
//     inputs     of each movable body, of each driven one, of the whole (lengths, gravity), of each closed contact
//     outputs    of each movable body, of each closed contact, of the watched one
//
// Cost: none of its own.
#pragma once

#include "stickslip/contact/body_dynamics.h"
#include "stickslip/model/model.h"
#include "stickslip/sensitivity/tangent_rows.h"
#include "stickslip/stepping/sub_step_tape.h"

#include <Eigen/Core>
#include <span>
#include <vector>

namespace stickslip::sensitivity {

class SmoothColumns {
 public:
  static constexpr int kPose = 0, kVelocity = 6, kAcceleration = 12, kBodyRows = 18;  // of a movable body
  static constexpr int kStart = 0, kMid = 12, kEnd = 24, kDrivenRows = 36;            // of a driven one: twelve each
  static constexpr int kLastLength = 0, kLength = 1, kGravity = 2, kContacts = 5;     // of the rest
  static constexpr int kFriction = 0, kSlipPeak = 1, kContactInputs = 2;              // of a closed contact
  static constexpr int kReserves = 0, kImpulse = 4, kContactRows = 7;                 // of its end
  // Of the watched contact: gap at the end; slip at the start, at the end, and impulse, where it is closed.
  static constexpr int kGap = 0, kSlipBefore = 1, kSlipAfter = 4, kPush = 7, kWatchedRows = 10;
  // A trial from the start of a sub-step, with what it was made of. ends_slip: contacts that stop have the law of the
  // end velocity in it.
  struct Trial {
    const stepping::SubStep& one;
    const stepping::Trial& trial;
    const stepping::SmoothRecord& record;
    bool ends_slip = false;
    int watched = stepping::kNoContact;
  };
  [[nodiscard]] double* body(std::size_t i) { return input_.row(kBodyRows * static_cast<Eigen::Index>(i)).data(); }
  [[nodiscard]] double* driven(std::size_t j) {
    return input_.row(first_driven() + kDrivenRows * static_cast<Eigen::Index>(j)).data();
  }
  [[nodiscard]] double* rest(int row) { return input_.row(first_rest() + row).data(); }
  [[nodiscard]] double* contact(std::size_t c) { return rest(kContacts + kContactInputs * static_cast<int>(c)); }
  [[nodiscard]] const double* body_end(std::size_t i) const {
    return output_.row(kBodyRows * static_cast<Eigen::Index>(i)).data();
  }
  // Of the closed contact c.
  [[nodiscard]] const double* contact_end(std::size_t c) const {
    return output_.row(first_driven() + kContactRows * static_cast<Eigen::Index>(c)).data();
  }
  [[nodiscard]] const double* given_friction(std::size_t c) const {
    return input_.row(first_rest() + kContacts + kContactInputs * static_cast<Eigen::Index>(c) + kFriction).data();
  }
  [[nodiscard]] Eigen::Index width() const { return output_.cols(); }
  [[nodiscard]] const double* watched_end(int row) const { return output_.row(first_watched() + row).data(); }

 protected:
  SmoothColumns(const model::Model& model, std::span<const contact::BodyTraits> traits)
      : model_(model), traits_(traits) {}

  using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  [[nodiscard]] Eigen::Index first_driven() const { return kBodyRows * bodies_; }
  [[nodiscard]] Eigen::Index first_rest() const { return first_driven() + kDrivenRows * driven_; }
  [[nodiscard]] Eigen::Index first_watched() const {
    return first_driven() + kContactRows * static_cast<Eigen::Index>(closed());
  }
  [[nodiscard]] const double* in(Eigen::Index row) const { return used_->row(row).data(); }
  [[nodiscard]] const double* in_body(std::size_t i, int row) const {
    return in(kBodyRows * static_cast<Eigen::Index>(i) + row);
  }
  [[nodiscard]] const double* in_rest(int row) const { return in(first_rest() + row); }
  [[nodiscard]] std::size_t closed() const { return record_->closed.size(); }
  [[nodiscard]] const stepping::ContactStart& start_of(std::size_t c) const {
    return one_->component.contacts[static_cast<std::size_t>(record_->closed[c])];
  }
  [[nodiscard]] const stepping::ContactTrial& trial_of(std::size_t c) const {
    return trial_->contacts[static_cast<std::size_t>(record_->closed[c])];
  }
  [[nodiscard]] std::size_t body_of(std::size_t i) const {
    return static_cast<std::size_t>(one_->component.bodies[i].body);
  }
  [[nodiscard]] int place_of(int body) const { return place_[static_cast<std::size_t>(body)]; }
  [[nodiscard]] bool mean_law(std::size_t c) const;
  [[nodiscard]] double friction_of(std::size_t c) const;
  const model::Model& model_;
  std::span<const contact::BodyTraits> traits_;
  const stepping::SubStep* one_ = nullptr;
  const stepping::Trial* trial_ = nullptr;
  const stepping::SmoothRecord* record_ = nullptr;
  bool ends_slip_ = false;
  int watched_ = stepping::kNoContact;
  Eigen::Index bodies_ = 0, driven_ = 0;
  std::vector<int> place_;  // of a body: among the movable ones, or -2 - its place among the driven ones; -1: neither
  Columns input_, output_, by_inputs_, by_input_;
  // Of one evaluation.
  std::ptrdiff_t width_ = 0;
  const Columns* used_ = nullptr;
  rows::Arena arena_;
};

}  // namespace stickslip::sensitivity
