// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/corpus/corpus_problem.h"

#include <array>
#include <utility>

namespace stickslip::complementarity {
namespace {

constexpr std::array<std::pair<CorpusKind, const char*>, 7> kKindNames{{{CorpusKind::Lcp, "lcp"},
                                                                        {CorpusKind::BoxLcp, "boxlcp"},
                                                                        {CorpusKind::Mlcp, "mlcp"},
                                                                        {CorpusKind::Fc2d, "fc2d"},
                                                                        {CorpusKind::Fc3d, "fc3d"},
                                                                        {CorpusKind::Gfc2d, "gfc2d"},
                                                                        {CorpusKind::Gfc3d, "gfc3d"}}};

struct SizeOf {
  Eigen::Index operator()(const AffineProblem& problem) const { return problem.size(); }
  Eigen::Index operator()(const MixedLcp& problem) const { return problem.A.cols() + problem.b.size(); }
  Eigen::Index operator()(const ContactProblem& problem) const { return problem.contacts(); }
  Eigen::Index operator()(const GlobalContactProblem& problem) const { return problem.contacts(); }
};

}  // namespace

Eigen::Index CorpusProblem::size() const {
  return std::visit(SizeOf{}, data);
}

const char* to_string(CorpusKind kind) {
  for (const auto& [known, name] : kKindNames)
    if (known == kind) return name;
  return "unknown";
}

std::optional<CorpusKind> corpus_kind(std::string_view name) {
  for (const auto& [kind, known] : kKindNames)
    if (name == known) return kind;
  return std::nullopt;
}

int contact_dimension(CorpusKind kind) {
  switch (kind) {
    case CorpusKind::Fc2d:
    case CorpusKind::Gfc2d: return 2;
    case CorpusKind::Fc3d:
    case CorpusKind::Gfc3d: return 3;
    default: return 0;
  }
}

}  // namespace stickslip::complementarity
