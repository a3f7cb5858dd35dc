// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/optimise.h"

#include "stickslip/complementarity/worker_pool.h"
#include "stickslip/scene/scene_file.h"

#include "stickslip/study/random.h"
#include "stickslip/study/sobol.h"

#include <fmt/format.h>
#include <nlopt.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>
#include <numeric>

namespace stickslip::study {
namespace {

constexpr std::uint32_t kStartStream = 0xFFFFFFFD;  // of start points beyond the dimensions of Sobol sequences

constexpr const char* kNoTerms = "the residuals have no derivatives at the start";

double combined(const OptimiseSettings& settings, const std::vector<double>& objectives) {
  switch (settings.combine) {
    case OptimiseSettings::Combine::Worst: return *std::ranges::max_element(objectives);
    case OptimiseSettings::Combine::Cvar: return mean_of_largest(objectives, settings.tail);
    case OptimiseSettings::Combine::Sum:
    case OptimiseSettings::Combine::Mean: break;
  }
  double sum = 0;
  for (const double x : objectives) sum += x;
  return settings.combine == OptimiseSettings::Combine::Sum ? sum : sum / static_cast<double>(objectives.size());
}

// d combined / d objective of each trial: piecewise constant.
std::vector<double> weights(const OptimiseSettings& settings, const std::vector<double>& objectives) {
  using Combine = OptimiseSettings::Combine;
  const auto count = static_cast<double>(objectives.size());
  if (settings.combine == Combine::Sum) return std::vector<double>(objectives.size(), 1.0);
  if (settings.combine == Combine::Mean) return std::vector<double>(objectives.size(), 1 / count);
  std::vector<std::size_t> order(objectives.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return objectives[i]; });
  const double tail = settings.combine == Combine::Worst ? 1 : settings.tail * count;
  std::vector<double> result(objectives.size(), 0.0);
  double left = tail;
  for (std::size_t k = 0; k < order.size() && left > 0; ++k, left -= 1) result[order[k]] = std::min(left, 1.0) / tail;
  return result;
}

nlopt_algorithm algorithm_of(OptimiseSettings::Search method) {
  using Search = OptimiseSettings::Search;
  switch (method) {
    case Search::Bobyqa: return NLOPT_LN_BOBYQA;
    case Search::Cobyla: return NLOPT_LN_COBYLA;
    case Search::Crs: return NLOPT_GN_CRS2_LM;
    case Search::Slsqp: return NLOPT_LD_SLSQP;
    case Search::NelderMead:
    case Search::GaussNewton: break;  // search_by_norms
  }
  return NLOPT_LN_NELDERMEAD;
}

const char* ending_of(nlopt_result result) {
  switch (result) {
    case NLOPT_FTOL_REACHED: return "the objective no longer changes";
    case NLOPT_XTOL_REACHED: return "the design no longer changes";
    case NLOPT_ROUNDOFF_LIMITED: return "rounding limits further progress";
    case NLOPT_SUCCESS: return "converged";
    default: return "the search could not go on";
  }
}

struct FreeOptimizer {
  void operator()(nlopt_opt optimizer) const { nlopt_destroy(optimizer); }
};

class DesignSearch {
 public:
  DesignSearch(const Study& study, const TrialRunner& runner, int threads, const EvaluationLog& log)
      : study_(study), settings_(*study.optimise), runner_(runner), threads_(threads), log_(log) {}

