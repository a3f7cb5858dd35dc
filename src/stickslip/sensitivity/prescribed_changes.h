// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How prescribed degrees of freedom change with unknowns: as their functions of time do, whatever the run is.
//
//     ds(t) = (s_high(t) - s_low(t)) / width        of the components that the unknown enters
//
// Differences of closed forms are closed forms, and are evaluated for all unknowns together (closed_forms.h). Of anything else
// both functions are evaluated; where one is the model's own, once for all unknowns. Asked again for one of the last three times,
// they are not evaluated again.
#pragma once

#include "stickslip/motion/closed_forms.h"
#include "stickslip/sensitivity/direction.h"
#include "stickslip/sensitivity/model_difference.h"

#include <array>
#include <span>
#include <vector>

namespace stickslip::sensitivity {

class PrescribedChanges {
 public:
  // Both must outlive it.
  PrescribedChanges(const model::Model& model, std::span<const Direction> directions);

  [[nodiscard]] std::size_t unknowns() const { return changes_.size(); }
  [[nodiscard]] std::size_t model_bodies() const { return model_.bodies.size(); }
  // Which parts of which bodies change with unknown k.
  [[nodiscard]] std::span<const DriveChange> of(std::size_t k) const { return changes_[k]; }
  // Bodies that change with any unknown.
  [[nodiscard]] std::span<const int> bodies() const { return bodies_; }
  // Twelve rows for each of those (tangent.h), a column per unknown.
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  [[nodiscard]] const Columns& at(double time) const;

  // Twelve rows of `width` numbers: how the driven body, at that time in the state given, changes with the unknowns listed,
  // and with the time, which changes by `later` (a row; null: it does not).
  void give(int body, double time, const model::BodyState& at, std::span<const Eigen::Index> unknowns,
            const double* later, std::ptrdiff_t width, double* to) const;

  // The components of tangent k that follow functions of time, at the time of the state.
  void put(const model::State& now, Eigen::Index k, Eigen::MatrixXd& tangents) const;
  // Those that follow functions of time do not start elsewhere.
  void clear(Eigen::Ref<Eigen::VectorXd> tangent) const;

 private:
  // A component or a rotation with a closed form: where its value goes.
  struct Closed {
    Eigen::Index row, column;
    Vec3 axis;  // of a rotation; else zero
  };
  struct Open {  // none
    Eigen::Index row, column;
    std::size_t body;
    int axis;  // 3: rotation
  };
  struct Known {
    double time = 0;
    Columns rows;
  };

  void list(std::size_t k, const DriveChange& change);
  void evaluate(double time, Columns& rows) const;
  void evaluate(const Open& open, double time, model::BodyState& here, bool& known, Columns& rows) const;

  const model::Model& model_;
  std::span<const Direction> directions_;
  std::vector<std::vector<DriveChange>> changes_;  // per direction
  std::vector<int> bodies_;
  std::vector<Closed> closed_;
  std::vector<Open> open_;
  mutable motion::ClosedForms forms_;  // of closed_
  mutable std::array<Known, 3> known_;
  mutable std::size_t next_ = 0;
};

}  // namespace stickslip::sensitivity
