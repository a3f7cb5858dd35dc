// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/common/recorded_problems.h"

#include "stickslip/complementarity/cone/contact_solver.h"
#include "stickslip/complementarity/external_solver.h"

#include <utility>

namespace stickslip::bench {
namespace {

struct Record {
  bool on = false;
  RecordedProblem all;
};
Record& record() {
  static Record instance;
  return instance;
}

void append(const complementarity::ContactProblem& problem, const std::vector<double>& start, RecordedProblem& all) {
  complementarity::BlockMatrix& W = all.problem.W;
  const complementarity::BlockMatrix& more = problem.W;
  const int rows = W.rows(), blocks = static_cast<int>(W.column.size());
  W.block_size = more.block_size;
  for (int i = 0; i < more.rows(); ++i) {
    W.row_start.push_back(blocks + more.row_start[static_cast<std::size_t>(i) + 1]);
    W.diagonal.push_back(blocks + more.diagonal[static_cast<std::size_t>(i)]);
  }
  for (const int column : more.column) W.column.push_back(rows + column);
  W.value.insert(W.value.end(), more.value.begin(), more.value.end());
  all.problem.q.insert(all.problem.q.end(), problem.q.begin(), problem.q.end());
  all.problem.mu.insert(all.problem.mu.end(), problem.mu.begin(), problem.mu.end());
  all.start.insert(all.start.end(), start.begin(), start.end());
}

class Recorder final : public complementarity::ExternalContactSolver {
 public:
  void solve(const complementarity::ContactProblem& problem, std::vector<double>& r,
             const complementarity::SolverOptions& options) override {
    if (record().on) append(problem, r, record().all);
    (void)solver_.solve(problem, r, options, "auto");
  }

 private:
  complementarity::ContactSolver solver_;
};

}  // namespace

void register_recorder() {
  complementarity::register_contact_solver(
      {"recorded", "keeps the problems that it is given; answers as auto does"},
      []() -> std::unique_ptr<complementarity::ExternalContactSolver> { return std::make_unique<Recorder>(); });
}

void record_problems(bool on) {
  record().on = on;
  record().all = {};
}

RecordedProblem take_recorded() {
  return std::exchange(record().all, {});
}

}  // namespace stickslip::bench
