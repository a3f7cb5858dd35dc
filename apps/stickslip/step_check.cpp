// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "step_check.h"

#include "stickslip/stepping/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stickslip::app {
namespace {

constexpr double kResolved = 0.01, kSuspect = 0.02, kFar = 0.05;  // of the range

// Linear between samples, the first and the last value beyond them: runs that stop at different times are compared to
// the end of the longer one.
double value_at(const Series& series, std::size_t observable, double time) {
  const auto at = std::ranges::lower_bound(series.time, time) - series.time.begin();
  const std::vector<double>& values = series.values[observable];
  if (at == 0) return values.front();
  if (at == std::ssize(series.time)) return values.back();
  const auto k = static_cast<std::size_t>(at);
  const double length = series.time[k] - series.time[k - 1];
  const double share = length > 0 ? (time - series.time[k - 1]) / length : 1;
  return (1 - share) * values[k - 1] + share * values[k];
}

// The stepper as it was chosen for the variant's own step.
Variant with_step(const Variant& variant, const std::string& stepper, double step) {
  Variant out = variant;
  out.overrides.push_back({"method.stepper", stepper});
  out.overrides.push_back({"method.step", fmt::format("{:.17g}", step)});
  return out;
}

}  // namespace

StepVerdict judge_steps(std::span<const double> changes, int order, std::size_t& from) {
  if (changes.empty()) return StepVerdict::Settles;
  if (changes.size() == 1) return changes[0] > kSuspect ? StepVerdict::Suspect : StepVerdict::Settles;
  const double last = changes.back(), before = changes[changes.size() - 2];
  if (last > kResolved && last > std::exp2(-0.5 * order) * before) return StepVerdict::Unsettled;
  for (std::size_t i = changes.size() - 1; i > 0; --i)
    if (changes[i - 1] > kFar && changes[i] < std::exp2(-order - 2) * changes[i - 1]) {
      from = i;
      return StepVerdict::Jumps;
    }
  return StepVerdict::Settles;
}

std::vector<double> mean_changes(std::span<const Result* const> runs, std::size_t observable) {
  constexpr int kPoints = 1000;
  std::vector<double> sums(runs.size() - 1, 0.0);
  double begin = INFINITY, end = 0, low = INFINITY, high = -INFINITY;
  for (const Result* run : runs) {
    if (run->series.time.empty()) return std::vector<double>(runs.size() - 1, std::nan(""));
    begin = std::min(begin, run->series.time.front());
    end = std::max(end, run->series.time.back());
  }
  for (int k = 0; k <= kPoints; ++k) {
    const double time = begin + (end - begin) * k / kPoints;
    double before = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const double now = value_at(runs[i]->series, observable, time);
      if (i > 0) sums[i - 1] += std::fabs(now - before) / (kPoints + 1);
      low = std::min(low, now);
      high = std::max(high, now);
      before = now;
    }
  }
  // A range that is rounding of the values is none.
  const bool varies = high - low > 1e-9 * std::max(std::fabs(low), std::fabs(high));
  for (double& sum : sums) sum = varies ? sum / (high - low) : 0.0;
  return sums;
}

std::string warning_text(const std::vector<StepWarning>& warnings, const std::string& stepper) {
  if (warnings.empty()) return {};
  const StepWarning& worst = *std::ranges::max_element(warnings, {}, [](const StepWarning& w) {
    return w.verdict == StepVerdict::Jumps ? w.changes[w.from - 1] : w.changes.back();
  });
  std::string list, others;
  for (std::size_t i = 0; i < worst.changes.size(); ++i)
    list += fmt::format("{}{:.2g} %",
                        i == 0                          ? ""
                        : i + 1 == worst.changes.size() ? " and then "
                                                        : ", ",
                        100 * worst.changes[i]);
  for (const StepWarning& warning : warnings)
    if (&warning != &worst) others += fmt::format("{}{}", others.empty() ? "; likewise " : ", ", warning.observable);
  const std::string advice =
      worst.verdict == StepVerdict::Jumps
          ? fmt::format("Runs with longer steps than {:.3g} follow another motion", worst.steps[worst.from])
          : "Take shorter steps, or a stepper of higher order";
  return fmt::format(
      "{} contradicts the order of {}, which is {}: as the step is halved from {:.3g} to {:.3g} it changes by {} of "
      "its "
      "range{}. {}",
      worst.observable, stepper, stepping::order_of(stepper), worst.steps.front(), worst.steps.back(), list, others,
      advice);
}

std::vector<StepWarning> check_halvings(const std::vector<scene::Observable>& observables,
                                        std::span<const Result* const> runs, int order) {
  std::vector<StepWarning> warnings;
  if (!std::ranges::all_of(runs, [](const Result* run) { return run->finished; })) return warnings;
  for (std::size_t k = 0; k < observables.size(); ++k) {
    StepWarning warning{observables[k].name, {}, mean_changes(runs, k)};
    for (const Result* run : runs) warning.steps.push_back(run->step);
    warning.verdict = judge_steps(warning.changes, order, warning.from);
    if (warning.verdict != StepVerdict::Settles) warnings.push_back(std::move(warning));
  }
  return warnings;
}

std::vector<StepCheck> check_steps(const Batch& batch, const std::vector<Variant>& variants,
                                   const std::vector<Result>& whole, const std::vector<Result>& half) {
  std::vector<StepCheck> checks;
  std::vector<std::size_t> suspects;
  std::vector<Variant> quarter;
  std::vector<scene::Observable> observables;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const scene::Scene source = scene::make_scene(batch.document, variants[i].overrides);
    observables = source.observables;
    checks.push_back({variants[i].label, source.method.stepper, {}});
    const Result* runs[] = {&whole[i], &half[i]};
    if (check_halvings(observables, runs, stepping::order_of(source.method.stepper)).empty()) continue;
    suspects.push_back(i);
    quarter.push_back(with_step(variants[i], source.method.stepper, 0.5 * half[i].step));
  }
  const std::vector<Result> results = run_batch(batch, quarter);
  for (std::size_t s = 0; s < suspects.size(); ++s) {
    const std::size_t i = suspects[s];
    const Result* runs[] = {&whole[i], &half[i], &results[s]};
    checks[i].warnings = check_halvings(observables, runs, stepping::order_of(checks[i].stepper));
  }
  return checks;
}

std::vector<StepCheck> check_steps(const std::string& scene, int threads, const std::vector<Variant>& variants) {
  const scene::Document document = scene::read_document(scene);
  std::vector<Variant> all, checked;
  for (const Variant& variant : variants) {
    const stepping::Method method = scene::make_scene(document, variant.overrides).method;
    if (method.tolerance > 0) continue;
    checked.push_back(variant);
    all.push_back(variant);
    all.push_back(with_step(variant, method.stepper, 0.5 * method.step));
  }
  const Batch batch{document, threads, kStepSamples, {}};
  const std::vector<Result> results = run_batch(batch, all);
  std::vector<Result> whole, half;
  for (std::size_t k = 0; k < results.size(); ++k) (k % 2 == 0 ? whole : half).push_back(results[k]);
  return check_steps(batch, checked, whole, half);
}

}  // namespace stickslip::app
