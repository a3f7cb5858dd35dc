// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The contact problems of the shared corpus, when it is there: all certified in both scalings with the same options.
#include "stickslip/complementarity/cone/contact_solver.h"
#include "stickslip/complementarity/corpus/reader.h"
#include "tests/problem_files.h"

#include <gtest/gtest.h>

namespace stickslip::complementarity {
namespace {

// The two that take seconds under a sanitizer.
bool is_slow(const std::string& name) {
  return name.find("RockPile") != std::string::npos || name.find("granularflowonwall_07002") != std::string::npos;
}

void expect_corpus_certified(bool slow_ones) {
  const auto files = tests::problem_files();
  if (files.empty()) GTEST_SKIP() << "no problem files (set STICKSLIP_PROBLEMS)";
  ContactSolver solver;
  for (const auto& file : files) {
    if (is_slow(file.filename().string()) != slow_ones) continue;
    const CorpusProblem problem = read_corpus_file(file);
    std::vector<double> r;
    Eigen::VectorXd v;
    SolverSummary summary;
    if (const auto* local = std::get_if<ContactProblem>(&problem.data))
      summary = solver.solve(*local, r);
    else if (const auto* global = std::get_if<GlobalContactProblem>(&problem.data))
      summary = solver.solve(*global, r, v);
    else
      continue;
    EXPECT_TRUE(summary.solved()) << problem.name << ": " << summary.brief_report();
    EXPECT_LE(summary.residual.natural, 1e-8) << problem.name;
    EXPECT_LE(summary.residual.scaled, 1e-8) << problem.name;
  }
}

TEST(ContactCorpus, IsCertified) {
  expect_corpus_certified(false);
}
TEST(ContactCorpusSlow, IsCertified) {
  expect_corpus_certified(true);
}

}  // namespace
}  // namespace stickslip::complementarity
