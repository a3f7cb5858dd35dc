// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip._complementarity: the solvers of complementarity and frictional contact problems, for NumPy arrays and
// SciPy sparse matrices. Needs nothing of the simulator. One solver per thread keeps its workspaces between calls; the
// interpreter lock is released while a solver works, except where it calls back into Python.
#include "arrays.h"
#include "made.h"
#include "python_signals.h"
#include "unlocked.h"

#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/affine/vector_kernels.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "stickslip/complementarity/deadline.h"
#include "stickslip/complementarity/mcp/mcp_solver.h"

#include <pybind11/stl.h>

#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

namespace stickslip::python {

void bind_problems(py::module_& module);        // problems.cpp
void bind_solver_plugins(py::module_& module);  // solver_plugins.cpp

namespace {

namespace ss = stickslip::complementarity;

// What a solve found, and its certificate.
struct Solution {
  using MadeByInit = Solution;
  Eigen::VectorXd z, w;
  ss::SolverSummary summary;
};

ss::SolverOptions options_from(double tolerance, int max_iterations, double time_limit) {
  if (!(tolerance > 0 && tolerance <= 1e-2)) throw py::value_error("tolerance must be above 0 and at most 0.01");
  if (max_iterations < 0) throw py::value_error("max_iterations must not be negative");
  if (!(time_limit > 0)) throw py::value_error("time_limit must be positive");
  ss::SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  options.time_limit = time_limit;
  return options;
}

template <typename Solver>
void check_solver_name(const std::string& name) {
  if (name == "auto") return;
  std::string known = "auto";
  for (const ss::AlgorithmInfo& info : Solver::algorithms()) {
    if (name == info.name) return;
    known += fmt::format(", {}", info.name);
  }
  throw py::value_error(fmt::format("unknown solver \"{}\" (known: {})", name, known));
}

void require_valid(const std::string& objection) {
  if (!objection.empty()) throw py::value_error(objection);
}

// M z + q, by the columns that take part.
Eigen::VectorXd w_of(const ss::AffineProblem& problem, const Eigen::VectorXd& z) {
  Eigen::VectorXd w = problem.q;
  if (!problem.is_dense) {
    for (Eigen::Index j = 0; j < z.size(); ++j)
      if (z[j] != 0)
        for (Eigen::SparseMatrix<double>::InnerIterator entry(problem.sparse, j); entry; ++entry)
          w[entry.row()] += entry.value() * z[j];
    return w;
  }
  const int n = static_cast<int>(problem.size());
  const double* column[4];
  double weight[4];
  int count = 0;
  for (int j = 0; j < n; ++j) {
    if (z[j] == 0) continue;
    column[count] = problem.dense.data() + static_cast<std::ptrdiff_t>(j) * n;
    weight[count] = z[j];
    if (++count < 4) continue;
    ss::kernels::add_scaled4(w.data(), weight, column, n);
    count = 0;
  }
  for (int k = 0; k < count; ++k) ss::kernels::add_scaled(w.data(), weight[k], column[k], n);
  return w;
}

Solution solve_affine(const ss::AffineProblem& problem, const std::string& solver, const ss::SolverOptions& options) {
  check_solver_name<ss::AffineSolver>(solver);
  thread_local ss::AffineSolver affine;
  Solution solution;
  Interruption interruption;
  {
    const std::function<bool()> go_on = interruption.asking_at_times();
    const ss::Asking asking(go_on);
    const Unlocked unlocked;
    solution.summary = affine.solve(problem, solution.z, options, solver);
    if (solution.summary.status != ss::Status::BadInput) solution.w = w_of(problem, solution.z);
  }
  interruption.raise();
  return solution;
}

// The matrix of an LCP as it was given. To look at it can run Python; to put it into a problem does not.
using GivenMatrix = std::variant<DenseView, SparseView>;

GivenMatrix given_matrix(const py::object& matrix) {
  GivenMatrix given = is_sparse(matrix) ? GivenMatrix(sparse_view(matrix, "M")) : GivenMatrix(dense_view(matrix, "M"));
  const bool square = std::visit([](const auto& view) { return view.rows == view.cols; }, given);
  if (!square) throw py::value_error("M must be a square matrix");
  return given;
}

// Kept dense or sparse as make_lcp() does. False: an entry is not a finite number. M is copied: other threads may change
// the arrays while the solver works without the interpreter lock.
bool put_into(ss::AffineProblem& problem, const DenseView& M) {
  problem.is_dense = true;
  return M.copy_to(problem.dense);
}
bool put_into(ss::AffineProblem& problem, const SparseView& M) {
  problem.is_dense = ss::prefers_dense(M.rows, M.entries());
  if (M.in_order) return problem.is_dense ? M.copy_to(problem.dense) : M.copy_to(problem.sparse);
  problem.sparse = M.matrix();
  problem.is_dense = ss::prefers_dense(M.rows, problem.sparse.nonZeros());  // entries in one place were summed
  if (problem.is_dense) problem.dense = problem.sparse;
  return false;  // validate() looks
}

Solution solve_lcp(const py::object& matrix, const py::object& vector, const py::object& lower, const py::object& upper,
                   const std::string& solver, double tolerance, int max_iterations, double time_limit) {
  // To look at an argument can run Python, which can change those that were looked at before: arrays are held, and their
  // sizes taken, after the last.
  const DoubleArray q_array = vector_array(vector, "q");
  std::optional<DoubleArray> lower_array, upper_array;
  if (!lower.is_none()) lower_array = vector_array(lower, "lower");
  if (!upper.is_none()) upper_array = vector_array(upper, "upper");
  const ss::SolverOptions options = options_from(tolerance, max_iterations, time_limit);
  const GivenMatrix M = given_matrix(matrix);
  const auto n = std::visit([](const auto& view) { return view.rows; }, M);
  if (q_array.shape(0) != n)
    throw py::value_error(fmt::format("q must have {} entries, as many as M has rows, not {}", n, q_array.shape(0)));
  if (lower_array) require_size(*lower_array, "lower", n);
  if (upper_array) require_size(*upper_array, "upper", n);
  // From here on nothing of Python runs that could call this function again. A problem of ordinary size keeps its memory
  // for the next call: fresh pages cost more than the copy.
  constexpr Eigen::Index kLargestKept = 1000;
  thread_local ss::AffineProblem kept;
  ss::AffineProblem fresh;
  ss::AffineProblem& problem = n <= kLargestKept ? kept : fresh;
  const bool finite = std::visit([&](const auto& view) { return put_into(problem, view); }, M);
  problem.q = vector_map(q_array);
  problem.lower.setZero(n);
  problem.upper.setConstant(n, ss::kInfinity);
  if (lower_array) problem.lower = vector_map(*lower_array);
  if (upper_array) problem.upper = vector_map(*upper_array);
  if (!finite) require_valid(ss::validate(problem));
  Solution solution = solve_affine(problem, solver, options);
  // What the solver looks at itself need not be looked at before; validate() says in words what it refused.
  if (solution.summary.status == ss::Status::BadInput) require_valid(ss::validate(problem));
  return solution;
}

py::tuple solve_mlcp(const py::object& A, const py::object& B, const py::object& C, const py::object& D,
                     const py::object& a, const py::object& b, const std::string& solver, double tolerance,
                     int max_iterations, double time_limit) {
  ss::MixedLcp blocks{sparse_from(A, "A"), sparse_from(B, "B"), sparse_from(C, "C"),
                      sparse_from(D, "D"), vector_from(a, "a"), vector_from(b, "b")};
  const Eigen::Index n = blocks.A.cols(), m = blocks.B.cols();
  if (blocks.B.rows() != m || blocks.b.size() != m || blocks.C.rows() != blocks.A.rows() || blocks.C.cols() != m ||
      blocks.D.rows() != m || blocks.D.cols() != n || blocks.a.size() != blocks.A.rows())
    throw py::value_error(
        "the blocks do not fit: A u + C v + a = 0 and 0 <= v, D u + B v + b >= 0 need A (k x n), C (k x m), D (m x n), "
        "B (m x m), a (k), b (m)");
  const ss::MixedLcpForm form = ss::make_mixed_lcp(blocks);
  require_valid(ss::validate(form.problem));
  Solution solution = solve_affine(form.problem, solver, options_from(tolerance, max_iterations, time_limit));
  const py::array_t<double> u = to_numpy(form.u(solution.z)), v = to_numpy(form.v(solution.z, m));
  return py::make_tuple(u, v, std::move(solution));
}

// The callbacks of an MCP. The first exception of either ends the solve (F is then "not defined") and is raised again.
struct Callbacks {
  py::object function, jacobian;
  Eigen::Index size = 0;
  std::exception_ptr error;

