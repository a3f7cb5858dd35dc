// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/summary.h"

#include <fmt/format.h>

namespace stickslip::complementarity {

std::string SolverSummary::brief_report() const {
  return fmt::format("{} by {}: error {:.2e}, {} iterations, {:.3g} s", to_string(status), solver, residual.error,
                     iterations, seconds);
}

std::string SolverSummary::full_report() const {
  std::string text = fmt::format(
      "status           {}\nsolver           {}\niterations       {}\nattempts         {}\nblocks           {}\n"
      "seconds          {:.6g}\nerror            {:.3e}\n  natural        {:.3e}\n  scaled         {:.3e}\n"
      "  primal         {:.3e}\n  dual           {:.3e}\n  complementarity {:.3e}\n  cone           {:.3e}\n",
      to_string(status), solver, iterations, attempts, blocks, seconds, residual.error, residual.natural,
      residual.scaled, residual.primal, residual.dual, residual.complementarity, residual.cone);
  if (!history.empty()) text += "iteration   residual       step  phase\n";
  for (const IterationRecord& record : history)
    text += fmt::format("{:9d}  {:9.2e}  {:9.2e}  {}\n", record.iteration, record.residual, record.step, record.note);
  return text;
}

}  // namespace stickslip::complementarity