  OptimiseResult run() {
    for (int start = 0; start < settings_.starts && !ended_; ++start) {
      start_ = start;
      budget_ = result_.evaluations + (settings_.evaluations - result_.evaluations) / (settings_.starts - start);
      search_from(start_point(start));
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t size() const { return settings_.variables.size(); }

  [[nodiscard]] std::vector<double> start_point(int start) const {
    std::vector<double> x;
    for (std::size_t i = 0; i < size(); ++i) {
      const DesignVariable& variable = settings_.variables[i];
      const auto index = static_cast<std::uint64_t>(start);
      if (start == 0)
        x.push_back((variable.start - variable.low) / (variable.high - variable.low));
      else if (i < kMostSobolDimensions)
        x.push_back(sobol_point(study_.seed, index, static_cast<int>(i)));
      else
        x.push_back(random_uniform(study_.seed, kStartStream, index, static_cast<std::uint32_t>(i)));
    }
    return x;
  }

  // Gauss-Newton in a box: the model is trusted within `trust` times the first moves of the variables.
  void search_by_norms(std::vector<double> x) {
    Evaluation here;
    evaluate(x, gradient_.data(), &here);
    if (ended_ || here.number == 0) return;
    if (here.terms.empty()) {
      result_.ending = here.cause.empty() ? kNoTerms : "the start has no objective";
      return;
    }
    const auto n = std::ssize(x);
    Eigen::VectorXd first(n), range(n), low(n), high(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const DesignVariable& variable = settings_.variables[static_cast<std::size_t>(i)];
      range[i] = variable.high - variable.low;
      first[i] = std::min(variable.step / range[i], 0.5);
    }
    for (double trust = 1; !ended_;) {
      NormModel model = here.terms;
      model.slopes *= range.asDiagonal();
      for (Eigen::Index i = 0; i < n; ++i) {
        low[i] = std::max(-trust * first[i], -x[static_cast<std::size_t>(i)]);
        high[i] = std::min(trust * first[i], 1 - x[static_cast<std::size_t>(i)]);
      }
      const Eigen::VectorXd step = minimising_step(model, low, high);
      const double promised = model.value(Eigen::VectorXd::Zero(n)) - model.value(step);
      const double reach = step.cwiseQuotient(first).cwiseAbs().maxCoeff() / trust;  // 1: to the side of the box
      if (!(promised > settings_.tolerance * std::abs(here.value))) {
        result_.ending = "the objective no longer changes";
        return;
      }
      if (trust * first.maxCoeff() < settings_.tolerance) {
        result_.ending = "the design no longer changes";
        return;
      }
      std::vector<double> next = x;
      for (Eigen::Index i = 0; i < n; ++i)
        next[static_cast<std::size_t>(i)] = std::clamp(next[static_cast<std::size_t>(i)] + step[i], 0.0, 1.0);
      Evaluation there;
      evaluate(next, gradient_.data(), &there);
      if (there.number == 0) return;
      const bool usable = !std::isnan(there.value) && !there.terms.empty();
      const double kept = usable ? (here.value - there.value) / promised : -1;
      if (kept > 0.75 && reach > 0.9)
        trust *= 2;
      else if (kept < 0.25)
        trust *= reach * (kept > 0 ? 0.5 : 0.3);
      if (kept <= 0) continue;
      x = std::move(next);
      here = std::move(there);
    }
  }

  void search_from(std::vector<double> x) {
    if (settings_.method == OptimiseSettings::Search::GaussNewton) {
      search_by_norms(std::move(x));
      return;
    }
    const std::unique_ptr<nlopt_opt_s, FreeOptimizer> optimizer(
        nlopt_create(algorithm_of(settings_.method), static_cast<unsigned>(size())));
    optimizer_ = optimizer.get();
    nlopt_srand(static_cast<unsigned long>(study_.seed));
    nlopt_set_min_objective(optimizer_, &DesignSearch::callback, this);
    nlopt_set_lower_bounds1(optimizer_, 0);
    nlopt_set_upper_bounds1(optimizer_, 1);
    nlopt_set_ftol_rel(optimizer_, settings_.tolerance);
    nlopt_set_xtol_abs1(optimizer_, settings_.tolerance);
    std::vector<double> step;
    for (const DesignVariable& variable : settings_.variables)
      step.push_back(std::min(variable.step / (variable.high - variable.low), 0.5));
    nlopt_set_initial_step(optimizer_, step.data());
    double value = 0;
    const nlopt_result end = nlopt_optimize(optimizer_, x.data(), &value);
    if (end != NLOPT_FORCED_STOP) result_.ending = ending_of(end);
    optimizer_ = nullptr;
  }

  static double callback(unsigned n, const double* x, double* gradient, void* self) {
    auto& search = *static_cast<DesignSearch*>(self);
    return search.evaluate(std::vector<double>(x, x + n), gradient, nullptr);
  }

  // What the search sees; the log has the truth.
  double evaluate(const std::vector<double>& point, double* gradient, Evaluation* out) {
    if (gradient != nullptr) std::fill_n(gradient, size(), 0.0);
    if (ended_ || result_.evaluations >= budget_) {
      stop_search();
      if (!ended_) result_.ending = "the evaluations are used up";
      return worst_;
    }
    std::vector<double> design;
    for (std::size_t i = 0; i < size(); ++i) {
      const DesignVariable& variable = settings_.variables[i];
      design.push_back(
          std::clamp(variable.low + point[i] * (variable.high - variable.low), variable.low, variable.high));
    }
    Evaluation evaluation = evaluate_design(study_, runner_, threads_, design, gradient != nullptr);
    evaluation.number = ++result_.evaluations;
    evaluation.start = start_;
    result_.runs += evaluation.runs;
    if (!evaluation.gradient.empty()) {
      ++result_.gradients;
      result_.implicit_gradients += evaluation.implicit ? 1 : 0;
      result_.crossed_gradients += evaluation.crossed ? 1 : 0;
      for (std::size_t i = 0; i < size(); ++i)
        gradient[i] = evaluation.gradient[i] * (settings_.variables[i].high - settings_.variables[i].low);
    }
    if (out != nullptr) *out = evaluation;
    return take(std::move(evaluation));
  }

  double take(Evaluation evaluation) {
    const bool defined = !std::isnan(evaluation.value);
    const double seen = defined ? evaluation.value : worst_ + std::abs(worst_) + 1;
    if (defined) worst_ = any_defined_ ? std::max(worst_, evaluation.value) : evaluation.value;
    any_defined_ |= defined;
    if (evaluation.number == 1) result_.first = evaluation;
    if (defined && (result_.best.number == 0 || evaluation.value < result_.best.value)) result_.best = evaluation;
    if (log_ && !log_(evaluation)) end("stopped");
    if (defined && evaluation.value <= settings_.target) end("the target is reached");
    return seen;
  }

  void end(const char* why) {
    ended_ = true;
    result_.ending = why;
    stop_search();
  }

  void stop_search() {
    if (optimizer_ != nullptr) nlopt_force_stop(optimizer_);
  }

  const Study& study_;
  const OptimiseSettings& settings_;
  const TrialRunner& runner_;
  int threads_;
  const EvaluationLog& log_;
  OptimiseResult result_;
  nlopt_opt optimizer_ = nullptr;
  std::int64_t budget_ = 0;
  int start_ = 0;
  bool ended_ = false, any_defined_ = false;
  std::vector<double> gradient_ = std::vector<double>(settings_.variables.size());
  double worst_ = 0;  // the largest value so far
};

}  // namespace

namespace {

void combine_gradients(const OptimiseSettings& settings, const std::vector<TrialGradient>& trials,
                       Evaluation& evaluation) {
  const std::vector<double> weight = weights(settings, evaluation.objectives);
  evaluation.implicit = std::ranges::all_of(trials, &TrialGradient::implicit);
  evaluation.crossed = std::ranges::any_of(trials, &TrialGradient::crossed);
  evaluation.gradient.assign(settings.variables.size(), 0.0);
  for (std::size_t t = 0; t < trials.size(); ++t)
    for (std::size_t i = 0; i < evaluation.gradient.size(); ++i)
      if (weight[t] != 0) evaluation.gradient[i] += weight[t] * trials[t].gradient[i];
  if (!std::ranges::all_of(evaluation.gradient, [](double x) { return std::isfinite(x); })) evaluation.gradient.clear();
  if (std::ranges::any_of(trials, [](const TrialGradient& trial) { return trial.terms.empty(); })) return;
  NormModel& all = evaluation.terms;
  Eigen::Index rows = 0;
  for (const TrialGradient& trial : trials) rows += trial.terms.residuals.size();
  all.residuals.resize(rows);
  all.slopes.resize(rows, std::ssize(settings.variables));
  rows = 0;
  for (std::size_t t = 0; t < trials.size(); ++t) {
    const NormModel& terms = trials[t].terms;
    all.residuals.segment(rows, terms.residuals.size()) = terms.residuals;
    all.slopes.middleRows(rows, terms.residuals.size()) = terms.slopes;
    rows += terms.residuals.size();
    all.sizes.insert(all.sizes.end(), terms.sizes.begin(), terms.sizes.end());
    all.weight.insert(all.weight.end(), terms.sizes.size(), weight[t]);
  }
}

}  // namespace

Evaluation evaluate_design(const Study& study, const TrialRunner& runner, int threads,
                           const std::vector<double>& design, bool with_gradient) {
  const OptimiseSettings& settings = *study.optimise;
  assert(design.size() == settings.variables.size());
  std::vector<scene::Override> overrides;
  for (std::size_t i = 0; i < design.size(); ++i)
    overrides.push_back({settings.variables[i].parameter, fmt::format("{}", design[i])});
  const TrialPlan plan(study);
  std::vector<TrialGradient> results(static_cast<std::size_t>(study.total()));
  complementarity::WorkerPool().run(threads, static_cast<int>(results.size()), [&](int, int i) {
    TrialGradient& one = results[static_cast<std::size_t>(i)];
    if (with_gradient)
      one = runner.run_with_gradient(plan.trial(i), overrides, settings);
    else
      one.result = runner.run(plan.trial(i), overrides);
  });
  Evaluation evaluation;
  evaluation.design = design;
  for (const TrialGradient& trial : results) {
    const TrialResult& result = trial.result;
    evaluation.objectives.push_back(result.objective);
    evaluation.runs += trial.runs;
    if (std::isnan(result.objective) && evaluation.cause.empty())
      evaluation.cause = result.ran() ? "the objective is not a number" : result.cause;
  }
  if (!evaluation.cause.empty()) return evaluation;
  evaluation.value = combined(settings, evaluation.objectives);
  if (with_gradient) combine_gradients(settings, results, evaluation);
  return evaluation;
}

OptimiseResult optimise(const Study& study, const TrialRunner& runner, int threads, const EvaluationLog& log) {
  assert(study.optimise.has_value());
  return DesignSearch(study, runner, threads, log).run();
}

std::string design_as_scene(const Study& study, const Evaluation& design, const std::filesystem::path& file) {
  const scene::Scene scene = scene::load_scene(study.scene_file, study.set);
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  const std::string base =
      std::filesystem::absolute(study.scene_file).lexically_normal().lexically_relative(folder.lexically_normal());
  std::string parameters, top, method;
  for (const scene::Override& over : study.set) {
    if (over.name == "duration") top += fmt::format("duration = {}\n", scene.duration);
    if (!over.name.starts_with("method.")) continue;
    const scene::Value value = scene::parse_override(over.value, "");
    method += fmt::format("{} = {}\n", over.name.substr(7),
                          value.kind == scene::Value::Kind::Text ? scene::toml_text(over.value) : over.value);
  }
  for (const scene::Parameter& parameter : scene.parameters) {
    const auto& variables = study.optimise->variables;
    const auto variable = std::ranges::find(variables, parameter.name, &DesignVariable::parameter);
    const bool set = std::ranges::find(study.set, parameter.name, &scene::Override::name) != study.set.end();
    if (variable != variables.end())
      parameters +=
          scene::parameter_line(parameter, design.design[static_cast<std::size_t>(variable - variables.begin())]);
    else if (set)
      parameters += scene::parameter_line(parameter, parameter.value);
  }
  std::string text = fmt::format("# Design with objective {} after {} evaluations.\n", design.value, design.number);
  // What the scene says of itself is about its own values.
  const std::string title = scene.title.empty() ? study.scene_file.stem().string() : scene.title;
  text += fmt::format("title = {}\n", scene::toml_text(title + " (optimised)"));
  text += fmt::format("description = {}\n",
                      scene::toml_text(fmt::format("Found at evaluation {} of a search for the least {}: {:.6g}.",
                                                   design.number, study.objective, design.value)));
  text += fmt::format("include = [{}]\n{}\n[parameters]\n{}", scene::toml_text(base), top, parameters);
  if (!method.empty()) text += fmt::format("\n[method]\n{}", method);
  return text;
}

}  // namespace stickslip::study
