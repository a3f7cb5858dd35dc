// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Does what a search or a study found hold, or did the steps make it? The winner is run again, all its trials and
// stages, with half the step and under a second stepper:
//
//     F(h), F(h/2)    objective (or success, 1 or 0) with the step of the study and half of it
//     F'(h')          under the second stepper; h' = h, or h/8 where its order is lower, and then h/32 if that differs
//
//     artefact        |F(h/2) - F(h)| > a  or  |F'(h') - F(h)| > a,  or one of them is no number
//     a               tolerance (|F(h)| + 0.1 |F_start - F(h)|)
//
// F_start: the objective from which the search came, which gives an objective that is near zero its scale. Second
// steppers: second-order and stewart-trinkle for each other, runge-kutta and song-pang-kumar for each other, and
// implicit where those refuse the scene.
#pragma once

#include "stickslip/study/optimise.h"

#include <functional>
#include <string>

namespace stickslip::study {

struct DesignCheck {
  enum class Verdict { Holds, Artefact, NotChecked };
  std::string label;  // of the run or design
  Verdict verdict = Verdict::NotChecked;
  std::string stepper, other;  // other: empty when none takes the scene
  double step = 0, other_step = 0;
  double here = kNotANumber, half = kNotANumber, second = kNotANumber;  // F(h), F(h/2), F'(h')
  double allowed = 0;
};

constexpr double kHolds = 0.05;  // tolerance where the study gives none

// The study with a share of its steps, under its own steppers or the second ones; those of its stages too.
[[nodiscard]] Study with_steps(const Study& study, double share, bool second_stepper);

// The stepper to compare with; empty: none takes the scene.
[[nodiscard]] std::string second_stepper_for(const scene::Scene& scene);

// A design of the study; its objective is that of all trials. `start`: F_start, nan: none.
// go_on: asked before each of its evaluations; after a no the design is not checked.
[[nodiscard]] DesignCheck check_design(const Study& study, int threads, const Evaluation& best, double start,
                                       const std::function<bool()>& go_on = {});
// A trial of the study: its objective, else its success.
[[nodiscard]] DesignCheck check_trial(const Study& study, const TrialPoint& trial);

// One sentence: what was compared and the verdict.
[[nodiscard]] std::string text_of(const DesignCheck& check);

}  // namespace stickslip::study
