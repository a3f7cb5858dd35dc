// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/corpus/mcp_collection.h"
namespace stickslip::complementarity {
std::vector<McpTestProblem> mcp_classics() {
  return {};
}
}  // namespace stickslip::complementarity
