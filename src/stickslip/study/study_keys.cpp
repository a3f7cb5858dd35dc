// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/study_keys.h"

#include "stickslip/study/study.h"

namespace stickslip::study {
namespace {

using scene::Key;
using scene::TableKeys;

constexpr std::string_view kClaims[] = {"none", "bound", "estimate"};  // runs::ErrorBar::Claim
constexpr Key kStudy[] = {
    {"title", "text", "empty", "one line that says what the study asks"},
    {"scene", "file name", "required", "relative to the study file"},
    {"seed", "integer >= 0", "1", "of all random numbers"},
    {"trials", "integer >= 1", "1", "in each group; with a stop rule, at most"},
    {"set", "table", "none", "values that hold in all trials: parameters, duration, method.KEY"},
    {"vary", "table", "none", "what differs between trials: each a parameter with a table, see below"},
    {"success", "condition", "none", "of parameters, observables at the end of the run, and end_time"},
    {"objective", "expression", "none", "likewise a number: its mean is estimated, optimise makes it small"},
    {"error_bars", nullptr, "none",
     "what must be known of the error of each observable, from coarser runs beside each trial; a trial without it is "
     "an error",
     kClaims},
    {"stop", "table", "none", "end the study when the interval is narrow enough, see below"},
    {"stage", "list of tables", "none", "staged verification: a trial is a design, see below"},
    {"optimise", "table", "none", "for stickslip optimise, see below"},
};

constexpr std::string_view kEach[] = {"trial", "group", "repeat"};  // Variation::Each
constexpr Key kVary[] = {
    {"grid", "[from, to, count]", "none", "equally spaced values; all grids and lists are combined into groups"},
    {"list", "list of numbers", "none", "these values; combined likewise"},
    {"uniform", "[from, to]", "none", "uniformly distributed"},
    {"normal", "[mean, deviation]", "none", "normally distributed, cut off at min and max"},
    {"sobol", "[from, to]", "none", "points of a Sobol sequence: more even than random ones (at most 3667 parameters)"},
    {"latin", "[from, to]", "none", "Latin hypercube: one value in each of equally many slices of the range"},
    {"each", nullptr, "trial",
     "a new value for every trial, one for all trials of a group, or the same for trials at the same place in "
     "their groups",
     kEach},
    {"min", "number", "the parameter's", "with normal: no value below"},
    {"max", "number", "the parameter's", "with normal: no value above"},
};

constexpr std::string_view kStopOf[] = {"success", "objective"};  // StopRule::Of
constexpr Key kStop[] = {
    {"of", nullptr, "success if there is one", "whose interval", kStopOf},
    {"width", "number > 0", "required", "of the whole interval"},
    {"confidence", "number in (0, 1)", "0.95", "level of the interval"},
    {"least", "integer >= 2", "20", "trials before the rule may hold"},
    {"per_group", "true or false", "false", "each group stops for itself"},
};

constexpr std::string_view kStageKinds[] = {"run", "path"};  // Stage::Kind
constexpr Key kStage[] = {
    {"name", "text", "required", "for people to read"},
    {"kind", nullptr, "run", "simulate, or only ask whether the part can be moved through the device", kStageKinds},
    {"set", "table", "none", "values that hold in this stage, on top of the study's"},
    {"vary", "table", "none", "run: what differs between the trials of a design"},
    {"trials", "integer >= 1", "1", "run: in each group"},
    {"success", "condition", "the study's", "run: of each trial"},
    {"required", "number in (0, 1]", "1", "run: share of the trials that must succeed"},
    {"part", "name of a body", "required", "path: what is moved"},
    {"goal", "[x, y] or [x, y, angle]", "required",
     "path: where its centre of mass is to arrive; without angle in any"},
    {"low", "[x, y]", "required", "path: lower left corner of what may be searched"},
    {"high", "[x, y]", "required", "path: upper right corner"},
    {"samples", "integer >= 1", "2000", "path: how long to search"},
};

constexpr std::string_view kCombine[] = {"sum", "mean", "worst", "cvar"};  // OptimiseSettings::Combine
constexpr Key kOptimise[] = {
    {"method", nullptr, "nelder-mead", "how designs are searched", kSearchNames},
    {"combine", nullptr, "sum", "how the objectives of the study's trials become one number", kCombine},
    {"tail", "number in (0, 1]", "0.1", "with cvar: the mean over this share of the largest objectives"},
    {"evaluations", "integer >= 1", "500", "of designs, at most, all starts together"},
    {"tolerance", "number > 0", "1e-4", "a search ends when design and objective change less, relatively"},
    {"target", "number", "none", "the search ends when the objective is at most this"},
    {"starts", "integer >= 1", "1", "searches: the first from the given start, others spread over the bounds"},
    {"difference", "number in (0, 0.1]", "1e-4",
     "with slsqp and gauss-newton, where runs have no derivatives: step of the differences, relative to the range"},
    {"residuals", "list of expressions, or of lists of them", "none",
     "with gauss-newton: the objective is the sum of their absolute values (of the norms of inner lists)"},
    {"every", "number > 0", "the end only", "with gauss-newton: residuals are taken at every multiple of this time"},
    {"design", "table", "required", "the parameters to choose, each with a table, see below"},
};

constexpr Key kDesign[] = {
    {"start", "number", "the scene's value", "where the first search begins"},
    {"min", "number", "the parameter's", "lower bound"},
    {"max", "number", "the parameter's", "upper bound"},
    {"step", "number > 0", "a tenth of the range", "how far the first moves go"},
};

constexpr TableKeys kTables[] = {
    {"", "Top level", "", kStudy},
    {"vary.NAME", "`[vary]`",
     "Each entry is the name of a parameter (or `duration`, `\"method.step\"`, ...) with a table that says how it "
     "varies: exactly one of grid, list, uniform, normal, sobol, latin.",
     kVary},
    {"stop", "`stop = { ... }`", "", kStop},
    {"stage", "`[[stage]]`",
     "Stages are passed in their order. A design that fails one does not reach the next; a stage ends at the first "
     "trials that decide it.",
     kStage},
    {"optimise", "`[optimise]`", "", kOptimise},
    {"optimise.design.NAME", "`[optimise.design]`", "Each entry is the name of a parameter with a table.", kDesign},
};

}  // namespace

const TableKeys& study_keys_of(std::string_view table) {
  return scene::keys_in(kTables, table);
}

std::string study_reference() {
  return scene::key_tables(kTables);
}

}  // namespace stickslip::study
