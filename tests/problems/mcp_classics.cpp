// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "tests/problems/mcp_classics.h"

namespace stickslip::complementarity {

std::vector<McpTestProblem> mcp_classics() {
  std::vector<McpTestProblem> all;
  classics::add_equilibria(all);
  classics::add_optimality(all);
  classics::add_equations(all);
  classics::add_fields(all);
  classics::add_degenerate(all);
  return all;
}

}  // namespace stickslip::complementarity
