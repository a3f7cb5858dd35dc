// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/planning/plan_keys.h"

namespace stickslip::planning {
namespace {

using scene::Key;
using scene::TableKeys;

constexpr std::string_view kSearchMethods[] = {"auto", "shooting", "multiple-shooting", "whole"};  // SearchMethod
constexpr std::string_view kWanted[] = {"one", "all"};                                             // Wanted
constexpr Key kPlan[] = {
    {"title", "text", "empty", "one line that says what is planned"},
    {"scene", "file name", "required", "relative to the plan file"},
    {"steps", "integer >= 1", "duration / step of the scene", "of equal length, over the scene's duration"},
    {"conditions", "list of texts", "required",
     "\"a == b\", \"a <= b\" or \"a >= b\" at the end of the run: expressions of body coordinates, parameters and "
     "observables; start_NAME.x is a coordinate at the start"},
    {"objective", "expression", "none",
     "likewise a number, to be made small among the motions that satisfy the conditions"},
    {"closest", "true or false", "false", "fewer conditions than unknowns: take the solution near the start"},
    {"method", nullptr, "auto",
     "auto: shooting; where that finds nothing, multiple shooting; then the whole trajectory as one complementarity "
     "problem",
     kSearchMethods},
    {"segments", "integer from 2 to 100", "8", "of multiple shooting: parts of the run that are fitted together"},
    {"path", "table", "none",
     "for each body a table of coordinates as expressions of t: roughly how the motion goes, where multiple shooting "
     "begins; velocities that are not given follow"},
    {"touches", "integer >= 0", "any", "take only solutions with this many impacts (located by the stepper)"},
    {"solutions", nullptr, "one", "stop at the first, or list all that the starts lead to", kWanted},
    {"starts", "integer >= 1", "guesses, and motions without contacts",
     "searches: from the guesses, from the straight line and the ballistic motion between the ends, then from random "
     "places within bounds"},
    {"seed", "integer >= 0", "1", "of the random starts"},
    {"tolerance", "number > 0", "1e-9", "how well every condition must hold"},
    {"holds_within", "number > 0", "0.05",
     "run again with half and a quarter of the step and under a second stepper, no condition may be missed by more "
     "than "
     "this part of the largest difference between its sides along the motion"},
    {"iterations", "integer >= 1", "60", "of one search, at most"},
    {"parameters", "table", "none", "more parameters, as in a scene, for conditions to use"},
    {"set", "table", "none", "values for the scene: parameters, duration, method.KEY"},
    {"unknown", "table", "required", "what is to be found, each with a table, see below"},
};

constexpr Key kUnknown[] = {
    {"start", "text", "none",
     "a coordinate at the start, such as \"ball.vx\"; absent: the scene's parameter of that name"},
    {"guess", "number or list", "the scene's value", "where searches begin, one after the other"},
    {"min", "number", "the parameter's", "lower bound"},
    {"max", "number", "the parameter's", "upper bound"},
    {"scale", "number > 0", "1", "without bounds: how far random starts lie from the guess"},
    {"pieces", "integer >= 1", "none", "a history: stands for the scene's parameters NAME_1 ... NAME_n"},
};

constexpr TableKeys kTables[] = {
    {"", "Top level", "", kPlan},
    {"unknown.NAME", "`[unknown.NAME]`", "", kUnknown},
};

}  // namespace

const TableKeys& plan_keys_of(std::string_view table) {
  return scene::keys_in(kTables, table);
}

std::string plan_reference() {
  return scene::key_tables(kTables);
}

}  // namespace stickslip::planning