  template <typename Evaluate>
  bool guarded(const Evaluate& evaluate) {
    if (error) return false;
    try {
      // A function that is not written in Python (a ufunc) looks for no signals.
      or_wait_for_the_end([&] {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        evaluate();
      });
      return true;
    } catch (...) {
      error = std::current_exception();
      return false;
    }
  }
};

Solution solve_mcp(const py::object& function, const py::object& jacobian, const py::object& lower,
                   const py::object& upper, const py::object& start, const std::string& solver, double tolerance,
                   int max_iterations, double time_limit) {
  if (!PyCallable_Check(function.ptr())) throw py::type_error("F must be callable: F(x) -> array");
  if (!jacobian.is_none() && !PyCallable_Check(jacobian.ptr()))
    throw py::type_error("J must be callable, J(x) -> matrix, or None for finite differences");
  check_solver_name<ss::McpSolver>(solver);
  const ss::SolverOptions options = options_from(tolerance, max_iterations, time_limit);
  Callbacks calls{function, jacobian, 0, {}};
  ss::McpProblem problem;
  problem.lower = vector_from(lower, "lower");
  calls.size = problem.lower.size();
  problem.upper = vector_from(upper, "upper", calls.size);
  problem.function = [&](const Eigen::VectorXd& x, Eigen::VectorXd& f) {
    return calls.guarded([&] { f = vector_from(calls.function(to_numpy(x)), "F(x)", calls.size); }) && f.allFinite();
  };
  if (!jacobian.is_none())
    problem.jacobian = [&](const Eigen::VectorXd& x, Eigen::SparseMatrix<double>& J) {
      return calls.guarded([&] {
        J = sparse_from(calls.jacobian(to_numpy(x)), "J(x)");
        if (J.rows() != calls.size || J.cols() != calls.size)
          throw py::value_error(fmt::format("J(x) must be {0} x {0}, not {1} x {2}", calls.size, J.rows(), J.cols()));
      });
    };
  Solution solution;
  solution.z = vector_from(start, "x0", calls.size);
  if (!solution.z.allFinite()) throw py::value_error("x0 must be finite");
  require_valid(ss::validate(problem));
  ss::McpSolver mcp;
  solution.summary = mcp.solve(problem, solution.z, options, solver);
  if (calls.error) std::rethrow_exception(calls.error);
  solution.w.resize(calls.size);
  if (!problem.function(solution.z, solution.w)) solution.w.setConstant(std::numeric_limits<double>::quiet_NaN());
  if (calls.error) std::rethrow_exception(calls.error);
  return solution;
}

Eigen::VectorXd velocity_of(const ss::ContactProblem& problem, const std::vector<double>& r) {
  const int d = problem.dimension();
  Eigen::VectorXd u = Eigen::Map<const Eigen::VectorXd>(problem.q.data(), static_cast<Eigen::Index>(problem.q.size()));
  using Block = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  for (int row = 0; row < problem.contacts(); ++row)
    for (int k = problem.W.row_start[static_cast<std::size_t>(row)];
         k < problem.W.row_start[static_cast<std::size_t>(row) + 1]; ++k)
      u.segment(row * d, d) +=
          Block(problem.W.value.data() + static_cast<std::ptrdiff_t>(k) * d * d, d, d) *
          Eigen::Map<const Eigen::VectorXd>(
              r.data() + static_cast<std::ptrdiff_t>(problem.W.column[static_cast<std::size_t>(k)]) * d, d);
  return u;
}

std::vector<ss::ContactKind> kinds_from(const py::object& names, Eigen::Index contacts) {
  std::vector<ss::ContactKind> kinds;
  if (names.is_none()) return kinds;
  for (const py::handle name : py::reinterpret_borrow<py::iterable>(names)) {
    const auto text = name.cast<std::string>();
    if (text != "frictional" && text != "support" && text != "bilateral")
      throw py::value_error(fmt::format("unknown kind \"{}\" (known: frictional, support, bilateral)", text));
    kinds.push_back(text == "support"     ? ss::ContactKind::Support
                    : text == "bilateral" ? ss::ContactKind::Bilateral
                                          : ss::ContactKind::Frictional);
  }
  if (!kinds.empty() && static_cast<Eigen::Index>(kinds.size()) != contacts)
    throw py::value_error(fmt::format("kinds must have {} entries, not {}", contacts, kinds.size()));
  return kinds;
}

Solution solve_contact(const py::object& matrix, const py::object& vector, const py::object& friction,
                       const py::object& kinds, const py::object& normal_impulses, const py::object& start,
                       const std::string& solver, double tolerance, int max_iterations, double time_limit) {
  check_solver_name<ss::ContactSolver>(solver);
  const ss::SolverOptions options = options_from(tolerance, max_iterations, time_limit);
  const Eigen::VectorXd q = vector_from(vector, "q"), mu = vector_from(friction, "mu");
  const Eigen::Index contacts = mu.size();
  const Eigen::Index dimension = contacts > 0 && q.size() % contacts == 0 ? q.size() / contacts : 0;
  if (dimension != 2 && dimension != 3)
    throw py::value_error(
        fmt::format("q must have 2 (plane) or 3 (space) entries for each of the {} entries of mu, not {} in all",
                    contacts, q.size()));
  const Eigen::SparseMatrix<double> W = sparse_from(matrix, "W");
  if (W.rows() != q.size() || W.cols() != q.size())
    throw py::value_error(fmt::format("W must be {0} x {0}, not {1} x {2}", q.size(), W.rows(), W.cols()));
  ss::ContactProblem problem;
  problem.W = ss::make_block_matrix(W, static_cast<int>(dimension));
  problem.q.assign(q.begin(), q.end());
  problem.mu.assign(mu.begin(), mu.end());
  problem.kind = kinds_from(kinds, contacts);
  if (!normal_impulses.is_none()) {
    const Eigen::VectorXd given = vector_from(normal_impulses, "normal_impulses");
    problem.normal_impulse.assign(given.begin(), given.end());
  }
  require_valid(ss::validate(problem));
  std::vector<double> r;
  if (!start.is_none()) {
    const Eigen::VectorXd given = vector_from(start, "start", q.size());
    if (!given.allFinite()) throw py::value_error("start must be finite");
    r.assign(given.begin(), given.end());
  }
  thread_local ss::ContactSolver cone;
  Solution solution;
  Interruption interruption;
  {
    const std::function<bool()> go_on = interruption.asking_at_times();
    const ss::Asking asking(go_on);
    const Unlocked unlocked;
    solution.summary = cone.solve(problem, r, options, solver);
    solution.z = Eigen::Map<const Eigen::VectorXd>(r.data(), static_cast<Eigen::Index>(r.size()));
    solution.w = velocity_of(problem, r);
  }
  interruption.raise();
  return solution;
}

// Copies, and what goes to another process.
py::tuple contents_of(const Solution& solution) {
  const ss::SolverSummary& of = solution.summary;
  const ss::Residual& r = of.residual;
  return py::make_tuple(to_numpy(solution.z), to_numpy(solution.w), static_cast<int>(of.status), of.solver,
                        of.iterations, of.attempts, of.blocks, of.seconds,
                        py::make_tuple(r.error, r.natural, r.scaled, r.primal, r.dual, r.complementarity, r.cone));
}

Solution solution_from(const py::tuple& contents) {
  if (contents.size() != 9) throw py::value_error("this is no solution of this version");
  Solution solution;
  solution.z = vector_from(contents[0], "z");
  solution.w = vector_from(contents[1], "w");
  ss::SolverSummary& of = solution.summary;
  const int status = contents[2].cast<int>();
  if (status < 0 || status > static_cast<int>(ss::Status::BadInput)) throw py::value_error("unknown status");
  of.status = static_cast<ss::Status>(status);
  static std::set<std::string> names;  // a summary holds a name that stays
  of.solver = names.insert(contents[3].cast<std::string>()).first->c_str();
  of.iterations = contents[4].cast<int>();
  of.attempts = contents[5].cast<int>();
  of.blocks = contents[6].cast<int>();
  of.seconds = contents[7].cast<double>();
  const py::tuple parts = contents[8];
  if (parts.size() != 7) throw py::value_error("this is no solution of this version");
  ss::Residual& r = of.residual;
  double* const to[] = {&r.error, &r.natural, &r.scaled, &r.primal, &r.dual, &r.complementarity, &r.cone};
  for (std::size_t k = 0; k < 7; ++k) *to[k] = parts[k].cast<double>();
  return solution;
}

template <typename Solver>
std::vector<std::pair<std::string, std::string>> catalogue() {
  std::vector<std::pair<std::string, std::string>> list{{"auto", "the algorithms below, until one is certified"}};
  for (const ss::AlgorithmInfo& info : Solver::algorithms()) list.emplace_back(info.name, info.description);
  return list;
}

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

void bind_solution(py::module_& module) {
  py::class_<Solution>(module, "Solution",
                       "The answer of a solve, with its certificate. True when it is solved.\n\n"
                       ">>> from stickslip import complementarity as sc\n"
                       ">>> answer = sc.solve_lcp([[2.0]], [-1.0])\n"
                       ">>> answer.solved, answer.z.tolist(), answer.w.tolist(), answer.residual < 1e-8\n"
                       "(True, [0.5], [0.0], True)\n"
                       ">>> sc.solve_lcp([[0.0]], [-1.0]).status\n"
                       "'infeasible'\n")
      .def_property_readonly(
          "z", [](const Solution& s) { return to_numpy(s.z); },
          "The unknowns: z of an affine problem, x of an MCP, impulses r of a contact problem.")
      .def_property_readonly(
          "w", [](const Solution& s) { return to_numpy(s.w); },
          "The other side: M z + q, F(x), or relative velocities u = W r + q.")
      .def_property_readonly(
          "solved", [](const Solution& s) { return s.summary.solved(); },
          "True only when the certificate of the problem as posed is within the tolerance.")
      .def_property_readonly(
          "status", [](const Solution& s) { return ss::to_string(s.summary.status); },
          "solved, infeasible, ray, stalled, iteration-limit, time-limit or bad-input.")
      .def_property_readonly(
          "residual", [](const Solution& s) { return s.summary.residual.error; },
          "The certificate: the error that the tolerance is compared with.")
      .def_property_readonly(
          "residual_parts",
          [](const Solution& s) {
            const ss::Residual& r = s.summary.residual;
            py::dict parts;
            parts["natural"] = r.natural;
            parts["scaled"] = r.scaled;
            parts["primal"] = r.primal;
            parts["dual"] = r.dual;
            parts["complementarity"] = r.complementarity;
            parts["cone"] = r.cone;
            return parts;
          },
          "The parts of the certificate.")
      .def_property_readonly(
          "solver", [](const Solution& s) { return s.summary.solver; }, "The algorithm that gave the answer.")
      .def_property_readonly(
          "iterations", [](const Solution& s) { return s.summary.iterations; }, "Iterations of all attempts together.")
      .def_property_readonly(
          "seconds", [](const Solution& s) { return s.summary.seconds; }, "Wall time of the solve.")
      .def(
          "report", [](const Solution& s) { return s.summary.full_report(); }, "The report of the solver, in words.")
      .def("__bool__", [](const Solution& s) { return s.summary.solved(); })
      .def(py::pickle(&contents_of, &solution_from))
      .def("__copy__", [](const py::object& self) { return self; })  // nothing can change it
      .def("__deepcopy__", [](const py::object& self, const py::object&) { return self; })
      .def("__repr__", [](const Solution& s) { return fmt::format("<Solution: {}>", s.summary.brief_report()); });
}

}  // namespace

PYBIND11_MODULE(_complementarity, module) {
  module.doc() = "Solvers of complementarity and frictional contact problems, each answer with a certificate.";
  module.attr("__version__") = STICKSLIP_VERSION;
  bind_solution(module);
  module.attr("Solution").attr("__module__") = "stickslip.complementarity";  // where it is found
  module.def(
      "solve_lcp", &solve_lcp, py::arg("M"), py::arg("q"), py::kw_only(), py::arg("lower") = py::none(),
      py::arg("upper") = py::none(), py::arg("solver") = "auto", py::arg("tolerance") = 1e-8,
      py::arg("max_iterations") = 0, py::arg("time_limit") = kNoLimit,
      "Find z with lower <= z <= upper, w = M z + q, w_i >= 0 where z_i = lower_i, w_i <= 0 where z_i = upper_i "
      "and w_i = 0 between.\n\nWithout bounds: the LCP 0 <= z, w >= 0, z.w = 0. M may be dense or a SciPy sparse "
      "matrix; bounds may be infinite.\n\n"
      "solver: a name of lcp_solvers(), or \"auto\". tolerance: what the certificate is compared with. "
      "max_iterations: 0 for the limit of the solver. time_limit: in seconds. Ctrl-C ends the solve.\n\n"
      ">>> from stickslip import complementarity as sc\n"
      ">>> sc.solve_lcp([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0]).z.round(6).tolist()\n"
      "[1.333333, 2.333333]\n");
  module.def("solve_mlcp", &solve_mlcp, py::arg("A"), py::arg("B"), py::arg("C"), py::arg("D"), py::arg("a"),
             py::arg("b"), py::kw_only(), py::arg("solver") = "auto", py::arg("tolerance") = 1e-8,
             py::arg("max_iterations") = 0, py::arg("time_limit") = kNoLimit,
             "Mixed LCP: A u + C v + a = 0 with u free, 0 <= v, D u + B v + b >= 0, complementary. Returns (u, v, "
             "solution). Options as those of solve_lcp.\n\n"
             ">>> from stickslip import complementarity as sc\n"
             ">>> u, v, solution = sc.solve_mlcp([[1.0]], [[2.0]], [[1.0]], [[0.0]], [-1.0], [-3.0])\n"
             ">>> u.round(6).tolist(), v.round(6).tolist(), solution.solved\n"
             "([-0.5], [1.5], True)\n");
  module.def("solve_mcp", &solve_mcp, py::arg("F"), py::arg("J"), py::arg("lower"), py::arg("upper"), py::arg("x0"),
             py::kw_only(), py::arg("solver") = "auto", py::arg("tolerance") = 1e-8, py::arg("max_iterations") = 0,
             py::arg("time_limit") = kNoLimit,
             "Nonlinear mixed complementarity problem: lower <= x <= upper, complementary to F(x).\n\nJ(x) gives the "
             "Jacobian (dense or sparse); None takes finite differences. Entries of F that are not finite mean \"not "
             "defined here\". An exception in F or J ends the solve and is raised.\n\n"
             "solver: a name of mcp_solvers(), or \"auto\". tolerance: what the certificate is compared with. "
             "max_iterations: 0 for the limit of the solver. time_limit: in seconds.\n\n"
             ">>> from stickslip import complementarity as sc\n"
             ">>> sc.solve_mcp(lambda x: [x[0] ** 2 - 2], None, [0.0], [float(\"inf\")], [1.0]).z.round(6).tolist()\n"
             "[1.414214]\n");
  module.def(
      "solve_contact", &solve_contact, py::arg("W"), py::arg("q"), py::arg("mu"), py::kw_only(),
      py::arg("kinds") = py::none(), py::arg("normal_impulses") = py::none(), py::arg("start") = py::none(),
      py::arg("solver") = "auto", py::arg("tolerance") = 1e-8, py::arg("max_iterations") = 0,
      py::arg("time_limit") = kNoLimit,
      "Frictional contact with the exact Coulomb cone: u = W r + q, |r_t| <= mu r_n, friction against the slip.\n\n"
      "Each contact has 2 (plane) or 3 (space) rows: normal, then tangents. kinds: \"frictional\" (all of them, when "
      "not given), \"support\" (its normal impulse is given in normal_impulses) or \"bilateral\" (u = 0) for each "
      "contact. start: impulses to begin from.\n\n"
      "solver: a name of contact_solvers(), or \"auto\". tolerance: what the certificate is compared with. "
      "max_iterations: 0 for the limit of the solver. time_limit: in seconds. Ctrl-C ends the solve.\n\n"
      ">>> from stickslip import complementarity as sc\n"
      ">>> sc.solve_contact([[1.0, 0.0], [0.0, 1.0]], [-1.0, 0.2], [0.5]).z.round(6).tolist()\n"
      "[1.0, -0.2]\n");
  bind_problems(module);
  bind_solver_plugins(module);
  module.def("lcp_solvers", &catalogue<ss::AffineSolver>,
             "Names and descriptions of the solvers of affine problems.\n\n"
             ">>> from stickslip import complementarity as sc\n"
             ">>> \"lemke\" in dict(sc.lcp_solvers())\n"
             "True\n");
  module.def("mcp_solvers", &catalogue<ss::McpSolver>,
             "Names and descriptions of the solvers of MCPs.\n\n"
             ">>> from stickslip import complementarity as sc\n"
             ">>> sc.mcp_solvers()[0][0]\n"
             "'auto'\n");
  module.def("contact_solvers", &catalogue<ss::ContactSolver>,
             "Names and descriptions of the contact solvers.\n\n"
             ">>> from stickslip import complementarity as sc\n"
             ">>> sc.contact_solvers()[0][0]\n"
             "'auto'\n");
}

}  // namespace stickslip::python
