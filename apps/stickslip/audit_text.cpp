// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "audit_text.h"

#include <fmt/format.h>

namespace stickslip::app {

std::string audit_text(const simulation::Simulation& run) {
  const simulation::AuditSummary& audit = run.audit();
  if (!audit.on) return "off";
  if (!audit.passed()) return "VIOLATED: " + audit.violation.substr(std::string("audit: ").size());
  const auto& bodies = run.model().bodies;
  std::string text = audit.depth > 0
                         ? fmt::format("deepest overlap {:.2e} ({} / {}, t = {:.6g})", audit.depth,
                                       bodies[static_cast<std::size_t>(audit.depth_a)].name,
                                       bodies[static_cast<std::size_t>(audit.depth_b)].name, audit.depth_time)
                         : std::string("no overlap");
  if (*audit.energy_reason != '\0')
    text += fmt::format("; energy not judged ({})", audit.energy_reason);
  else
    text += fmt::format("; contacts added {:.2g} of energy", audit.energy_added);
  if (audit.energy_not_judged > 0)
    text += fmt::format(" ({} of {} steps not judged)", audit.energy_not_judged, audit.energy_steps);
  if (audit.momentum_steps > 0) text += fmt::format("; momentum balanced to {:.1e}", audit.momentum);
  text += fmt::format("; checked at {} instant{}", audit.looks, audit.looks == 1 ? "" : "s");
  const simulation::Counters& counters = run.counters();
  if (counters.at_worst > 0)
    text += fmt::format("; {} of {} steps above the certificate {:.0e}, at most {:.1e} (t = {:.6g})", counters.at_worst,
                        counters.steps, run.method().certificate, counters.worst_residual, counters.worst_time);
  return text;
}

}  // namespace stickslip::app
