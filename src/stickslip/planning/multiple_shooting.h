// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Multiple shooting: the run is cut into segments, and the states at the cuts are unknowns of their own.
//
//     segment j     s_j  ->  end_j(s_j, u),       s_0 = start(u)                      j = 0 .. K-1
//     continuity    w (end_j - s_(j+1)) = 0       w: lengths; velocities times the duration of a segment
//     conditions    c(start(u), end_(K-1)) = 0
//
// Where a motion is unstable (many bounces on something round, a body near its tipping point), the end of a run as a
// function of the launch is so bent that Newton's method only works next to the solution. A segment is K times shorter,
// and its end is bent much less; the states at the cuts may move apart for a while until everything fits together. What
// is found is confirmed, and polished, by a search with whole runs, so that it replays as any other plan.
//
// Symbol   variable     meaning
//   s_j    nodes_       given by its change from a reference, in the coordinates that are free (tangent.h)
//   K      segments     number of segments
//
// The nodes start on the run of the start's unknowns, or where the plan's `path` has them: a rough idea of the motion
// is worth more than one of its launch when the launch decides so little. Contacts have no memory across a cut (of
// static friction, of deformation) until the polish. Cost: that of one run with derivatives by 6 (planar) or 12
// (spatial) more unknowns per body, and a dense least-squares problem of that size times K.
#pragma once

#include "stickslip/planning/plan_search.h"

namespace stickslip::planning {

// From the given unknowns. Solved: confirmed by a whole run. Otherwise the residual is that of the confirmation, if it
// came to that.
[[nodiscard]] SearchResult solve_multiple(const Plan& plan, Shooter& shooter, const Eigen::VectorXd& start);

}  // namespace stickslip::planning
