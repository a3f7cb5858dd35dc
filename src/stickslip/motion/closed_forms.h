// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Many closed forms (closed_form.h) at one time, with their rates: one sine and cosine per frequency for all of them.
#pragma once

#include "stickslip/motion/closed_form.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace stickslip::motion {

class ClosedForms {
 public:
  // The next one.
  void add(const ClosedForm& form) {
    for (const ClosedForm::Term& term : form.terms()) {
      std::size_t at = 0;
      while (at < waves_.size() && waves_[at].frequency != term.frequency) ++at;
      if (at == waves_.size()) waves_.push_back({term.frequency, 0, 1});
      terms_.push_back({count_, at, term.power, term.sine, term.cosine});
    }
    ++count_;
  }
  [[nodiscard]] std::size_t size() const { return count_; }

  // take(which, value, rate) for every term; they are to be added up.
  template <class Take>
  void evaluate(double t, const Take& take) {
    for (Wave& wave : waves_) {
      if (wave.frequency == 0) continue;
      wave.sine = std::sin(wave.frequency * t);
      wave.cosine = std::cos(wave.frequency * t);
    }
    for (const Term& term : terms_) {
      const Wave& wave = waves_[term.wave];
      double value = term.sine * wave.sine + term.cosine * wave.cosine;
      double rate = wave.frequency * (term.sine * wave.cosine - term.cosine * wave.sine);
      if (term.power > 0) {
        const double below = std::pow(t, term.power - 1);
        rate = below * (t * rate + term.power * value);
        value *= below * t;
      }
      take(term.form, value, rate);
    }
  }

 private:
  struct Wave {
    double frequency, sine, cosine;
  };
  struct Term {
    std::size_t form, wave;
    int power;
    double sine, cosine;
  };
  std::size_t count_ = 0;
  std::vector<Wave> waves_;
  std::vector<Term> terms_;
};

}  // namespace stickslip::motion
