// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One problem of the corpus format (docs/solve.md describes the files):
//
//     lcp, boxlcp     AffineProblem
//     mlcp            MixedLcp
//     fc2d, fc3d      ContactProblem
//     gfc2d, gfc3d    GlobalContactProblem
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/cone/contact_problem.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace stickslip::complementarity {

enum class CorpusKind { Lcp, BoxLcp, Mlcp, Fc2d, Fc3d, Gfc2d, Gfc3d };

// Bounds at least this large in magnitude are written in files where no bound is meant.
constexpr double kFileInfinity = 1e20;

struct CorpusProblem {
  std::string name;
  CorpusKind kind = CorpusKind::Lcp;
  std::string notes;
  std::string source;
  std::variant<AffineProblem, MixedLcp, ContactProblem, GlobalContactProblem> data;
  std::vector<double> known_solution;  // empty when the file gives none

  // Unknowns of an affine problem (free ones included), contacts of a contact problem.
  [[nodiscard]] Eigen::Index size() const;
};

[[nodiscard]] const char* to_string(CorpusKind kind);
[[nodiscard]] std::optional<CorpusKind> corpus_kind(std::string_view name);

// 2 or 3 for contact problems, 0 for the others.
[[nodiscard]] int contact_dimension(CorpusKind kind);

}  // namespace stickslip::complementarity
