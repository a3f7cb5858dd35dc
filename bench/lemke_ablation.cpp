// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What each ingredient of Lemke's method is worth on contact problems: solved problems and pivots with one of them
// changed. Counts only, no times: the same on every machine. Plain Lemke (lemke.h), one run per problem, no restarts,
// no fall-backs. Usage: bench_lemke_ablation
#include "stickslip/complementarity/affine/affine_residual.h"
#include "stickslip/complementarity/affine/lemke.h"
#include "stickslip/complementarity/affine/matrix_columns.h"
#include "tests/problems/affine_generators.h"
#include "tests/problems/portable_random.h"

#include <fmt/core.h>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace stickslip::complementarity;

struct Variant {
  std::string name;
  LemkeOptions options;
};

struct Family {
  std::string name;
  std::vector<AffineProblem> problems;
};

std::vector<Variant> variants() {
  LemkeOptions base;
  base.max_pivots = 4000;
  std::vector<Variant> list;
  const auto add = [&](const char* name, auto change) {
    Variant variant{name, base};
    change(variant.options);
    list.push_back(variant);
  };
  add("as auto runs it (cover by count)", [](LemkeOptions& o) { o.cover_by_count = true; });
  add("cover all", [](LemkeOptions&) {});
  add("cover violated only", [](LemkeOptions& o) { o.cover_all = false; });
  add("cover all, no perturbation", [](LemkeOptions& o) { o.perturb = false; });
  add("cover all, tie tolerance 1e-9", [](LemkeOptions& o) { o.tie_tolerance = 1e-9; });
  add("cover all, tie tolerance 1e-13", [](LemkeOptions& o) { o.tie_tolerance = 1e-13; });
  add("cover all, tie tolerance 0", [](LemkeOptions& o) { o.tie_tolerance = 0; });
  add("cover all, tie tolerance 0, no perturbation", [](LemkeOptions& o) {
    o.tie_tolerance = 0;
    o.perturb = false;
  });
  add("cover all, tie tolerance 0, z0 must reach 0", [](LemkeOptions& o) { o.tie_tolerance = o.negligible = 0; });
  add("cover all, z0 must reach 0", [](LemkeOptions& o) { o.negligible = 0; });
  return list;
}

std::vector<Family> families() {
  Family slides{"slides", {}}, mixed{"slides, mixed", {}}, stacks{"stacks", {}};
  PortableRandom random(7);
  for (int k = 0; k < 300; ++k) {
    SlideOptions options{.contacts = 3 + k % 6, .directions = 4 + 4 * (k % 4)};
    const bool rest = k % 7 == 0, aligned = k % 7 == 1;
    options.mu = rest || aligned ? 0.5 : std::pow(10.0, random.uniform(-1, 1));
    options.vx = rest ? 0 : aligned ? 1 : random.uniform(-1, 1);
    options.vy = rest || aligned ? 0 : random.uniform(-1, 1);
    options.spin = rest || aligned ? 0 : random.uniform(-3, 3);
    options.reference_in_plane = k % 2 == 0;
    const ContactStep step = slide(options);
    slides.problems.push_back(contact_lcp(step));
    mixed.problems.push_back(make_mixed_lcp(contact_mixed_lcp(step)).problem);
  }
  for (const int boxes : {2, 5, 10, 20, 30}) {
    for (const double mu : {0.2, 0.5, 2.0}) {
      for (const double push : {0.0, 0.2, 1.0}) stacks.problems.push_back(contact_lcp(stack(boxes, mu, push)));
    }
  }
  return {slides, mixed, stacks};
}

template <class Columns, class Matrix>
bool run(const Matrix& matrix, const AffineProblem& problem, const LemkeOptions& options, long& pivots) {
  Columns columns;
  columns.set(matrix);
  Lemke<Columns> lemke;
  const LemkeExit exit =
      lemke.solve(columns, problem.q.data(), problem.lower.data(), problem.upper.data(), nullptr, options);
  if (exit != LemkeExit::Solved) return false;
  const Eigen::VectorXd z = Eigen::Map<const Eigen::VectorXd>(lemke.z().data(), problem.size());
  if (!(affine_residual(problem, z).error <= 1e-8)) return false;
  pivots += lemke.pivots();
  return true;
}

}  // namespace

int main() {
  const std::vector<Family> all = families();
  fmt::print("| Lemke |");
  for (const Family& family : all) fmt::print(" {}: solved of {} | mean pivots |", family.name, family.problems.size());
  fmt::print("\n|---|");
  for (std::size_t k = 0; k < all.size(); ++k) fmt::print("---|---|");
  fmt::print("\n");
  for (const Variant& variant : variants()) {
    fmt::print("| {} |", variant.name);
    for (const Family& family : all) {
      int solved = 0;
      long pivots = 0;
      for (const AffineProblem& problem : family.problems) {
        solved += problem.is_dense ? run<DenseColumns>(problem.dense, problem, variant.options, pivots)
                                   : run<SparseColumns>(problem.sparse, problem, variant.options, pivots);
      }
      fmt::print(" {} | {:.1f} |", solved, solved > 0 ? static_cast<double>(pivots) / solved : 0.0);
    }
    fmt::print("\n");
  }
  return 0;
}
