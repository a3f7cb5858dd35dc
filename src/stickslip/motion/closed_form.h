// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Functions of time that can be integrated by hand: sums of
//
//     t^n (S sin(w t) + C cos(w t))          n >= 0, w >= 0      (w = 0: C t^n)
//
// Prescribed motion is mostly of this kind (constant speeds, ramps, vibrations), and then position, velocity and
// acceleration come from one formula without any numerical integration. One sine and cosine per frequency serve all
// terms and all derivatives.
#pragma once

#include "stickslip/expression/expression.h"
#include "stickslip/model/model.h"

#include <optional>
#include <vector>

namespace stickslip::motion {

class ClosedForm {
 public:
  struct Term {
    int power = 0;                // n
    double frequency = 0;         // w, radians per unit of time
    double sine = 0, cosine = 0;  // S, C
  };

  ClosedForm() = default;
  explicit ClosedForm(double constant);

  // Recognises an expression of t; empty when it is not a sum of such terms (or has too many).
  [[nodiscard]] static std::optional<ClosedForm> recognise(std::string_view text, const expression::Scope& scope);

  [[nodiscard]] model::TimeJet evaluate(double t) const;
  [[nodiscard]] bool is_constant() const;
  [[nodiscard]] bool is_oscillation() const;  // only sines and cosines with constant amplitude (or zero)
  [[nodiscard]] double constant_term() const;
  [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }

  // The antiderivative without constant of integration: of an oscillation, the one with mean zero.
  [[nodiscard]] ClosedForm integral() const;

  [[nodiscard]] ClosedForm operator+(const ClosedForm& other) const;
  [[nodiscard]] ClosedForm operator*(const ClosedForm& other) const;
  [[nodiscard]] ClosedForm operator*(double factor) const;

  // sin(a) and cos(a) for a linear function a of time; empty otherwise.
  [[nodiscard]] static std::optional<ClosedForm> sine_of(const ClosedForm& angle);
  [[nodiscard]] static std::optional<ClosedForm> cosine_of(const ClosedForm& angle);

 private:
  void add(const Term& term);

  std::vector<Term> terms_;  // sorted by frequency, then power; no two alike, none zero
};

}  // namespace stickslip::motion
