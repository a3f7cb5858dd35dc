// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Solvers of Siconos 4 (numerics) as a plug-in, so that they can be compared on the same scene or problem file:
//
//     stickslip run scene.toml --plugin build/plugins/siconos.so --set method.solver=siconos-nsgs
//
// Matrices are handed over dense. Iteration limits are raised, since ours are the ones that the user sets; all else is
// Siconos' default.
#include "stickslip/simulation/plugin.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <lcp_cst.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace {

using namespace stickslip;
using complementarity::AffineProblem;
using complementarity::ContactProblem;

constexpr int kManyIterations = 100000;

struct DeleteOptions {
  void operator()(::SolverOptions* options) const { solver_options_delete(options); }
};
using Options = std::unique_ptr<::SolverOptions, DeleteOptions>;

Options make_options(int id, const complementarity::SolverOptions& ours) {
  numerics_set_verbose(0);
  Options options(solver_options_create(id));
  options->dparam[SICONOS_DPARAM_TOL] = ours.tolerance;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = ours.max_iterations > 0 ? ours.max_iterations : kManyIterations;
  return options;
}

double* copy_of(const double* data, std::size_t count) {  // Siconos frees it
  auto* copy = static_cast<double*>(std::malloc(std::max<std::size_t>(count, 1) * sizeof(double)));
  std::copy_n(data, count, copy);
  return copy;
}

NumericsMatrix* dense_matrix(const Eigen::MatrixXd& A) {
  NumericsMatrix* matrix = NM_create(NM_DENSE, static_cast<int>(A.rows()), static_cast<int>(A.cols()));
  std::copy_n(A.data(), A.size(), matrix->matrix0);  // both column by column
  return matrix;
}

Eigen::MatrixXd dense(const complementarity::BlockMatrix& W) {
  const int D = W.block_size, n = W.rows() * D;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (int row = 0; row < W.rows(); ++row)
    for (int p = W.row_start[static_cast<std::size_t>(row)]; p < W.row_start[static_cast<std::size_t>(row) + 1]; ++p)
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j)
          A(row * D + i, W.column[static_cast<std::size_t>(p)] * D + j) =
              W.value[static_cast<std::size_t>((p * D + i) * D + j)];
  return A;
}

// Planar and spatial problems have different numbers in Siconos; 0: none of that kind.
template <int kPlanar, int kSpatial>
class Friction final : public complementarity::ExternalContactSolver {
 public:
  void solve(const ContactProblem& problem, std::vector<double>& r,
             const complementarity::SolverOptions& options) override {
    const int D = problem.dimension(), id = D == 2 ? kPlanar : kSpatial;
    if (id == 0 || !problem.kind.empty() || problem.contacts() == 0) return;  // no supports, no joints
    FrictionContactProblem* theirs = frictionContactProblem_new_with_data(
        D, problem.contacts(), dense_matrix(dense(problem.W)), copy_of(problem.q.data(), problem.q.size()),
        copy_of(problem.mu.data(), problem.mu.size()));
    std::vector<double> u(problem.q.size());
    const Options setting = make_options(id, options);
    if (D == 2)
      fc2d_driver(theirs, r.data(), u.data(), setting.get());
    else
      fc3d_driver(theirs, r.data(), u.data(), setting.get());
    frictionContactProblem_free(theirs);
  }
};

template <int kId>
class Lcp final : public complementarity::ExternalAffineSolver {
 public:
  void solve(const AffineProblem& problem, Eigen::VectorXd& z, const complementarity::SolverOptions& options) override {
    const bool is_lcp =
        (problem.lower.array() == 0).all() && (problem.upper.array() == complementarity::kInfinity).all();
    if (!is_lcp || problem.size() == 0) return;
    LinearComplementarityProblem* theirs = newLCP();
    theirs->size = static_cast<int>(problem.size());
    theirs->M = dense_matrix(problem.is_dense ? problem.dense : Eigen::MatrixXd(problem.sparse));
    theirs->q = copy_of(problem.q.data(), static_cast<std::size_t>(problem.size()));
    Eigen::VectorXd w = Eigen::VectorXd::Zero(problem.size());
    const Options setting = make_options(kId, options);
    linearComplementarity_driver(theirs, z.data(), w.data(), setting.get());
    freeLinearComplementarityProblem(theirs);
  }
};

template <class Solver>
std::unique_ptr<complementarity::ExternalContactSolver> contact() {
  return std::make_unique<Solver>();
}
template <class Solver>
std::unique_ptr<complementarity::ExternalAffineSolver> affine() {
  return std::make_unique<Solver>();
}

void enter(simulation::PluginHost& host) {
  host.add_contact_solver({"siconos-nsgs", "Siconos: nonsmooth Gauss-Seidel"},
                          contact<Friction<SICONOS_FRICTION_2D_NSGS, SICONOS_FRICTION_3D_NSGS>>);
  host.add_contact_solver({"siconos-nsn-ac", "Siconos: nonsmooth Newton, Alart-Curnier (spatial contacts)"},
                          contact<Friction<0, SICONOS_FRICTION_3D_NSN_AC>>);
  host.add_contact_solver({"siconos-lemke-2d", "Siconos: Lemke (planar contacts)"},
                          contact<Friction<SICONOS_FRICTION_2D_LEMKE, 0>>);
  host.add_affine_solver({"siconos-lemke", "Siconos: Lemke (LCP)"}, affine<Lcp<SICONOS_LCP_LEMKE>>);
  host.add_affine_solver({"siconos-pgs", "Siconos: projected Gauss-Seidel (LCP)"}, affine<Lcp<SICONOS_LCP_PGS>>);
  host.add_affine_solver({"siconos-newton-min", "Siconos: Newton on the minimum map (LCP)"},
                         affine<Lcp<SICONOS_LCP_NEWTONMIN>>);
}

}  // namespace

STICKSLIP_PLUGIN(enter)
