// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Derivatives of runs of random scenes against Richardson-extrapolated central differences of whole runs. Both agree to
// 1e-6 of the largest derivative of an observable, or to what the differences know of themselves, where the runs beside
// have the same events.
#pragma once

#include "stickslip/runs/run.h"
#include "stickslip/scene/scene_file.h"
#include "stickslip/sensitivity/scene_sensitivity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace stickslip::sensitivity {

using Settings = std::vector<scene::Override>;

struct Outcome {
  std::vector<double> values;
  std::vector<stepping::Event> events;
  std::int64_t solves = 0, sub_steps = 0;
};

// A run with one more trial somewhere is a little elsewhere: the end of a run is smooth in between only.
inline bool same_events(const Outcome& a, const Outcome& b) {
  if (a.solves != b.solves || a.sub_steps != b.sub_steps) return false;
  return std::ranges::equal(a.events, b.events, [](const stepping::Event& x, const stepping::Event& y) {
    return x.contact == y.contact && x.from == y.from && x.to == y.to;
  });
}

inline Outcome outcome_of(const scene::Scene& scene) {
  Outcome outcome;
  simulation::Simulation run(scene.model, scene.method);
  EXPECT_TRUE(run.run_until(scene.duration, [&](const simulation::Simulation& now) {
    const auto events = now.last_report().events;
    outcome.events.insert(outcome.events.end(), events.begin(), events.end());
    return true;
  })) << runs::failure_of(run);
  outcome.solves = run.counters().solves;
  outcome.sub_steps = run.counters().sub_steps;
  for (const scene::Observable& one : scene.observables) {
    expression::EvaluationContext context;
    context.time = run.time();
    context.model = &scene.model;
    context.state = &run.state();
    outcome.values.push_back(one.expression.evaluate(context));
  }
  return outcome;
}

struct Difference {
  std::vector<double> values, errors;  // of each observable
  bool same_events = true;
};

// (4 D(s/2) - D(s)) / 3 with its error: a third of their distance, and rounding.
inline Difference richardson(const scene::Document& document, const Settings& settings, const std::string& parameter,
                             double value, double step, const Outcome& here) {
  Difference result;
  const auto central = [&](double s) {
    std::vector<Outcome> sides;
    for (const double x : {value - s, value + s}) {
      Settings all = settings;
      all.push_back({parameter, fmt::format("{}", x)});
      sides.push_back(outcome_of(scene::make_scene(document, all)));
      result.same_events &= same_events(sides.back(), here);
    }
    std::vector<double> slopes;
    for (std::size_t j = 0; j < here.values.size(); ++j)
      slopes.push_back((sides[1].values[j] - sides[0].values[j]) / (2 * s));
    return slopes;
  };
  const std::vector<double> wide = central(step), narrow = central(0.5 * step);
  for (std::size_t j = 0; j < wide.size(); ++j) {
    result.values.push_back((4 * narrow[j] - wide[j]) / 3);
    result.errors.push_back(std::abs(narrow[j] - wide[j]) / 3 + 1e-13 * std::abs(here.values[j]) / step);
  }
  return result;
}

struct Family {
  const char* name;
  const char* text;
  std::vector<std::string> parameters;
  std::vector<std::pair<double, double>> ranges;  // of each parameter
  double step;  // of the differences, relative: short where runs jump between trials, long where instants have noise
};

inline double value_of(const scene::Scene& scene, const std::string& name) {
  return scene::parameter_named(scene, name).value;
}

struct Tally {
  int compared = 0, with_events = 0, refused = 0, other_events = 0;
  double worst = 0;
  std::map<std::string, int> reasons;
};

inline void compare(const Family& family, std::mt19937_64& random, Tally& tally) {
  const scene::Document document = scene::parse_document(family.text, "random.toml");
  Settings settings;
  for (std::size_t i = 0; i < family.parameters.size(); ++i) {
    std::uniform_real_distribution<double> between(family.ranges[i].first, family.ranges[i].second);
    settings.push_back({family.parameters[i], fmt::format("{:.6g}", between(random))});
  }
  const ParameterDirections unknowns(document, settings, family.parameters);
  const ObservableDerivatives d = differentiate(unknowns);
  if (!d.finished) {
    ++tally.refused;
    ++tally.reasons[d.reason];
    return;
  }
  const Outcome here = outcome_of(unknowns.scene());
  std::vector<Difference> differences;
  std::vector<double> largest(here.values.size(), 0.0);
  for (const std::string& name : family.parameters) {
    const double value = value_of(unknowns.scene(), name);
    differences.push_back(richardson(document, settings, name, value, family.step * std::abs(value), here));
    for (std::size_t j = 0; j < largest.size(); ++j)
      if (std::isfinite(differences.back().values[j]))
        largest[j] = std::max(largest[j], std::abs(value * differences.back().values[j]));
  }
  std::string text;
  for (const scene::Override& one : settings) text += fmt::format(" --set {}={}", one.name, one.value);
  bool any = false;
  for (std::size_t i = 0; i < family.parameters.size(); ++i) {
    if (!differences[i].same_events) {
      ++tally.other_events;
      continue;
    }
    any = true;
    const double value = std::abs(value_of(unknowns.scene(), family.parameters[i]));
    for (std::size_t j = 0; j < largest.size(); ++j) {
      const double distance = std::abs(d.value(j, i) - differences[i].values[j]) * value;
      const double known = 3 * differences[i].errors[j] * value;
      if (largest[j] > 0 && known < 1e-6 * largest[j]) tally.worst = std::max(tally.worst, distance / largest[j]);
      EXPECT_LE(distance, 1e-6 * largest[j] + known)
          << family.name << ": d " << unknowns.scene().observables[j].name << " / d " << family.parameters[i] << " = "
          << d.value(j, i) << ", by differences " << differences[i].values[j] << " +- " << differences[i].errors[j]
          << text;
    }
  }
  tally.compared += any ? 1 : 0;
  tally.with_events += any && !here.events.empty() ? 1 : 0;
}

// So many of a family, printed.
inline Tally compare_family(const Family& family, int count) {
  std::mt19937_64 random(7);
  Tally tally;
  for (int k = 0; k < count; ++k) compare(family, random, tally);
  fmt::print("{:38} compared {} (with events {}), refused {}, worst distance {:.1e}, parameters with other events {}\n",
             family.name, tally.compared, tally.with_events, tally.refused, tally.worst, tally.other_events);
  for (const auto& [reason, count_of] : tally.reasons) fmt::print("    {} {}\n", count_of, reason);
  return tally;
}

}  // namespace stickslip::sensitivity
