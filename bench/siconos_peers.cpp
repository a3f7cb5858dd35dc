// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/siconos_peers.h"

#include "bench/common/our_solver.h"
#include "bench/siconos_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace stickslip::bench {
namespace {

using complementarity::CorpusKind;
using complementarity::CorpusProblem;

std::optional<SiconosForm> form_of(CorpusKind kind) {
  switch (kind) {
    case CorpusKind::Lcp: return SiconosForm::Lcp;
    case CorpusKind::BoxLcp: return SiconosForm::Relay;
    case CorpusKind::Mlcp: return SiconosForm::Mlcp;
    case CorpusKind::Fc2d: return SiconosForm::Friction2d;
    case CorpusKind::Fc3d: return SiconosForm::Friction3d;
    case CorpusKind::Gfc3d: return SiconosForm::GlobalFriction3d;
    case CorpusKind::Gfc2d: return std::nullopt;
  }
  return std::nullopt;
}

Run judged(const SiconosSolver& solver, const CorpusProblem& problem, const SiconosRun& answer) {
  Run run;
  run.solver = solver.name;
  if (!answer.answered) {
    run.note = answer.failure;
    return run;
  }
  run.error = corpus_error(problem, answer.answer);
  run.seconds = answer.seconds;
  run.solved = run.error <= kPeerTolerance;
  if (!run.solved) run.note = answer.info == 0 ? fmt::format("wrong ({:.0e})", run.error) : "failed";
  return run;
}

bool better(const Run& a, const Run& b) {
  return a.solved != b.solved ? a.solved : a.solved && a.seconds < b.seconds;
}

}  // namespace

std::vector<Run> run_siconos_peers(const CorpusProblem& problem, double fastest, const PeerLimits& limits,
                                   const std::function<void(std::string_view)>& progress) {
  std::vector<Run> runs;
  const std::optional<SiconosForm> form = form_of(problem.kind);
  if (!form) return runs;
  for (const SiconosSolver& solver : siconos_solvers(*form)) {
    if (!reason_to_skip(solver, static_cast<int>(problem.size())).empty()) continue;
    if (progress) progress(solver.name);
    SiconosLimits limit;
    limit.seconds = std::min(limits.seconds, std::max(limits.floor, limits.hopeless_factor * fastest));
    const SiconosRun answer =
        std::visit([&](const auto& data) { return run_siconos(solver, data, limit); }, problem.data);
    Run run = judged(solver, problem, answer);
    if (run.solved) fastest = std::min(fastest, run.seconds);
    const auto same = std::find_if(runs.begin(), runs.end(), [&](const Run& r) { return r.solver == run.solver; });
    if (same == runs.end())
      runs.push_back(std::move(run));
    else if (better(run, *same))
      *same = std::move(run);
  }
  return runs;
}

}  // namespace stickslip::bench
